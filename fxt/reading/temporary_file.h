// Stores bytes for which there is not enough memory, in a file without a name. The system deletes the file
// when the program ends. Internal to the library and its tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fxt/visibility.h"

namespace fxt {

class FXT_API TemporaryFile {
 public:
  TemporaryFile() = default;
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // append() and read() throw std::system_error. The first bytes create the file in $TMPDIR, or in /tmp.
  void append(std::span<const std::byte> bytes);
  // Fills `room` with the bytes from `offset` on, which must have been written.
  void read(std::uint64_t offset, std::span<std::byte> room) const;
  std::uint64_t size() const { return size_; }

 private:
  void make();

  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace fxt
