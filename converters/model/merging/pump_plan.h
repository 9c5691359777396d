// Decides which sources are pumped in the next round, and how far: sources whose lanes have few events left.
// The plan does not depend on the number of threads. Therefore, the output does not depend on it either.
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
  std::vector<std::size_t> lanes = {};  // numbers of its lanes; in a MergeLoop, their ranks
  std::size_t input;
  bool done = false;
  std::size_t waiting_bytes = 0;  // sum of SealedEvents::bytes that are not merged yet
  bool is_candidate = true;       // its lanes may have few events left, which the next round checks
  bool is_needed = false;         // the next round pumps it, even if many of its events wait
  // The time of the first event of a source that is read later, including the offset.
  std::uint64_t begin_ns = 0;
  std::exception_ptr failure = nullptr;
};
struct SharedSourceState {
  std::unique_ptr<SharedSource> source;
  std::size_t input;
  bool done = false;
  std::exception_ptr failure = nullptr;
};

// The distribution of the lookahead, in bytes of events and of their arguments. A MiB is 2^20 bytes, a KiB is
// 2^10 bytes.
struct LookaheadShares {
  // The share of all lanes together, which is TimelineOptions::lookahead_bytes.
  std::size_t total;
  // total / lanes, at least 4 KiB. A lane of a source with n lanes may hold n times this amount while a call
  // is open. Beyond that, the call is released.
  std::size_t lane;
  // min(lane / 4, 2 MiB / lanes), at least 4 KiB. One pump() of a shared source reads this amount.
  std::size_t shared_source;
  // shared_source, or at least 16 KiB if the order in which sources are read is free. One pump() of a source
  // fills this amount. A source is pumped if less than this amount is left.
  std::size_t source;

  LookaheadShares(std::size_t lookahead_bytes, std::size_t lanes, bool is_order_free);
};

class PumpPlan {
 public:
  struct Task {
    SourceState* source;  // one of `source` and `shared` is set
    SharedSourceState* shared;
    std::size_t bytes;
    std::uint64_t delivered_until_ns = kForever;
  };

  // `lanes` and `inputs` are their numbers. `lookahead_bytes` is that of TimelineOptions.
  PumpPlan(std::vector<SourceState>& sources, std::vector<SharedSourceState>& shared_sources,
           std::size_t lanes, std::size_t inputs, std::size_t lookahead_bytes);

  const LookaheadShares& shares() const { return shares_; }
  // True if a source may be read as late as the merge needs it. If lanes share a source, this is not
  // possible, because the reading distance decides which pending calls are released.
  bool is_order_free() const { return is_order_free_; }
  // Must be called before read_first() for each source that begins later. Such a source has no events in
  // memory until the merge comes near it. This helps recordings with thousands of threads.
  void read_later(SourceState& source, std::uint64_t begin_ns);
  void read_first();
  // Must be called when `bytes` of the source's events have been merged.
  void consume(SourceState& source, std::size_t bytes);

  // The next round pumps the source, even if many of its events wait for the merge.
  void need(SourceState& source);
  // Plans a round. The merge has reached `merged_ns`. If a source has read all delivered data, the shared
  // sources with the least progress are pumped. They are also pumped one block ahead of sources that read the
  // latest delivered data.
  std::span<const Task> plan_round(std::uint64_t merged_ns);
  std::span<const Task> tasks() const { return tasks_; }

  // True if so many events wait for the merge that a source must not be read on just to find the end of one
  // pending call.
  bool is_full(const SourceState& source) const;

 private:
  void add_candidate(SourceState& source);
  void read_next();
  std::vector<std::uint64_t> find_delivered_until_ns() const;  // by input

  std::vector<SharedSourceState>& shared_sources_;
  std::size_t inputs_;
  bool is_order_free_;
  LookaheadShares shares_;
  std::vector<std::uint64_t> delivered_until_ns_;  // by input, before the latest round
  std::vector<SourceState*> candidates_;
  std::vector<SourceState*> unread_;  // sources that the merge has not reached, by begin, the first one last
  std::vector<Task> tasks_;           // tasks of the round
};

}  // namespace convert
