// Records that are no events, as values; each one's words in the spec's order.

#include "fxt/checking/value_rules.h"
#include "fxt/reader.h"
#include "fxt/writer.h"
#include "fxt/writing/record_builder.h"
#include "fxt/writing/refusal.h"

namespace fxt {

RecordBuilder Writer::build(std::string_view kind, std::string_view name) {
  return {*tables_, *scratch_, kind, name};
}

void Writer::put(RecordBuilder& record) { buffer_.append(record.finish()); }

// ---- Objects and names ----

void Writer::write(const UserspaceObject& object) {
  Refusal refusal(options_, "userspace object", object.name.text);
  refusal.fault(Fault::UserspaceObject, "has a type of its own");
  refusal.arguments(object.arguments);

  RecordBuilder record = build("userspace object", object.name.text);
  const TextRef name = record.refer_to(object.name);
  record.refer_to(object.arguments);
  // The process goes inline, as one word: a thread index would need some thread of it.
  record.word(UserspaceObjectHeader::Type::put(code(RecordType::UserspaceObject)) |
              UserspaceObjectHeader::Name::put(name.ref) |
              UserspaceObjectHeader::ArgumentCount::put(object.arguments.size()));
  record.word(object.pointer);
  record.word(object.process.process);
  record.text(name);
  record.arguments(object.arguments);
  put(record);
}

void Writer::write(const KernelObject& object) {
  Refusal refusal(options_, "kernel object", object.name.text);
  check_object(object, refusal);
  refusal.arguments(object.arguments);
  if (const auto was = switched_.find(object.koid);
      object.type == KernelObjectType::Thread && was != switched_.end())
    ThreadNames::check_renamed(object, was->second, refusal);

  RecordBuilder record = build("kernel object", object.name.text);
  const TextRef name = record.refer_to(object.name);
  record.refer_to(object.arguments);
  record.word(KernelObjectHeader::Type::put(code(RecordType::KernelObject)) |
              KernelObjectHeader::ObjectType::put(code(object.type)) |
              KernelObjectHeader::Name::put(name.ref) |
              KernelObjectHeader::ArgumentCount::put(object.arguments.size()));
  record.word(object.koid);
  record.text(name);
  record.arguments(object.arguments);
  put(record);
  names_->add(object);
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
  Refusal refusal(options_, "context switch");
  check_time(context_switch.time, refusal);
  check_state(context_switch.outgoing_state, refusal);
  const auto check_side = [&](const Thread& side, std::uint8_t priority) {
    if (side.storage == Storage::Missing) refusal.thread(side);
    check_koid(side.thread, refusal);
    names_->check_switched(side, priority, refusal);
  };
  check_side(context_switch.outgoing, context_switch.outgoing_priority);
  check_side(context_switch.incoming, context_switch.incoming_priority);
  if (context_switch.cpu > kMaxLegacyCpu) {
    std::vector<Argument> weights;
    if (context_switch.outgoing == kIdleThread) weights.push_back({kOutgoingWeight, kIdleWeight});
    if (context_switch.incoming == kIdleThread) weights.push_back({kIncomingWeight, kIdleWeight});
    write(ContextSwitch{.time = context_switch.time,
                        .cpu = context_switch.cpu,
                        .outgoing_state = context_switch.outgoing_state,
                        .outgoing_thread = context_switch.outgoing.thread,
                        .incoming_thread = context_switch.incoming.thread,
                        .arguments = weights});
    return;
  }
  RecordBuilder record = build("context switch", "");
  const ThreadRef outgoing = record.refer_to(context_switch.outgoing);
  const ThreadRef incoming = record.refer_to(context_switch.incoming);
  using Header = LegacyContextSwitchHeader;
  record.word(Header::Type::put(code(RecordType::Scheduling)) | Header::Cpu::put(context_switch.cpu) |
              Header::OutgoingState::put(code(context_switch.outgoing_state)) |
              Header::Outgoing::put(outgoing.ref) | Header::Incoming::put(incoming.ref) |
              Header::OutgoingPriority::put(context_switch.outgoing_priority) |
              Header::IncomingPriority::put(context_switch.incoming_priority) |
              Header::SchedulingType::put(code(SchedulingType::LegacyContextSwitch)));
  record.word(context_switch.time);
  record.thread(outgoing);
  record.thread(incoming);
  put(record);
  for (const Thread& side : {context_switch.outgoing, context_switch.incoming})
    switched_[side.thread] = side.process;
}

void Writer::write(const ContextSwitch& context_switch) {
  Refusal refusal(options_, "context switch");
  check_time(context_switch.time, refusal);
  check_state(context_switch.outgoing_state, refusal);
  if (uses_cpu(context_switch)) check_cpu(context_switch.cpu, refusal);
  const auto check_side = [&](std::uint64_t koid, std::string_view weight) {
    check_koid(koid, refusal);
    if (!is_idle(context_switch.arguments, weight)) names_->check_scheduled(koid, refusal);
  };
  check_side(context_switch.outgoing_thread, kOutgoingWeight);
  check_side(context_switch.incoming_thread, kIncomingWeight);
  refusal.arguments(context_switch.arguments);
  check_scheduling_arguments(SchedulingType::ContextSwitch, context_switch.arguments, refusal);

  RecordBuilder record = build("context switch", "");
  record.refer_to(context_switch.arguments);
  using Header = ContextSwitchHeader;
  record.word(Header::Type::put(code(RecordType::Scheduling)) |
              Header::ArgumentCount::put(context_switch.arguments.size()) |
              Header::Cpu::put(context_switch.cpu) |
              Header::OutgoingState::put(code(context_switch.outgoing_state)) |
              Header::SchedulingType::put(code(SchedulingType::ContextSwitch)));
  record.word(context_switch.time);
  record.word(context_switch.outgoing_thread);
  record.word(context_switch.incoming_thread);
  record.arguments(context_switch.arguments);
  put(record);
}

void Writer::write(const ThreadWakeup& wakeup) {
  Refusal refusal(options_, "thread wakeup");
  check_time(wakeup.time, refusal);
  if (uses_cpu(wakeup)) check_cpu(wakeup.cpu, refusal);
  check_koid(wakeup.thread, refusal);
  if (!is_idle(wakeup.arguments, kWakeupWeight)) names_->check_scheduled(wakeup.thread, refusal);
  refusal.arguments(wakeup.arguments);
  check_scheduling_arguments(SchedulingType::ThreadWakeup, wakeup.arguments, refusal);

  RecordBuilder record = build("thread wakeup", "");
  record.refer_to(wakeup.arguments);
  using Header = ThreadWakeupHeader;
  record.word(Header::Type::put(code(RecordType::Scheduling)) |
              Header::ArgumentCount::put(wakeup.arguments.size()) | Header::Cpu::put(wakeup.cpu) |
              Header::SchedulingType::put(code(SchedulingType::ThreadWakeup)));
  record.word(wakeup.time);
  record.word(wakeup.thread);
  record.arguments(wakeup.arguments);
  put(record);
}

// ---- Any record ----

bool Writer::write_any(const Record& record) {
  return std::visit(
      [this]<typename T>(const T& value) {
        if constexpr (requires { this->write(value); }) {
          write(value);
        } else if constexpr (std::is_same_v<T, ProviderInfo>) {
          if (!tables_->has_provider(value.id)) {
            begin_provider(value.id, value.name);
          } else if (tables_->provider() != value.id) {
            switch_provider(value.id);
          }
        } else if constexpr (std::is_same_v<T, ProviderSection>) {
          if (tables_->provider() != value.id) switch_provider(value.id);
        } else if constexpr (std::is_same_v<T, ProviderEvent>) {
          buffer_full();
        } else {
          // The rest is the Writer's own, or can only be read.
          return std::is_same_v<T, Magic> || std::is_same_v<T, Initialization> ||
                 std::is_same_v<T, StringRecord> || std::is_same_v<T, ThreadRecord>;
        }
        return true;
      },
      record);
}

bool Writer::write(const Entry& entry, const Reader& reader) {
  if (reader.ticks_per_second() == kTicksPerSecond) return write_any(entry.record);
  const auto record = in_ns(entry.record, reader);
  return record && write_any(*record);
}

}  // namespace fxt
