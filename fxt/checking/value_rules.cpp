// The rules for the values in records.
#include "fxt/checking/value_rules.h"

#include <cmath>
#include <numeric>

#include "fxt/checking/findings.h"

namespace fxt {
namespace {

void check_id(std::uint64_t id, const std::string& what, Findings& findings) {
  if (id >= kKoidLimit) findings.add(Fault::WideId, what + " needs more than 32 bits");
  if (id == 0) findings.add(Fault::IdZero, what + " is not a process or thread");
}

// Only this many bytes of a name are compared with other names. Otherwise, small records could take much
// time: each can refer to 15 names of 32,000 characters.
constexpr std::size_t kCompared = 256;

const Argument* repeated_argument(const Arguments& arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (arguments[k].name.text == arguments[i].name.text) return &arguments[i];
  return nullptr;
}

// Perfetto makes a tree from the dots and brackets in names. True if two names can't be in one tree: one name
// is an inner node of the other, or a node has both names and indexes.
bool clash(std::string_view a, std::string_view b) {
  const auto same =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const auto is_node = [same](std::string_view name) {
    return same == name.size() || name[same] == '.' || name[same] == '[';
  };
  return same != 0 && a != b && is_node(a) && is_node(b);
}

bool has_text_index(std::string_view name) {
  for (std::size_t at = name.find('['); at != std::string_view::npos; at = name.find('[', at + 1)) {
    const std::string_view index = name.substr(at + 1, name.find(']', at) - at - 1);
    if (index.empty() || index.find_first_not_of("0123456789") != std::string_view::npos) return true;
  }
  return false;
}

// The type that Perfetto requires for an argument of a scheduling record; nothing for other arguments.
std::optional<ArgumentType> type_of(SchedulingType record, std::string_view name) {
  if (record == SchedulingType::ContextSwitch)
    return name == kIncomingWeight || name == kOutgoingWeight ? std::optional(ArgumentType::Int32)
                                                              : std::nullopt;
  if (name == kWakeupWeight) return ArgumentType::Int32;
  if (name == "waker") return ArgumentType::Koid;
  return std::nullopt;
}

// The fault of a counter that Perfetto recognizes by its category and name. Empty if there is no fault, or if
// Perfetto does not recognize the counter.
std::string_view fault_of_known_counter(const Event& event) {
  if (event.category.text != "power" || event.name.text != "cpu_frequency") return "";
  bool has_cpu = false, has_value = false;
  for (const Argument& argument : event.arguments) {
    const auto number = number_of(argument.value);
    if (argument.name.text == "cpu") {
      has_cpu = true;
      if (!number || std::holds_alternative<double>(argument.value) || *number < 0 || *number > kMaxCpu)
        return "its argument \"cpu\" is not the number of a CPU";
    } else if (argument.name.text == "value") {
      has_value = true;
      if (!number || !std::isfinite(*number) || *number < 0)
        return "its argument \"value\" is not a frequency";
    } else {
      return "it has another argument than \"cpu\" and \"value\"";
    }
  }
  if (!has_cpu) return "it has no argument \"cpu\"";
  return has_value ? "" : "it has no argument \"value\"";
}

}  // namespace

bool is_number(const Value& value) { return number_of(value).has_value(); }

void check_time(std::optional<std::uint64_t> ns, Findings& findings) {
  if (!ns || *ns >= kTimeLimit)
    findings.add(Fault::LateTime, "time " + (ns ? std::to_string(*ns) + " ns " : "") + "is 2^63 ns or later");
}

bool spans_the_trace(const Event& event) {
  return event.type <= EventType::DurationComplete || is_flow(event.type);
}

void check_thread(const Thread& thread, Findings& findings) {
  if (thread.storage == Storage::Missing) return;
  const auto what = [&thread] {
    return "thread " + std::to_string(thread.process) + '/' + std::to_string(thread.thread);
  };
  if (thread.process >= kKoidLimit || thread.thread >= kKoidLimit)
    findings.add(Fault::WideId, what() + " needs more than 32 bits");
  else if (thread.process == 0 || thread.thread == 0)
    findings.add(Fault::IdZero, what() + " has an id of 0");
}

void check_koid(std::uint64_t koid, Findings& findings) {
  if (koid >= kKoidLimit)
    findings.add(Fault::WideId, "thread " + std::to_string(koid) + " needs more than 32 bits");
}

void check_state(ThreadState state, Findings& findings) {
  if (state > ThreadState::Dead)
    findings.add(Fault::UnknownState, "thread state " + std::to_string(code(state)) + " does not exist");
}

void check_cpu(std::uint64_t cpu, Findings& findings) {
  if (cpu > kMaxCpu) findings.add(Fault::LargeCpu, "CPU " + std::to_string(cpu) + " is above 4095");
}

void check_profiler_thread(bool is_inline, Findings& findings) {
  if (is_inline) findings.add(Fault::InlineProfilerThread, "profiler record with an inline thread");
}

void check_arguments(const Arguments& arguments, Findings& findings) {
  for (const Argument& argument : arguments) {
    const auto what = [&argument] { return "argument " + quoted(argument.name.text); };
    if (std::holds_alternative<bool>(argument.value))
      findings.add(Fault::BoolArgument, what() + " is a bool");
    else if (std::holds_alternative<Bytes>(argument.value))
      findings.add(Fault::BlobArgument, what() + " is a blob");
  }
  if (const Argument* const again = repeated_argument(arguments))
    findings.add(Fault::RepeatedName, "two arguments are called " + quoted(again->name.text));
}

void check_argument_tree(const Arguments& arguments, Findings& findings) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i].name.text;
    if (has_text_index(name))
      return findings.add(Fault::TextIndex,
                          "argument " + quoted(name) + " has an index that is not a number");
    for (std::size_t k = 0; k < i; ++k)
      if (clash(arguments[k].name.text.substr(0, kCompared), name.substr(0, kCompared)))
        return findings.add(Fault::NamesNoTree, "arguments " + quoted(arguments[k].name.text) + " and " +
                                                    quoted(name) + " can't be in one tree");
  }
}

void check_scheduling_arguments(SchedulingType record, const Arguments& arguments, Findings& findings) {
  for (const Argument& argument : arguments) {
    const auto type = type_of(record, argument.name.text);
    if (!type) continue;
    if (argument.value.index() != code(*type))
      findings.add(Fault::SchedulingArgument, "argument " + quoted(argument.name.text) + " is not of type " +
                                                  (*type == ArgumentType::Koid ? "koid" : "int32"));
    else if (const auto* waker = std::get_if<Koid>(&argument.value))
      check_koid(waker->koid, findings);
  }
}

void check_instant(std::string_view name, Findings& findings) {
  if (names_a_frame(name)) findings.add(Fault::FrameMark, "instant with \"frame\" in its name");
}

void check_object(const KernelObject& object, Findings& findings) {
  const bool is_thread = object.type == KernelObjectType::Thread;
  if (!is_thread && object.type != KernelObjectType::Process) return;
  if (object.name.text.empty() && object.name.storage != Storage::Missing)
    findings.add(Fault::EmptyName, "names koid " + std::to_string(object.koid) + " with an empty name");
  check_id(object.koid, "koid " + std::to_string(object.koid), findings);
  if (!is_thread) return;
  const Argument* const argument = process_argument(object);
  if (argument == nullptr) return findings.add(Fault::NoProcess, "a thread without an argument \"process\"");
  if (argument != &object.arguments[0])
    findings.add(Fault::ProcessNotFirst, "argument \"process\" is not the first");
  if (const auto* process = std::get_if<Koid>(&argument->value))
    check_id(process->koid, "process " + std::to_string(process->koid), findings);
  else
    findings.add(Fault::ProcessOfOtherType, "argument \"process\" is not of type koid");
}

const Argument* process_argument(const KernelObject& object) {
  const auto found = std::ranges::find(object.arguments, std::string_view("process"),
                                       [](const Argument& argument) { return argument.name.text; });
  return found == object.arguments.end() ? nullptr : &*found;
}

std::uint64_t process_of_thread(const KernelObject& object) {
  const Argument* const argument = process_argument(object);
  const auto* const process = argument == nullptr ? nullptr : std::get_if<Koid>(&argument->value);
  return process == nullptr ? 0 : process->koid;
}

// ---- Names of threads ----

void ThreadNames::add(const KernelObject& object) {
  if (object.type == KernelObjectType::Thread) process_of_[object.koid] = process_of_thread(object);
}

std::uint64_t ThreadNames::process_of(std::uint64_t thread) const {
  const auto named = process_of_.find(thread);
  return named == process_of_.end() ? 0 : named->second;
}

void ThreadNames::check_switched(const Thread& thread, std::uint8_t priority, Findings& findings) const {
  const std::uint64_t named = process_of(thread.thread);
  const std::string text = "thread " + std::to_string(thread.thread);
  if (thread.thread == 0) return;
  if (named == 0 && priority == 0)
    findings.add(Fault::TakenForIdle, text + " has priority 0, but no kernel object names its process");
  else if (named == 0 && thread.process != 0)
    check_scheduled(thread.thread, findings);
  else if (named != thread.process)
    findings.add(Fault::NamedInOtherProcess, text + " of process " + std::to_string(thread.process) +
                                                 " was last named in process " + std::to_string(named));
}

void ThreadNames::check_scheduled(std::uint64_t thread, Findings& findings) const {
  if (thread != 0 && process_of(thread) == 0)
    findings.add(Fault::UnnamedThread,
                 "thread " + std::to_string(thread) + " has no kernel object that names its process");
}

// ---- Counters ----

void CounterRules::check(const Event& event, Findings& findings) const {
  if (event.arguments.empty()) findings.add(Fault::NoValue, "has no argument, so it has no value");
  if (const std::string_view fault = fault_of_known_counter(event); !fault.empty())
    findings.add(Fault::KnownCounter, "is cpu_frequency of category power, but " + std::string(fault));
  for (const Argument& argument : event.arguments) {
    if (argument.name.storage == Storage::Missing || event.name.storage == Storage::Missing) continue;
    if (number_of(argument.value))
      check_series(event.name.text, argument.name.text, findings);
    else
      findings.add(Fault::NoNumber, "argument " + quoted(argument.name.text) + " is not a number");
  }
}

void CounterRules::check_series(std::string_view counter, std::string_view series, Findings& findings) const {
  const auto known = counter_of_.find(series);
  if (known != counter_of_.end() && known->second != counter)
    findings.add(Fault::SharedSeries,
                 "argument " + quoted(series) + " also names a series of counter " + quoted(known->second));
}

void CounterRules::add(const Event& event) {
  for (const Argument& argument : event.arguments) {
    if (argument.name.storage == Storage::Missing || event.name.storage == Storage::Missing ||
        !number_of(argument.value))
      continue;
    if (!counter_of_.contains(argument.name.text)) counter_of_.emplace(argument.name.text, event.name.text);
  }
}

// ---- Names and arguments ----

std::string quoted(std::string_view name) { return '"' + std::string(cut_utf8(name, 100)) + '"'; }

bool uses_cpu(const ContextSwitch& context_switch) {
  return !is_idle(context_switch.arguments, kOutgoingWeight) ||
         !is_idle(context_switch.arguments, kIncomingWeight);
}

bool uses_cpu(const ThreadWakeup& wakeup) { return !is_idle(wakeup.arguments, kWakeupWeight); }

std::size_t ArgumentNames::Hash::operator()(const Names& names) const {
  return std::accumulate(names.begin(), names.end(), std::size_t{0},
                         [](std::size_t hash, std::size_t name) { return hash * 31 + name; });
}

std::uint32_t ArgumentNames::number_of(const Arguments& arguments) {
  list_.clear();
  for (const Argument& argument : arguments)
    if (argument.name.storage != Storage::Missing) list_.push_back(SeededHash()(argument.name.text));
  if (list_.empty()) return 0;
  const auto [entry, is_new] = numbers_.try_emplace(list_, static_cast<std::uint32_t>(names_.size() + 1));
  if (is_new) names_.push_back(&entry->first);
  return entry->second;
}

bool ArgumentNames::share(std::uint32_t a, std::uint32_t b) const {
  if (a == 0 || b == 0) return false;
  const Names &names = *names_[a - 1], &others = *names_[b - 1];
  return std::ranges::find_first_of(names, others) != names.end();
}

}  // namespace fxt
