// The events of one lane, in order. First, events are added and may change. Then they are sealed. Finally,
// the merge consumes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "converters/model/lanes/lane_memory.h"
#include "converters/model/lanes/pending_event.h"

namespace convert {

// Adjacent sealed events of a lane, in order. May be empty. No event is Open. The last events of a chunk own
// the chunk.
struct SealedEvents {
  std::span<PendingEvent> events;
  std::unique_ptr<EventChunk> chunk = nullptr;
  // Memory of the events and of their argument blocks. If a chunk is sealed in parts, its blocks may be
  // counted for the last part.
  std::size_t bytes = 0;
};

class EventQueue {
 public:
  explicit EventQueue(ChunkPool& pool) : pool_(&pool), blocks_(pool) {}

  // ---- Adding events ----

  // True if add_chunk() must be called before the next event is added.
  bool is_full() const { return write_ == write_end_; }
  void add_chunk();
  PendingEvent* add() { return write_++; }
  // Removes a complete call and its arguments. Returns false if it is not the latest event, or the first.
  bool remove_latest(const PendingEvent& call);
  // Removes an open call, which will not be emitted.
  void retract(PendingEvent* event);

  // Argument blocks, see ArgumentArena. is_full() must be false before new_block().
  std::uint64_t* new_block(std::size_t count, std::size_t words) {
    return blocks_.add(count, words, *filling_.back());
  }
  ArgumentArena& blocks() { return blocks_; }

  // The place of the next event, and the end, for Lane::run(), which writes events itself.
  PendingEvent* write() const { return write_; }
  PendingEvent* write_end() const { return write_end_; }
  void set_write(PendingEvent* write) { write_ = write; }

  // Memory used since the start of the lane: by full chunks and all arguments, and by the events before an
  // unsealed event.
  std::uint64_t bytes_used() const { return event_bytes_ + blocks_.bytes(); }
  std::uint64_t bytes_before(const PendingEvent* event) const {
    const EventChunk& chunk = *chunk_of(event);
    return chunk.bytes_before + static_cast<std::size_t>(event - chunk.events.data()) * sizeof(PendingEvent);
  }

  // ---- Sealing, while nobody adds events ----

  // Seals all events before `end`, or all events if `end` is null. Returns the bytes of the sealed events.
  std::size_t seal_before(PendingEvent* end);
  // No more events come, and all are sealed. The queue's memory is freed with the last event.
  void close();
  bool has_unsealed() const { return unsealed_ != nullptr && unsealed_ != write_; }
  std::uint64_t first_unsealed_ns() const { return unsealed_->time_ns; }  // has_unsealed() must be true
  // True if any events are left in the queue; and the time of the first of them.
  bool has_events() const { return first_sealed() != sealed_.end() || has_unsealed(); }
  std::uint64_t first_ns() const {
    const auto sealed = first_sealed();
    return sealed != sealed_.end() ? sealed->events.front().time_ns : first_unsealed_ns();
  }

  // ---- Consuming sealed events, even while another thread adds events ----

  bool has_sealed() const { return popped_ != sealed_.size(); }
  // has_sealed() must be true. The events are valid until their chunk is given back to the pool.
  SealedEvents pop_sealed() {
    SealedEvents sealed = std::move(sealed_[popped_++]);
    if (!has_sealed()) {
      sealed_.clear();
      popped_ = 0;
    }
    return sealed;
  }

 private:
  std::vector<SealedEvents>::const_iterator first_sealed() const {
    return std::find_if(sealed_.begin() + static_cast<std::ptrdiff_t>(popped_), sealed_.end(),
                        [](const SealedEvents& sealed) { return !sealed.events.empty(); });
  }
  const std::unique_ptr<EventChunk>& chunk_of(const PendingEvent* event) const;
  PendingEvent* remove_retracted(PendingEvent* begin, PendingEvent* end);

  ChunkPool* pool_;
  std::vector<std::unique_ptr<EventChunk>> filling_;  // chunks with events that are not sealed
  const PendingEvent* first_ = nullptr;
  PendingEvent* unsealed_ = nullptr;  // the first unsealed event, in filling_.front()
  PendingEvent* write_ = nullptr;     // the place of the next event, in filling_.back()
  PendingEvent* write_end_ = nullptr;
  ArgumentArena blocks_;
  std::uint64_t event_bytes_ = 0;   // bytes of all full event chunks so far
  std::uint64_t sealed_bytes_ = 0;  // sum of SealedEvents::bytes so far
  std::size_t retracted_ = 0;       // retracted calls among unsealed events
  std::vector<SealedEvents> sealed_;
  std::size_t popped_ = 0;  // entries of sealed_ that were consumed
};

}  // namespace convert
