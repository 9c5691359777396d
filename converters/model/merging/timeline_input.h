// One input of a timeline, and the functions that add the input's offset to times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "converters/model/lanes/event.h"

namespace convert {

struct TimelineInput {
  std::string name;
  std::int64_t clock_ns = 0;                // the part of the offset that results from the input's clock
  std::int64_t moved_ns = 0;                // the part of the offset that the user requested
  std::int64_t offset_ns = 0;               // the sum, which is added to all times
  std::optional<std::string> cpus_of = {};  // the machine whose CPUs are shown; nothing without CPUs
  std::uint64_t first_ns = kForever, last_ns = 0;  // times of first and last event, including the offset
};

inline std::uint64_t magnitude_of(std::int64_t offset_ns) {
  const auto bits = static_cast<std::uint64_t>(offset_ns);
  return offset_ns < 0 ? ~bits + 1 : bits;
}

// If the result would be before the first possible time or after the last possible time, these functions
// return that possible time.
inline std::uint64_t apply_offset(std::uint64_t time_ns, std::int64_t offset_ns) {
  const std::uint64_t magnitude = magnitude_of(offset_ns);
  if (offset_ns < 0) return time_ns - std::min(time_ns, magnitude);
  return std::min(time_ns + magnitude, kTimeLimitNs - 1);
}
inline std::uint64_t remove_offset(std::uint64_t time_ns, std::int64_t offset_ns) {
  const std::uint64_t magnitude = magnitude_of(offset_ns);
  if (offset_ns >= 0) return time_ns - std::min(time_ns, magnitude);
  return std::min(time_ns + magnitude, kTimeLimitNs - 1);
}

inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace convert
