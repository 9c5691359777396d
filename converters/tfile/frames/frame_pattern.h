// Frames that look alike: of one tracepoint, with the same memory and variables recorded in the same order.
// Most traces of small frames hold millions of a few patterns; a comparison tells them, their blocks need no
// walk.
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

  // Nothing for frames that are damaged, too large or too small, or hold registers or static data.
  static std::optional<FramePattern> of(const Frame& frame);

  // Whether a frame of this pattern stands at the beginning of `bytes`.
  bool matches(std::span<const std::byte> bytes) const {
    if (bytes.size() < size_) return false;
    std::uint64_t difference = 0;
    for (const Word& word : words_) {
      std::uint64_t found;
      std::memcpy(&found, bytes.data() + word.offset, sizeof found);
      difference |= (found & word.mask) ^ word.expected;
    }
    return difference == 0;
  }
  std::size_t size() const { return size_; }  // header included

  // Where such frames hold the value of a variable, the last one if there are several; from the header on.
  std::optional<std::size_t> value_of(std::uint64_t variable) const;

 private:
  // Eight bytes of a frame, and which of their bits are the same in all.
  struct Word {
    std::size_t offset;
    std::uint64_t mask, expected;
  };
  struct Variable {
    std::uint64_t number;
    std::size_t offset;  // of its value
  };

  std::size_t size_ = 0;
  std::vector<Word> words_;
  std::vector<Variable> variables_;
};

// The patterns met so far, by tracepoint. There are never more than a few of one tracepoint, and of all a few
// thousand.
class FramePatterns {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::size_t kMost = 4096;

  // The number of the pattern of the frame at the beginning of `bytes`, or kNone.
  std::size_t find(std::span<const std::byte> bytes) const {
    if (bytes.size() < FramePattern::kMinBytes) return kNone;
    for (std::uint32_t next = lists_[key_of(bytes)].first; next != 0; next = entries_[next - 1].next)
      if (entries_[next - 1].pattern.matches(bytes)) return next - 1;
    return kNone;
  }

  // For a frame without a known pattern: whether it is worth trying to make one. Each question counts as a
  // try, so that not every frame of a motley trace makes its own.
  bool wants_another(const Frame& frame);
  // Patterns are numbered from 0 on.
  void add(const Frame& frame, FramePattern pattern);

 private:
  static constexpr std::uint8_t kMaxTries = 8;  // of one tracepoint

  struct List {
    std::uint32_t first = 0;  // entry number + 1, 0: none
    std::uint8_t tries = 0;
  };
  struct Entry {
    FramePattern pattern;
    std::uint32_t next;  // as List::first
  };
  // The bytes of the tracepoint number, whatever their order.
  static std::size_t key_of(std::span<const std::byte> bytes) {
    std::uint16_t key;
    std::memcpy(&key, bytes.data(), sizeof key);
    return key;
  }

  std::vector<List> lists_ = std::vector<List>(0x10000);
  std::vector<Entry> entries_;
};

}  // namespace convert::tfile
