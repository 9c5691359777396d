// Records as values: the rules of each kind, and its words.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "fxt/checking/packet_stream.h"
#include "fxt/checking/value_rules.h"
#include "fxt/reader.h"
#include "fxt/writer.h"
#include "fxt/writing/event_order.h"
#include "fxt/writing/record_builder.h"
#include "fxt/writing/refusal.h"

namespace fxt {
namespace {

std::uint64_t end_of(const Event& event) {
  return event.type == EventType::DurationComplete ? event.end : event.time;
}

// A number in a field of the header.
template <typename Field>
void check_fits(std::string_view what, std::uint64_t number) {
  if (number > Field::kMax)
    throw WriterError(std::string(what) + ": " + std::to_string(number) + ", but a record takes " +
                      std::to_string(Field::kMax));
}

}  // namespace

// Returns the header.
template <typename T>
std::uint64_t Writer::put(const T& record, std::string_view kind, std::string_view name) {
  RecordBuilder builder(*scratch_, tables_.get(), kind, name);
  layout(builder, record);
  const auto words = builder.finish();
  buffer_.append(words);
  return words[0];
}

// ---- Events ----

void Writer::write(const Event& event) {
  if (event.type > EventType::FlowEnd)
    throw WriterError("event " + quoted(event.name.text) + ": event type " +
                      std::to_string(code(event.type)) + " does not exist");
  if (!options_.readers.empty() || event.arguments.size() > kMaxArguments) check_values(event);
  if (!options_.trust_nesting) {
    Refusal refusal(options_, "event", event.name.text);
    order_->check(event, refusal);
  }
  const std::uint64_t header = put_event(event);
  if (event.type == EventType::Counter && !options_.readers.empty()) counter_rules_->add(event);
  if (!options_.trust_nesting) order_->add(event, header);
  if (spans_the_trace(event)) span_.extend(event.time, end_of(event));
}

std::uint64_t Writer::put_event(const Event& event) { return put(event, "event", event.name.text); }

void Writer::check_values(const Event& event) const {
  check_times(event);
  Refusal refusal(options_, event.type == EventType::Counter ? "counter" : "event", event.name.text);
  refusal.thread(event.thread);
  refusal.arguments(event.arguments);
  if (event.type == EventType::Instant) check_instant(event.name.text, refusal);
  if (event.type == EventType::Counter) counter_rules_->check(event, refusal);
}

void Writer::check_times(const Event& event) const {
  Refusal refusal(options_, "event", event.name.text);
  const std::uint64_t end = end_of(event);
  check_time(event.time, refusal);
  check_time(end, refusal);
  if (ends_before_it_begins(event))
    refusal.fault(Fault::EndBeforeBegin, "ends at " + std::to_string(end) + " ns, before it begins at " +
                                             std::to_string(event.time) + " ns");
  if (spans_the_trace(event) && !span_.fits(event.time, end))
    refusal.fault(Fault::LongSpan, "from " + std::to_string(std::min(span_.first(), event.time)) + " to " +
                                       std::to_string(std::max(span_.last(), end)) +
                                       " ns, the trace spans 2^47 ns or more");
}

// ---- Objects and names ----

void Writer::write(const UserspaceObject& object) {
  Refusal refusal(options_, "userspace object", object.name.text);
  refusal.fault(Fault::UserspaceObject, "has a type of its own");
  refusal.arguments(object.arguments);
  put(object, "userspace object", object.name.text);
}

void Writer::write(const KernelObject& object) {
  Refusal refusal(options_, "kernel object", object.name.text);
  check_object(object, refusal);
  refusal.arguments(object.arguments);
  if (const auto was = switched_.find(object.koid);
      object.type == KernelObjectType::Thread && was != switched_.end())
    ThreadNames::check_renamed(object, was->second, refusal);
  put(object, "kernel object", object.name.text);
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

void Writer::write(const LegacyContextSwitch& change) {
  Refusal refusal(options_, "context switch");
  check_time(change.time, refusal);
  check_state(change.outgoing_state, refusal);
  const bool is_newer = change.cpu > kMaxLegacyCpu;  // a record of the newer kind says no priority
  const auto check_side = [&](const Thread& side, std::uint8_t priority) {
    if (side.storage == Storage::Missing) refusal.thread(side);
    check_koid(side.thread, refusal);
    names_->check_switched(side, is_newer ? 1 : priority, refusal);
  };
  check_side(change.outgoing, change.outgoing_priority);
  check_side(change.incoming, change.incoming_priority);
  if (is_newer) {
    std::vector<Argument> weights;
    if (change.outgoing == kIdleThread) weights.push_back({kOutgoingWeight, kIdleWeight});
    if (change.incoming == kIdleThread) weights.push_back({kIncomingWeight, kIdleWeight});
    write(ContextSwitch{.time = change.time,
                        .cpu = change.cpu,
                        .outgoing_state = change.outgoing_state,
                        .outgoing_thread = change.outgoing.thread,
                        .incoming_thread = change.incoming.thread,
                        .arguments = weights});
    return;
  }
  put(change, "context switch", "");
  for (const Thread& side : {change.outgoing, change.incoming}) switched_[side.thread] = side.process;
}

void Writer::write(const ContextSwitch& change) {
  Refusal refusal(options_, "context switch");
  check_time(change.time, refusal);
  check_state(change.outgoing_state, refusal);
  if (uses_cpu(change)) check_cpu(change.cpu, refusal);
  const auto check_side = [&](std::uint64_t koid, std::string_view weight) {
    check_koid(koid, refusal);
    if (!is_idle(change.arguments, weight)) names_->check_scheduled(koid, refusal);
  };
  check_side(change.outgoing_thread, kOutgoingWeight);
  check_side(change.incoming_thread, kIncomingWeight);
  refusal.arguments(change.arguments);
  check_scheduling_arguments(SchedulingType::ContextSwitch, change.arguments, refusal);
  put(change, "context switch", "");
}

void Writer::write(const ThreadWakeup& wakeup) {
  Refusal refusal(options_, "thread wakeup");
  check_time(wakeup.time, refusal);
  if (uses_cpu(wakeup)) check_cpu(wakeup.cpu, refusal);
  check_koid(wakeup.thread, refusal);
  if (!is_idle(wakeup.arguments, kWakeupWeight)) names_->check_scheduled(wakeup.thread, refusal);
  refusal.arguments(wakeup.arguments);
  check_scheduling_arguments(SchedulingType::ThreadWakeup, wakeup.arguments, refusal);
  put(wakeup, "thread wakeup", "");
}

// ---- Messages and blobs ----

void Writer::write(const Log& log) {
  Refusal refusal(options_, "log message");
  check_time(log.time, refusal);
  if (log.thread.storage == Storage::Missing) refusal.thread(log.thread);
  Log written = log;
  const std::string message(tables_->clean(log.message, kMaxStringBytes));
  written.message = message;
  put(written, "log message", "");
}

void Writer::write(const ProfilerModule& module) {
  check_fits<ProfilerModuleHeader::BuildIdLength>("profiler module: build id", module.build_id.size());
  ProfilerModule written = module;
  const std::string name(tables_->clean(module.name, ProfilerModuleHeader::NameLength::kMax));
  written.name = name;
  put_profiler(written, "profiler module");
}

void Writer::write(const ProfilerMmap& mmap) {
  check_fits<ProfilerMmapHeader::Flags>("profiler mmap: flags", mmap.flags);
  put_profiler(mmap, "profiler mmap");
}

void Writer::write(const ProfilerBacktrace& backtrace) {
  check_fits<ProfilerBacktraceHeader::Flags>("profiler backtrace: flags", backtrace.flags);
  check_fits<ProfilerBacktraceHeader::FrameCount>("profiler backtrace: frames", backtrace.frames.size());
  put_profiler(backtrace, "profiler backtrace");
}

template <typename T>
void Writer::put_profiler(const T& record, std::string_view kind) {
  Refusal refusal(options_, kind);
  check_time(record.time, refusal);
  if (record.thread.storage == Storage::Missing) refusal.thread(record.thread);
  if constexpr (!std::is_same_v<T, ProfilerBacktrace>)
    check_profiler_thread(tables_->refer_to(record.thread) == 0, refusal);
  put(record, kind, "");
}

void Writer::write(const Blob& blob) {
  if (blob.type == BlobType::Perfetto) {
    Refusal refusal(options_, "blob", blob.name.text);
    PacketStream packets;
    if (!packets.add(blob.bytes)) refusal.fault(Fault::NoPackets, "is no packets of Perfetto's");
    if (!packets.is_whole()) refusal.fault(Fault::PartOfPacket, "ends within one of Perfetto's packets");
  }
  // The name is made fit for a record once, for all of them.
  tables_->begin_record();
  const TextRef name = tables_->refer_to(blob.name);
  const std::string inline_name(name.inline_text);
  Blob part = blob;
  if (!inline_name.empty()) part.name = Inline{inline_name};
  // What a record holds besides a payload of 32,000 bytes is 94 words; longer names leave less for it.
  const std::size_t room =
      std::min((kMaxRecordWords - 1 - name.words()) * sizeof(std::uint64_t), kMaxBlobChunkBytes);
  std::span<const std::byte> rest = blob.bytes;
  do {
    part.bytes = rest.first(std::min(room, rest.size()));
    put(part, "blob", blob.name.text);
    rest = rest.subspan(part.bytes.size());
  } while (!rest.empty());
}

void Writer::write(const LargeBlob& blob) {
  Refusal refusal(options_, "large blob", blob.name.text);
  check_time(blob.time, refusal);
  if (blob.thread.storage == Storage::Missing) refusal.thread(blob.thread);
  refusal.arguments(blob.arguments);
  put_large(blob);
}

void Writer::write(const LargeBlobWithoutMetadata& blob) {
  Refusal(options_, "large blob", blob.name.text).fault(Fault::LargeBlobWithoutMetadata, "has no metadata");
  put_large(blob);
}

// The payload follows its head straight into the output, over as many buffers as it needs.
template <typename T>
void Writer::put_large(const T& blob) {
  RecordBuilder head(*scratch_, tables_.get(), "large blob", blob.name.text);
  layout(head, blob);
  std::span<const std::byte> bytes = blob.bytes;
  const std::size_t words = head.size() + words_of(bytes.size());
  if (words > LargeRecordHeader::Size::kMax)
    throw WriterError("large blob of " + std::to_string(bytes.size()) +
                      " bytes: a record holds 2^32-1 words");
  if (words > kMaxRecordWords)
    Refusal(options_, "large blob", blob.name.text)
        .fault(Fault::OversizedRecord,
               "has " + std::to_string(bytes.size()) + " bytes: more than 4095 words");
  buffer_.append(head.finish_large(words));
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kMaxBlobChunkBytes));  // whole words but the last
    put_bytes(buffer_.claim(words_of(piece.size())), piece.data(), piece.size());
    bytes = bytes.subspan(piece.size());
  }
}

// ---- Any record ----

bool Writer::write_any(const Record& record) {
  return std::visit(
      [this, &record]<typename T>(const T& value) {
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
          const std::uint32_t id = tables_->has_provider(value.id) ? value.id : tables_->provider();
          put(ProviderEvent{.id = id}, "provider event", "");
        } else {
          return is_of_writer(record);  // the others can only be read
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

void Writer::buffer_full() { put(ProviderEvent{.id = tables_->provider()}, "provider event", ""); }

}  // namespace fxt
