// SPDX-License-Identifier: Apache-2.0
// Where a Reader's bytes come from, how it behaves, and how reading ended.
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
  // Fills `room` (never empty) or the start of it, and returns the number of bytes; 0 means the end. The
  // bytes may end inside a word. May throw; the Reader passes that on.
  virtual std::size_t read(std::span<std::byte> room) = 0;
};

// Reads a file by its path, or an open descriptor, which it borrows. Throws std::system_error.
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

// Reads a stream opened in binary mode, which it borrows. Throws std::ios_base::failure when the stream could
// not be opened, or fails.
class StreamInput final : public Input {
 public:
  explicit StreamInput(std::istream& in) : in_(&in) {}
  std::size_t read(std::span<std::byte> room) override;

 private:
  std::istream* in_;
};

struct ReaderOptions {
  // Files that do not begin with the magic word are no traces. By default they are read: some writers leave
  // it out.
  bool require_magic = false;
  // Zero words between records are skipped, as Fuchsia's C++ reader does. By default reading ends there.
  bool skip_zero_words = false;
  // Large records of more bytes are skipped, so that memory stays bounded whatever a header claims. Other
  // records have 32,760 bytes at most.
  std::size_t max_record_bytes = std::size_t{64} << 20;
};

// How reading ended.
struct ReadEnd {
  enum class Reason : std::uint8_t {
    NotYet,     // next() has more
    EndOfFile,  // after a whole record
    Truncated,  // inside a record, or less than a word is left
    SizeZero,   // a record claims to have no words, so the next one can't be found
    // The file is not an FXT trace: it does not begin with the magic word, and it has no record of a known
    // type before its end, or ReaderOptions::require_magic is set.
    NoMagic,
    Compressed,  // the file begins as gzip, zstd, xz or bzip2 files do; the Reader does not decompress
    Failed,      // the Input threw
  };
  Reason reason = Reason::NotYet;
  std::uint64_t offset = 0;           // in bytes: of the record that could not be read, or the file's size
  std::uint64_t missing_bytes = 0;    // Truncated: what the record lacks
  std::string_view compression = {};  // Compressed: "gzip", …; static
};

// The end in a few words; empty for an orderly one.
FXT_API std::string describe(const ReadEnd& end);

}  // namespace fxt
