#include "converters/model/lanes/lane_store.h"

#include <cassert>

namespace convert {

void LaneStore::add_chunk() {
  queue_.add_chunk();
  limit_held_bytes();
}

std::uint64_t* LaneStore::new_block(std::size_t count, std::size_t words) {
  make_room();
  if (std::uint64_t* const block = queue_.blocks().try_add(count, words)) return block;
  std::uint64_t* const block = queue_.new_block(count, words);
  limit_held_bytes();
  return block;
}

void LaneStore::limit_held_bytes() {
  for (;;) {
    const std::size_t oldest = calls_.oldest_pending();
    if (oldest >= calls_.size()) return;
    const std::uint64_t before = queue_.bytes_before(calls_[oldest].event), used = queue_.bytes_used();
    // `used` may be less than `before`, because `used` counts only full event chunks.
    if (used <= before || used - before <= held_bytes_limit_) return;
    release_oldest();
  }
}

void LaneStore::release_oldest() {
  const std::size_t oldest = calls_.oldest_pending();
  assert(oldest < calls_.size());
  PendingEvent* const event = calls_[oldest].event;
  calls_.set_released(oldest);
  event->kind = EventKind::Begin;
}

std::size_t LaneStore::seal() {
  const std::size_t oldest = calls_.oldest_pending();
  return queue_.seal_before(oldest < calls_.size() ? calls_[oldest].event : nullptr);
}

}  // namespace convert
