// Bytes that do not fit into memory: a file without a name, which is gone when the program is. Internal to
// the OrderedReader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fxt {

class TemporaryFile {
 public:
  TemporaryFile() = default;
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Both throw std::system_error. The file is made in $TMPDIR, or /tmp, when the first bytes are written.
  void append(std::span<const std::byte> bytes);
  // Fills `room` with the bytes from `offset` on, which have been written.
  void read(std::uint64_t offset, std::span<std::byte> room) const;
  std::uint64_t size() const { return size_; }

 private:
  void make();

  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace fxt
