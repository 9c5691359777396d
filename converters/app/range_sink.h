// Passes on what a range of time may need, and notices when nothing else will come: most of what lies before
// a range is over before it, and what lies behind need not be read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "converters/model/merging/sink.h"
#include "fxt/time_range.h"

namespace convert {

class RangeSink : public EventSink {
 public:
  RangeSink(EventSink& next, const fxt::TimeRange& range) : next_(next), window_(range) {}

  void add_lanes(std::span<const LaneInfo> lanes) override { next_.add_lanes(lanes); }
  void write(std::span<const MergedRun> runs) override;
  std::uint64_t needed_from_ns() const override { return window_.from(); }
  // Everything that comes lies behind the range.
  bool has_enough() const override { return is_over_; }

  // Events that were not passed on.
  std::uint64_t left_out() const { return left_out_; }

 private:
  void find_start(std::uint64_t time_ns);
  void pass_needed(const MergedRun& run);

  EventSink& next_;
  fxt::TimeWindow window_;
  bool has_begun_ = false, is_over_ = false;
  std::uint64_t left_out_ = 0;
  std::vector<MergedRun> needed_;
};

}  // namespace convert
