// The times of the records so far. The time of the next record is compared with them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "converters/model/lanes/event.h"

namespace convert::uftrace {

// If a record is this much later than the previous one (about 66 us), its time is compared with the times
// after it.
inline constexpr std::uint64_t kExaminedGapNs = std::uint64_t{1} << 16;

// Records this close (about 4 ms) belong together, even if other parts are damaged.
inline constexpr std::uint64_t kCloseNs = std::uint64_t{1} << 22;

class RecordTimes {
 public:
  // The latest time of an entry or exit.
  std::uint64_t seen_ns() const { return seen_ns_; }
  // Times after this one may be damaged.
  std::uint64_t trusted_until_ns() const { return trusted_until_ns_; }
  // The limit for times after damage. The latest times may be damaged themselves, by an amount too small to
  // be examined, so the next record may be earlier by that amount.
  std::uint64_t after_damage_ns() const {
    const std::uint64_t time_ns = before_last_ns_ != 0 ? std::min(last_ns_, before_last_ns_) : last_ns_;
    return time_ns > kCloseNs ? time_ns - kCloseNs : time_ns;
  }

  // Takes the time of the last call in a run of plain calls.
  void add_plain(std::uint64_t time_ns) {
    last_ns_ = time_ns;
    seen_ns_ = std::max(seen_ns_, time_ns);
  }
  // Takes the time of a call or event that was an item.
  void add_item(std::uint64_t time_ns, bool is_call) {
    before_last_ns_ = std::exchange(last_ns_, time_ns);
    if (!is_call) return;
    seen_ns_ = std::max(seen_ns_, time_ns);
    trusted_until_ns_ = std::min(kTimeLimitNs, seen_ns_ + kExaminedGapNs);
  }

 private:
  std::uint64_t seen_ns_ = 0;
  std::uint64_t last_ns_ = 0;         // time of the last record that has one
  std::uint64_t before_last_ns_ = 0;  // time of the record before it, if that was an item
  std::uint64_t trusted_until_ns_ = 0;
};

}  // namespace convert::uftrace
