// For threads on which several lanes show their events. Each lane obeys the sink's depth limit, but the calls
// of several lanes together may be deeper. This stage limits the depth of instants and pairs of all lanes
// together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "converters/model/lanes/limits.h"
#include "converters/model/merging/sink.h"

namespace convert {

class SharedThreads final : public SinkStage {
 public:
  SharedThreads(EventSink& next, const LaneOptions& options)
      : SinkStage(next), deepest_(options.deepest_instant()) {}

  // True if any two lanes have the same thread.
  static bool are_in(std::span<const LaneInfo> lanes);

  void add_lanes(std::span<const LaneInfo> lanes) override;
  void write(std::span<const MergedRun> runs) override;

  // The numbers of events that were dropped here, indexed by lane.
  std::span<const TooDeepCount> too_deep() const { return too_deep_; }

 private:
  static constexpr std::size_t kNotShared = ~std::size_t{0};

  struct Thread {
    std::vector<std::uint64_t> call_ends = {};  // ends of open calls, outermost first; kForever if unknown
    InstantStack instants = {};
    std::size_t dropped_begins = 0;  // number of dropped open pairs, whose ends must be dropped as well
  };
  bool keeps(Thread& thread, const PendingEvent& event, TooDeepCount& too_deep);
  bool keeps_instant(Thread& thread, const PendingEvent& event, TooDeepCount& too_deep);

  std::size_t deepest_;                      // deepest level at which instants and pairs are kept
  std::vector<std::size_t> thread_of_lane_;  // index in threads_, or kNotShared
  std::vector<Thread> threads_;
  std::vector<MergedRun> runs_;
  std::deque<PendingEvent> replacements_;  // new events, to which runs_ refers
  std::vector<TooDeepCount> too_deep_;     // indexed by lane
};

}  // namespace convert
