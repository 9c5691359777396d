// What other files say of one thread, waiting for the thread's own records to come to the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converters/uftrace/perf/perf_event.h"

namespace convert::uftrace {

struct Message {
  std::uint64_t time_ns;
  std::uint16_t cpu;
  PerfEvent::Kind kind;
};

// Filled between rounds, emptied by the thread's source in a round: never both at once.
class Inbox {
 public:
  // By time.
  void put(const Message& message) {
    if (taken_ >= kManyTaken && taken_ * 2 >= messages_.size()) drop_taken();
    messages_.push_back(message);
  }

  // The earliest one; null if there is none.
  const Message* first() const { return taken_ == messages_.size() ? nullptr : &messages_[taken_]; }
  void take_first() {
    if (++taken_ == messages_.size()) drop_taken();
  }

  std::size_t waiting_bytes() const { return (messages_.size() - taken_) * sizeof(Message); }

 private:
  static constexpr std::size_t kManyTaken = 1024;
  void drop_taken() {  // the room stays
    messages_.erase(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }

  std::vector<Message> messages_;
  std::size_t taken_ = 0;
};

}  // namespace convert::uftrace
