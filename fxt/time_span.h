// The span from the first to the last time of a trace's events. Tracy's times have 48 bits, so it is limited
// (fxt-notes W5). The Writer and the Checker share this rule.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fxt/format.h"

namespace fxt {

class TimeSpan {
 public:
  explicit TimeSpan(std::uint64_t limit = kSpanLimit, std::uint64_t latest = kTimeLimit - 1)
      : longest_(limit - 1), latest_(latest), latest_end_(latest) {}

  // Whether the trace may reach from `begin` to `end` at least.
  bool fits(std::uint64_t begin, std::uint64_t end) const {
    return end <= latest_end_ && (begin >= first_ || std::max(last_, end) - begin <= longest_);
  }
  // Extends the span to both times.
  void extend(std::uint64_t begin, std::uint64_t end) {
    if (begin < first_) {
      first_ = begin;
      latest_end_ = latest_ - begin > longest_ ? begin + longest_ : latest_;
    }
    extend_end(end);
  }
  // The same for an event that begins no earlier than one before it.
  bool fits_end(std::uint64_t end) const { return end <= latest_end_; }
  void extend_end(std::uint64_t end) { last_ = std::max(last_, end); }

  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return last_; }

 private:
  std::uint64_t longest_, latest_;
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0;
  std::uint64_t latest_end_;
};

}  // namespace fxt
