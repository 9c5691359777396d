// SPDX-License-Identifier: Apache-2.0
// Parses times, sizes and ranges of time that users write in options: `250`, `1.5us`, `64k`, `10ms~20ms`.
// Also compares times with a range.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt/visibility.h"

namespace FXT_API fxt {

// The texts that parse_time_ns() accepts, for messages.
inline constexpr std::string_view kTimeForm =
    "a time such as 250, 1.5us, 20ms or 2s (units: ns, us, ms, s, m, h; default: ns)";

// Parses a number with an optional decimal point and an optional unit, in upper or lower case. The units are
// those in kTimeForm, and nsec, usec, msec, sec, min and hour. The result is the exact time, but without
// fractions of a ns. Returns nothing for other texts, and for 2^63 ns or more.
FXT_API std::optional<std::uint64_t> parse_time_ns(std::string_view text);

// The texts that parse_size() accepts, for messages.
inline constexpr std::string_view kSizeForm =
    "a size such as 500k, 100M or 1.5GiB (k, M and G are powers of 1000, Ki, Mi and Gi are powers of 1024)";

// Parses a size in bytes, in the same way as parse_time_ns(). The unit may end with B.
FXT_API std::optional<std::uint64_t> parse_size(std::string_view text);

// ---- Ranges of time ----

// A time in a trace, in ns.
struct TraceTime {
  std::uint64_t ns = 0;
  bool since_start = false;  // if true, `ns` counts from the first record that has a time
  friend bool operator==(const TraceTime&, const TraceTime&) = default;
};

// A range, which includes both of its ends. If an end is empty, the range is unlimited on this side.
struct TimeRange {
  std::optional<TraceTime> from = {}, to = {};
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// Parses "A~B", "A~" or "~B". A time with a unit counts from the start of the trace (`20ms`). A time without
// a unit is a time of the trace in seconds (`1061.4004`). Throws std::invalid_argument with a text for the
// user.
FXT_API TimeRange parse_time_range(std::string_view text);

// A range of time in a trace. The time that is compared first is the start of the trace.
class TimeWindow {
 public:
  explicit TimeWindow(const TimeRange& range);

  enum class Side : std::uint8_t { Before, Inside, After };
  // Compares a time with the range. The first call sets the start of the trace. Throws std::invalid_argument
  // if the range turns out to end before it begins.
  Side side_of(std::uint64_t time);
  // The start of the trace, from which times with a unit count. Empty before the first call of side_of().
  std::optional<std::uint64_t> start() const { return start_; }
  // The ends of the range, as times of the trace. An end that counts from the start of the trace is unlimited
  // until the start is known.
  std::uint64_t from() const { return from_; }
  std::uint64_t to() const { return to_; }

 private:
  TimeRange range_;
  std::optional<std::uint64_t> start_ = {};
  std::uint64_t from_ = 0, to_ = ~std::uint64_t{0};
};

}  // namespace fxt
