// A binary input, read in blocks at any offset, and a window that moves over it. The file is not mapped into
// memory, because a file that shrinks while it is read must cause an error and not a signal. By measurement,
// blocks that stay in the cache are equally fast.
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
  // Stands for no file; size() is 0.
  InputFile() = default;
  // Opens the file and notes its size. If `keep_open` is false, each read opens the file again, so that
  // thousands of files can be read at the same time. Throws InputError if the file can't be opened or is not
  // a regular file.
  explicit InputFile(fxt::FilePlace place, bool keep_open = true);

  const std::string& path() const { return place_.text(); }
  int descriptor() const { return descriptor_.number(); }
  std::uint64_t size() const { return size_; }  // in bytes, at the time of opening

  // Fills `buffer` from `offset` on and returns the filled part, which is smaller than `buffer` only at the
  // end. Throws InputError if the file has become shorter since it was opened, or can't be read.
  std::span<const std::byte> read(std::uint64_t offset, std::span<std::byte> buffer) const;
  // Like read(), but a file that has become shorter ends early.
  std::span<const std::byte> read_available(std::uint64_t offset, std::span<std::byte> buffer) const;

  // The next offset that is not in a hole of the file: `offset` itself outside of holes, and size() in a hole
  // at the end. Bytes in holes are zero.
  std::uint64_t end_of_hole(std::uint64_t offset) const;

 private:
  template <typename Use>
  auto with_descriptor(Use use) const;

  fxt::FilePlace place_;
  fxt::Descriptor descriptor_;  // open if the file is kept open
  std::uint64_t size_ = 0;
};

// The number of files that this process can keep open in addition to those that it always needs. Raises the
// soft limit to the hard limit.
std::size_t open_file_limit();

// The part of a file that is in memory. It can move to any offset, but it is made for reading forward.
class FileWindow {
 public:
  // This is so small that a second-level cache can hold the bytes and the results from them.
  static constexpr std::size_t kDefaultBlockBytes = std::size_t{256} << 10;

  enum class EarlyEnd : std::uint8_t { Error, End };  // the meaning of an early end

  // Throws InputError like the constructor of InputFile.
  FileWindow(fxt::FilePlace place, EarlyEnd early_end, bool keep_open = true,
             std::size_t block_bytes = kDefaultBlockBytes);

  const std::string& path() const { return file_.path(); }
  std::uint64_t size() const { return size_; }  // decreases if the file proves to be shorter

  // Returns at least `wanted` bytes from `offset` on (fewer only at the end of the file), and more bytes if
  // they are in memory. Valid until the next call. Throws InputError like InputFile::read().
  std::span<const std::byte> at(std::uint64_t offset, std::size_t wanted) {
    if (offset >= begin_ && offset - begin_ <= filled_ && wanted <= filled_ - (offset - begin_))
      return std::span<const std::byte>(buffer_).first(filled_).subspan(offset - begin_);
    return fetch(offset, wanted);
  }

  // These functions read forward: at_least() returns the bytes at offset(), and consume() moves offset().
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
  std::uint64_t offset_ = 0;  // position of the forward reader
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;  // file offset of the buffer
  std::size_t filled_ = 0;
};

}  // namespace convert
