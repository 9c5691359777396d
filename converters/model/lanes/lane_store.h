// The contents of a lane: its events until the merge takes them, the memory of events and their arguments,
// its open calls, and its counters.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/limits.h"
#include "converters/model/lanes/open_call_stack.h"

namespace convert {

// ---- Memory ----
//
// Events are stored in chunks, so their addresses do not change. Arguments are stored in other chunks, and
// the words of a call's arguments are adjacent. All lanes share one pool of chunks, so that a chunk is used
// again while it is in the cache.

using WordChunk = std::unique_ptr<std::uint64_t[]>;

struct EventChunk {
  static constexpr std::size_t kEvents = 128;  // 4 KiB: small enough for 10,000 lanes

  std::array<PendingEvent, kEvents> events;
  std::uint64_t bytes_before = 0;  // bytes that the lane had used when the chunk was added
  // Full chunks of words. They are freed together with this chunk, because no event in a later event chunk
  // refers to them.
  std::vector<WordChunk> words, large_words;
};

// Several threads may use a pool at the same time. If possible, the thread that made the pool gets the chunks
// that it gave back itself, because its core has them in the cache.
class ChunkPool {
 public:
  static constexpr std::size_t kWordsPerChunk = 512;  // 4 KiB

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
    Free& free = free_.at(here());
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
  // Returns null if no chunk is free. The caller then allocates one, without holding the lock.
  template <typename Chunk>
  Chunk take(std::vector<Chunk> Free::*member) {
    const std::lock_guard lock(mutex_);
    for (const std::size_t thread : {here(), 1 - here()}) {
      std::vector<Chunk>& chunks = free_.at(thread).*member;
      if (chunks.empty()) continue;
      Chunk chunk = std::move(chunks.back());
      chunks.pop_back();
      return chunk;
    }
    return nullptr;
  }

  std::size_t here() const { return std::this_thread::get_id() == maker_ ? 0 : 1; }

  std::mutex mutex_;
  std::thread::id maker_ = std::this_thread::get_id();
  // [0]: chunks given back by the thread that made the pool; [1]: chunks given back by other threads
  std::array<Free, 2> free_;
};

// The argument blocks of one lane. A block is an ArgumentBlockHeader and the words of the arguments. When a
// chunk of words is full, it is stored in the event chunk that is being filled. Therefore, a block lives at
// least as long as the events that refer to it.
class ArgumentArena {
 public:
  explicit ArgumentArena(ChunkPool& pool) : pool_(&pool) {}

  // Adds a block of `words` words, and sets its header. Returns the first word after the header. Returns null
  // if the block is larger than kLargeBlock, or if the chunk has no room.
  std::uint64_t* try_add(std::size_t count, std::size_t words) {
    const std::size_t size = words + 1;
    if (size > std::min(kLargeBlock, left())) return nullptr;
    word_ += size;
    return fill_header(word_ - size, count, words);
  }
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
  // For code that packs arguments itself. Returns memory for a block of at most `words` words. commit() then
  // adds the block. Like try_add(), returns null if the block is too large or the chunk has no room.
  std::uint64_t* try_reserve(std::size_t words) const {
    return words + 1 > std::min(kLargeBlock, left()) ? nullptr : word_ + 1;
  }
  const std::uint64_t* commit(const PackedArguments& packed) {
    std::uint64_t* const block = std::exchange(word_, packed.end);
    fill_header(block, packed.count, static_cast<std::size_t>(packed.end - block) - 1);
    return block;
  }
  // Returns memory for at most `words` words that are appended to `block`. commit_behind() then appends them.
  // Returns null if `block` is null or is not the latest block, or if the chunk has no room.
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
  // Frees a block. Returns false if the block is not the latest one.
  bool remove_latest(const std::uint64_t* block) {
    if (!is_latest(block)) return false;
    const std::size_t size = ArgumentBlockHeader::Words::get(*block) + 1;
    word_ -= size;
    bytes_ -= size * sizeof(std::uint64_t);
    return true;
  }
  // Must be called after the last block. `chunk` is the event chunk that was filled last.
  void close(EventChunk& chunk) {
    if (words_ != nullptr) chunk.words.push_back(std::move(words_));
    word_ = end_ = nullptr;
  }
  // The bytes of all blocks since the start of the lane.
  std::uint64_t bytes() const { return bytes_; }

  // Copies word by word. A load of two words would be slow, because the words were just stored one by one.
  static std::uint64_t* copy(std::span<const std::uint64_t> words, std::uint64_t* to) {
    for (const std::uint64_t word : words) {
      *to++ = word;
      asm("" ::: "memory");  // prevents compilers from merging the steps
    }
    return to;
  }

 private:
  // A larger block gets an allocation of its own.
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

// ---- Events ----
//
// First, events are added and may change. Then they are sealed. Finally, the merge consumes them.

// Zero or more adjacent sealed events of a lane, in order. None of them is Open. If they are the last events
// of a chunk, the SealedEvents own the chunk.
struct SealedEvents {
  std::span<PendingEvent> events;
  std::unique_ptr<EventChunk> chunk = nullptr;
  // The size of the events and of their argument blocks. If a chunk is sealed in parts, the blocks may
  // count only in the bytes of the last part.
  std::size_t bytes = 0;
};

class EventQueue {
 public:
  explicit EventQueue(ChunkPool& pool) : pool_(&pool), blocks_(pool) {}

  // The next functions add events.

  // True if add_chunk() must be called before the next event is added.
  bool is_full() const { return write_ == write_end_; }
  void add_chunk();
  PendingEvent* add() { return write_++; }
  // Removes a call and its arguments. Returns false if the call is not the latest event.
  bool remove_latest(const PendingEvent& call) {
    if (&call + 1 != write_ || (call.block != nullptr && !blocks_.remove_latest(call.block))) return false;
    --write_;
    return true;
  }
  bool is_first(const PendingEvent& event) const { return &event == first_; }
  // Removes an open call, which will not be emitted.
  void retract(PendingEvent* event);

  // The argument blocks, see ArgumentArena. is_full() must be false before new_block().
  std::uint64_t* new_block(std::size_t count, std::size_t words) {
    return blocks_.add(count, words, *filling_.back());
  }
  ArgumentArena& blocks() { return blocks_; }

  // The place of the next event, and the end of the chunk. Lane::run() writes events there itself.
  PendingEvent* write() const { return write_; }
  PendingEvent* write_end() const { return write_end_; }
  void set_write(PendingEvent* write) { write_ = write; }

  // The bytes that were used since the start of the lane. bytes_used() counts all arguments and all full
  // chunks of events. bytes_before() counts the bytes before `event`, which must be unsealed. It does not
  // count the arguments of events in the same chunk.
  std::uint64_t bytes_used() const { return event_bytes_ + blocks_.bytes(); }
  std::uint64_t bytes_before(const PendingEvent* event) const {
    const EventChunk& chunk = *chunk_of(event);
    return chunk.bytes_before + static_cast<std::size_t>(event - chunk.events.data()) * sizeof(PendingEvent);
  }

  // The next functions seal events. No thread may add events at the same time.

  // Seals all events before `end`, or all events if `end` is null. Returns the size of the sealed events in
  // bytes.
  std::size_t seal_before(PendingEvent* end);
  // Must be called when all events are sealed and no more will come. The merge then frees the last chunk.
  void close();
  bool has_unsealed() const { return unsealed_ != nullptr && unsealed_ != write_; }
  std::uint64_t first_unsealed_ns() const { return unsealed_->time_ns; }  // has_unsealed() must be true
  bool has_events() const { return first_sealed() != sealed_.end() || has_unsealed(); }
  std::uint64_t first_ns() const {
    const auto sealed = first_sealed();
    return sealed != sealed_.end() ? sealed->events.front().time_ns : first_unsealed_ns();
  }

  // The next functions consume sealed events. Meanwhile, another thread may add events.

  bool has_sealed() const { return popped_ != sealed_.size(); }
  // has_sealed() must be true. The events are valid until the pool gets their chunk back.
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
  std::vector<std::unique_ptr<EventChunk>> filling_;  // chunks with unsealed events
  const PendingEvent* first_ = nullptr;
  PendingEvent* unsealed_ = nullptr;  // the first unsealed event, in filling_.front()
  PendingEvent* write_ = nullptr;     // the place of the next event, in filling_.back()
  PendingEvent* write_end_ = nullptr;
  ArgumentArena blocks_;
  std::uint64_t event_bytes_ = 0;   // bytes of all full event chunks so far
  std::uint64_t sealed_bytes_ = 0;  // sum of all SealedEvents::bytes so far
  std::size_t retracted_ = 0;       // number of retracted calls among the unsealed events
  std::vector<SealedEvents> sealed_;
  std::size_t popped_ = 0;  // number of elements of sealed_ that were consumed
};

// ---- All contents ----

struct LaneCounters {
  TooDeepCount too_deep;
  // Arguments that were dropped, because the records of their event had no room for them.
  std::uint64_t cut_arguments = 0;
  // Calls that were dropped, because they end before the time that skip_calls_before() has set.
  std::uint64_t skipped_calls = 0;
};

// Passes events to the merge when no call before them is pending. If a pending call holds back too many
// events, it is released: its start is passed on before its end is known.
class LaneStore {
 public:
  explicit LaneStore(ChunkPool& pool) : queue_(pool) {}
  LaneStore(const LaneStore&) = delete;
  LaneStore& operator=(const LaneStore&) = delete;

  EventQueue& queue() { return queue_; }
  OpenCallStack& calls() { return calls_; }
  const OpenCallStack& calls() const { return calls_; }
  LaneCounters& counters() { return counters_; }

  // The next functions are for the lane, which adds events.

  void make_room() {
    if (queue_.is_full()) add_chunk();
  }
  PendingEvent* add() {
    make_room();
    return queue_.add();
  }
  std::uint64_t* new_block(std::size_t count, std::size_t words);
  // Removes a call that ends at `end_ns`. Returns false, and removes nothing, if the call must be emitted or
  // is not the latest event.
  bool skip(const PendingEvent& call, std::uint64_t end_ns) {
    if (end_ns >= needed_from_ns_ || queue_.is_first(call) || !queue_.remove_latest(call)) return false;
    ++counters_.skipped_calls;
    return true;
  }
  std::uint64_t needed_from_ns() const { return needed_from_ns_; }

  // The next functions hand events over to the merge. No thread may fill the lane at the same time.

  // Sets the memory limit. A pending call is released if it holds back more than `bytes`.
  void set_held_bytes_limit(std::size_t bytes) { held_bytes_limit_ = bytes; }
  // From now on, a call that ends before `time_ns` need not be emitted, unless something inside it is
  // emitted. The lane's first event is always emitted.
  void skip_calls_before(std::uint64_t time_ns) { needed_from_ns_ = time_ns; }
  // Seals the events before the oldest pending call. Returns the size of these events in bytes.
  std::size_t seal();
  // Releases the oldest pending call. queue().has_unsealed() must be true.
  void release_oldest();

 private:
  void add_chunk();
  void limit_held_bytes();

  EventQueue queue_;
  OpenCallStack calls_;
  std::size_t held_bytes_limit_ = ~std::size_t{0};
  std::uint64_t needed_from_ns_ = 0;
  LaneCounters counters_;
};

}  // namespace convert
