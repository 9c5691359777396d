// Blocks from one thread to another, which reads them as a trace.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>

#include "fxt/input.h"

namespace convert {

class BlockPipe : public fxt::Input {
 public:
  // ---- Who writes ----

  // Returns when all was read. Throws what the reader failed with.
  void write(std::span<const std::byte> bytes);
  // Nothing follows.
  void close();
  // Nothing follows, and what was read is worth nothing: read() throws Abandoned.
  void abandon();
  struct Abandoned : std::exception {};

  // ---- Who reads ----

  std::size_t read(std::span<std::byte> room) override;
  // Reads no more.
  void fail(std::exception_ptr failure);

 private:
  enum class State { Open, Closed, Abandoned };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::span<const std::byte> bytes_;  // the writer's, not read yet
  State state_ = State::Open;
  std::exception_ptr failure_;
};

}  // namespace convert
