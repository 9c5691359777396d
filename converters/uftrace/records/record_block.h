// The block of a record file that is in memory, and the number of its bytes that were consumed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "converters/model/reading/input_file.h"

namespace convert::uftrace {

// Bytes of a file for looking ahead.
struct Lookahead {
  std::span<const std::byte> bytes;
  bool at_end;  // true if the file ends with them
  Lookahead from(std::size_t offset) const { return {bytes.subspan(offset), at_end}; }
};

class RecordBlock {
 public:
  // The file must outlive this object. Treats the part from `begin` to `end` as the whole file.
  explicit RecordBlock(const InputFile& file, std::uint64_t begin = 0, std::uint64_t end = ~std::uint64_t{0})
      : file_(file),
        end_(std::min(end, file.size())),
        offset_(std::min(begin, end_)),
        rest_{.bytes = {}, .at_end = offset_ == end_} {}

  const InputFile& file() const { return file_; }
  // The bytes that were not consumed yet, and their start and end in the file.
  const Lookahead& rest() const { return rest_; }
  std::uint64_t offset() const { return offset_; }
  std::uint64_t file_end() const { return end_; }
  std::uint64_t end_offset() const { return offset_ + rest_.bytes.size(); }
  bool is_at_end() const { return rest_.at_end && rest_.bytes.empty(); }  // end of the file

  void consume(std::size_t bytes) {
    rest_.bytes = rest_.bytes.subspan(bytes);
    offset_ += bytes;
  }
  // Sets the offset for the next read().
  void jump_to(std::uint64_t offset) { offset_ = offset; }
  // Treats these bytes as the bytes of the file before `end`, and continues with them.
  void replace_before(std::uint64_t end, std::vector<std::byte> bytes) {
    replaced_ = std::move(bytes);
    replaced_end_ = end;
    rest_ = {.bytes = {}, .at_end = false};
    offset_ = end - replaced_.size();
  }
  // Reads the next bytes into `block`, which must stay valid. Throws InputError like InputFile::read().
  void read(std::span<std::byte> block) {
    const std::uint64_t left = end_ - std::min(offset_, end_);
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), left));
    rest_.bytes =
        offset_ < replaced_end_ ? read_replaced(block.first(size)) : file_.read(offset_, block.first(size));
    rest_.at_end = end_offset() == end_;
  }

 private:
  std::span<const std::byte> read_replaced(std::span<std::byte> block) const {
    const auto from = std::span(replaced_).last(replaced_end_ - offset_);
    const std::size_t size = std::min(from.size(), block.size());
    std::copy_n(from.begin(), size, block.begin());
    return block.first(size + file_.read(offset_ + size, block.subspan(size)).size());
  }

  const InputFile& file_;
  std::uint64_t end_;
  std::uint64_t offset_;
  Lookahead rest_;
  std::vector<std::byte> replaced_ = {};
  std::uint64_t replaced_end_ = 0;
};

}  // namespace convert::uftrace
