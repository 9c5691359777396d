// Some of the hits of a track, spread evenly over all: where they were, for who looks for the track's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "converters/model/merging/thread_match.h"

namespace convert::tfile {

class MarkSample {
 public:
  static constexpr std::size_t kMost = 2048;

  void add(std::uint64_t time_ns, std::uint64_t address) {
    if ((seen_++ & between_) != 0) return;
    if (marks_.size() == kMost) halve();
    marks_.push_back({time_ns, address});
  }
  std::vector<ThreadMark> take() { return std::exchange(marks_, {}); }

 private:
  // Keeps every second one, now and from now on. As they are an even number, the next one is kept.
  void halve() {
    for (std::size_t i = 0; i < kMost / 2; ++i) marks_[i] = marks_[2 * i];
    marks_.resize(kMost / 2);
    between_ = 2 * between_ + 1;
  }

  std::vector<ThreadMark> marks_;
  std::uint64_t seen_ = 0;
  std::uint64_t between_ = 0;  // hits between two of them; a power of two, less one
};

}  // namespace convert::tfile
