// SPDX-License-Identifier: Apache-2.0
// Times, sizes and ranges of time as people write them in options, `250`, `1.5us`, `64k`, `10ms~20ms`; and on
// which side of a range a record lies.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt/visibility.h"

namespace FXT_API fxt {

// What parse_time_ns() takes, for messages.
inline constexpr std::string_view kTimeForm =
    "a time such as 250, 1.5us, 20ms or 2s (units: ns, us, ms, s, m, h; ns without one)";

// Digits, perhaps with a decimal point, and a unit in any case (those of kTimeForm, or nsec, usec, msec, sec,
// min, hour). Exact, and rounded down to whole ns. Nothing if it is no such text, or 2^63 ns and more.
FXT_API std::optional<std::uint64_t> parse_time_ns(std::string_view text);

// What parse_size() takes, for messages.
inline constexpr std::string_view kSizeForm =
    "a size such as 500k, 100M or 1.5GiB (k, M, G are thousands, Ki, Mi, Gi of 1024)";

// The same for a size in bytes; a B may end its unit.
FXT_API std::optional<std::uint64_t> parse_size(std::string_view text);

// ---- Ranges of time ----

// A time in a trace, in ns.
struct TraceTime {
  std::uint64_t ns = 0;
  bool since_start = false;  // counts from the first record that has a time
  friend bool operator==(const TraceTime&, const TraceTime&) = default;
};

// Both ends are included; a missing one is open.
struct TimeRange {
  std::optional<TraceTime> from = {}, to = {};
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// "A~B", "A~" or "~B". A time with a unit counts from the start of the trace (`20ms`), one without is the
// trace's own, in seconds (`1061.4004`). Throws std::invalid_argument with a text for the user.
FXT_API TimeRange parse_time_range(std::string_view text);

// A range in a trace whose start becomes known with its first time.
class TimeWindow {
 public:
  explicit TimeWindow(const TimeRange& range);

  enum class Side : std::uint8_t { Before, Inside, After };
  // The first call gives the start of the trace. Throws std::invalid_argument if the range proves
  // to end before it begins.
  Side side_of(std::uint64_t time);
  // The start of the trace, from which times with a unit count; nothing before side_of().
  std::optional<std::uint64_t> start() const { return start_; }
  // The range in the trace's own times. A side that counts from the start is open until that is known.
  std::uint64_t from() const { return from_; }
  std::uint64_t to() const { return to_; }

 private:
  TimeRange range_;
  std::optional<std::uint64_t> start_ = {};
  std::uint64_t from_ = 0, to_ = ~std::uint64_t{0};
};

}  // namespace fxt
