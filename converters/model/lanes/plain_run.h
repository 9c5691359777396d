// Lane::add_plain_run(): plain calls in bulk, without a branch on whether a record begins or ends a call.
// Half of such branches are mispredicted, and then cost more than all the rest.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "converters/model/lanes/lane.h"
#include "converters/model/lanes/mask.h"

namespace convert {

// One record, as decoded.
struct PlainCall {
  std::uint64_t time_ns = 0;
  std::uint64_t key = 0;
  std::size_t depth = 0;       // of the call; any number
  LabelId label{};             // of a begin
  std::uint64_t is_end = 0;    // 0 or 1
  std::uint64_t mismatch = 0;  // not 0 if it is no plain call
};

template <typename Decode>
std::size_t Lane::add_plain_run(std::size_t count, Decode decode) {
  const std::size_t skipped = last_ns_ < needed_from_ns_ ? skip_plain_run(count, decode) : 0;
  if (skipped != 0) return skipped;
  static_assert(static_cast<int>(EventKind::Open) == 0 && static_cast<int>(EventKind::Complete) == 1);
  OpenCall* const calls = open_calls_.data();
  const PendingEvent* const write_end = queue_.write_end();
  PendingEvent* write = queue_.write();
  std::uint64_t last_ns = last_ns_;
  std::size_t depth = open_calls_.size();
  // Calls get no deeper than the stack has room, and than they may be written as one event.
  count = std::min(count, std::max(depth, std::min(open_calls_.capacity(), hot_depth_limit_)) - depth);

  std::size_t added = 0;
  for (; added != count && write != write_end; ++added) {
    const PlainCall call = decode(added);
    const std::uint64_t ends = mask_of(call.is_end);
    // A call that ends at the time of the event before may have zero length, or contain such an event there.
    const std::uint64_t from_ns = last_ns + call.is_end;
    const bool fits_time = call.time_ns - from_ns < kTimeLimitNs - from_ns;
    if ((call.mismatch | (call.depth ^ (depth + ends)) | std::uint64_t{!fits_time}) != 0) break;

    OpenCall& top = calls[call.depth];
    PendingEvent* const open = std::bit_cast<PendingEvent*>(
        pick(ends, std::bit_cast<std::uint64_t>(top.event), std::bit_cast<std::uint64_t>(write)));
    if ((((top.key ^ call.key) | static_cast<std::uint64_t>(open->kind)) & ends) != 0) break;

    // What is written to the top of the stack and to the next event counts only after a begin.
    top = {write, call.key};
    write->time_ns = call.time_ns;
    write->block = nullptr;
    write->label = call.label;
    open->end_ns = call.time_ns;
    open->kind = static_cast<EventKind>(call.is_end);
    write += 1 + ends;
    depth += 1 + 2 * ends;
    last_ns = call.time_ns;
  }
  queue_.set_write(write);
  last_ns_ = last_ns;
  open_calls_.set_size(depth);
  return added;
}

// The same for records before needed_from_ns_: only calls that are still open in the end keep their events,
// which lie side by side. Stops where a call ends that was open before.
template <typename Decode>
std::size_t Lane::skip_plain_run(std::size_t count, Decode decode) {
  OpenCall* const calls = open_calls_.data();
  PendingEvent* const write = queue_.write();
  std::uint64_t last_ns = last_ns_;
  const std::size_t outer = open_calls_.size();
  std::size_t depth = outer;
  const std::size_t deepest = std::max(outer, std::min(open_calls_.capacity(), hot_depth_limit_));
  const std::size_t room = std::min(deepest - outer, static_cast<std::size_t>(queue_.write_end() - write));

  std::uint64_t ended = 0;
  std::size_t added = 0;
  for (; added != count; ++added) {
    const PlainCall call = decode(added);
    const std::uint64_t ends = mask_of(call.is_end);
    const std::uint64_t from_ns = last_ns + call.is_end;
    const bool fits_time = call.time_ns >= from_ns && call.time_ns < needed_from_ns_;
    const std::size_t position = call.depth - outer;  // wraps for a call that was open before
    if ((call.mismatch | (call.depth ^ (depth + ends)) | std::uint64_t{!fits_time}) != 0 || position >= room)
      break;
    OpenCall& top = calls[call.depth];
    if (((top.key ^ call.key) & ends) != 0) break;

    // What is written to the top of the stack and to its event counts only after a begin.
    top = {write + position, call.key};
    write[position] = {call.time_ns, 0, nullptr, call.label, EventKind::Open};
    depth += 1 + 2 * ends;
    ended += call.is_end;
    last_ns = call.time_ns;
  }
  queue_.set_write(write + (depth - outer));
  counters_.skipped_calls += ended;
  last_ns_ = last_ns;
  open_calls_.set_size(depth);
  return added;
}

}  // namespace convert
