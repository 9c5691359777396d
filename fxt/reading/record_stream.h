// Splits bytes into records. Bytes in memory are not copied. Bytes from an Input are read in limited memory.
// Internal to the Reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fxt/format.h"
#include "fxt/header_words.h"
#include "fxt/input.h"

namespace fxt {

// One record: its words as numbers, and its bytes as in the file. If the file has the other byte order, the
// numbers are converted, but the bytes are not. Streams (texts and other bytes) must then be read from the
// bytes.
struct RecordWords {
  std::uint64_t offset = 0;  // offset of the header, in bytes from the start of the file
  std::span<const std::uint64_t> words = {};
  const std::byte* bytes = nullptr;
  std::uint64_t too_large_words = 0;  // if not 0, the record is skipped, and `words` has only the header
};

// The bytes of a file from the next record on, as far as they are in memory. An Input is read in blocks. A
// file without an Input is completely in memory.
class InputWindow {
 public:
  explicit InputWindow(std::span<const std::byte> memory) : data_(memory) {}
  explicit InputWindow(Input& input) : input_(&input) {}

  const std::byte* bytes() const { return data_.data() + position_; }
  std::size_t size() const { return data_.size() - position_; }
  std::uint64_t offset() const { return offset_ + position_; }

  // Makes at least `bytes` bytes available, if the file has that many. Passes exceptions of the Input on.
  // After an exception, the window is empty.
  bool fetch(std::size_t bytes) { return bytes <= size() || read_on(bytes); }
  void skip(std::size_t bytes) { position_ += bytes; }

 private:
  bool read_on(std::size_t bytes);
  void grow_buffer(std::size_t filled_bytes);

  Input* input_ = nullptr;
  std::unique_ptr<std::uint64_t[]> buffer_;  // bytes that were read from input_
  std::size_t buffer_words_ = 0;
  std::span<const std::byte> data_;  // memory, or the filled part of buffer_
  std::size_t position_ = 0;         // position of the next record in data_
  std::uint64_t offset_ = 0;         // offset of data_ in the file
};

class RecordStream {
 public:
  RecordStream(std::span<const std::byte> memory, const ReaderOptions& options);
  RecordStream(Input& input, const ReaderOptions& options);

  // Reads the next record, which is valid until the next call. Returns false at the end; then end() has the
  // reason.
  bool next(RecordWords& record) { return next_in_place(record) || next_with_care(record); }
  const ReadEnd& end() const { return end_; }
  bool other_byte_order() const { return swap_; }
  // Must be called at the end of a file that had no record of a known type. Such a file is probably not a
  // trace. If it is damaged and has no magic word, end() then has the reason NoMagic.
  void end_without_known_records();

 private:
  // The common case: a complete record that can be used in place, and is not a large record.
  bool next_in_place(RecordWords& record) {
    const std::size_t left = window_.size();
    if (!in_place_ || left < sizeof(std::uint64_t)) return false;
    const std::byte* const bytes = window_.bytes();
    const auto* const words = reinterpret_cast<const std::uint64_t*>(bytes);
    const auto size = static_cast<std::size_t>(RecordHeader::Size::get(words[0]));
    if (RecordHeader::Type::get(words[0]) == code(RecordType::Large) || size == 0 ||
        size > left / sizeof(std::uint64_t))
      return false;
    record.offset = window_.offset();
    record.words = {words, size};
    record.bytes = bytes;
    record.too_large_words = 0;
    window_.skip(size * sizeof(std::uint64_t));
    return true;
  }
  bool next_with_care(RecordWords& record);
  void begin();
  bool available(std::size_t bytes);
  std::uint64_t next_word() const;
  bool stop(ReadEnd::Reason reason);
  bool skip(RecordWords& record, std::uint64_t header, std::uint64_t size_words);

  ReaderOptions options_;
  InputWindow window_;
  bool begun_ = false;
  bool has_magic_ = false;
  bool ended_ = false;
  bool in_place_ = false;               // true if words are aligned and in the byte order of this machine
  bool swap_ = false;                   // words are in the other byte order
  std::vector<std::uint64_t> numbers_;  // copy of a record that can't be used in place
  std::uint64_t skipped_header_ = 0;
  ReadEnd end_;
};

}  // namespace fxt
