// The memory of lanes: slots in chunks with stable addresses, and the words that belong to them. Chunks are
// shared by all lanes and used again while still warm in the cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "converters/model/lanes/pending_event.h"

namespace convert {

using WordChunk = std::unique_ptr<std::uint64_t[]>;

struct EventChunk {
  static constexpr std::size_t kEvents = 128;  // 4 KiB: small enough for 10,000 lanes

  std::array<PendingEvent, kEvents> events;
  std::uint64_t bytes_before = 0;  // what its lane had taken before, all in all
  // Full word chunks, of which nothing is needed any more when these slots are written.
  std::vector<WordChunk> words, large_words;
};

// Safe to use from several threads.
class ChunkPool {
 public:
  static constexpr std::size_t kWordsPerChunk = 512;  // 4 KiB

  std::unique_ptr<EventChunk> take_events() {
    const std::lock_guard lock(mutex_);
    if (events_.empty()) return std::unique_ptr<EventChunk>(new EventChunk);
    auto chunk = std::move(events_.back());
    events_.pop_back();
    return chunk;
  }
  WordChunk take_words() {
    const std::lock_guard lock(mutex_);
    if (words_.empty()) return std::make_unique_for_overwrite<std::uint64_t[]>(kWordsPerChunk);
    auto chunk = std::move(words_.back());
    words_.pop_back();
    return chunk;
  }
  void give_back(std::unique_ptr<EventChunk> chunk) {
    const std::lock_guard lock(mutex_);
    for (WordChunk& words : chunk->words) words_.push_back(std::move(words));
    chunk->words.clear();
    chunk->large_words.clear();
    events_.push_back(std::move(chunk));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<EventChunk>> events_;
  std::vector<WordChunk> words_;
};

}  // namespace convert
