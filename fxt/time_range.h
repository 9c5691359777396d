// Ranges of time as users give them, and on which side of one a record lies.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fxt {

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
TimeRange parse_time_range(std::string_view text);

// A range in a trace whose start becomes known with its first time.
class TimeWindow {
 public:
  explicit TimeWindow(const TimeRange& range);

  enum class Side : std::uint8_t { Before, Inside, After };
  // The first call gives the start of the trace. Throws std::invalid_argument if the range proves
  // to end before it begins.
  Side side_of(std::uint64_t time);
  // The range in the trace's own times. A side that counts from the start is open until that is known.
  std::uint64_t from() const { return from_; }
  std::uint64_t to() const { return to_; }

 private:
  TimeRange range_;
  bool has_start_ = false;
  std::uint64_t from_ = 0, to_ = ~std::uint64_t{0};
};

}  // namespace fxt
