// A file outside of the recording, named by the recording: opened only if it is a regular file, whatever the
// recording says. Opening a FIFO could hang, opening a device could do anything.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace convert::uftrace {

class RegularFile {
 public:
  // With a root other than the empty path, `path` and all links on the way are taken as below it. Throws
  // InputError.
  RegularFile(const std::filesystem::path& path, const std::filesystem::path& root);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }  // for messages

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace convert::uftrace
