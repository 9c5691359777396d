// The contents of a lane: its events until the merge takes them, its open calls, and its counters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "converters/model/lanes/event_queue.h"
#include "converters/model/lanes/limits.h"
#include "converters/model/lanes/open_call_stack.h"
#include "converters/model/lanes/pending_event.h"

namespace convert {

// The number of events and arguments that a lane did not emit.
struct LaneCounters {
  TooDeepCount too_deep;
  std::uint64_t cut_arguments = 0;  // arguments for which no record had room
  std::uint64_t skipped_calls = 0;  // calls that end before the time in skip_calls_before()
};

// Passes events to the merge when no call before them is pending. A pending call that holds back too many
// events is released: its begin is passed on without its end.
class LaneStore {
 public:
  explicit LaneStore(ChunkPool& pool) : queue_(pool) {}
  LaneStore(const LaneStore&) = delete;
  LaneStore& operator=(const LaneStore&) = delete;

  EventQueue& queue() { return queue_; }
  OpenCallStack& calls() { return calls_; }
  const OpenCallStack& calls() const { return calls_; }
  LaneCounters& counters() { return counters_; }

  // ---- Filling, by the lane ----

  // Makes room for one event.
  void make_room() {
    if (queue_.is_full()) add_chunk();
  }
  PendingEvent* add() {
    make_room();
    return queue_.add();
  }
  std::uint64_t* new_block(std::size_t count, std::size_t words);
  // Removes a complete call that need not be emitted. Returns false if it must stay.
  bool skip(const PendingEvent& call) {
    if (call.end_ns() >= needed_from_ns_ || !queue_.remove_latest(call)) return false;
    ++counters_.skipped_calls;
    return true;
  }
  std::uint64_t needed_from_ns() const { return needed_from_ns_; }

  // ---- Handing events over to the merge, while nobody fills the lane ----

  // Limits the memory: a pending call is released if it holds back more than `bytes`.
  void set_held_bytes_limit(std::size_t bytes) { held_bytes_limit_ = bytes; }
  // Calls that end before `time_ns` need not be emitted if nothing else is emitted inside them. The lane's
  // first event is always emitted.
  void skip_calls_before(std::uint64_t time_ns) { needed_from_ns_ = time_ns; }
  // Seals the events before the oldest pending call. Returns their size in bytes.
  std::size_t seal();
  // Releases the oldest pending call. queue().has_unsealed() must be true.
  void release_oldest();

 private:
  void add_chunk();
  void limit_held_bytes();

  EventQueue queue_;
  OpenCallStack calls_;
  std::size_t held_bytes_limit_ = ~std::size_t{0};
  std::uint64_t needed_from_ns_ = 0;
  LaneCounters counters_;
};

}  // namespace convert
