// SPDX-License-Identifier: Apache-2.0
// The input of a Reader, the options of a Reader, and the reasons why reading ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "fxt/visibility.h"

namespace FXT_API fxt {

// A source of bytes of any length: a file, a pipe, a decompressor.
class Input {
 public:
  virtual ~Input() = default;
  // Fills `room`, or only the start of it. `room` is never empty. Returns the number of filled bytes; 0 means
  // the end. The last bytes may be only a part of a word. The Reader passes exceptions on.
  virtual std::size_t read(std::span<std::byte> room) = 0;
};

// Reads a file, given by its path or by an open descriptor that stays open. Throws std::system_error.
class FileInput final : public Input {
 public:
  explicit FileInput(const std::string& path);
  explicit FileInput(int descriptor) : file_(descriptor), name_("descriptor " + std::to_string(descriptor)) {}
  ~FileInput() override;
  FileInput(FileInput&& other) noexcept;
  FileInput& operator=(FileInput&& other) noexcept;
  std::size_t read(std::span<std::byte> room) override;

 private:
  int file_;
  bool is_own_ = false;
  std::string name_;
};

// Reads a stream that was opened in binary mode and must outlive this object. Throws std::ios_base::failure
// if the stream could not be opened, or fails.
class StreamInput final : public Input {
 public:
  explicit StreamInput(std::istream& in) : in_(&in) {}
  std::size_t read(std::span<std::byte> room) override;

 private:
  std::istream* in_;
};

struct ReaderOptions {
  // Rejects files that do not begin with the magic word. By default such files are read, because some writers
  // omit the magic word.
  bool require_magic = false;
  // Skips zero words between records, like Fuchsia's C++ reader. By default, reading ends at a zero word.
  bool skip_zero_words = false;
  // Large records (type 15) above this size are skipped, so that a damaged header can't exhaust the memory.
  // Other records have at most 32,760 bytes, and are never skipped.
  std::size_t max_record_bytes = std::size_t{64} << 20;
};

// The reason why reading ended, and the position in the file at which it ended.
struct ReadEnd {
  enum class Reason : std::uint8_t {
    NotYet,     // next() has more records
    EndOfFile,  // after a whole record
    Truncated,  // inside a record, or with less than a word left
    SizeZero,   // the size of a record is 0 words, so the next record can't be found
    // The file does not begin with the magic word, and one of these is also true: no record of a known type
    // is readable, or ReaderOptions::require_magic is set.
    NoMagic,
    Compressed,  // the file begins like a gzip, zstd, xz or bzip2 file; the Reader does not decompress
    Failed,      // the Input threw
  };
  Reason reason = Reason::NotYet;
  std::uint64_t offset = 0;  // offset in bytes: the start of the unreadable record, or the size of the file
  std::uint64_t missing_bytes = 0;    // Truncated: the number of bytes that the record lacks
  std::string_view compression = {};  // Compressed: "gzip", …; a static string
};

// The reason in a few words; empty after EndOfFile.
FXT_API std::string describe(const ReadEnd& end);

}  // namespace fxt
