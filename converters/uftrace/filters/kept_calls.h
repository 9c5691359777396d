// The calls of a thread that later records keep, by the offsets of their entries in the record file: a set
// that costs a fraction of a percent of the file's size at most, and next to nothing if few calls are kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace convert::uftrace {

class KeptCalls {
 public:
  // Offsets may come in any order.
  void keep(std::uint64_t offset);
  // Fast for ascending offsets. Earlier parts of the set are freed.
  bool is_kept(std::uint64_t offset) {
    const std::uint64_t part = offset / kPartBytes;
    if (part != part_) enter(part);
    const std::size_t bit = bit_of(offset);
    return (words_[bit / kWordBits] >> (bit % kWordBits) & 1) != 0;
  }

 private:
  // Records have at least 16 bytes: no two of them share a bit.
  static constexpr std::size_t kBytesPerBit = 16;
  static constexpr std::size_t kBits = 65536;  // of a part
  static constexpr std::uint64_t kPartBytes = kBits * kBytesPerBit;
  static constexpr std::size_t kWordBits = 64;
  // A longer list takes more room than the bits.
  static constexpr std::size_t kMaxListed = kBits / 16;
  using Words = std::array<std::uint64_t, kBits / kWordBits>;

  struct Part {
    std::vector<std::uint16_t> listed;  // or, when they are many:
    std::vector<std::uint64_t> words;
  };

  static std::size_t bit_of(std::uint64_t offset) { return offset % kPartBytes / kBytesPerBit; }
  void enter(std::uint64_t part);

  std::vector<Part> parts_;
  std::uint64_t part_ = ~std::uint64_t{0};  // the latest part that is_kept() looked into
  Words words_{};                           // the bits of that part
};

}  // namespace convert::uftrace
