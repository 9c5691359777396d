// The value side of the Writer: one function per kind of record, its words in the spec's order.
#include "fxt/writer.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "fxt/writing/record_builder.h"

namespace fxt {
namespace {

std::string describe(const Event& event) { return "event " + quoted(event.name.text); }

std::uint64_t end_of(const Event& event) {
  return event.type == EventType::DurationComplete ? event.end : event.time;
}

// Tracy takes no times from the others.
bool spans_the_trace(const Event& event) { return event.type <= EventType::DurationComplete; }

// The category and name refs of an event that a later one can use again: those in the table.
std::uint64_t table_names(std::uint64_t header) {
  const std::uint64_t category = EventHeader::Category::get(header), name = EventHeader::Name::get(header);
  const auto in_table = [](std::uint64_t ref) { return StringRef::IsInline::get(ref) == 0 ? ref : 0; };
  return EventHeader::Category::put(in_table(category)) | EventHeader::Name::put(in_table(name));
}

bool is_numeric(const Value& value) {
  return std::holds_alternative<std::int32_t>(value) || std::holds_alternative<std::uint32_t>(value) ||
         std::holds_alternative<std::int64_t>(value) || std::holds_alternative<std::uint64_t>(value) ||
         std::holds_alternative<double>(value);
}

}  // namespace

// ---- Events ----

void Writer::write(const Event& event) {
  const std::string_view name = event.name.text;
  if (code(event.type) > code(EventType::FlowEnd))
    throw WriterError(describe(event) + ": event type " + std::to_string(code(event.type)) +
                      " does not exist");
  check_times(event);
  check_thread(name, event.thread);
  check_arguments(name, event.arguments);
  if (event.type == EventType::Counter) check_series(event);
  if (!options_.trust_nesting) {
    const std::string objection = durations_.objection(event);
    if (!objection.empty()) throw WriterError(describe(event) + ": " + objection);
  }

  const ThreadUse thread = refer_to(event.thread);
  const TextRef category = refer_to(event.category);
  const TextRef event_name = refer_to(event.name);
  const ArgumentUses& arguments = refer_to(event.arguments);

  Builder record(*record_, "event", name);
  record.word(event_header(event.type, thread.ref, category.ref, event_name.ref, event.arguments.size(), 0));
  record.word(event.time);
  record.thread(thread);
  record.text(category.inline_text);
  record.text(event_name.inline_text);
  record.arguments(event.arguments, arguments);
  switch (event.type) {
    case EventType::Counter:
    case EventType::AsyncBegin:
    case EventType::AsyncInstant:
    case EventType::AsyncEnd:
    case EventType::FlowBegin:
    case EventType::FlowStep:
    case EventType::FlowEnd:
      record.word(event.id);
      break;
    case EventType::DurationComplete:
      record.word(event.end);
      break;
    case EventType::Instant:
    case EventType::DurationBegin:
    case EventType::DurationEnd:
      break;
  }
  const std::uint64_t header = record.finish()[0];
  finish(record);
  if (!options_.trust_nesting) durations_.add(event, table_names(header));
  if (spans_the_trace(event)) take_times(event.time, end_of(event));
}

void Writer::check_times(const Event& event) const {
  const std::uint64_t end = end_of(event);
  if (event.time >= kTimeLimit) check_time(describe(event), event.time);
  if (end >= kTimeLimit) check_time(describe(event), end);
  if (end < event.time)
    throw WriterError(describe(event) + ": ends at " + std::to_string(end) + " ns, before it begins at " +
                      std::to_string(event.time) + " ns");
  if (!spans_the_trace(event)) return;
  const std::uint64_t first = std::min(first_time_, event.time), last = std::max(last_time_, end);
  if (last - first >= span_limit_)
    throw WriterError(describe(event) + ": from " + std::to_string(first) + " to " + std::to_string(last) +
                      " ns, the trace spans more than Tracy's 2^47 ns; WriterOptions::long_spans allows it");
}

bool Writer::fits_as_first(std::uint64_t begin, std::uint64_t end) const {
  return std::max(last_time_, end) - begin < span_limit_;
}

void Writer::take_first_time(std::uint64_t time) {
  first_time_ = time;
  time_limit_ = std::min(kTimeLimit, time + span_limit_);
}

// The event was well-formed; what remains is its times and its place.
void Writer::refuse(std::uint64_t header, std::uint64_t begin, std::uint64_t end) {
  const auto type = static_cast<EventType>(EventHeader::EventType::get(header));
  const auto name = EventHeader::Name::get(header);
  const Event event{.type = type,
                    .time = begin,
                    .thread = threads_[EventHeader::Thread::get(header) - 1],
                    .name = name == 0 ? std::string_view() : std::string_view(*strings_[name - 1]),
                    .end = type == EventType::DurationComplete ? end : 0};
  check_times(event);
  throw WriterError(describe(event) + ": " + durations_.objection(event));
}

// W20: numbers only; Tracy names a series by its argument alone.
void Writer::check_series(const Event& event) {
  if (event.arguments.empty())
    throw WriterError("counter " + quoted(event.name.text) + ": has no argument, so it has no value");
  for (const Argument& argument : event.arguments) {
    if (!is_numeric(argument.value))
      throw WriterError("counter " + quoted(event.name.text) + ": argument " + quoted(argument.name.text) +
                        " is not a number");
    const auto known = series_.find(argument.name.text);
    if (known == series_.end()) {
      series_.emplace(argument.name.text, event.name.text);
    } else if (known->second != event.name.text) {
      throw WriterError("counter " + quoted(event.name.text) + ": argument " + quoted(argument.name.text) +
                        " already names a series of counter " + quoted(known->second) +
                        "; Tracy would draw both as one");
    }
  }
}

// ---- Objects and names ----

void Writer::write(const UserspaceObject& object) {
  if (!options_.userspace_objects)
    throw WriterError("userspace object " + quoted(object.name.text) +
                      ": Fuchsia's C++ reader takes none; WriterOptions::userspace_objects allows them");
  if (object.process.process == 0 || object.process.process >= kKoidLimit)
    throw WriterError("userspace object " + quoted(object.name.text) + ": process " +
                      std::to_string(object.process.process) + ": ids are 1 to 4294967295");
  check_arguments(object.name.text, object.arguments);
  const TextRef name = refer_to(object.name);
  const ArgumentUses& arguments = refer_to(object.arguments);

  // The process goes inline, as one word: a thread index would need some thread of it.
  Builder record(*record_, "userspace object", object.name.text);
  record.word(UserspaceObjectHeader::Type::put(code(RecordType::UserspaceObject)) |
              UserspaceObjectHeader::Name::put(name.ref) |
              UserspaceObjectHeader::ArgumentCount::put(object.arguments.size()));
  record.word(object.pointer);
  record.word(object.process.process);
  record.text(name.inline_text);
  record.arguments(object.arguments, arguments);
  finish(record);
}

void Writer::write(const KernelObject& object) {
  const bool is_process = object.type == KernelObjectType::Process;
  const bool is_thread = object.type == KernelObjectType::Thread;
  const std::string what = "kernel object " + quoted(object.name.text);
  if (is_process || is_thread) {
    if (object.name.text.empty()) throw WriterError("name of a process or thread is empty");
    if (object.koid == 0 || object.koid >= kKoidLimit)
      throw WriterError(what + ": koid " + std::to_string(object.koid) + ": ids are 1 to 4294967295");
  }
  if (is_process && !object.arguments.empty()) throw WriterError(what + ": a process takes no arguments");
  if (is_thread) {
    const auto* process = object.arguments.empty() || object.arguments[0].name.text != "process"
                              ? nullptr
                              : std::get_if<Koid>(&object.arguments[0].value);
    if (process == nullptr)
      throw WriterError(what + ": a thread's first argument is \"process\", of type Koid");
    check_thread(object.name.text, {.process = process->koid, .thread = object.koid});
  }
  check_arguments(object.name.text, object.arguments);
  const TextRef name = refer_to(object.name);
  const ArgumentUses& arguments = refer_to(object.arguments);

  Builder record(*record_, "kernel object", object.name.text);
  record.word(KernelObjectHeader::Type::put(code(RecordType::KernelObject)) |
              KernelObjectHeader::ObjectType::put(code(object.type)) |
              KernelObjectHeader::Name::put(name.ref) |
              KernelObjectHeader::ArgumentCount::put(object.arguments.size()));
  record.word(object.koid);
  record.text(name.inline_text);
  record.arguments(object.arguments, arguments);
  finish(record);
}

void Writer::name_process(std::uint64_t process, String name) {
  write(KernelObject{.type = KernelObjectType::Process, .koid = process, .name = name});
}

void Writer::name_thread(std::uint64_t process, std::uint64_t thread, String name) {
  write(KernelObject{.type = KernelObjectType::Thread,
                     .koid = thread,
                     .name = name,
                     .arguments = {{"process", Koid{process}}}});
}

// ---- Scheduling ----

void Writer::write(const LegacyContextSwitch& context_switch) {
  if (context_switch.cpu > kMaxLegacyCpu) {
    // Perfetto knows the idle thread of these records by its weight.
    std::vector<Argument> weights;
    constexpr std::int32_t kIdleWeight = std::numeric_limits<std::int32_t>::min();
    if (context_switch.outgoing == kIdleThread) weights.push_back({"outgoing_weight", kIdleWeight});
    if (context_switch.incoming == kIdleThread) weights.push_back({"incoming_weight", kIdleWeight});
    write(ContextSwitch{.time = context_switch.time,
                        .cpu = context_switch.cpu,
                        .outgoing_state = context_switch.outgoing_state,
                        .outgoing_thread = context_switch.outgoing.thread,
                        .incoming_thread = context_switch.incoming.thread,
                        .arguments = weights});
    return;
  }
  check_time("context switch", context_switch.time);
  for (const Thread& side : {context_switch.outgoing, context_switch.incoming})
    if (side != kIdleThread) check_thread("context switch", side);
  const ThreadUse outgoing = refer_to(context_switch.outgoing);
  const ThreadUse incoming = refer_to(context_switch.incoming);

  using Header = LegacyContextSwitchHeader;
  Builder record(*record_, "context switch", "");
  record.word(Header::Type::put(code(RecordType::Scheduling)) | Header::Cpu::put(context_switch.cpu) |
              Header::OutgoingState::put(code(context_switch.outgoing_state)) |
              Header::Outgoing::put(outgoing.ref) | Header::Incoming::put(incoming.ref) |
              Header::OutgoingPriority::put(context_switch.outgoing_priority) |
              Header::IncomingPriority::put(context_switch.incoming_priority) |
              Header::SchedulingType::put(code(SchedulingType::LegacyContextSwitch)));
  record.word(context_switch.time);
  record.thread(outgoing);
  record.thread(incoming);
  finish(record);
}

void Writer::write(const ContextSwitch& context_switch) {
  check_time("context switch", context_switch.time);
  for (const std::uint64_t koid : {context_switch.outgoing_thread, context_switch.incoming_thread})
    if (koid >= kKoidLimit)
      throw WriterError("context switch: thread " + std::to_string(koid) + ": ids are at most 4294967295");
  check_scheduling_arguments("context switch", context_switch.arguments);
  const ArgumentUses& arguments = refer_to(context_switch.arguments);

  using Header = ContextSwitchHeader;
  Builder record(*record_, "context switch", "");
  record.word(Header::Type::put(code(RecordType::Scheduling)) |
              Header::ArgumentCount::put(context_switch.arguments.size()) |
              Header::Cpu::put(context_switch.cpu) |
              Header::OutgoingState::put(code(context_switch.outgoing_state)) |
              Header::SchedulingType::put(code(SchedulingType::ContextSwitch)));
  record.word(context_switch.time);
  record.word(context_switch.outgoing_thread);
  record.word(context_switch.incoming_thread);
  record.arguments(context_switch.arguments, arguments);
  finish(record);
}

void Writer::write(const ThreadWakeup& wakeup) {
  check_time("thread wakeup", wakeup.time);
  if (wakeup.thread == 0 || wakeup.thread >= kKoidLimit)
    throw WriterError("thread wakeup: thread " + std::to_string(wakeup.thread) + ": ids are 1 to 4294967295");
  check_scheduling_arguments("thread wakeup", wakeup.arguments);
  const ArgumentUses& arguments = refer_to(wakeup.arguments);

  using Header = ThreadWakeupHeader;
  Builder record(*record_, "thread wakeup", "");
  record.word(Header::Type::put(code(RecordType::Scheduling)) |
              Header::ArgumentCount::put(wakeup.arguments.size()) | Header::Cpu::put(wakeup.cpu) |
              Header::SchedulingType::put(code(SchedulingType::ThreadWakeup)));
  record.word(wakeup.time);
  record.word(wakeup.thread);
  record.arguments(wakeup.arguments, arguments);
  finish(record);
}

// ---- What all records share ----

void Writer::check_time(std::string_view what, std::uint64_t time) {
  if (time >= kTimeLimit)
    throw WriterError(std::string(what) + ": time " + std::to_string(time) +
                      " ns is too late: readers take times below 2^63");
}

void Writer::check_thread(std::string_view what, const Thread& thread) const {
  if (last_thread_.ref != 0 && last_thread_.thread == thread) return;
  const auto fits = [](std::uint64_t koid) { return koid != 0 && koid < kKoidLimit; };
  if (!fits(thread.process) || !fits(thread.thread))
    throw WriterError(quoted(what) + ": thread " + std::to_string(thread.thread) + " of process " +
                      std::to_string(thread.process) + ": ids are 1 to 4294967295");
  const auto known = process_of_.find(thread.thread);
  if (known != process_of_.end() && known->second != thread.process)
    throw WriterError(quoted(what) + ": thread " + std::to_string(thread.thread) + " of process " +
                      std::to_string(thread.process) + " was one of process " +
                      std::to_string(known->second));
}

void Writer::check_arguments(std::string_view what, Arguments arguments) const {
  if (arguments.size() > kMaxArguments)
    throw WriterError(quoted(what) + ": " + std::to_string(arguments.size()) +
                      " arguments: a record takes 15");
  for (const Argument& argument : arguments) {
    if (std::holds_alternative<UnknownValue>(argument.value))
      throw WriterError(quoted(what) + ": argument " + quoted(argument.name.text) + " has an unknown type");
    const auto* blob = std::get_if<Bytes>(&argument.value);
    if (blob == nullptr) continue;
    if (!options_.blob_arguments)
      throw WriterError(quoted(what) + ": argument " + quoted(argument.name.text) +
                        " is a blob, which most readers misread; WriterOptions::blob_arguments allows it");
    if (blob->bytes.size() > std::numeric_limits<std::uint32_t>::max())
      throw WriterError(quoted(what) + ": argument " + quoted(argument.name.text) + " is too large");
  }
}

void Writer::check_scheduling_arguments(std::string_view what, Arguments arguments) const {
  check_arguments(what, arguments);
  for (const Argument& argument : arguments)
    if (const auto type = type_of_scheduling_argument(argument.name.text);
        type && argument.value.index() != code(*type))
      throw WriterError(std::string(what) + ": argument " + quoted(argument.name.text) + " must be of type " +
                        (*type == ArgumentType::Koid ? "Koid" : "Int32") + ", or Perfetto drops the record");
}

void Writer::finish(Builder& record) {
  append(record.finish());
  cleaned_.clear();
}

void Writer::append(std::span<const std::uint64_t> words) { std::ranges::copy(words, claim(words.size())); }

void Writer::next_buffer(std::size_t words) {
  if (words > kMinBufferWords)
    throw WriterError("reserve(): " + std::to_string(words) +
                      " words are more than a buffer is sure to hold");
  flush();
}

void Writer::finish() {
  for (const DurationStack::Pending& duration : durations_.pending()) {
    const auto text_of = [this](std::uint64_t ref) {
      return ref == 0 ? std::string_view() : std::string_view(*strings_[ref - 1]);
    };
    write(Event{.type = EventType::DurationEnd,
                .time = last_time_,
                .thread = duration.thread,
                .category = text_of(EventHeader::Category::get(duration.names)),
                .name = text_of(EventHeader::Name::get(duration.names))});
  }
  flush();
}

void Writer::flush() {
  const auto filled = static_cast<std::size_t>(cursor_ - buffer_.data());
  if constexpr (std::endian::native == std::endian::big) swap_bytes(buffer_.first(filled));
  exchanged_words_ += filled;
  buffer_ = output_->exchange(filled);
  cursor_ = buffer_.data();
  limit_ = cursor_ + buffer_.size();
}

}  // namespace fxt
