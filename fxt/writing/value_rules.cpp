// The checks and the texts of their errors.
#include "fxt/writing/value_rules.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "fxt/checking/argument_rules.h"
#include "fxt/rules.h"
#include "fxt/utf8.h"

namespace fxt {
namespace {

bool is_id(std::uint64_t koid) { return koid != 0 && koid < kKoidLimit; }

// Different names can be the same in the file: cut, repaired, or missing in the trace that is copied.
const Argument* repeated_as_written(const Arguments& arguments) {
  const auto is_kept = [](const Argument& argument) {
    return argument.name.storage != Storage::Missing && argument.name.text.size() <= kMaxStringBytes &&
           !repaired(argument.name.text);
  };
  if (std::all_of(arguments.begin(), arguments.end(), is_kept)) return repeated_argument(arguments);
  std::vector<Argument> written(arguments.size());
  std::array<std::string, kMaxArguments> kept;
  for (std::size_t i = 0; i < written.size(); ++i)
    written[i].name = as_written(arguments[i].name.text, kMaxStringBytes, kept[i]);
  const Argument* const again = repeated_argument(written);
  return again == nullptr ? nullptr : &arguments[static_cast<std::size_t>(again - written.data())];
}

}  // namespace

void check_time(std::string_view what, std::uint64_t time) {
  if (time >= kTimeLimit)
    throw WriterError(std::string(what) + ": time " + std::to_string(time) +
                      " ns is too late: readers take times below 2^63");
}

void check_storage(std::string_view what, Storage storage) {
  if (storage > Storage::Missing)
    throw WriterError(quoted(what) + ": storage " + std::to_string(code(storage)) + " does not exist");
}

void check_names(const String& category, const String& name) {
  check_storage(name.text, category.storage);
  check_storage(name.text, name.storage);
}

void check_thread(std::string_view what, const Thread& thread) {
  check_storage(what, thread.storage);
  if (!is_id(thread.process) || !is_id(thread.thread))
    throw WriterError(quoted(what) + ": thread " + std::to_string(thread.thread) + " of process " +
                      std::to_string(thread.process) + ": ids are 1 to 4294967295");
}

void check_state(std::string_view what, ThreadState state) {
  if (state > ThreadState::Dead)
    throw WriterError(std::string(what) + ": thread state " + std::to_string(code(state)) +
                      " does not exist");
}

void check_cpu(std::string_view what, std::uint64_t cpu) {
  if (cpu > kMaxCpu)
    throw WriterError(std::string(what) + ": cpu " + std::to_string(cpu) + ": Perfetto aborts beyond 4095");
}

void check_arguments(std::string_view what, const Arguments& arguments, const WriterOptions& options) {
  if (arguments.size() > kMaxArguments)
    throw WriterError(quoted(what) + ": " + std::to_string(arguments.size()) +
                      " arguments: a record takes 15");
  for (const Argument& argument : arguments) {
    const auto refuse = [&](std::string_view why) {
      throw WriterError(quoted(what) + ": argument " + quoted(argument.name.text) + std::string(why));
    };
    check_storage(what, argument.name.storage);
    if (const auto* text = std::get_if<String>(&argument.value)) check_storage(what, text->storage);
    if (std::holds_alternative<UnknownValue>(argument.value)) refuse(" has an unknown type");
    const auto* blob = std::get_if<Bytes>(&argument.value);
    if (blob == nullptr) continue;
    if (!options.blob_arguments)
      refuse(" is a blob, which most readers misread; WriterOptions::blob_arguments allows it");
    if (blob->bytes.size() > std::numeric_limits<std::uint32_t>::max()) refuse(" is too large");
  }
  if (const Argument* const again = repeated_as_written(arguments))
    throw WriterError(quoted(what) + ": two arguments are called " + quoted(again->name.text) +
                      "; Perfetto keeps one of them");
}

void check_scheduling_arguments(SchedulingType record, std::string_view what, const Arguments& arguments,
                                const WriterOptions& options) {
  check_arguments(what, arguments, options);
  for (const Argument& argument : arguments) {
    const auto type = type_of_scheduling_argument(record, argument.name.text);
    if (!type) continue;
    if (argument.value.index() != code(*type))
      throw WriterError(std::string(what) + ": argument " + quoted(argument.name.text) + " must be of type " +
                        (*type == ArgumentType::Koid ? "Koid" : "Int32") + ", or Perfetto drops the record");
    if (const auto* waker = std::get_if<Koid>(&argument.value); waker != nullptr && waker->koid >= kKoidLimit)
      throw WriterError(std::string(what) + ": waker " + std::to_string(waker->koid) +
                        ": ids are at most 4294967295");
  }
}

void check_instant(const Event& event, const WriterOptions& options) {
  if (options.frame_marks || !names_a_frame(event.name.text)) return;
  throw WriterError("event " + quoted(event.name.text) +
                    ": an instant with \"frame\" in its name, which Tracy takes for the start of a frame; "
                    "WriterOptions::frame_marks allows it");
}

void check_object(const KernelObject& object) {
  if (object.type != KernelObjectType::Process && object.type != KernelObjectType::Thread) return;
  if (object.name.text.empty()) throw WriterError("name of a process or thread is empty");
  const std::string what = "kernel object " + quoted(object.name.text);
  if (!is_id(object.koid))
    throw WriterError(what + ": koid " + std::to_string(object.koid) + ": ids are 1 to 4294967295");
  if (object.type == KernelObjectType::Process) {
    if (!object.arguments.empty()) throw WriterError(what + ": a process takes no arguments");
    return;
  }
  if (object.arguments.empty() || object.arguments[0].name.text != "process" ||
      !std::holds_alternative<Koid>(object.arguments[0].value))
    throw WriterError(what + ": a thread's first argument is \"process\", of type Koid");
  check_thread(object.name.text, {.process = process_of_thread(object), .thread = object.koid});
}

std::uint64_t process_of_thread(const KernelObject& object) {
  return std::get<Koid>(object.arguments[0].value).koid;
}

// W20: numbers only; Tracy names a series by its argument alone.
void ValueRules::check_counter(const Event& event) const {
  if (event.arguments.empty())
    throw WriterError("counter " + quoted(event.name.text) + ": has no argument, so it has no value");
  for (const Argument& argument : event.arguments) {
    if (!is_numeric(argument.value))
      throw WriterError("counter " + quoted(event.name.text) + ": argument " + quoted(argument.name.text) +
                        " is not a number");
    check_series(event.name.text, argument.name.text);
  }
  check_known(event);
}

void ValueRules::check_known(const Event& event) {
  const std::string_view fault =
      fault_of_known_counter(event.category.text, event.name.text, event.arguments);
  if (!fault.empty())
    throw WriterError("counter " + quoted(event.name.text) + ": is cpu_frequency of category power, but " +
                      std::string(fault) + ": Perfetto draws such counters by cpu, or drops them");
}

void ValueRules::check_series(std::string_view counter, std::string_view series) const {
  std::string kept, kept_series;
  counter = as_written(counter, kMaxStringBytes, kept);
  const auto known = counter_of_series.find(as_written(series, kMaxStringBytes, kept_series));
  if (known != counter_of_series.end() && known->second != counter)
    throw WriterError("counter " + quoted(counter) + ": argument " + quoted(series) +
                      " already names a series of counter " + quoted(known->second) +
                      "; Tracy would draw both as one");
}

void ValueRules::add_counter(const Event& event) {
  for (const Argument& argument : event.arguments) add_series(event.name.text, argument.name.text);
}

void ValueRules::add_series(std::string_view counter, std::string_view series) {
  std::string kept, kept_series;
  series = as_written(series, kMaxStringBytes, kept_series);
  if (!counter_of_series.contains(series))
    counter_of_series.emplace(series, as_written(counter, kMaxStringBytes, kept));
}

void ValueRules::check_switched(const Thread& thread) const {
  if (thread == kIdleThread) return;
  check_scheduled("context switch", thread.thread);
  const std::uint64_t process = process_of.at(thread.thread);
  if (process != thread.process)
    throw WriterError("context switch: thread " + std::to_string(thread.thread) + " of process " +
                      std::to_string(thread.process) + " was last named in process " +
                      std::to_string(process) +
                      ", where Perfetto files it; WriterOptions::unnamed_threads allows it");
}

void ValueRules::check_scheduled(std::string_view what, std::uint64_t thread) const {
  if (!process_of.contains(thread))
    throw WriterError(std::string(what) + ": thread " + std::to_string(thread) +
                      " has no name yet: Perfetto files it under process 0, or takes it for the idle thread; "
                      "WriterOptions::unnamed_threads allows it");
}

void ValueRules::add_switched(const Thread& thread) { switched[thread.thread] = thread.process; }

void ValueRules::check_name(const KernelObject& object) const {
  if (object.type != KernelObjectType::Thread) return;
  const auto was = switched.find(object.koid);
  if (was != switched.end() && was->second != process_of_thread(object))
    throw WriterError("kernel object " + quoted(object.name.text) + ": thread " +
                      std::to_string(object.koid) + " was switched in process " +
                      std::to_string(was->second) +
                      ", from where Perfetto would take it; WriterOptions::unnamed_threads allows it");
}

void ValueRules::add_name(const KernelObject& object) {
  if (object.type == KernelObjectType::Thread) process_of[object.koid] = process_of_thread(object);
}

}  // namespace fxt
