// Files that may be compressed. Inputs are recognized by their content; outputs are compressed according to
// the suffix of their name.
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

// Thrown if a file can't be read, decompressed or written. The text names the file.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown if the file could be read, but its compressed data are damaged or end early.
class DamagedFile : public FileError {
 public:
  using FileError::FileError;
};

// An input whose first bytes can be inspected.
class InputWithHead final : public Input {
 public:
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
  // The error because of which the head is not complete; null without an error.
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

// The suffixes of the compressed formats that are read and written.
inline constexpr std::array<std::string_view, 4> kPackedSuffixes{".gz", ".zst", ".bz2", ".xz"};
inline constexpr std::string_view kPackedSuffixesText = ".gz, .zst, .bz2 or .xz";

// The compression suffix of the name; empty for a plain file.
std::string_view packed_suffix(std::string_view name);

// Opens a file or standard input (`path` "-"), plain or compressed. Throws FileError, also during reading.
std::unique_ptr<Input> open_input(const std::string& path);

struct UnpackedFile {
  std::unique_ptr<Input> bytes;
  bool is_packed;
};
// Opens a file like open_input(). Messages call the file `name`. The unpacked size may not exceed the limit.
UnpackedFile open_unpacked(const std::string& path, const std::string& name, const Limit& limit);

// Writes bytes to a file, compressed or not.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // write() and finish() throw std::runtime_error.
  virtual void write(std::span<const std::byte> bytes) = 0;
  virtual void finish() = 0;  // writes the remaining data
};

// Compresses according to the suffix of `target`. Keeps a reference to `file`, which must outlive the result.
std::unique_ptr<ByteStream> open_stream(std::string_view target, OutputFile& file);

}  // namespace fxt
