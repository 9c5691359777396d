// Writes the Writer's blocks in the background: while one is written (and compressed), the next is filled.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "fxt/output.h"

namespace convert {

class BlockWriter : public fxt::Output {
 public:
  using Write = std::function<void(std::span<const std::byte>)>;

  // `write` is called in the background, one block after the other. What it throws comes out of exchange() or
  // finish().
  explicit BlockWriter(Write write);
  ~BlockWriter() override;
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  std::span<std::uint64_t> exchange(std::size_t filled_words) override;
  // Waits until every block is written.
  void finish() override;

 private:
  using Block = std::vector<std::uint64_t>;
  struct Filled {
    Block* block;
    std::size_t words;
  };

  void run();
  void fail_if_failed() const;

  Write write_;
  std::array<Block, 3> blocks_;
  Block* filling_ = nullptr;  // the Writer's

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Filled> filled_;
  std::deque<Block*> empty_;
  bool is_writing_ = false;
  bool is_over_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace convert
