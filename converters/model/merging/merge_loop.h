// Reads all inputs and merges their lanes by time, in bounded memory, on all cores.
//
// In each round those sources are pumped whose lanes run short, by several threads, while what the last round
// has sealed is merged. Which sources are pumped, and how far, is decided between the rounds: it is the same
// for any number of threads, and so is everything that is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "converters/model/lanes/chunk.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/merging/loser_tree.h"
#include "converters/model/merging/sink.h"
#include "converters/model/merging/source.h"
#include "converters/model/merging/workers.h"

namespace convert {

class MergeLoop {
 public:
  // A source, and the numbers of the lanes that it fills: their places in the order, once it is run.
  struct SourceState {
    std::unique_ptr<Source> source;
    std::vector<std::size_t> lanes = {};
    std::size_t input;
    bool done = false;
    std::size_t waiting_bytes = 0;  // sealed and not merged
    std::exception_ptr failure = nullptr;
  };
  struct SharedSourceState {
    std::unique_ptr<SharedSource> source;
    std::size_t input;
    bool done = false;
    std::exception_ptr failure = nullptr;
  };
  // What is merged, and what is learned of it.
  struct Input {
    std::int64_t offset_ns = 0;
    std::uint64_t first_ns = kForever;  // of its events, moved
  };
  struct Parts {
    std::deque<Lane>& lanes;
    const std::vector<std::size_t>& input_of_lane;
    std::vector<SourceState>& sources;
    std::vector<SharedSourceState>& shared_sources;
    std::vector<Input>& inputs;
    ChunkPool& pool;
    std::vector<std::size_t> order = {};  // of lanes at equal times; empty: by their numbers
  };

  // Borrows all but the order; `lookahead_bytes` as in TimelineOptions.
  MergeLoop(const Parts& parts, std::size_t lookahead_bytes, std::size_t jobs, EventSink& sink);

  // Reads until the first time of every input in `wanted` (by input) is known, merging nothing, and gives it:
  // kForever where nothing comes.
  std::vector<std::uint64_t> find_first_times(const std::vector<bool>& wanted,
                                              const std::function<void()>& tick);
  // Reads and merges everything, or until the sink has enough. `tick` is called between two rounds; it may
  // throw to stop.
  void run(const std::function<void()>& tick);

 private:
  struct LaneState {
    Lane* lane;
    std::uint32_t number;  // as the sink knows it
    SourceState* source;   // null: it has all that it will ever have
    Input* input;
    SealedEvents sealed = {};
    PendingEvent* read = nullptr;   // in the piece
    PendingEvent* end = nullptr;    // of it
    std::uint64_t unsealed_ns = 0;  // what is not sealed will not be before this, moved
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  void plan_round(bool everything_is_short);
  void pump_round();
  void pump(std::size_t task, std::size_t worker);
  void collect();
  void seal(std::size_t lane);
  void update_tree();
  void skip_unneeded();
  void release_stuck();
  std::uint64_t delivered_until_ns(std::size_t input) const;
  std::size_t merge();
  bool next_batch(LaneState& state);
  std::uint64_t head_ns(const LaneState& state) const;
  void flush();

  ChunkPool& pool_;
  EventSink& sink_;
  std::vector<SourceState>& sources_;
  std::vector<SharedSourceState>& shared_sources_;
  std::vector<Input>& inputs_;
  std::vector<LaneState> lanes_;  // in the order of their turns
  std::size_t lane_bytes_;        // of the lookahead, of one lane
  std::size_t block_bytes_;
  std::size_t lookahead_bytes_;
  LoserTree tree_;
  bool is_merging_ = false;  // pieces are taken
  std::uint64_t needed_from_ns_ = 0;
  std::size_t stuck_ = kNone;  // the lane that the merge waits for

  struct Task {
    SourceState* source;
    SharedSourceState* shared;
    std::uint64_t delivered_until_ns = kForever;
  };
  std::vector<Task> tasks_;  // of the round
  std::vector<MergedRun> batch_;
  std::size_t batch_events_ = 0;
  std::vector<std::unique_ptr<EventChunk>> used_chunks_;  // nothing but the batch needs them
  Workers workers_;                                       // ends before all that its tasks use
};

}  // namespace convert
