// Shows the callers of hits as calls around the hits. If consecutive hits of a thread have the same caller,
// its call lasts from the first to the last of these hits. Frames without callers, and frames on other lanes,
// are not inside the call.
//
//     hits       leaf    leaf          leaf
//     callers    main    work < main   main
//     calls      [main           ]     lasts from the first hit to the last one, because all hits have it
//                        [work]        has no length, because only one hit has it
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/tfile/events/recipe.h"

namespace convert::tfile {

// The end time of a lane's top call, which was last seen at `seen_ns`. If the timeline has already emitted
// the start of the call, the end is not before `announced_ns`, the latest watermark of the source.
inline std::uint64_t end_of_top_call(const Lane& lane, std::uint64_t seen_ns, std::uint64_t announced_ns) {
  const std::uint64_t end_ns = lane.clamped(seen_ns);
  return lane.calls().back().is_pending() ? end_ns : std::max(end_ns, announced_ns);
}

class CallerCalls {
 public:
  bool empty() const { return open_.empty(); }

  // Must be called before a hit at `time_ns`, with its callers, innermost first. Ends open calls that are not
  // callers of the hit. Begins callers that are not open. Does nothing if the lane has other open calls.
  void show(Lane& lane, std::span<const CallerCall> callers, std::uint64_t time_ns,
            std::uint64_t announced_ns) {
    auto found = open_.find(&lane);
    if (found == open_.end()) {
      if (callers.empty() || lane.depth() > 0) return;
      found = open_.try_emplace(&lane).first;
    }
    std::vector<CallerCall>& open = found->second;  // outermost first
    if (lane.depth() > open.size()) return;
    // Earlier hits may have shown more callers than this hit. Therefore, the outermost caller of this hit may
    // be any of the open calls.
    std::size_t shared = 0;
    while (!callers.empty() && shared < open.size() && !open[shared].is_same(callers.back())) ++shared;
    std::size_t left = callers.size();  // number of callers that are not open yet
    if (callers.empty() || shared == open.size()) shared = 0;
    for (; shared < open.size() && left > 0 && open[shared].is_same(callers[left - 1]); --left) ++shared;
    end(lane, open, shared, announced_ns);
    for (; left > 0; --left) {
      open.push_back(callers[left - 1]);
      lane.begin(time_ns, open.back().label);
    }
    if (open.empty()) open_.erase(found);
  }

  void end_all(std::uint64_t announced_ns) {
    for (auto& [lane, open] : open_) end(*lane, open, 0, announced_ns);
    open_.clear();
  }

 private:
  // Keeps the first `kept` calls open. Ends the others at the lane's latest event, which is the last hit
  // with these calls.
  static void end(Lane& lane, std::vector<CallerCall>& open, std::size_t kept, std::uint64_t announced_ns) {
    for (; open.size() > kept; open.pop_back()) lane.end(end_of_top_call(lane, lane.last_ns(), announced_ns));
  }

  std::map<Lane*, std::vector<CallerCall>> open_;
};

}  // namespace convert::tfile
