// Files that may be compressed: inputs are recognized by their content, outputs are compressed by the suffix
// of their name.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <iosfwd>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/input.h"
#include "fxt/output_file.h"

namespace fxt {

struct Limit;

// A file can't be read, decompressed or written; the text names it.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The file could be read, but its compressed data is damaged or ends early.
class DamagedFile : public FileError {
 public:
  using FileError::FileError;
};

// An input whose first bytes can be looked at.
class InputWithHead final : public Input {
 public:
  // Reads up to `bytes`.
  InputWithHead(std::unique_ptr<Input> input, std::size_t bytes)
      : input_(std::move(input)), head_(bytes, '\0') {
    std::size_t size = 0;
    try {
      while (size != bytes) {
        const std::size_t got = input_->read(std::as_writable_bytes(std::span(head_).subspan(size)));
        if (got == 0) break;
        size += got;
      }
    } catch (const FileError&) {
      failure_ = std::current_exception();
    }
    head_.resize(size);
  }

  std::string_view head() const { return head_; }
  // Why the head could not be read further; null if it could.
  const std::exception_ptr& failure() const { return failure_; }

  std::size_t read(std::span<std::byte> room) override {
    if (taken_ == head_.size()) {
      if (failure_ != nullptr) std::rethrow_exception(failure_);
      return input_->read(room);
    }
    const auto rest = std::as_bytes(std::span(head_).subspan(taken_));
    const std::size_t size = std::min(room.size(), rest.size());
    std::ranges::copy(rest.first(size), room.begin());
    taken_ += size;
    return size;
  }

 private:
  std::unique_ptr<Input> input_;
  std::string head_;
  std::size_t taken_ = 0;
  std::exception_ptr failure_;
};

// The suffixes of the formats that are read and written compressed.
inline constexpr std::array<std::string_view, 4> kPackedSuffixes{".gz", ".zst", ".bz2", ".xz"};
inline constexpr std::string_view kPackedSuffixesText = ".gz, .zst, .bz2 or .xz";

// The suffix by which a file of that name is compressed; empty for a plain file.
std::string_view packed_suffix(std::string_view name);

// Opens a file or standard input (`path` "-"), plain or compressed. Throws FileError, here and when reading.
std::unique_ptr<Input> open_input(const std::string& path);

struct UnpackedFile {
  std::unique_ptr<Input> bytes;
  bool is_packed;
};
// Does the same for a file that messages call `name`, and that may unpack to as much as the limit.
UnpackedFile open_unpacked(const std::string& path, const std::string& name, const Limit& limit);

// Writes bytes to a file, compressed or not.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Both throw std::runtime_error.
  virtual void write(std::span<const std::byte> bytes) = 0;
  virtual void finish() = 0;  // writes the rest
};

// Compresses by the suffix of `target`. Borrows `file`.
std::unique_ptr<ByteStream> open_stream(std::string_view target, OutputFile& file);

}  // namespace fxt
