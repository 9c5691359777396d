// Decodes the records that an Output receives. The Output receives blocks, but a Reader requests its input.
// This class connects the two. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include <boost/endian/conversion.hpp>

#include "fxt/header_words.h"
#include "fxt/input.h"
#include "fxt/reader.h"

namespace fxt {

class PushedRecords {
 public:
  // There is no limit for the size of a record, because a Writer's records may have any size.
  PushedRecords() : reader_(input_, {.max_record_bytes = std::numeric_limits<std::size_t>::max()}) {}
  PushedRecords(const PushedRecords&) = delete;
  PushedRecords& operator=(const PushedRecords&) = delete;

  // Calls `consume(entry, bytes)` for each complete record. `entry` is null if the Reader has stopped at
  // words that are not a record. A block may end inside a record, whose other words are then in the next
  // block.
  template <typename Consume>
  void add(std::span<const std::byte> block, Consume consume) {
    if (!rest_.empty()) {
      const std::size_t before = rest_.size();
      rest_.resize(before + block.size());
      std::ranges::copy(block, rest_.begin() + static_cast<std::ptrdiff_t>(before));
      block = rest_;
    }
    std::size_t whole = 0;
    while (const std::size_t size = size_of(block.subspan(whole))) whole += size;
    // Gives the Reader whole records only, because the Reader stops for good at the end of its input.
    input_.set(block.first(whole));
    for (auto records = block.first(whole); !records.empty();) {
      const auto bytes = records.first(size_of(records));
      consume(reader_.next(), bytes);
      records = records.subspan(bytes.size());
    }
    rest_ = std::vector(block.begin() + static_cast<std::ptrdiff_t>(whole), block.end());
  }

  Reader& reader() { return reader_; }

 private:
  class BlockInput final : public Input {
   public:
    void set(std::span<const std::byte> block) { rest_ = block; }
    std::size_t read(std::span<std::byte> room) override {
      const auto part = rest_.first(std::min(rest_.size(), room.size()));
      std::ranges::copy(part, room.begin());
      rest_ = rest_.subspan(part.size());
      return part.size();
    }

   private:
    std::span<const std::byte> rest_;
  };

  // The size of the first record; 0 if the record is not complete.
  static std::size_t size_of(std::span<const std::byte> bytes) {
    std::uint64_t header = 0;
    if (bytes.size() < sizeof header) return 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    boost::endian::little_to_native_inplace(header);
    const std::uint64_t words = RecordHeader::Type::get(header) == code(RecordType::Large)
                                    ? LargeRecordHeader::Size::get(header)
                                    : RecordHeader::Size::get(header);
    const std::size_t size = std::max<std::uint64_t>(words, 1) * sizeof header;
    return size <= bytes.size() ? size : 0;
  }

  BlockInput input_;
  Reader reader_;
  std::vector<std::byte> rest_;  // the start of a record that is not complete yet
};

}  // namespace fxt
