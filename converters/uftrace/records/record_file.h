// Reads a file forward in blocks, at any offset. Not mapped: a file that shrinks while it is read must give
// an error, not a signal; and blocks that stay in the cache measure as fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace convert::uftrace {

class RecordFile {
 public:
  // Of a thread that has none: nothing can be read.
  RecordFile() = default;
  // Opens the file and takes its size. With `keep_open` false it is opened anew for every read, so that
  // thousands of them can be read in turn. Throws InputError when it can't be opened or is not a regular
  // file.
  RecordFile(std::string path, bool keep_open);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // bytes, when it was opened

  // Fills `buffer` from `offset` on and gives the part that was filled: all of it, or less at size(). Throws
  // InputError when the file has become shorter than it was, or can't be read.
  std::span<const std::byte> read(std::uint64_t offset, std::span<std::byte> buffer) const;

 private:
  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace convert::uftrace
