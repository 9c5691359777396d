// The block of a record file that is in memory, and how much of it was consumed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "converters/model/reading/input_file.h"

namespace convert::uftrace {

// Bytes of a file, to look ahead in.
struct Lookahead {
  std::span<const std::byte> bytes;
  bool at_end;  // the file ends with them
  Lookahead from(std::size_t offset) const { return {bytes.subspan(offset), at_end}; }
};

// Bytes of a file that were read already.
struct BytesAhead {
  std::uint64_t begin = 0;
  std::span<const std::byte> bytes = {};

  bool cover(std::uint64_t offset, std::size_t size) const {
    return offset >= begin && offset - begin <= bytes.size() && size <= bytes.size() - (offset - begin);
  }
};

class RecordBlock {
 public:
  // Borrows the file.
  explicit RecordBlock(const InputFile& file) : file_(file), rest_{.bytes = {}, .at_end = file.size() == 0} {}

  const InputFile& file() const { return file_; }
  // What is not consumed yet, and where it begins and ends in the file.
  const Lookahead& rest() const { return rest_; }
  std::uint64_t offset() const { return offset_; }
  std::uint64_t end_offset() const { return offset_ + rest_.bytes.size(); }
  bool is_at_end() const { return rest_.at_end && rest_.bytes.empty(); }  // of the file

  void consume(std::size_t bytes) {
    rest_.bytes = rest_.bytes.subspan(bytes);
    offset_ += bytes;
  }
  // The next read() begins there.
  void jump_to(std::uint64_t offset) { offset_ = offset; }
  // Reads on, into `block`, and borrows it; or borrows as many bytes of `ahead`, if they are there. Throws
  // InputError as InputFile::read() does.
  void read(std::span<std::byte> block, const BytesAhead& ahead = {}) {
    const std::uint64_t left = file_.size() - std::min(offset_, file_.size());
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), left));
    rest_.bytes = ahead.cover(offset_, size) ? ahead.bytes.subspan(offset_ - ahead.begin, size)
                                             : file_.read(offset_, block);
    rest_.at_end = end_offset() == file_.size();
  }

 private:
  const InputFile& file_;
  std::uint64_t offset_ = 0;
  Lookahead rest_;
};

}  // namespace convert::uftrace
