// Sorts frames by time if their timestamps are not in order. Frames wait here with a copy of their bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

struct WaitingFrame {
  Frame frame;  // its blocks are in `bytes`
  std::vector<std::byte> bytes;
  FrameContext context;
  FrameTime time;
};

class FrameQueue {
 public:
  bool empty() const { return frames_.empty(); }
  // True if the earliest frame must leave. In this case, more frames wait than any known tracer reorders, or
  // the waiting frames have too many bytes.
  bool is_full() const { return frames_.size() > kMaxFrames || bytes_ > kMaxBytes; }

  void push(const Frame& frame, const FrameContext& context, const FrameTime& time) {
    WaitingFrame& added = frames_.emplace_back();
    added.frame = frame;
    added.context = context;
    added.time = time;
    added.bytes.assign(frame.bytes.begin(), frame.bytes.end());
    added.frame.bytes = added.bytes;
    for (Block& block : added.frame.blocks) {
      const auto offset = static_cast<std::size_t>(block.bytes.data() - frame.bytes.data());
      block.bytes = added.frame.bytes.subspan(offset, block.bytes.size());
    }
    bytes_ += added.bytes.size();
    std::ranges::push_heap(frames_, std::greater{}, key);
  }

  WaitingFrame pop_earliest() {
    std::ranges::pop_heap(frames_, std::greater{}, key);
    WaitingFrame earliest = std::move(frames_.back());
    frames_.pop_back();
    bytes_ -= earliest.bytes.size();
    return earliest;
  }

 private:
  static constexpr std::size_t kMaxFrames = 4096;
  static constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

  static std::pair<std::uint64_t, std::uint64_t> key(const WaitingFrame& waiting) {
    return {waiting.time.ns, waiting.frame.number};
  }

  std::vector<WaitingFrame> frames_;  // a heap with the earliest frame on top
  std::size_t bytes_ = 0;
};

}  // namespace convert::tfile
