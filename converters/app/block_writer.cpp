#include "converters/app/block_writer.h"

#include <utility>

namespace convert {
namespace {

// Small enough to stay in a second-level cache between filling and writing, large enough for cheap system
// calls.
constexpr std::size_t kBlockWords = std::size_t{32} << 10;

}  // namespace

BlockWriter::BlockWriter(Write write) : write_(std::move(write)) {
  for (Block& block : blocks_) {
    block.resize(kBlockWords);
    empty_.push_back(&block);
  }
  thread_ = std::thread([this] { run(); });
}

BlockWriter::~BlockWriter() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    filled_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

std::span<std::uint64_t> BlockWriter::exchange(std::size_t filled_words) {
  std::unique_lock lock(mutex_);
  fail_if_failed();
  if (filling_ != nullptr) {
    if (filled_words == 0) return *filling_;
    filled_.push_back({std::exchange(filling_, nullptr), filled_words});
    changed_.notify_all();
  }
  changed_.wait(lock, [this] { return !empty_.empty() || failure_ != nullptr; });
  fail_if_failed();
  filling_ = empty_.front();
  empty_.pop_front();
  return *filling_;
}

void BlockWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return (filled_.empty() && !is_writing_) || failure_ != nullptr; });
  fail_if_failed();
}

void BlockWriter::fail_if_failed() const {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void BlockWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_over_ || !filled_.empty(); });
    if (is_over_) return;
    const Filled filled = filled_.front();
    filled_.pop_front();
    is_writing_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      write_(std::as_bytes(std::span(*filled.block).first(filled.words)));
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    is_writing_ = false;
    empty_.push_back(filled.block);
    if (failure != nullptr) {
      failure_ = failure;
      changed_.notify_all();
      return;
    }
    changed_.notify_all();
  }
}

}  // namespace convert
