#include "converters/app/block_pipe.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace convert {

void BlockPipe::write(std::span<const std::byte> bytes) {
  std::unique_lock lock(mutex_);
  bytes_ = bytes;
  changed_.notify_all();
  changed_.wait(lock, [this] { return bytes_.empty() || failure_ != nullptr; });
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void BlockPipe::close() {
  const std::lock_guard lock(mutex_);
  state_ = State::Closed;
  changed_.notify_all();
}

void BlockPipe::abandon() {
  const std::lock_guard lock(mutex_);
  state_ = State::Abandoned;
  changed_.notify_all();
}

std::size_t BlockPipe::read(std::span<std::byte> room) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !bytes_.empty() || state_ != State::Open; });
  if (state_ == State::Abandoned) throw Abandoned();
  const std::size_t size = std::min(room.size(), bytes_.size());
  if (size == 0) return 0;
  std::memcpy(room.data(), bytes_.data(), size);
  bytes_ = bytes_.subspan(size);
  if (bytes_.empty()) changed_.notify_all();
  return size;
}

void BlockPipe::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  changed_.notify_all();
}

}  // namespace convert
