// The Writer's records that carry bytes: log messages and blobs.
#include <algorithm>

#include "fxt/checking/argument_rules.h"
#include "fxt/checking/packet_stream.h"
#include "fxt/writer.h"
#include "fxt/writing/record_builder.h"
#include "fxt/writing/value_rules.h"

namespace fxt {
namespace {

void check_packets(const Blob& blob) {
  PacketStream packets;
  if (!packets.add(blob.bytes))
    throw WriterError(
        "blob " + quoted(blob.name.text) +
        ": is no packets of Perfetto's, at which Perfetto fails; WriterOptions::perfetto_pieces "
        "allows it");
  if (!packets.is_whole())
    throw WriterError("blob " + quoted(blob.name.text) +
                      ": ends within one of Perfetto's packets; WriterOptions::perfetto_pieces allows it");
}

}  // namespace

void Writer::write(const Log& log) {
  check_time("log message", log.time);
  check_thread("log message", log.thread);

  RecordBuilder record = build("log message", "");
  const ThreadRef thread = record.refer_to(log.thread);
  const std::string_view message = tables_->clean(log.message, kMaxStringBytes);
  record.word(LogHeader::Type::put(code(RecordType::Log)) | LogHeader::Length::put(message.size()) |
              LogHeader::Thread::put(thread.ref));
  record.word(log.time);
  record.thread(thread);
  record.text(message);
  put(record);
}

void Writer::write(const Blob& blob) {
  if (blob.type < BlobType::Data || blob.type > BlobType::Perfetto)
    throw WriterError("blob " + quoted(blob.name.text) + ": type " + std::to_string(code(blob.type)) +
                      " does not exist");
  check_storage(blob.name.text, blob.name.storage);
  if (blob.type == BlobType::Perfetto && !options_.perfetto_pieces) check_packets(blob);
  std::span<const std::byte> rest = blob.bytes;
  RecordBuilder empty = build("blob", blob.name.text);
  const TextRef name = empty.refer_to(blob.name);
  do {
    RecordBuilder record = empty;
    // What a record holds besides a payload of 32,000 bytes is 94 words; longer names leave less for it.
    const std::size_t room = (kMaxRecordWords - 1 - name.words()) * sizeof(std::uint64_t);
    const auto chunk = rest.first(std::min({room, kMaxBlobChunkBytes, rest.size()}));
    record.word(blob_header(name.ref, chunk.size(), 0, blob.type));
    record.text(name);
    record.bytes(chunk);
    put(record);
    rest = rest.subspan(chunk.size());
  } while (!rest.empty());
}

void Writer::write(const LargeBlob& blob) {
  check_time("large blob", blob.time);
  check_thread("large blob", blob.thread);
  check_names(blob.category, blob.name);
  check_arguments(blob.name.text, blob.arguments, options_);

  RecordBuilder record = build("large blob", blob.name.text);
  const ThreadRef thread = record.refer_to(blob.thread);
  const TextRef category = record.refer_to(blob.category), name = record.refer_to(blob.name);
  record.refer_to(blob.arguments);
  using Header = LargeBlobMetadataHeader;
  record.word(LargeBlobHeader::Type::put(code(RecordType::Large)) |
              LargeBlobHeader::LargeType::put(code(LargeRecordType::Blob)) |
              LargeBlobHeader::Format::put(code(LargeBlobFormat::WithMetadata)));
  record.word(Header::Category::put(category.ref) | Header::Name::put(name.ref) |
              Header::ArgumentCount::put(blob.arguments.size()) | Header::Thread::put(thread.ref));
  record.text(category);
  record.text(name);
  record.word(blob.time);
  record.thread(thread);
  record.arguments(blob.arguments);
  record.word(blob.bytes.size());
  write_large(record, blob.bytes);
}

void Writer::write(const LargeBlobWithoutMetadata& blob) {
  if (!options_.large_blobs_without_metadata)
    throw WriterError("large blob " + quoted(blob.name.text) +
                      ": without metadata it ends Fuchsia's Rust reader; "
                      "WriterOptions::large_blobs_without_metadata allows it");
  check_names(blob.category, blob.name);

  RecordBuilder record = build("large blob", blob.name.text);
  const TextRef category = record.refer_to(blob.category), name = record.refer_to(blob.name);
  record.word(LargeBlobHeader::Type::put(code(RecordType::Large)) |
              LargeBlobHeader::LargeType::put(code(LargeRecordType::Blob)) |
              LargeBlobHeader::Format::put(code(LargeBlobFormat::WithoutMetadata)));
  record.word(LargeBlobPlainHeader::Category::put(category.ref) | LargeBlobPlainHeader::Name::put(name.ref));
  record.text(category);
  record.text(name);
  record.word(blob.bytes.size());
  write_large(record, blob.bytes);
}

// The payload follows its head straight into the output, over as many buffers as it needs.
void Writer::write_large(RecordBuilder& head, std::span<const std::byte> bytes) {
  const std::size_t words = head.size() + words_of(bytes.size());
  if (words > LargeRecordHeader::Size::kMax)
    throw WriterError("large blob of " + std::to_string(bytes.size()) +
                      " bytes: a record holds 2^32-1 words");
  if (words > kMaxRecordWords && !options_.oversized_records)
    throw WriterError(
        "large blob of " + std::to_string(bytes.size()) +
        " bytes: after a record of more than 4095 words Perfetto and Tracy lose the rest of the "
        "file; WriterOptions::oversized_records allows it");
  buffer_.append(head.finish_large(words));
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kMaxBlobChunkBytes));  // whole words but the last
    put_bytes(buffer_.claim(words_of(piece.size())), piece.data(), piece.size());
    bytes = bytes.subspan(piece.size());
  }
}

}  // namespace fxt
