// Reads all inputs and merges their lanes by time, in bounded memory, on all cores.
//
// In each round, several threads pump the sources whose lanes run short of events (PumpPlan), while the
// events that the last round sealed are merged.
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

// Merged events on their way to the sink, and the chunks that hold them.
class MergedBatch {
 public:
  MergedBatch(EventSink& sink, ChunkPool& pool) : sink_(sink), pool_(pool) { runs_.reserve(kEvents); }

  void add(const MergedRun& run) {
    runs_.push_back(run);
    events_ += run.events.size();
    if (events_ >= kEvents) flush();
  }
  // The chunk is no longer needed after its events were written.
  void retire(std::unique_ptr<EventChunk> chunk) { used_chunks_.push_back(std::move(chunk)); }
  void flush();

 private:
  static constexpr std::size_t kEvents = 1024;  // they stay in the cache until they are written

  EventSink& sink_;
  ChunkPool& pool_;
  std::vector<MergedRun> runs_;
  std::size_t events_ = 0;
  std::vector<std::unique_ptr<EventChunk>> used_chunks_;
};

class MergeLoop {
 public:
  // The parts that are read and merged.
  struct Parts {
    ChunkPool pool = {};
    std::vector<TimelineInput> inputs = {};
    std::deque<Lane> lanes = {};
    std::vector<std::size_t> input_of_lane = {};
    std::vector<SourceState> sources = {};
    std::vector<SharedSourceState> shared_sources = {};
  };

  // Borrows the parts and the sink. At equal times, lanes are merged in the `order` of these numbers.
  // `lookahead_bytes` as in TimelineOptions.
  MergeLoop(Parts& parts, std::span<const std::size_t> order, std::size_t lookahead_bytes, std::size_t jobs,
            EventSink& sink);

  // Reads until the first time of every input in `wanted` (by input) is known, and merges nothing. Returns
  // the times by input, kForever for an input without events.
  std::vector<std::uint64_t> find_first_times(const std::vector<bool>& wanted,
                                              const std::function<void()>& tick);
  // Reads and merges everything, or until the sink has enough. `tick` is called between two rounds. It may
  // throw to stop.
  void run(const std::function<void()>& tick);

 private:
  struct LaneState {
    Lane* lane;
    std::uint32_t number;  // the number that the sink uses
    SourceState* source;   // null: no more events will come
    TimelineInput* input;
    SealedEvents sealed = {};
    PendingEvent* read = nullptr;   // the next event, in `sealed`
    PendingEvent* end = nullptr;    // of `sealed`
    std::uint64_t unsealed_ns = 0;  // unsealed events will not come before this time, offset included

    EventQueue& queue() const { return lane->store().queue(); }
  };

  void read_later();
  void pump_round();
  void pump_alternately(const PumpPlan::Task& task);
  void collect();
  void seal(LaneState& state);
  static void check_contract(const LaneState& state, bool is_over);
  void skip_unneeded();
  void release_blocking();
  LaneState* merge();
  bool next_sealed(LaneState& state);
  std::uint64_t head_ns(const LaneState& state) const;

  EventSink& sink_;
  ChunkPool& pool_;
  std::vector<TimelineInput>& inputs_;
  std::vector<LaneState> lanes_;  // by rank: at equal times, the lower one goes first
  LoserTree tree_;                // a lane without events may have got some
  PumpPlan plan_;
  MergedBatch batch_;
  bool is_merging_ = false;  // sealed events are consumed
  std::uint64_t needed_from_ns_ = 0;
  LaneState* blocking_ = nullptr;  // the lane without events for which the merge waits
  Workers workers_;                // destroyed before everything that its tasks use
  bool alternates_;                // two threads alternately pump the only source, and merge
  std::size_t alternate_ = 0;  // the one that pumps next: 0 is the worker, 1 the thread that runs the loop
};

}  // namespace convert
