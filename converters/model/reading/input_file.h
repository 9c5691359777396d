// Reads a binary file in blocks, at any offset or through a window that moves over the file. Files are not
// mapped into memory, because a mapped file that becomes shorter would cause a signal instead of an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fxt/support/file_place.h"

namespace convert {

class InputFile {
 public:
  // Makes an object without a file, whose size() is 0.
  InputFile() = default;
  // Opens the file and stores its size. If `keep_open` is false, each read opens the file again, so that
  // thousands of inputs do not need thousands of open files. Throws InputError if the file can't be opened or
  // is not a regular file.
  explicit InputFile(fxt::FilePlace place, bool keep_open = true);

  const std::string& path() const { return place_.text(); }
  int descriptor() const { return descriptor_.number(); }
  std::uint64_t size() const { return size_; }  // size in bytes when the file was opened

  // Reads from `offset` on into `buffer`, and returns the filled part of `buffer`. The part is smaller than
  // `buffer` only at the end of the file. Throws InputError if the file has become shorter, or can't be read.
  std::span<const std::byte> read(std::uint64_t offset, std::span<std::byte> buffer) const;
  // Like read(), but does not throw if the file has become shorter.
  std::span<const std::byte> read_available(std::uint64_t offset, std::span<std::byte> buffer) const;

  // Returns the end of the hole in the file at `offset`, or `offset` if there is no hole. All bytes in a hole
  // are zero, and are not stored on the disk.
  std::uint64_t end_of_hole(std::uint64_t offset) const;

 private:
  template <typename Use>
  auto with_descriptor(Use use) const;

  fxt::FilePlace place_;
  fxt::Descriptor descriptor_;  // not open if each read opens the file
  std::uint64_t size_ = 0;
};

// Returns the number of inputs that this process can keep open, in addition to other files. Raises the soft
// limit for open files to the hard limit.
std::size_t open_file_limit();

// A part of a file in memory. The window can move to any offset, but is made for reading forward.
class FileWindow {
 public:
  // A second-level cache can hold a block of this size and the events that are made from it.
  static constexpr std::size_t kDefaultBlockBytes = std::size_t{256} << 10;

  // The result if the file has become shorter: an exception, or the end of the file.
  enum class EarlyEnd : std::uint8_t { Error, End };

  // Throws InputError like the constructor of InputFile.
  FileWindow(fxt::FilePlace place, EarlyEnd early_end, bool keep_open = true,
             std::size_t block_bytes = kDefaultBlockBytes);

  const std::string& path() const { return file_.path(); }
  std::uint64_t size() const { return size_; }  // decreases if the file proves to be shorter

  // Returns at least `wanted` bytes from `offset` on, or fewer at the end of the file. Also returns later
  // bytes that are in memory. Valid until the next call. Throws InputError like InputFile::read().
  std::span<const std::byte> at(std::uint64_t offset, std::size_t wanted) {
    if (offset >= begin_ && offset - begin_ <= filled_ && wanted <= filled_ - (offset - begin_))
      return std::span<const std::byte>(buffer_).first(filled_).subspan(offset - begin_);
    return fetch(offset, wanted);
  }

  // For reading forward. at_least() returns the bytes at offset(), and consume() moves offset().
  std::span<const std::byte> at_least(std::size_t bytes) { return at(offset_, bytes); }
  void consume(std::size_t bytes) { offset_ += bytes; }
  void skip_to_end() { offset_ = size_; }
  std::uint64_t offset() const { return offset_; }

 private:
  std::span<const std::byte> fetch(std::uint64_t offset, std::size_t wanted);

  InputFile file_;
  EarlyEnd early_end_;
  std::size_t block_bytes_;
  std::uint64_t size_;
  std::uint64_t offset_ = 0;
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;  // file offset of the buffer
  std::size_t filled_ = 0;
};

}  // namespace convert
