// Lane::take_run(): plain calls in bulk, without a branch on whether a record begins or ends a call. Half of
// such branches are mispredicted, and then cost more than all the rest.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "converters/model/lanes/lane.h"
#include "converters/model/lanes/mask.h"

namespace convert {

// What a decoder makes of one record.
struct PlainCall {
  std::uint64_t time_ns = 0;
  std::uint64_t key = 0;
  std::size_t depth = 0;       // of the call; any number
  LabelId label{};             // of a begin
  std::uint64_t is_end = 0;    // 0 or 1
  std::uint64_t mismatch = 0;  // 0 if it is a plain call
};

template <typename Decode>
std::size_t Lane::take_run(std::size_t count, Decode decode) {
  const std::size_t passed = last_ns_ < needed_from_ns_ ? pass_run(count, decode) : 0;
  if (passed != 0) return passed;
  static_assert(static_cast<int>(EventKind::Open) == 0 && static_cast<int>(EventKind::Complete) == 1);
  OpenCall* const frames = frames_.places();
  PendingEvent *write = write_, *const write_end = write_end_;
  std::uint64_t last_ns = last_ns_;
  std::size_t depth = frames_.size();
  // No call gets deeper than there is room for, and than may be written as one event.
  count = std::min(count, std::max(depth, std::min(frames_.room(), hot_depth_limit_)) - depth);

  std::size_t taken = 0;
  for (; taken != count && write != write_end; ++taken) {
    const PlainCall call = decode(taken);
    const std::uint64_t ends = mask_of(call.is_end);
    // An end at the time of the event before it may be one of zero length, or right behind one.
    const std::uint64_t from_ns = last_ns + call.is_end;
    const bool fits_time = call.time_ns - from_ns < kTimeLimitNs - from_ns;
    if ((call.mismatch | (call.depth ^ (depth + ends)) | std::uint64_t{!fits_time}) != 0) break;

    OpenCall& frame = frames[call.depth];
    PendingEvent* const open = std::bit_cast<PendingEvent*>(
        pick(ends, std::bit_cast<std::uint64_t>(frame.slot), std::bit_cast<std::uint64_t>(write)));
    if ((((frame.key ^ call.key) | static_cast<std::uint64_t>(open->kind)) & ends) != 0) break;

    // What stands at the top of the stack and in the next slot counts only after a begin.
    frame = {write, call.key};
    write->time_ns = call.time_ns;
    write->run = nullptr;
    write->label = call.label;
    open->end_ns = call.time_ns;
    open->kind = static_cast<EventKind>(call.is_end);
    write += 1 + ends;
    depth += 1 + 2 * ends;
    last_ns = call.time_ns;
  }
  write_ = write;
  last_ns_ = last_ns;
  frames_.set_size(depth);
  return taken;
}

// The same before the time that is needed from: only what is still open in the end is said, in one slot
// behind the other. Stops where a call ends that was open before.
template <typename Decode>
std::size_t Lane::pass_run(std::size_t count, Decode decode) {
  OpenCall* const frames = frames_.places();
  PendingEvent* const write = write_;
  std::uint64_t last_ns = last_ns_;
  const std::size_t outer = frames_.size();
  std::size_t depth = outer;
  const std::size_t deepest = std::max(outer, std::min(frames_.room(), hot_depth_limit_));
  const std::size_t room = std::min(deepest - outer, static_cast<std::size_t>(write_end_ - write_));

  std::uint64_t ended = 0;
  std::size_t taken = 0;
  for (; taken != count; ++taken) {
    const PlainCall call = decode(taken);
    const std::uint64_t ends = mask_of(call.is_end);
    const std::uint64_t from_ns = last_ns + call.is_end;
    const bool fits_time = call.time_ns >= from_ns && call.time_ns < needed_from_ns_;
    const std::size_t place = call.depth - outer;  // wraps for a call that was open before
    if ((call.mismatch | (call.depth ^ (depth + ends)) | std::uint64_t{!fits_time}) != 0 || place >= room)
      break;
    OpenCall& frame = frames[call.depth];
    if (((frame.key ^ call.key) & ends) != 0) break;

    // What stands at the top of the stack and in its slot counts only after a begin.
    frame = {write + place, call.key};
    write[place] = {call.time_ns, 0, nullptr, call.label, EventKind::Open};
    depth += 1 + 2 * ends;
    ended += call.is_end;
    last_ns = call.time_ns;
  }
  write_ = write + (depth - outer);
  passed_over_ += ended;
  last_ns_ = last_ns;
  frames_.set_size(depth);
  return taken;
}

}  // namespace convert
