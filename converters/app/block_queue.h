// Passes the blocks of a trace from the converting thread to the writing thread. It is an fxt::Output for the
// first thread, and an fxt::Input for the second. While one block is written, the next block is filled. Two
// threads may take turns as the converting thread.
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

  // Hands over a full block, and waits for an empty one. Throws the exception that ended the writing thread.
  std::span<std::uint64_t> exchange(std::size_t filled_words) override;
  // Marks the trace as complete; no block follows.
  void finish() override;
  // Marks the trace as incomplete; no block follows.
  void abandon() { end(State::Abandoned); }

  // ---- The writing thread ----

  struct Abandoned : std::exception {};

  // Returns the next filled block, or nothing at the end. Invalidates the previous block. Throws Abandoned
  // after abandon().
  std::span<const std::byte> next_block();
  // Copies the next bytes of the filled blocks. Returns their number; 0 at the end. Throws like next_block().
  std::size_t read(std::span<std::byte> room) override;
  // Must be called if the writing thread fails. When exchange() needs another block, it throws `failure`.
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
  Block* filling_ = nullptr;  // used by the converting thread
  std::size_t filled_words_ = 0;
  Block* writing_ = nullptr;           // used by the writing thread
  std::span<const std::byte> unread_;  // the part of `writing_` that read() has not copied

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<FilledBlock> filled_;
  std::deque<Block*> empty_;
  State state_ = State::Open;
  std::exception_ptr failure_;
};

}  // namespace convert
