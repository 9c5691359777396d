// The memory of lanes. Events are in chunks with stable addresses. The words of their arguments are adjacent
// in chunks of words. All lanes share one pool. Therefore, chunks are reused while they are in the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "converters/model/lanes/pending_event.h"

namespace convert {

using WordChunk = std::unique_ptr<std::uint64_t[]>;

struct EventChunk {
  static constexpr std::size_t kEvents = 128;  // 4 KiB: small enough for 10,000 lanes

  std::array<PendingEvent, kEvents> events;
  std::uint64_t bytes_before = 0;  // bytes that its lane had used when the chunk was added
  // Full chunks of words. No event after this chunk refers to them.
  std::vector<WordChunk> words, large_words;
};

// Safe to use from several threads, but for alternate().
class ChunkPool {
 public:
  static constexpr std::size_t kWordsPerChunk = 512;  // 4 KiB

  // Two threads fill chunks and give them back alternately: from now on thread `filling`, 0 or 1, acquires
  // them, and the other one gives them back. Each gets its own ones again, as they are in its core's cache:
  // a recording of one thread takes 8 % less time than with chunks that change cores, one with arguments 5 %.
  void alternate(std::size_t filling) {
    filling_ = filling;
    emptying_ = 1 - filling;
  }

  std::unique_ptr<EventChunk> acquire_events() {
    if (auto chunk = take(&Free::events)) return chunk;
    return std::unique_ptr<EventChunk>(new EventChunk);
  }
  WordChunk acquire_words() {
    if (auto chunk = take(&Free::words)) return chunk;
    return std::make_unique_for_overwrite<std::uint64_t[]>(kWordsPerChunk);
  }
  void give_back(std::unique_ptr<EventChunk> chunk) {
    const std::lock_guard lock(mutex_);
    Free& free = free_.at(emptying_);
    for (WordChunk& words : chunk->words) free.words.push_back(std::move(words));
    chunk->words.clear();
    chunk->large_words.clear();
    free.events.push_back(std::move(chunk));
  }

 private:
  struct Free {
    std::vector<std::unique_ptr<EventChunk>> events;
    std::vector<WordChunk> words;
  };
  // Null if there is none: new memory is got without the lock, which other threads wait for.
  template <typename Chunk>
  Chunk take(std::vector<Chunk> Free::*member) {
    const std::lock_guard lock(mutex_);
    for (const std::size_t thread : {filling_, 1 - filling_}) {
      std::vector<Chunk>& chunks = free_.at(thread).*member;
      if (chunks.empty()) continue;
      Chunk chunk = std::move(chunks.back());
      chunks.pop_back();
      return chunk;
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::size_t filling_ = 0, emptying_ = 0;
  std::array<Free, 2> free_;  // by thread; if they do not alternate, all are the first one's
};

// The argument blocks of one lane: a header (ArgumentBlockHeader), then the words. A full chunk of words is
// kept by the event chunk that is filled at that time. Therefore, blocks live as long as the events that
// refer to them.
class ArgumentArena {
 public:
  explicit ArgumentArena(ChunkPool& pool) : pool_(&pool) {}

  // Reserves a block of `words` words, and fills in its header. Returns its first word after the header. Null
  // if there is no room.
  std::uint64_t* try_add(std::size_t count, std::size_t words) {
    const std::size_t size = words + 1;
    if (size > std::min(kLargeBlock, left())) return nullptr;
    word_ += size;
    return fill_header(word_ - size, count, words);
  }
  // The same in a new chunk of words. `chunk` is the event chunk that is being filled.
  std::uint64_t* add(std::size_t count, std::size_t words, EventChunk& chunk) {
    const std::size_t size = words + 1;
    if (size > kLargeBlock) {
      chunk.large_words.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(size));
      return fill_header(chunk.large_words.back().get(), count, words);
    }
    if (words_ != nullptr) chunk.words.push_back(std::move(words_));
    words_ = pool_->acquire_words();
    word_ = words_.get() + size;
    end_ = words_.get() + ChunkPool::kWordsPerChunk;
    return fill_header(words_.get(), count, words);
  }
  // For producers that pack arguments themselves: memory for a block of at most `words` words, which commit()
  // adds. Null if there is no room.
  std::uint64_t* try_reserve(std::size_t words) const {
    return words + 1 > std::min(kLargeBlock, left()) ? nullptr : word_ + 1;
  }
  const std::uint64_t* commit(const PackedArguments& packed) {
    std::uint64_t* const block = std::exchange(word_, packed.end);
    fill_header(block, packed.count, static_cast<std::size_t>(packed.end - block) - 1);
    return block;
  }
  // The same for words that are appended to a block, which may be null. Null if it is not the latest one (it
  // usually is), or there is no room.
  std::uint64_t* try_reserve_behind(const std::uint64_t* block, std::size_t words) const {
    return block == nullptr || !is_latest(block) || words > left() ? nullptr : word_;
  }
  void commit_behind(const std::uint64_t* block, const PackedArguments& packed) {
    const auto more = static_cast<std::size_t>(packed.end - word_);
    const std::size_t words = ArgumentBlockHeader::Words::get(*block);
    word_[-static_cast<std::ptrdiff_t>(words) - 1] =
        *block + (ArgumentBlockHeader::Count::put(packed.count) | ArgumentBlockHeader::Words::put(more));
    word_ = packed.end;
    bytes_ += more * sizeof(std::uint64_t);
  }
  // Frees a block. False if it is not the latest one.
  bool remove_latest(const std::uint64_t* block) {
    if (!is_latest(block)) return false;
    const std::size_t size = ArgumentBlockHeader::Words::get(*block) + 1;
    word_ -= size;
    bytes_ -= size * sizeof(std::uint64_t);
    return true;
  }
  // No more blocks come. `chunk` is the event chunk that was filled last.
  void close(EventChunk& chunk) {
    if (words_ != nullptr) chunk.words.push_back(std::move(words_));
    word_ = end_ = nullptr;
  }
  // Bytes of all blocks since the lane began.
  std::uint64_t bytes() const { return bytes_; }

  // Copies word by word, because the words are few and were just stored one by one. A load of two words at
  // once would have to wait for both stores.
  static std::uint64_t* copy(std::span<const std::uint64_t> words, std::uint64_t* to) {
    for (const std::uint64_t word : words) {
      *to++ = word;
      asm("" ::: "memory");  // prevents compilers from merging the steps
    }
    return to;
  }

 private:
  // Larger blocks get memory of their own.
  static constexpr std::size_t kLargeBlock = ChunkPool::kWordsPerChunk / 4;

  std::size_t left() const { return static_cast<std::size_t>(end_ - word_); }
  bool is_latest(const std::uint64_t* block) const {
    return block + ArgumentBlockHeader::Words::get(*block) + 1 == word_;
  }
  std::uint64_t* fill_header(std::uint64_t* block, std::size_t count, std::size_t words) {
    *block = ArgumentBlockHeader::Count::put(count) | ArgumentBlockHeader::Words::put(words);
    bytes_ += (words + 1) * sizeof(std::uint64_t);
    return block + 1;
  }

  ChunkPool* pool_;
  WordChunk words_;                // the chunk that is being filled
  std::uint64_t* word_ = nullptr;  // the place of the next block
  std::uint64_t* end_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace convert
