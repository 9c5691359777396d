// Reads frames of known patterns by comparing their bytes, without walking their blocks. Both passes over a
// trace file use it: the survey, and the source that emits events.
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
    std::size_t pattern;  // patterns are numbered from 0, in the order in which they were learned
    std::span<const std::byte> bytes;  // begin with the frame's header; valid until the reader moves
    std::optional<std::uint64_t> stamp_ns;
  };

  // Borrows both.
  PatternReader(FrameReader& reader, StampReader& stamps, std::endian order)
      : reader_(reader), stamps_(stamps), order_(order) {}

  // The next frame of the reader, if its pattern is known and its time stamp, if it has one, is possible.
  std::optional<Match> peek() {
    const auto bytes = reader_.peek();
    const std::size_t pattern = patterns_.find(bytes);
    if (pattern == FramePatterns::kNone) return std::nullopt;
    Match match{.pattern = pattern, .bytes = bytes, .stamp_ns = std::nullopt};
    if (const auto offset = known_[pattern].stamp_offset) {
      match.stamp_ns = stamps_.stamp_ns(bytes, *offset, order_);
      if (!match.stamp_ns) return std::nullopt;
    }
    return match;
  }
  // Moves the reader behind the frame.
  void skip(const Match& match) { reader_.skip_frame(known_[match.pattern].size); }

  // Learns the pattern of a frame that next() returned; false when the frame is no good example. After a few
  // examples of one tracepoint, all others are refused.
  bool learn(const Frame& frame, bool has_stamp) {
    if (!patterns_.wants_another(frame)) return false;
    auto pattern = FramePattern::of(frame);
    if (!pattern || !stamps_.is_simple(*pattern)) return false;
    const auto stamp_offset = stamps_.stamp_offset(*pattern);
    if (stamp_offset.has_value() != has_stamp) return false;  // the frame's own stamp is impossible
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
  StampReader& stamps_;
  std::endian order_;
  FramePatterns patterns_;
  std::vector<Known> known_;  // by pattern
};

}  // namespace convert::tfile
