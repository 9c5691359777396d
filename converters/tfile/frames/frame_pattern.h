// Frames of one pattern come from one tracepoint and have the same blocks: memory at the same addresses and
// the same variables, in the same order. Large traces have millions of frames of a few patterns. Comparing
// the bytes of a frame with a pattern is faster than walking its blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "converters/tfile/frames/frame_reader.h"

namespace convert::tfile {

class FramePattern {
 public:
  static constexpr std::size_t kMinBytes = sizeof(std::uint64_t), kMaxBytes = 256;  // header included

  // Returns nothing for a frame that is damaged, is too large or too small, or has registers or static data.
  static std::optional<FramePattern> pattern_of(const Frame& frame);

  // True if `bytes` begin with a frame of this pattern.
  bool matches(std::span<const std::byte> bytes) const {
    if (bytes.size() < size_) return false;
    for (const Word& word : words_) {
      std::uint64_t found;
      std::memcpy(&found, bytes.data() + word.offset, sizeof found);
      if ((found & word.mask) != word.expected) return false;
    }
    return true;
  }
  std::size_t size() const { return size_; }  // header included

  // The offset of a variable's value, counted from the start of the header. If the frame has several values
  // of the variable, this is the offset of the last one.
  std::optional<std::size_t> value_of(std::uint64_t variable) const;

 private:
  // Describes the eight bytes at `offset`. In all frames of the pattern, the bits in `mask` have the values
  // in `expected`.
  struct Word {
    std::size_t offset;
    std::uint64_t mask, expected;
  };
  struct Variable {
    std::uint64_t number;
    std::size_t offset;
  };

  std::size_t size_ = 0;
  std::vector<Word> words_;
  std::vector<Variable> variables_;
};

// The learned patterns: at most a few per tracepoint, and a few thousand in all.
class FramePatterns {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::size_t kMaxPatterns = 4096;

  // `bytes` begin with a frame. Returns the number of its pattern, or kNone.
  std::size_t find(std::span<const std::byte> bytes) const {
    if (bytes.size() < FramePattern::kMinBytes) return kNone;
    for (std::uint32_t next = lists_[key_of(bytes)].first; next != 0; next = entries_[next - 1].next)
      if (entries_[next - 1].pattern.matches(bytes)) return next - 1;
    return kNone;
  }

  // Call this for a frame of an unknown pattern. Returns true if the pattern should be learned. Each call
  // counts as a try, and a tracepoint has only a few tries. Without this limit, every frame of an irregular
  // trace would add a pattern.
  bool wants_another(const Frame& frame);
  void add(const Frame& frame, FramePattern pattern);

 private:
  static constexpr std::uint8_t kMaxTries = 8;  // for one tracepoint

  struct List {
    std::uint32_t first = 0;  // number of the first entry + 1; 0 in an empty list
    std::uint8_t tries = 0;
  };
  struct Entry {
    FramePattern pattern;
    std::uint32_t next;  // like List::first
  };
  // A frame begins with the two bytes of the tracepoint's number. The key may have them in any order.
  static std::size_t key_of(std::span<const std::byte> bytes) {
    std::uint16_t key;
    std::memcpy(&key, bytes.data(), sizeof key);
    return key;
  }

  std::vector<List> lists_ = std::vector<List>(0x10000);
  std::vector<Entry> entries_;
};

}  // namespace convert::tfile
