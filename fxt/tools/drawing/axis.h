// The axis of a timeline: the part of the trace's time that it shows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fxt/time_range.h"

namespace fxt::tools {

class TimeAxis {
 public:
  // Adds the times of any record of the trace.
  void extend(std::uint64_t begin_ns, std::uint64_t end_ns) {
    first_ns_ = std::min(first_ns_, begin_ns);
    last_ns_ = std::max(last_ns_, end_ns);
  }
  // Adds a call, a frame or a value. The axis shows the part of it that is in the window.
  void reach(std::uint64_t begin_ns, std::uint64_t end_ns, const TimeWindow& window) {
    first_drawn_ns_ = std::min(first_drawn_ns_, std::max(begin_ns, window.from()));
    last_drawn_ns_ = std::max(last_drawn_ns_, std::min(end_ns, window.to()));
  }
  // Adds an instant, which extends the axis only if nothing else is drawn.
  void mark(std::uint64_t ns) {
    first_mark_ns_ = std::min(first_mark_ns_, ns);
    last_mark_ns_ = std::max(last_mark_ns_, ns);
  }
  // Must be called after the last record. If the range is larger than the trace, the picture is limited to
  // the trace. The axis counts from the start of the trace.
  void finish(const TimeRange& range, const TimeWindow& window) {
    if (is_empty()) {
      first_drawn_ns_ = first_mark_ns_;
      last_drawn_ns_ = last_mark_ns_;
    }
    if (is_empty()) return;
    origin_ns_ = window.start().value_or(0);
    from_ns_ = range.from ? std::clamp(window.from(), std::min(first_ns_, first_drawn_ns_), first_drawn_ns_)
                          : first_drawn_ns_;
    to_ns_ = range.to ? std::clamp(window.to(), last_drawn_ns_, std::max(last_ns_, last_drawn_ns_))
                      : last_drawn_ns_;
    to_ns_ = std::max(to_ns_, from_ns_ + 1);
  }

  bool is_empty() const { return first_drawn_ns_ > last_drawn_ns_; }
  std::uint64_t last_ns() const { return last_ns_; }  // the latest time of all records
  // Valid after finish().
  std::uint64_t from_ns() const { return from_ns_; }
  std::uint64_t to_ns() const { return to_ns_; }
  std::uint64_t origin_ns() const { return origin_ns_; }

 private:
  std::uint64_t first_ns_ = ~std::uint64_t{0}, last_ns_ = 0;
  std::uint64_t first_drawn_ns_ = ~std::uint64_t{0}, last_drawn_ns_ = 0;
  std::uint64_t first_mark_ns_ = ~std::uint64_t{0}, last_mark_ns_ = 0;
  std::uint64_t from_ns_ = 0, to_ns_ = 1, origin_ns_ = 0;
};

}  // namespace fxt::tools
