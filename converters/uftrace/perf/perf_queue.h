// What other files say of one thread, waiting for the thread's own records to come to the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "converters/uftrace/perf/perf_event.h"

namespace convert::uftrace {

struct PerfMessage {
  std::uint64_t time_ns;
  std::uint16_t cpu;
  PerfEvent::Kind kind;
  NameId name = {};  // of a Comm: what the thread is called from here on
};

// Filled between rounds, emptied by the thread's source in a round: never both at once.
class PerfQueue {
 public:
  void put(const PerfMessage& message) { messages_.push_back(message); }  // by time
  // The earliest one; null if there is none.
  const PerfMessage* first() const { return messages_.empty() ? nullptr : &messages_.front(); }
  void take_first() { messages_.pop_front(); }
  std::size_t waiting_bytes() const { return messages_.size() * sizeof(PerfMessage); }

 private:
  std::deque<PerfMessage> messages_;
};

}  // namespace convert::uftrace
