// Decides which sources are pumped in the next round, and how far. A source is pumped if few of its events
// wait for the merge. The number of threads has no effect on the plan, so it has no effect on the output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "converters/model/merging/source.h"

namespace convert {

struct SourceState {
  std::unique_ptr<Source> source;
  std::vector<std::size_t> lanes = {};  // numbers of the source's lanes, or their ranks in a MergeLoop
  std::size_t input;
  bool done = false;
  std::size_t waiting_bytes = 0;  // sum of SealedEvents::bytes not merged yet
  bool is_candidate = true;       // the next round checks whether the source's lanes have few events left
  bool is_needed = false;         // the next round pumps the source, even if many events wait
  // For a source that read_later() has postponed: the time of its first event, including the offset.
  std::uint64_t begin_ns = 0;
  std::exception_ptr failure = nullptr;
};
struct SharedSourceState {
  std::unique_ptr<SharedSource> source;
  std::size_t input;
  bool done = false;
  std::exception_ptr failure = nullptr;
};

// How the lookahead is distributed, in bytes of events and of their arguments. A MiB is 2^20 bytes, and a KiB
// is 2^10 bytes.
struct LookaheadShares {
  // For all lanes together: TimelineOptions::lookahead_bytes.
  std::size_t total;
  // total / lanes, at least 4 KiB. On a lane of a source with n lanes, an open call is released if it holds
  // back more than n times this amount.
  std::size_t lane;
  // min(lane / 4, 2 MiB / lanes), at least 4 KiB. A shared source reads this amount in one pump().
  std::size_t shared_source;
  // shared_source, but at least 16 KiB if the order in which sources are read is free. A source adds this
  // amount in one pump(). A source is pumped if less than this amount of its events waits for the merge.
  std::size_t source;

  LookaheadShares(std::size_t lookahead_bytes, std::size_t lanes, bool is_order_free);
};

class PumpPlan {
 public:
  struct Task {
    SourceState* source;  // either `source` or `shared` is null
    SharedSourceState* shared;
    std::size_t bytes;
    std::uint64_t delivered_until_ns = kForever;
  };

  // `lanes` and `inputs` are counts. See TimelineOptions for `lookahead_bytes`.
  PumpPlan(std::vector<SourceState>& sources, std::vector<SharedSourceState>& shared_sources,
           std::size_t lanes, std::size_t inputs, std::size_t lookahead_bytes);

  const LookaheadShares& shares() const { return shares_; }
  // True if sources may be read in any order, for example in the order in which the merge needs their events.
  // Without shared sources, and with one lane for each source, any order gives the same output. Otherwise,
  // the order affects which pending calls are released.
  bool is_order_free() const { return is_order_free_; }
  // Postpones the source, whose first event is at `begin_ns`. The source has no events in memory until the
  // merge comes near this time. Must be called before read_first().
  void read_later(SourceState& source, std::uint64_t begin_ns);
  void read_first();
  // Must be called when `bytes` of the source's events have been merged.
  void consume(SourceState& source, std::size_t bytes);

  // Lets the next round pump the source, even if many of its events wait for the merge.
  void need(SourceState& source);
  // Plans a round. The merge has reached `merged_ns`. An input's shared sources deliver data to the
  // input's other sources. They are pumped in two cases:
  // - One of the other sources needs more events, but has already read all delivered data.
  // - All other sources that this round pumps have already read all deliveries except the latest one.
  // Of the shared sources, only those with the least progress are pumped.
  std::span<const Task> plan_round(std::uint64_t merged_ns);
  std::span<const Task> tasks() const { return tasks_; }

  // True if too many events wait for the end of a pending call. The call must then be released.
  bool is_full(const SourceState& source) const;

 private:
  void add_candidate(SourceState& source);
  void read_next();
  std::vector<std::uint64_t> find_delivered_until_ns() const;  // indexed by input

  std::vector<SharedSourceState>& shared_sources_;
  std::size_t inputs_;
  bool is_order_free_;
  LookaheadShares shares_;
  std::vector<std::uint64_t> delivered_until_ns_;  // indexed by input; as it was before the latest round
  std::vector<SourceState*> candidates_;
  std::vector<SourceState*> unread_;  // sources that the merge has not reached; the earliest is last
  std::vector<Task> tasks_;
};

}  // namespace convert
