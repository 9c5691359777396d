// Reads frames of known patterns by comparing bytes, without walking blocks. The survey and the source of the
// events use it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_pattern.h"
#include "converters/tfile/frames/frame_reader.h"

namespace convert::tfile {

class PatternReader {
 public:
  struct Match {
    std::size_t pattern = 0;  // patterns are numbered from 0, in the order in which they were learned
    std::span<const std::byte> bytes;  // begins with the frame's header; valid until the reader moves
    // These are two members instead of a std::optional, which the compiler would write in two parts and read
    // as a whole. Such a read must wait for both writes.
    bool has_stamp = false;
    std::uint64_t stamp_ns = 0;

    std::optional<std::uint64_t> stamp() const { return has_stamp ? std::optional(stamp_ns) : std::nullopt; }
  };

  PatternReader(FrameReader& reader, const Description& description, std::endian order)
      : reader_(reader), stamps_(description), order_(order) {}

  StampReader& stamps() { return stamps_; }

  // Returns the next frame of the reader. Returns null if its pattern is unknown, or if it has an impossible
  // timestamp. The next call overwrites the result.
  const Match* peek() {
    match_.bytes = reader_.peek();
    match_.pattern = patterns_.find(match_.bytes);
    if (match_.pattern == FramePatterns::kNone) return nullptr;
    const Known& known = known_[match_.pattern];
    match_.has_stamp = known.stamp_offset.has_value();
    if (match_.has_stamp) {
      const auto stamp_ns = stamps_.stamp_ns(match_.bytes, *known.stamp_offset, order_);
      if (!stamp_ns) return nullptr;
      match_.stamp_ns = *stamp_ns;
    }
    return &match_;
  }
  void skip(const Match& match) { reader_.skip_frame(known_[match.pattern].size); }

  // Learns the pattern of a frame that FrameReader::next() returned. Returns false if the frame is not a good
  // example, or if there were too many tries with frames of this tracepoint.
  bool learn(const Frame& frame, bool has_stamp) {
    if (!patterns_.wants_another(frame)) return false;
    auto pattern = FramePattern::pattern_of(frame);
    if (!pattern || !stamps_.is_simple(*pattern)) return false;
    const auto stamp_offset = stamps_.stamp_offset(*pattern);
    if (stamp_offset.has_value() != has_stamp) return false;  // the frame's own timestamp is impossible
    known_.push_back({.size = pattern->size(), .stamp_offset = stamp_offset});
    patterns_.add(frame, *std::move(pattern));
    return true;
  }

 private:
  struct Known {
    std::size_t size;  // bytes, header included
    std::optional<std::size_t> stamp_offset;
  };

  FrameReader& reader_;
  StampReader stamps_;
  std::endian order_;
  FramePatterns patterns_;
  std::vector<Known> known_;  // by pattern
  Match match_;
};

}  // namespace convert::tfile
