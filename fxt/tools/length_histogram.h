// Percentiles of the lengths of calls, in memory that does not grow with the number of calls.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

namespace fxt::tools {

// Counts lengths in buckets. Lengths below 2048 ns have a bucket each. Longer lengths with the same 11 most
// significant bits share a bucket. Therefore, a percentile is at most 0.05 % wrong.
class LengthHistogram {
 public:
  void add(std::uint64_t length_ns) {
    ++counts_[bucket_of(length_ns)];
    ++total_;
  }
  // Returns the length that `percent` percent (1 to 100) of all lengths do not exceed. For a bucket of
  // several lengths, returns its middle. At least one length must have been added.
  std::uint64_t percentile(unsigned percent) const {
    const std::uint64_t rank = total_ / 100 * percent + (total_ % 100 * percent + 99) / 100;
    std::uint64_t seen = 0;
    const auto bucket =
        std::ranges::find_if(counts_, [&](const auto& one) { return (seen += one.second) >= rank; });
    return middle_of(bucket->first);
  }

 private:
  static constexpr unsigned kKeptBits = 11;

  // The number of a bucket has two parts: the first `kKeptBits` bits of the length, and the count of the bits
  // after them. Buckets of longer lengths have larger numbers.
  static std::uint32_t bucket_of(std::uint64_t length_ns) {
    const auto bits = static_cast<unsigned>(std::bit_width(length_ns));
    const unsigned dropped = std::max(bits, kKeptBits) - kKeptBits;
    return dropped << kKeptBits | static_cast<std::uint32_t>(length_ns >> dropped);
  }
  static std::uint64_t middle_of(std::uint32_t bucket) {
    const unsigned dropped = bucket >> kKeptBits;
    const std::uint64_t first = std::uint64_t{bucket & ((1U << kKeptBits) - 1)} << dropped;
    return first + (std::uint64_t{1} << dropped) / 2;
  }

  std::map<std::uint32_t, std::uint64_t> counts_;
  std::uint64_t total_ = 0;
};

}  // namespace fxt::tools
