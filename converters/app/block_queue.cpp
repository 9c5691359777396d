#include "converters/app/block_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace convert {
namespace {

// The size of a block that is written. Only the last block of a trace may be shorter. This size fits into the
// second-level cache, and is a multiple of the page size.
constexpr std::size_t kWrittenWords = std::size_t{32} << 10;
// The size of a block in memory. exchange() moves the words after the first kWrittenWords to the next block.
constexpr std::size_t kBlockWords = kWrittenWords + 2 * fxt::kMinBufferWords;

}  // namespace

BlockQueue::BlockQueue() {
  for (Block& block : blocks_) {
    block.resize(kBlockWords);
    empty_.push_back(&block);
  }
}

std::span<std::uint64_t> BlockQueue::exchange(std::size_t filled_words) {
  filled_words_ += filled_words;
  if (filling_ == nullptr || filled_words_ >= kWrittenWords) {
    std::unique_lock lock(mutex_);
    Block* const full = std::exchange(filling_, nullptr);
    if (full != nullptr) {
      filled_.push_back({full, kWrittenWords});
      changed_.notify_all();
    }
    changed_.wait(lock, [this] { return !empty_.empty() || failure_ != nullptr; });
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    filling_ = empty_.front();
    empty_.pop_front();
    if (full != nullptr) {
      filled_words_ -= kWrittenWords;
      // The writing thread may already be reading `full`, but it does not read the words that are moved. If
      // it has already returned `full`, `filling_` may be the same block.
      std::memmove(filling_->data(), full->data() + kWrittenWords, filled_words_ * sizeof(std::uint64_t));
    }
  }
  return std::span(*filling_).subspan(filled_words_);
}

void BlockQueue::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (filled_words_ != 0) filled_.push_back({std::exchange(filling_, nullptr), filled_words_});
  }
  end(State::Complete);
}

void BlockQueue::end(State state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
  changed_.notify_all();
}

std::span<const std::byte> BlockQueue::next_block() {
  std::unique_lock lock(mutex_);
  if (writing_ != nullptr) {
    empty_.push_back(std::exchange(writing_, nullptr));
    changed_.notify_all();
  }
  changed_.wait(lock, [this] { return !filled_.empty() || state_ != State::Open; });
  if (state_ == State::Abandoned) throw Abandoned();
  if (filled_.empty()) return {};
  const FilledBlock filled = filled_.front();
  filled_.pop_front();
  writing_ = filled.block;
  return std::as_bytes(std::span(*filled.block).first(filled.words));
}

std::size_t BlockQueue::read(std::span<std::byte> room) {
  if (unread_.empty()) unread_ = next_block();
  const std::size_t size = std::min(room.size(), unread_.size());
  if (size != 0) std::memcpy(room.data(), unread_.data(), size);
  unread_ = unread_.subspan(size);
  return size;
}

void BlockQueue::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  changed_.notify_all();
}

}  // namespace convert
