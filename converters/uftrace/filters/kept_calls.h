// Which calls of a thread are kept by what comes after their begin, by the places of their entries in the
// record file. Found in a walk before they are converted; takes a fraction of a percent of the file's size at
// most, and next to nothing where few calls of many are kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace convert::uftrace {

class KeptCalls {
 public:
  // In any order.
  void keep(std::uint64_t offset);
  // Quick where offsets follow upon each other.
  bool is_kept(std::uint64_t offset) {
    const std::uint64_t part = offset / kPartBytes;
    if (part != part_) enter(part);
    const std::size_t place = place_of(offset);
    return (words_[place / kWordBits] >> (place % kWordBits) & 1) != 0;
  }

 private:
  // Records have at least 16 bytes: no two of them begin in one place.
  static constexpr std::size_t kPlaceBytes = 16;
  static constexpr std::size_t kPlaces = 65536;  // of a part
  static constexpr std::uint64_t kPartBytes = kPlaces * kPlaceBytes;
  static constexpr std::size_t kWordBits = 64;
  // More places than this take less room as bits.
  static constexpr std::size_t kMaxListed = kPlaces / 16;
  using Words = std::array<std::uint64_t, kPlaces / kWordBits>;

  struct Part {
    std::vector<std::uint16_t> listed;  // or, when they are many:
    std::vector<std::uint64_t> words;
  };

  static std::size_t place_of(std::uint64_t offset) { return offset % kPartBytes / kPlaceBytes; }
  void enter(std::uint64_t part);

  std::vector<Part> parts_;
  std::uint64_t part_ = ~std::uint64_t{0};  // at hand
  Words words_{};                           // of it
};

}  // namespace convert::uftrace
