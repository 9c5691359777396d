// The Writer's records that carry bytes: log messages and blobs.
#include <algorithm>

#include "fxt/writer.h"
#include "fxt/writing/record_builder.h"

namespace fxt {

void Writer::write(const Log& log) {
  check_time("log message", log.time);
  check_thread("log message", log.thread);
  const ThreadUse thread = refer_to(log.thread);
  const std::string_view message = clean(log.message, kMaxStringBytes);

  Builder record(*record_, "log message", "");
  record.word(LogHeader::Type::put(code(RecordType::Log)) | LogHeader::Length::put(message.size()) |
              LogHeader::Thread::put(thread.ref));
  record.word(log.time);
  record.thread(thread);
  record.text(message);
  finish(record);
}

void Writer::write(const Blob& blob) {
  const TextRef name = refer_to(blob.name);
  // What a record holds besides a payload of 32,000 bytes is 94 words; longer names leave less for it.
  const std::size_t room = (kMaxRecordWords - 1 - name.words()) * sizeof(std::uint64_t);
  const std::size_t chunk_bytes = std::min(room, kMaxBlobChunkBytes);
  std::span<const std::byte> rest = blob.bytes;
  do {
    const auto chunk = rest.first(std::min(chunk_bytes, rest.size()));
    Builder record(*record_, "blob", blob.name.text);
    record.word(blob_header(name.ref, chunk.size(), 0, blob.type));
    record.text(name.inline_text);
    record.bytes(chunk);
    append(record.finish());
    rest = rest.subspan(chunk.size());
  } while (!rest.empty());
  cleaned_.clear();
}

void Writer::write(const LargeBlob& blob) {
  check_time("large blob", blob.time);
  check_thread("large blob", blob.thread);
  check_arguments(blob.name.text, blob.arguments);
  const ThreadUse thread = refer_to(blob.thread);
  const TextRef category = refer_to(blob.category);
  const TextRef name = refer_to(blob.name);
  const ArgumentUses& arguments = refer_to(blob.arguments);

  using Header = LargeBlobMetadataHeader;
  Builder record(*record_, "large blob", blob.name.text);
  record.word(LargeBlobHeader::Type::put(code(RecordType::Large)) |
              LargeBlobHeader::LargeType::put(code(LargeRecordType::Blob)) |
              LargeBlobHeader::Format::put(code(LargeBlobFormat::WithMetadata)));
  record.word(Header::Category::put(category.ref) | Header::Name::put(name.ref) |
              Header::ArgumentCount::put(blob.arguments.size()) | Header::Thread::put(thread.ref));
  record.text(category.inline_text);
  record.text(name.inline_text);
  record.word(blob.time);
  record.thread(thread);
  record.arguments(blob.arguments, arguments);
  record.word(blob.bytes.size());
  write_large(record, blob.bytes);
}

void Writer::write(const LargeBlobWithoutMetadata& blob) {
  if (!options_.large_blobs_without_metadata)
    throw WriterError("large blob " + quoted(blob.name.text) +
                      ": without metadata it ends Fuchsia's Rust reader; "
                      "WriterOptions::large_blobs_without_metadata allows it");
  const TextRef category = refer_to(blob.category);
  const TextRef name = refer_to(blob.name);

  Builder record(*record_, "large blob", blob.name.text);
  record.word(LargeBlobHeader::Type::put(code(RecordType::Large)) |
              LargeBlobHeader::LargeType::put(code(LargeRecordType::Blob)) |
              LargeBlobHeader::Format::put(code(LargeBlobFormat::WithoutMetadata)));
  record.word(LargeBlobPlainHeader::Category::put(category.ref) | LargeBlobPlainHeader::Name::put(name.ref));
  record.text(category.inline_text);
  record.text(name.inline_text);
  record.word(blob.bytes.size());
  write_large(record, blob.bytes);
}

// The payload follows its head straight into the output, over as many buffers as it needs.
void Writer::write_large(Builder& head, std::span<const std::byte> bytes) {
  const std::size_t words = head.size() + words_of(bytes.size());
  if (words > LargeRecordHeader::Size::kMax)
    throw WriterError("large blob of " + std::to_string(bytes.size()) +
                      " bytes: a record holds 2^32-1 words");
  if (words > kMaxRecordWords && !options_.oversized_records)
    throw WriterError(
        "large blob of " + std::to_string(bytes.size()) +
        " bytes: after a record of more than 4095 words Perfetto and Tracy lose the rest of the "
        "file; WriterOptions::oversized_records allows it");
  append(head.finish_large(words));
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kMaxBlobChunkBytes));  // whole words but the last
    put_bytes(record_->data(), piece.data(), piece.size());
    append(std::span(*record_).first(words_of(piece.size())));
    bytes = bytes.subspan(piece.size());
  }
  cleaned_.clear();
}

}  // namespace fxt
