#include "converters/model/lanes/lane_store.h"

#include <cassert>
#include <functional>

#include "fxt/support/memory_limit.h"

namespace convert {

// ---- Events ----

void EventQueue::add_chunk() {
  fxt::check_memory();
  if (write_ != nullptr) event_bytes_ += sizeof(EventChunk::events);
  filling_.push_back(pool_->acquire_events());
  EventChunk& chunk = *filling_.back();
  chunk.bytes_before = bytes_used();
  write_ = chunk.events.data();
  write_end_ = write_ + EventChunk::kEvents;
  if (unsealed_ == nullptr) unsealed_ = write_;
  if (first_ == nullptr) first_ = write_;
}

void EventQueue::retract(PendingEvent* event) {
  if (remove_latest(*event)) return;
  event->kind = EventKind::Retracted;
  ++retracted_;
}

const std::unique_ptr<EventChunk>& EventQueue::chunk_of(const PendingEvent* event) const {
  const auto holds = [event](const auto& chunk) {
    const PendingEvent* const first = chunk->events.data();
    return std::less_equal<>()(first, event) && std::less<>()(event, first + EventChunk::kEvents);
  };
  return *std::ranges::find_if(filling_, holds);
}

// Removes the retracted events from a range. The other events can move, because no pointers refer to them.
PendingEvent* EventQueue::remove_retracted(PendingEvent* begin, PendingEvent* end) {
  if (retracted_ == 0) return end;
  PendingEvent* const rest = std::remove_if(
      begin, end, [](const PendingEvent& event) { return event.kind == EventKind::Retracted; });
  retracted_ -= static_cast<std::size_t>(end - rest);
  return rest;
}

std::size_t EventQueue::seal_before(PendingEvent* end) {
  if (!has_unsealed()) return 0;
  const EventChunk* const last = end != nullptr ? chunk_of(end).get() : filling_.back().get();
  std::uint64_t last_bytes = end != nullptr ? bytes_before(end) : 0;
  if (end == nullptr) {
    end = write_;
    last_bytes = bytes_used() + static_cast<std::size_t>(end - last->events.data()) * sizeof(PendingEvent);
  }
  const std::uint64_t sealed_before = sealed_bytes_;
  const auto seal = [&](PendingEvent* to, std::unique_ptr<EventChunk> chunk, std::uint64_t used_bytes) {
    to = remove_retracted(unsealed_, to);
    if (unsealed_ == to && chunk == nullptr) return;
    const std::uint64_t bytes = used_bytes - std::min(used_bytes, sealed_bytes_);
    sealed_bytes_ += bytes;
    sealed_.push_back({{unsealed_, to}, std::move(chunk), static_cast<std::size_t>(bytes)});
  };
  std::size_t full = 0;
  for (; filling_[full].get() != last; ++full) {
    PendingEvent* const chunk_end = filling_[full]->events.data() + EventChunk::kEvents;
    const EventChunk& next = *filling_[full + 1];
    seal(chunk_end, std::move(filling_[full]), next.bytes_before);
    unsealed_ = filling_[full + 1]->events.data();
  }
  if (end == filling_[full]->events.data() + EventChunk::kEvents) {
    seal(end, std::move(filling_[full]), last_bytes);
    ++full;
    event_bytes_ += sizeof(EventChunk::events);
    unsealed_ = write_ = write_end_ = nullptr;
  } else {
    seal(end, nullptr, last_bytes);
    unsealed_ = end;
  }
  filling_.erase(filling_.begin(), filling_.begin() + static_cast<std::ptrdiff_t>(full));
  return static_cast<std::size_t>(sealed_bytes_ - sealed_before);
}

void EventQueue::close() {
  if (filling_.empty()) return;
  blocks_.close(*filling_.back());
  sealed_.push_back({{}, std::move(filling_.back())});
  filling_.clear();
  unsealed_ = write_ = write_end_ = nullptr;
}

// ---- All contents ----

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
    // `used` may be less than `before`, because `used` does not count the events in the last event chunk.
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
