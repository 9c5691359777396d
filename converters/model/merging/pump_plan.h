// Which sources are pumped in the next round, and how far: those whose lanes run short of events. It does not
// depend on the number of threads, so the output does not either.
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
  std::vector<std::size_t> lanes = {};  // their numbers; once the MergeLoop exists, their ranks
  std::size_t input;
  bool done = false;
  std::size_t waiting_bytes = 0;  // SealedEvents::bytes that are not merged
  bool is_candidate = true;       // its lanes may run short of events: the next round looks at it
  bool is_needed = false;         // the next round pumps it, whatever waits
  std::uint64_t begin_ns = 0;     // of one that is read later: its first event, offset included
  std::exception_ptr failure = nullptr;
};
struct SharedSourceState {
  std::unique_ptr<SharedSource> source;
  std::size_t input;
  bool done = false;
  std::exception_ptr failure = nullptr;
};

// How the lookahead is shared out, in bytes of events and of their arguments. A MiB is 2^20 bytes, a KiB
// 2^10.
struct LookaheadShares {
  // TimelineOptions::lookahead_bytes: of all lanes together.
  std::size_t total;
  // total / lanes, at least 4 KiB. As much may wait for one call to end. If more waits, the call is released.
  std::size_t lane;
  // min(lane / 4, 2 MiB / lanes), at least 4 KiB. What one pump() of a shared source reads.
  std::size_t block;
  // block; at least 16 KiB if the order in which sources are read is free. What one pump() of a source fills,
  // and below which the source is read on.
  std::size_t source;

  LookaheadShares(std::size_t lookahead_bytes, std::size_t lanes, bool is_order_free);
};

class PumpPlan {
 public:
  struct Task {
    SourceState* source;  // or
    SharedSourceState* shared;
    std::size_t bytes;
    std::uint64_t delivered_until_ns = kForever;
  };

  // Borrows the sources. `lanes` and `inputs` are how many there are; `lookahead_bytes` as in
  // TimelineOptions.
  PumpPlan(std::vector<SourceState>& sources, std::vector<SharedSourceState>& shared_sources,
           std::size_t lanes, std::size_t inputs, std::size_t lookahead_bytes);

  const LookaheadShares& shares() const { return shares_; }
  // Whether sources may be read as late as the merge needs them. Where lanes share a source, how far it reads
  // decides which pending calls are released.
  bool is_order_free() const { return is_order_free_; }
  // Of thousands of threads few run at one time: those that begin later have no events in memory until the
  // merge comes near them. Called for each of them, before read_first().
  void read_later(SourceState& source, std::uint64_t begin_ns);
  void read_first();
  // Called when `bytes` of the source's events are merged.
  void consume(SourceState& source, std::size_t bytes);

  // The next round pumps it, however much of it waits for the merge.
  void need(SourceState& source);
  // Plans a round. The merge is at `merged_ns`. The shared sources that are the least far are pumped where a
  // source has read all that is delivered, and one block ahead of sources that read what was delivered last.
  std::span<const Task> plan_round(std::uint64_t merged_ns);
  std::span<const Task> tasks() const { return tasks_; }

  // Whether so much waits for the merge that a source need not go on for one pending call to end.
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
  std::vector<SourceState*> unread_;  // that the merge has not reached, by begin, the first one last
  std::vector<Task> tasks_;           // of the round
};

}  // namespace convert
