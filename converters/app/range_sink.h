// Drops calls and instants that end before a range of time, and reports when the merge has passed the end of
// the range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <stdexcept>
#include <vector>

#include "converters/model/merging/sink.h"
#include "converters/model/option.h"
#include "fxt/time_range.h"

namespace convert {

class RangeSink : public SinkStage {
 public:
  RangeSink(EventSink& next, const fxt::TimeRange& range) : SinkStage(next), window_(range) {}

  void write(std::span<const MergedRun> runs) override {
    if (runs.empty()) return;
    const std::uint64_t first_ns = runs.front().events.front().time_ns;
    const bool is_first = !has_begun_;
    has_begun_ = true;
    if (side_of(first_ns) == fxt::TimeWindow::Side::After ||
        side_of(runs.back().events.back().time_ns) == fxt::TimeWindow::Side::After)
      is_over_ = true;
    // The cutter must get the whole first batch, because it finds the start of the trace there.
    if (is_first || first_ns >= window_.from()) return SinkStage::write(runs);
    needed_.clear();
    for (const MergedRun& run : runs) add_needed(run);
    if (!needed_.empty()) SinkStage::write(needed_);
  }
  void finish(const TimelineTotals& totals) override {
    TimelineTotals known = totals;
    if (is_over_) known.first_view.reset();
    SinkStage::finish(known);
  }
  std::uint64_t needed_from_ns() const override { return window_.from(); }
  std::uint64_t needed_until_ns() const override { return window_.to(); }
  bool has_enough() const override { return is_over_; }

  std::uint64_t dropped() const { return dropped_; }

 private:
  // The first `time_ns` that is passed to `window_` becomes the start of the trace.
  fxt::TimeWindow::Side side_of(std::uint64_t time_ns) {
    try {
      return window_.side_of(time_ns);
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--time-range: {}", error.what()));
    }
  }

  // Omits calls and instants that end before the range. Other events stay, because they may affect what is
  // shown in the range.
  void add_needed(const MergedRun& run) {
    const auto is_over = [from = window_.from()](const PendingEvent& event) {
      return event.time_ns < from && ((event.kind == EventKind::Complete && event.end_ns() < from) ||
                                      event.kind == EventKind::Instant);
    };
    for (auto at = run.events.begin(); at != run.events.end();) {
      const auto begin = std::find_if_not(at, run.events.end(), is_over);
      dropped_ += static_cast<std::uint64_t>(begin - at);
      at = std::find_if(begin, run.events.end(), is_over);
      if (begin != at) needed_.push_back({{begin, at}, run.lane});
    }
  }

  fxt::TimeWindow window_;
  bool has_begun_ = false, is_over_ = false;
  std::uint64_t dropped_ = 0;
  std::vector<MergedRun> needed_;
};

}  // namespace convert
