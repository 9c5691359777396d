// A file of records of many sizes, read forward: what comes next, as many bytes as the reader asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converters/uftrace/records/record_file.h"

namespace convert::uftrace {

class FileWindow {
 public:
  // Reads blocks of that many bytes. See RecordFile for the rest.
  FileWindow(std::string path, bool keep_open, std::size_t block_bytes);

  // What is not taken yet: at least so many bytes, if the file has them. Valid until the next call. Throws
  // InputError as RecordFile does.
  std::span<const std::byte> at_least(std::size_t bytes);
  // Goes over bytes that at_least() has given.
  void take(std::size_t bytes) {
    begin_ += bytes;
    offset_ += bytes;
  }
  // Nothing more comes.
  void give_up();

  std::uint64_t offset() const { return offset_; }  // of what is not taken yet
  std::uint64_t size() const { return file_.size(); }
  const std::string& path() const { return file_.path(); }

 private:
  RecordFile file_;
  std::size_t block_bytes_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is not taken yet, in the buffer
  std::uint64_t offset_ = 0;         // of begin_, in the file
};

}  // namespace convert::uftrace
