// Reads all inputs and merges their lanes by time, in bounded memory, on all cores.
//
// In each round, several threads pump the sources whose lanes run short of events, while the events that the
// last round sealed are merged. Which sources are pumped, and how far, is decided between the rounds. It does
// not depend on the number of threads, so the output does not either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/merging/loser_tree.h"
#include "converters/model/merging/sink.h"
#include "converters/model/merging/source.h"
#include "converters/model/merging/timeline_input.h"
#include "converters/model/merging/workers.h"

namespace convert {

class MergeLoop {
 public:
  struct SourceState {
    std::unique_ptr<Source> source;
    std::vector<std::size_t> lanes = {};  // their numbers; once the loop exists, their ranks
    std::size_t input;
    bool done = false;
    std::size_t waiting_bytes = 0;  // sealed and not merged
    bool is_hungry = true;          // is one of hungry_
    std::exception_ptr failure = nullptr;
  };
  struct SharedSourceState {
    std::unique_ptr<SharedSource> source;
    std::size_t input;
    bool done = false;
    std::exception_ptr failure = nullptr;
  };
  struct Parts {
    std::deque<Lane>& lanes;
    const std::vector<std::size_t>& input_of_lane;
    std::vector<SourceState>& sources;
    std::vector<SharedSourceState>& shared_sources;
    std::vector<TimelineInput>& inputs;
    ChunkPool& pool;
    std::vector<std::size_t> order = {};  // of lanes at equal times; empty: by their numbers
  };

  // Borrows all but the order; `lookahead_bytes` as in TimelineOptions.
  MergeLoop(const Parts& parts, std::size_t lookahead_bytes, std::size_t jobs, EventSink& sink);

  // Reads until the first time of every input in `wanted` (by input) is known, and merges nothing. Returns
  // the times by input; kForever for an input without events.
  std::vector<std::uint64_t> find_first_times(const std::vector<bool>& wanted,
                                              const std::function<void()>& tick);
  // Reads and merges everything, or until the sink has enough. `tick` is called between two rounds; it may
  // throw to stop.
  void run(const std::function<void()>& tick);

 private:
  struct LaneState {
    Lane* lane;
    std::uint32_t number;  // as the sink knows it
    SourceState* source;   // null: no more events will come
    TimelineInput* input;
    SealedEvents sealed = {};
    PendingEvent* read = nullptr;   // the next event, in `sealed`
    PendingEvent* end = nullptr;    // of `sealed`
    std::uint64_t unsealed_ns = 0;  // unsealed events will not come before this time, offset included
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  void plan_round(bool pump_all);
  void feed(SourceState& source);
  void read_later();
  void read_next();
  void pump_round();
  void pump(std::size_t task, std::size_t worker);
  void collect();
  void seal(std::size_t rank);
  void skip_unneeded();
  void release_blocking();
  std::uint64_t delivered_until_ns(std::size_t input) const;
  std::size_t merge();
  bool next_sealed(LaneState& state);
  std::uint64_t head_ns(const LaneState& state) const;
  void flush();

  ChunkPool& pool_;
  EventSink& sink_;
  std::vector<SourceState>& sources_;
  std::vector<SharedSourceState>& shared_sources_;
  std::vector<TimelineInput>& inputs_;
  std::vector<LaneState> lanes_;  // by rank: at equal times, the lower one goes first
  std::size_t lane_bytes_;        // of the lookahead, for one lane
  std::size_t block_bytes_;       // that one pump() of a shared source reads
  std::size_t source_bytes_;      // that one of another source fills
  std::size_t lookahead_bytes_;
  LoserTree tree_;  // a lane without events may have more by now
  // Where lanes share a source, how far it reads decides which pending calls are released.
  bool is_order_free_ = false;
  bool is_merging_ = false;  // sealed events are consumed
  std::uint64_t needed_from_ns_ = 0;
  std::size_t blocking_ = kNone;  // the lane without events that the merge waits for

  struct Task {
    SourceState* source;
    SharedSourceState* shared;
    std::size_t bytes;
    std::uint64_t delivered_until_ns = kForever;
  };
  std::vector<Task> tasks_;           // of the round
  std::vector<SourceState*> hungry_;  // whose lanes may run short; the others do not
  std::vector<SourceState*> unread_;  // sources that the merge has not reached, by begin, the first one last
  std::vector<MergedRun> batch_;
  std::size_t batch_events_ = 0;
  std::vector<std::unique_ptr<EventChunk>> used_chunks_;  // needed by the batch only
  Workers workers_;                                       // destroyed first: its tasks use all the rest
};

}  // namespace convert
