// The latest events of a trace, where a Tracer keeps them in memory: full buffers of its threads. Internal to
// it.
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
    std::uint64_t base;  // how many words of the thread came before
    std::vector<std::uint64_t> words;
  };

  explicit EventRing(std::size_t bytes = 0)
      : limit_((bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)) {}

  // False for a Tracer that keeps nothing in memory.
  bool is_used() const { return limit_ != 0; }
  // Adds a block whose latest event has this time. The oldest ones make room for it.
  void add(Block block, std::uint64_t time) {
    size_ += block.words.size();
    blocks_.push_back(std::move(block));
    for (; size_ > limit_ && blocks_.size() > 1; blocks_.pop_front()) size_ -= blocks_.front().words.size();
    until_ = std::max(until_, time);
  }
  // Ends a scope of the buffer, if it is still here. A buffer never has two words of one position.
  void end(const TraceBuffer& buffer, std::uint64_t position, std::uint64_t time) {
    for (Block& block : blocks_)
      if (block.buffer == &buffer && position >= block.base && position - block.base < block.words.size())
        block.words[position - block.base] = time;
  }
  std::deque<Block>& blocks() { return blocks_; }
  std::uint64_t until() const { return until_; }  // the latest time of an event

 private:
  std::deque<Block> blocks_;
  std::size_t limit_, size_ = 0;  // in words
  std::uint64_t until_ = 0;
};

}  // namespace fxt
