// The times of the records that were read so far: the next one's time is held against them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "converters/model/lanes/event.h"

namespace convert::uftrace {

// A record this much later than the one before it (about 66 us) has its time compared with those after it.
inline constexpr std::uint64_t kExaminedGapNs = std::uint64_t{1} << 16;

// Records this close (about 4 ms) belong together, whatever else may be damaged.
inline constexpr std::uint64_t kCloseNs = std::uint64_t{1} << 22;

class RecordTimes {
 public:
  // The latest time of an entry or exit.
  std::uint64_t seen_ns() const { return seen_ns_; }
  // Later times may be damaged.
  std::uint64_t trusted_until_ns() const { return trusted_until_ns_; }
  // Where damage is, the latest times may be damaged, too, by less than what is examined: the next record may
  // be that much earlier.
  std::uint64_t after_damage_ns() const {
    const std::uint64_t time_ns = before_last_ns_ != 0 ? std::min(last_ns_, before_last_ns_) : last_ns_;
    return time_ns > kCloseNs ? time_ns - kCloseNs : time_ns;
  }

  // A run of plain calls ended with one at that time.
  void add_plain(std::uint64_t time_ns) {
    last_ns_ = time_ns;
    seen_ns_ = std::max(seen_ns_, time_ns);
  }
  // A call or an event came as an item.
  void add_item(std::uint64_t time_ns, bool is_call) {
    before_last_ns_ = std::exchange(last_ns_, time_ns);
    if (!is_call) return;
    seen_ns_ = std::max(seen_ns_, time_ns);
    trusted_until_ns_ = std::min(kTimeLimitNs, seen_ns_ + kExaminedGapNs);
  }

 private:
  std::uint64_t seen_ns_ = 0;
  std::uint64_t last_ns_ = 0;         // the time of the last record that has one
  std::uint64_t before_last_ns_ = 0;  // of the one before it, if that came as an item
  std::uint64_t trusted_until_ns_ = 0;
};

}  // namespace convert::uftrace
