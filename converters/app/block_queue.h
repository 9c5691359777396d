// The blocks of a trace on their way from the thread that converts to the thread that writes: an fxt::Output
// in front, an fxt::Input behind. While one block is written (and compressed, or cut), the next is filled.
// Two threads may convert alternately, one after the other.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

#include "fxt/input.h"
#include "fxt/output.h"

namespace convert {

class BlockQueue : public fxt::Output, public fxt::Input {
 public:
  BlockQueue();

  // ---- The converting thread ----

  // Waits for an empty block when one is full. Throws what the writing thread failed with.
  std::span<std::uint64_t> exchange(std::size_t filled_words) override;
  // No block follows; the trace is complete.
  void finish() override;
  // No block follows, and the trace is incomplete.
  void abandon() { end(State::Abandoned); }

  // ---- The writing thread ----

  struct Abandoned : std::exception {};

  // The next filled block, valid until the next call; empty at the end. Throws Abandoned.
  std::span<const std::byte> next_block();
  // The same bytes, copied piece by piece.
  std::size_t read(std::span<std::byte> room) override;
  // The thread ends early: exchange() throws this from now on.
  void fail(std::exception_ptr failure);

 private:
  enum class State : std::uint8_t { Open, Complete, Abandoned };
  using Block = std::vector<std::uint64_t>;
  struct FilledBlock {
    Block* block;
    std::size_t words;
  };

  void end(State state);

  std::array<Block, 3> blocks_;
  Block* filling_ = nullptr;           // the converting thread's
  std::size_t filled_words_ = 0;       // in it
  Block* writing_ = nullptr;           // the writing thread's
  std::span<const std::byte> unread_;  // of `writing_`, for read()

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<FilledBlock> filled_;
  std::deque<Block*> empty_;
  State state_ = State::Open;
  std::exception_ptr failure_;
};

}  // namespace convert
