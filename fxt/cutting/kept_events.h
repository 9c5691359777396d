// Which events of a thread are taken, where not all are. Internal to the Cutter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "fxt/records.h"

namespace fxt {

class KeptEvents {
 public:
  // An event of the trace: whether it is taken. An end goes with its begin, whatever it is called.
  bool take(const Event& event, const std::function<bool(const Event&)>& keeps) {
    Durations& durations = threads_[{event.thread.process, event.thread.thread}];
    if (event.type == EventType::DurationEnd && !durations.open.empty()) {
      const bool is_kept = durations.open.back();
      durations.open.pop_back();
      return is_kept;
    }
    const bool is_kept = keeps(event);
    if (event.type == EventType::DurationBegin) durations.open.push_back(is_kept);
    if (event.type == EventType::DurationComplete && is_kept)
      durations.complete_until = std::max(durations.complete_until, event.end);
    return is_kept;
  }
  // Whether a duration that is taken lies around it.
  bool is_in_duration(const Event& event) const {
    const auto found = threads_.find({event.thread.process, event.thread.thread});
    return found != threads_.end() &&
           (event.time <= found->second.complete_until || std::ranges::count(found->second.open, true) != 0);
  }

 private:
  struct Durations {
    std::vector<bool> open;            // by their begins: whether they are taken
    std::uint64_t complete_until = 0;  // the latest end of those that are, and said in one
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Durations> threads_;  // by process and thread
};

}  // namespace fxt
