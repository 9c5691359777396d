// Reads all inputs and merges their lanes by time, in bounded memory, on all cores.
//
// Each round pumps the sources whose lanes run short of events (PumpPlan), on several threads. Meanwhile, the
// events that were sealed after the last round are merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/merging/loser_tree.h"
#include "converters/model/merging/pump_plan.h"
#include "converters/model/merging/sink.h"
#include "converters/model/merging/timeline_input.h"
#include "converters/model/merging/workers.h"

namespace convert {

// Merged events on their way to the sink, and the chunks with these events.
class MergedBatch {
 public:
  MergedBatch(EventSink& sink, ChunkPool& pool) : sink_(sink), pool_(pool) { runs_.reserve(kEvents); }

  void add(const MergedRun& run) {
    runs_.push_back(run);
    events_ += run.events.size();
    if (events_ >= kEvents) flush();
  }
  // Stores a chunk until its events are written. Then the pool gets the chunk back.
  void retire(std::unique_ptr<EventChunk> chunk) { used_chunks_.push_back(std::move(chunk)); }
  void flush();

 private:
  static constexpr std::size_t kEvents = 1024;  // few enough to stay in the cache until they are written

  EventSink& sink_;
  ChunkPool& pool_;
  std::vector<MergedRun> runs_;
  std::size_t events_ = 0;
  std::vector<std::unique_ptr<EventChunk>> used_chunks_;
};

class MergeLoop {
 public:
  // The parts of the Timeline that the loop uses.
  struct Parts {
    ChunkPool pool = {};
    std::vector<TimelineInput> inputs = {};
    std::deque<Lane> lanes = {};
    std::vector<std::size_t> input_of_lane = {};
    std::vector<SourceState> sources = {};
    std::vector<SharedSourceState> shared_sources = {};
  };

  // Parts and sink must outlive the loop. `order` has the numbers of all lanes. At equal times, lanes are
  // merged in this order. See TimelineOptions for `lookahead_bytes`.
  MergeLoop(Parts& parts, std::span<const std::size_t> order, std::size_t lookahead_bytes, std::size_t jobs,
            EventSink& sink);

  // Reads until the first time of each `wanted` input is known, and merges nothing. Returns the first times,
  // indexed by input; kForever for an input without events.
  std::vector<std::uint64_t> find_first_times(const std::vector<bool>& wanted,
                                              const std::function<void()>& tick);
  // Reads and merges events until none are left, or until the sink has enough. Calls `tick` between two
  // rounds. `tick` may throw an exception to stop the run.
  void run(const std::function<void()>& tick);

 private:
  struct LaneState {
    Lane* lane;
    std::uint32_t number;  // the number of the lane in the sink
    SourceState* source;   // null if no source fills the lane
    TimelineInput* input;
    SealedEvents sealed = {};
    PendingEvent* read = nullptr;  // next event in `sealed`
    PendingEvent* end = nullptr;
    std::uint64_t unsealed_ns = 0;  // no unsealed event has an earlier time; includes the input's offset

    EventQueue& queue() const { return lane->store().queue(); }
  };

  void read_later();
  void pump_round();
  void collect();
  void seal(LaneState& state);
  static void check_contract(const LaneState& state, bool is_over);
  void skip_unneeded();
  void release_blocking();
  LaneState* merge();
  bool next_sealed(LaneState& state);
  std::uint64_t head_ns(const LaneState& state) const;

  EventSink& sink_;
  std::vector<TimelineInput>& inputs_;
  std::vector<LaneState> lanes_;  // indexed by rank; lower ranks go first at equal times
  LoserTree tree_;                // for each lane, a time that is not after the lane's next event
  PumpPlan plan_;
  MergedBatch batch_;
  bool is_merging_ = false;  // true if the loop consumes sealed events
  std::uint64_t needed_from_ns_ = 0, needed_until_ns_ = kForever;
  LaneState* blocking_ = nullptr;  // the lane without sealed events for which the merge waits
  Workers workers_;                // destroyed first, because tasks use the other members
  bool alternates_;  // true if two threads take turns: one pumps the only source, and one merges
  bool worker_merges_ = false;
};

}  // namespace convert
