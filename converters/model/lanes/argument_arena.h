// The memory for what belongs to a lane's slots: blocks of words, side by side in chunks. Words live as long
// as the slots of the chunk that is being filled when their own chunk is full: all that use them stand there
// or before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "converters/model/lanes/chunk.h"
#include "converters/model/lanes/pending_event.h"

namespace convert {

class ArgumentArena {
 public:
  explicit ArgumentArena(ChunkPool& pool) : pool_(&pool) {}

  // Room for a block of `words` words behind its header, which is filled in. Null if it needs new memory.
  std::uint64_t* try_add(std::size_t count, std::size_t words) {
    const std::size_t size = words + 1;
    if (size > std::min(kLargeBlock, left())) return nullptr;
    word_ += size;
    return filled_in(word_ - size, count, words);
  }
  // The same with new memory; `chunk` is the one of slots that is being filled.
  std::uint64_t* add(std::size_t count, std::size_t words, EventChunk& chunk) {
    const std::size_t size = words + 1;
    if (size > kLargeBlock) {
      chunk.large_words.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(size));
      return filled_in(chunk.large_words.back().get(), count, words);
    }
    if (words_ != nullptr) chunk.words.push_back(std::move(words_));
    words_ = pool_->take_words();
    word_ = words_.get() + size;
    end_ = words_.get() + ChunkPool::kWordsPerChunk;
    return filled_in(words_.get(), count, words);
  }
  // Adds `more` to a block, of which there are `count` arguments then. Null if it is not the latest one
  // (which it mostly is), or there is no room behind it.
  const std::uint64_t* lengthen(const std::uint64_t* block, std::span<const std::uint64_t> more,
                                std::size_t count) {
    if (block == nullptr || !is_latest(block) || more.size() > left()) return nullptr;
    const std::size_t words = ArgumentBlockHeader::Words::get(*block);
    std::uint64_t* const header = word_ - words - 1;
    *header = ArgumentBlockHeader::Count::put(count) | ArgumentBlockHeader::Words::put(words + more.size());
    word_ = copy(more, word_);
    bytes_ += more.size_bytes();
    return header;
  }
  // Takes a block back; false if it is not the latest one.
  bool remove_latest(const std::uint64_t* block) {
    if (!is_latest(block)) return false;
    const std::size_t size = ArgumentBlockHeader::Words::get(*block) + 1;
    word_ -= size;
    bytes_ -= size * sizeof(std::uint64_t);
    return true;
  }
  // Of all blocks.
  std::uint64_t bytes() const { return bytes_; }

  // Word by word: rows are short, and just written so. Reading two words at once would wait for both stores.
  static std::uint64_t* copy(std::span<const std::uint64_t> row, std::uint64_t* to) {
    for (const std::uint64_t word : row) {
      *to++ = word;
      asm("" ::: "memory");  // keeps compilers from making a larger step of it
    }
    return to;
  }

 private:
  // Longer blocks get memory of their own.
  static constexpr std::size_t kLargeBlock = ChunkPool::kWordsPerChunk / 4;

  std::size_t left() const { return static_cast<std::size_t>(end_ - word_); }
  bool is_latest(const std::uint64_t* block) const {
    return block + ArgumentBlockHeader::Words::get(*block) + 1 == word_;
  }
  std::uint64_t* filled_in(std::uint64_t* block, std::size_t count, std::size_t words) {
    *block = ArgumentBlockHeader::Count::put(count) | ArgumentBlockHeader::Words::put(words);
    bytes_ += (words + 1) * sizeof(std::uint64_t);
    return block + 1;
  }

  ChunkPool* pool_;
  WordChunk words_;
  std::uint64_t* word_ = nullptr;  // where the next block goes, in words_
  std::uint64_t* end_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace convert
