// The open while-stepping calls: a hit with steps is a call that ends with its last step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "converters/model/lanes/lane.h"

namespace convert::tfile {

class SteppingCalls {
 public:
  bool empty() const { return open_.empty(); }

  // For a hit whose call was begun on its lane.
  void open(Lane& lane, std::int16_t tracepoint, std::uint64_t time_ns) {
    open_.push_back({.lane = &lane, .tracepoint = tracepoint, .is_over = false, .last_step_ns = time_ns});
  }

  // For a step: its call lasts at least until then.
  void extend(const Lane& lane, std::int16_t tracepoint, std::uint64_t time_ns) {
    const auto call = std::find_if(open_.rbegin(), open_.rend(), [&](const Call& open) {
      return open.lane == &lane && open.tracepoint == tracepoint && !open.is_over;
    });
    if (call != open_.rend()) call->last_step_ns = time_ns;
  }

  // Ends the open call of the tracepoint, or all calls of the lane without a tracepoint. A call that has
  // others inside ends with the last of them. Out of line: frames of traces without steps only pass by.
  [[gnu::noinline]] void end(Lane& lane, std::optional<std::int16_t> tracepoint) {
    for (Call& call : open_)
      if (call.lane == &lane && (!tracepoint || call.tracepoint == *tracepoint)) call.is_over = true;
    for (;;) {
      const auto innermost =
          std::find_if(open_.rbegin(), open_.rend(), [&](const Call& call) { return call.lane == &lane; });
      if (innermost == open_.rend() || !innermost->is_over) return;
      lane.end(std::max(innermost->last_step_ns, lane.last_ns()));
      open_.erase(std::next(innermost).base());
    }
  }
  void end_all() {
    while (!open_.empty()) end(*open_.back().lane, std::nullopt);
  }

 private:
  struct Call {
    Lane* lane;
    std::int16_t tracepoint;
    bool is_over = false;  // it ends as soon as the calls inside it have ended
    std::uint64_t last_step_ns = 0;
  };
  std::vector<Call> open_;  // innermost last
};

}  // namespace convert::tfile
