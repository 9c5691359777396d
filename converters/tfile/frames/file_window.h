// A file read in large blocks. Not mapped: a file that is cut short while we read must end the trace, not us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace convert::tfile {

class FileWindow {
 public:
  // What was read stays in a second-level cache beside what is made of it.
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

  // Throws InputError when the file can't be opened or is no regular file.
  explicit FileWindow(const std::filesystem::path& path);
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // now known; shrinks when the file turns out shorter

  // At least `wanted` bytes from `offset` on (fewer only at the end of the file), and whatever follows them
  // here. Valid until the next call. Throws InputError when reading fails.
  std::span<const std::byte> at(std::uint64_t offset, std::size_t wanted) {
    if (offset >= begin_ && offset - begin_ <= filled_ && wanted <= filled_ - (offset - begin_))
      return std::span<const std::byte>(buffer_).first(filled_).subspan(offset - begin_);
    return fetch(offset, wanted);
  }

 private:
  std::span<const std::byte> fetch(std::uint64_t offset, std::size_t wanted);

  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;  // file offset of the buffer
  std::size_t filled_ = 0;
};

}  // namespace convert::tfile
