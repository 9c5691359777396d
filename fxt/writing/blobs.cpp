// The Writer's records that carry bytes: log messages and blobs.
#include <algorithm>

#include "fxt/checking/packet_stream.h"
#include "fxt/checking/value_rules.h"
#include "fxt/writer.h"
#include "fxt/writing/record_builder.h"
#include "fxt/writing/refusal.h"

namespace fxt {

void Writer::write(const Log& log) {
  Refusal refusal(options_, "log message");
  check_time(log.time, refusal);
  if (log.thread.storage == Storage::Missing) refusal.thread(log.thread);

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
  if (blob.type == BlobType::Perfetto) {
    Refusal refusal(options_, "blob", blob.name.text);
    PacketStream packets;
    if (!packets.add(blob.bytes)) refusal.fault(Fault::NoPackets, "is no packets of Perfetto's");
    if (!packets.is_whole()) refusal.fault(Fault::PartOfPacket, "ends within one of Perfetto's packets");
  }
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
  Refusal refusal(options_, "large blob", blob.name.text);
  check_time(blob.time, refusal);
  if (blob.thread.storage == Storage::Missing) refusal.thread(blob.thread);
  refusal.arguments(blob.arguments);

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
  Refusal(options_, "large blob", blob.name.text).fault(Fault::LargeBlobWithoutMetadata, "has no metadata");

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
  if (words > kMaxRecordWords)
    Refusal(options_, "large blob", std::to_string(bytes.size()) + " bytes")
        .fault(Fault::OversizedRecord, "needs more than 4095 words");
  buffer_.append(head.finish_large(words));
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kMaxBlobChunkBytes));  // whole words but the last
    put_bytes(buffer_.claim(words_of(piece.size())), piece.data(), piece.size());
    bytes = bytes.subspan(piece.size());
  }
}

}  // namespace fxt
