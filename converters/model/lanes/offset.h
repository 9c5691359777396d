// Times moved by an input's offset, at most to the ends of what can be drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "converters/model/lanes/event.h"

namespace convert {

inline std::uint64_t magnitude_of(std::int64_t offset_ns) {
  const auto bits = static_cast<std::uint64_t>(offset_ns);
  return offset_ns < 0 ? ~bits + 1 : bits;
}

inline std::uint64_t apply_offset(std::uint64_t time_ns, std::int64_t offset_ns) {
  const std::uint64_t magnitude = magnitude_of(offset_ns);
  if (offset_ns < 0) return time_ns - std::min(time_ns, magnitude);
  return std::min(time_ns + magnitude, kTimeLimitNs - 1);
}

// The time that is moved there.
inline std::uint64_t remove_offset(std::uint64_t time_ns, std::int64_t offset_ns) {
  const std::uint64_t magnitude = magnitude_of(offset_ns);
  if (offset_ns >= 0) return time_ns - std::min(time_ns, magnitude);
  return std::min(time_ns + magnitude, kTimeLimitNs - 1);
}

// At most as far as numbers reach.
inline std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace convert
