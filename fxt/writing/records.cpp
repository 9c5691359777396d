// Writes records that are given as values. Some values become several records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "fxt/checking/value_rules.h"
#include "fxt/reader.h"
#include "fxt/writer.h"
#include "fxt/writing/record_builder.h"

namespace fxt {

template <typename T>
void Writer::put(const T& record, std::string_view kind, std::string_view name) {
  RecordBuilder builder(*scratch_, tables_.get(), kind, name);
  layout(builder, record);
  buffer_.append(builder.finish());
  buffer_.end_record();
}

void Writer::write(const Event& event) {
  if (event.type > EventType::FlowEnd)
    throw WriterError("event " + quoted(event.name.text) + ": event type " +
                      std::to_string(code(event.type)) + " does not exist");
  put(event, "event", event.name.text);
}

// ---- Objects and names ----

void Writer::write(const UserspaceObject& object) { put(object, "userspace object", object.name.text); }

void Writer::write(const KernelObject& object) { put(object, "kernel object", object.name.text); }

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
  if (change.cpu <= kMaxLegacyCpu) return put(change, "context switch");
  std::vector<Argument> weights;
  if (change.outgoing == kIdleThread) weights.push_back({kOutgoingWeight, kIdleWeight});
  if (change.incoming == kIdleThread) weights.push_back({kIncomingWeight, kIdleWeight});
  write(ContextSwitch{.time = change.time,
                      .cpu = change.cpu,
                      .outgoing_state = change.outgoing_state,
                      .outgoing_thread = change.outgoing.thread,
                      .incoming_thread = change.incoming.thread,
                      .arguments = weights});
}

void Writer::write(const ContextSwitch& change) { put(change, "context switch"); }

void Writer::write(const ThreadWakeup& wakeup) { put(wakeup, "thread wakeup"); }

// ---- Messages and blobs ----

void Writer::write(const Log& log) {
  Log written = log;
  const std::string message(tables_->clean(log.message, kMaxStringBytes));
  written.message = message;
  put(written, "log message");
}

void Writer::write(const ProfilerModule& module) {
  ProfilerModule written = module;
  const std::string name(tables_->clean(module.name, ProfilerModuleHeader::NameLength::kMax));
  written.name = name;
  put(written, "profiler module", name);
}

void Writer::write(const ProfilerMmap& mmap) { put(mmap, "profiler mmap"); }

void Writer::write(const ProfilerBacktrace& backtrace) { put(backtrace, "profiler backtrace"); }

void Writer::write(const Blob& blob) {
  // The name is repaired and cut only once, for all records of the blob.
  tables_->begin_record();
  const TextRef name = tables_->refer_to(blob.name);
  const std::string inline_name(name.inline_text);
  Blob part = blob;
  if (!inline_name.empty()) part.name = Inline{inline_name};
  // A record with a payload of 32,000 bytes has 94 words left for the name. If the name needs more, the
  // payload is smaller.
  const std::size_t room =
      std::min((kMaxRecordWords - 1 - name.words()) * sizeof(std::uint64_t), kMaxBlobChunkBytes);
  std::span<const std::byte> rest = blob.bytes;
  do {
    part.bytes = rest.first(std::min(room, rest.size()));
    put(part, "blob", blob.name.text);
    rest = rest.subspan(part.bytes.size());
  } while (!rest.empty());
}

void Writer::write(const LargeBlob& blob) { put_large(blob); }

void Writer::write(const LargeBlobWithoutMetadata& blob) { put_large(blob); }

// Writes the payload directly to the output, after its header, in as many buffers as it needs.
template <typename T>
void Writer::put_large(const T& blob) {
  RecordBuilder head(*scratch_, tables_.get(), "large blob", blob.name.text);
  layout(head, blob);
  std::span<const std::byte> bytes = blob.bytes;
  const std::size_t words = head.size() + words_of(bytes.size());
  if (words > LargeRecordHeader::Size::kMax)
    throw WriterError("large blob of " + std::to_string(bytes.size()) +
                      " bytes: a record holds at most 2^32-1 words");
  buffer_.append(head.finish_large(words));
  while (!bytes.empty()) {
    // All parts except the last consist of whole words, so there is no padding between parts.
    const auto piece = bytes.first(std::min(bytes.size(), kMaxBlobChunkBytes));
    put_bytes(buffer_.claim(words_of(piece.size())), piece.data(), piece.size());
    bytes = bytes.subspan(piece.size());
  }
  buffer_.end_record();
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
          put(ProviderEvent{.id = tables_->has_provider(value.id) ? value.id : tables_->provider()},
              "provider event");
        } else {
          // Of the remaining kinds, the Writer writes some automatically. The others can't be written.
          return is_of_writer(record);
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

void Writer::buffer_full() { put(ProviderEvent{.id = tables_->provider()}, "provider event"); }

}  // namespace fxt
