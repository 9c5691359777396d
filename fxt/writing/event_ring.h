// The latest events of a trace, which a Tracer keeps in memory: full buffers of its threads. Internal to the
// Tracer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "fxt/value.h"

namespace fxt {

class TraceBuffer;

class EventRing {
 public:
  // A part of a thread's events.
  struct Block {
    const TraceBuffer* buffer;
    Thread thread;
    std::uint64_t base;  // position of words[0]; see end()
    std::vector<std::uint64_t> words;
  };

  explicit EventRing(std::size_t bytes = 0)
      : limit_((bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)) {}

  // False if the Tracer keeps no events in memory.
  bool is_used() const { return limit_ != 0; }
  // Adds a block whose latest event has this time. Removes the oldest blocks to limit the size.
  void add(Block block, std::uint64_t time) {
    size_ += block.words.size();
    blocks_.push_back(std::move(block));
    for (; size_ > limit_ && blocks_.size() > 1; blocks_.pop_front()) size_ -= blocks_.front().words.size();
    latest_time_ = std::max(latest_time_, time);
  }
  // Sets the end of a scope, if the scope's block is still in the ring. `position` is that of the word for
  // the end. Positions count all words that were ever in the buffer, so each position is unique.
  void end(const TraceBuffer& buffer, std::uint64_t position, std::uint64_t time) {
    for (Block& block : blocks_)
      if (block.buffer == &buffer && position >= block.base && position - block.base < block.words.size())
        block.words[position - block.base] = time;
  }
  std::deque<Block>& blocks() { return blocks_; }
  std::uint64_t latest_time() const { return latest_time_; }

 private:
  std::deque<Block> blocks_;
  std::size_t limit_, size_ = 0;  // in words
  std::uint64_t latest_time_ = 0;
};

}  // namespace fxt
