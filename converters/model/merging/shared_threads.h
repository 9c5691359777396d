// Threads that several lanes fill. Each lane keeps to what a viewer can stack, but none knows how deep the
// others are: instants and pairs that lie on the calls of another lane are held against the depth of all
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/lanes/too_deep_count.h"
#include "converters/model/merging/sink.h"

namespace convert {

class SharedThreads final : public EventSink {
 public:
  // Borrows the sink for its whole life.
  SharedThreads(EventSink& next, const LaneOptions& options)
      : next_(next), last_place_(options.deepest_instant()) {}

  // Whether some lanes have one thread.
  static bool are_in(std::span<const LaneInfo> lanes);

  void add_lanes(std::span<const LaneInfo> lanes) override;
  void write(std::span<const MergedRun> runs) override;
  std::uint64_t needed_from_ns() const override { return next_.needed_from_ns(); }
  bool has_enough() const override { return next_.has_enough(); }

  // What was left out because it would lie too deep, by lane.
  std::span<const TooDeepCount> too_deep() const { return too_deep_; }

 private:
  static constexpr std::size_t kAlone = ~std::size_t{0};

  struct Thread {
    std::vector<std::uint64_t> open = {};         // when they end; kWaits: not known yet
    std::uint64_t points_ns = ~std::uint64_t{0};  // when the latest instant was
    std::size_t points = 0;                       // how many were then; they lie on each other
    std::size_t left_out = 0;                     // begins whose ends are left out, too
  };
  bool take(Thread& thread, const PendingEvent& event, TooDeepCount& hidden);
  bool take_instant(Thread& thread, const PendingEvent& event, TooDeepCount& hidden);

  EventSink& next_;
  std::size_t last_place_;
  std::vector<std::size_t> thread_of_lane_;  // kAlone: of the lane alone
  std::vector<Thread> threads_;
  std::vector<MergedRun> runs_;
  std::deque<PendingEvent> changed_;    // stand in runs_
  std::vector<TooDeepCount> too_deep_;  // by lane
};

}  // namespace convert
