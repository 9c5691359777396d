// Notices when everything that comes lies behind a range of time, so that reading can end.
#pragma once

#include <span>

#include "converters/model/sink.h"
#include "fxt/time_range.h"

namespace convert {

class RangeEnd : public EventSink {
 public:
  RangeEnd(EventSink& next, const fxt::TimeRange& range) : next_(next), window_(range) {}

  void add_lanes(std::span<const LaneInfo> lanes) override { next_.add_lanes(lanes); }
  void write(std::span<const MergedRun> runs) override {
    if (!is_over_ && !runs.empty()) {
      window_.side_of(runs.front().slots.front().time_ns);  // the first one is the start
      is_over_ = window_.side_of(runs.back().slots.back().time_ns) == fxt::TimeWindow::Side::After;
    }
    next_.write(runs);
  }
  bool is_over() const { return is_over_; }

 private:
  EventSink& next_;
  fxt::TimeWindow window_;
  bool is_over_ = false;
};

}  // namespace convert
