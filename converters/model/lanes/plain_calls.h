// The hot path of a lane: records that begin or end a call and fit the lane's open calls.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "converters/model/lanes/lane.h"
#include "converters/model/lanes/mask.h"
#include "converters/model/lanes/short_calls.h"

namespace convert {

// One decoded record.
struct PlainCall {
  std::uint64_t time_ns = 0;
  std::uint64_t key = 0;
  std::size_t depth = 0;       // depth of the call; may be any number
  LabelId label{};             // label, for a begin
  std::uint64_t is_end = 0;    // 0 or 1
  std::uint64_t mismatch = 0;  // not 0 if the record is not a plain call
};

// Adds plain calls to a lane that outlives it. A record that does not fit is refused, and changes nothing.
class PlainCalls {
 public:
  explicit PlainCalls(Lane& lane) : lane_(lane) {}

  // Adds an entry, whose depth must be exactly the current depth.
  bool try_begin(std::uint64_t time_ns, LabelId label, std::uint64_t key, std::size_t depth) const {
    if (!can_begin(time_ns, depth)) return false;
    if (depth >= lane_.hot_depth_limit_) {
      lane_.begin(time_ns, label, key);
      return true;
    }
    lane_.last_ns_ = time_ns;
    PendingEvent* const event = lane_.store_.add();
    *event = {time_ns, 0, nullptr, label, EventKind::Open};
    lane_.store_.calls().push(event, key);
    return true;
  }

  bool can_begin(std::uint64_t time_ns, std::size_t depth) const {
    return depth == lane_.store_.calls().size() && is_next(time_ns);
  }

  // Adds an exit, which must end the top call.
  bool try_end(std::uint64_t time_ns, std::uint64_t key, std::size_t depth) const {
    if (!can_end(time_ns, key, depth)) return false;
    const OpenCall& call = lane_.store_.calls().back();
    if (lane_.short_calls_ != nullptr || !call.is_pending() ||
        lane_.must_be_pair(*call.event, time_ns, call.event->argument_count())) {
      lane_.end(time_ns);
      return true;
    }
    lane_.last_ns_ = time_ns;
    call.event->complete(time_ns);
    lane_.store_.skip(*call.event);
    lane_.store_.calls().pop();
    return true;
  }

  // Like try_begin() and try_end(), but with arguments: `put(words)` packs at most `most_words` words into
  // the lane's memory, and returns PackedArguments. A record for which memory is not ready is also refused.
  template <typename Put>
  bool try_begin_with(std::uint64_t time_ns, LabelId label, std::uint64_t key, std::size_t depth,
                      std::size_t most_words, Put put) const {
    if (!can_begin(time_ns, depth) || depth >= lane_.hot_depth_limit_) return false;
    lane_.store_.make_room();
    ArgumentArena& blocks = lane_.store_.queue().blocks();
    std::uint64_t* const words = blocks.try_reserve(most_words);
    if (words == nullptr) return false;
    const PackedArguments packed = put(words);
    if (packed.count > lane_.options_.limits.arguments_per_record) return false;
    lane_.last_ns_ = time_ns;
    PendingEvent* const event = lane_.store_.queue().add();
    const std::uint64_t* const block = packed.count == 0 ? nullptr : blocks.commit(packed);
    *event = {time_ns, 0, block, label, EventKind::Open};
    lane_.store_.calls().push(event, key);
    return true;
  }
  template <typename Put>
  bool try_end_with(std::uint64_t time_ns, std::uint64_t key, std::size_t depth, std::size_t most_words,
                    Put put) const {
    if (!can_end(time_ns, key, depth) || time_ns < lane_.store_.needed_from_ns()) return false;
    if (lane_.short_calls_ != nullptr) {
      Arguments& arguments = lane_.short_calls_->arguments_of_end();
      const PackedArguments packed = put(arguments.reserve(most_words));
      arguments.commit(packed.end, packed.count);
      lane_.end(time_ns, arguments);
      return true;
    }
    const OpenCall& call = lane_.store_.calls().back();
    PendingEvent& event = *call.event;
    if (!call.is_pending() || lane_.must_be_pair(event, time_ns, event.argument_count()) ||
        !put_behind(event, most_words, put))
      return false;
    lane_.last_ns_ = time_ns;
    event.complete(time_ns);
    lane_.store_.calls().pop();
    return true;
  }

  // Adds an exit that ends the top call, if that call is filtered.
  bool try_end_filtered(std::uint64_t time_ns, std::uint64_t key, std::size_t depth) const {
    if (!can_end(time_ns, key, depth) || !lane_.calls().top_is_filtered()) return false;
    lane_.last_ns_ = time_ns;
    if (lane_.short_calls_ != nullptr) lane_.short_calls_->pass_on(depth);
    lane_.store_.calls().pop_filtered();
    return true;
  }

  // Adds many calls: decode(0), decode(1), … until `count`. Stops before the first record that is not plain
  // or does not fit. Returns the number of added records.
  template <typename Decode>
  std::size_t add_run(std::size_t count, Decode decode) const;

 private:
  bool is_next(std::uint64_t time_ns) const { return time_ns >= lane_.last_ns_ && time_ns < kTimeLimitNs; }
  bool can_end(std::uint64_t time_ns, std::uint64_t key, std::size_t depth) const {
    return depth + 1 == lane_.store_.calls().size() && lane_.store_.calls().back().key == key &&
           is_next(time_ns);
  }
  // Adds arguments to the arguments of an event. Returns false, and does nothing, if no memory is ready, or
  // if a record has no room for them.
  template <typename Put>
  bool put_behind(PendingEvent& event, std::size_t most_words, Put put) const {
    ArgumentArena& blocks = lane_.store_.queue().blocks();
    const std::size_t count = event.argument_count(), limit = lane_.options_.limits.arguments_per_record;
    if (std::uint64_t* const words = blocks.try_reserve_behind(event.block, most_words)) {
      const PackedArguments packed = put(words);
      if (count + packed.count > limit) return false;
      if (packed.count != 0) blocks.commit_behind(event.block, packed);
      return true;
    }
    const auto before = event.arguments().words();
    std::uint64_t* const words =
        lane_.store_.queue().is_full() ? nullptr : blocks.try_reserve(before.size() + most_words);
    if (words == nullptr) return false;
    const PackedArguments packed = put(ArgumentArena::copy(before, words));
    if (count + packed.count > limit) return false;
    if (packed.count != 0) event.block = blocks.commit({packed.end, count + packed.count});
    return true;
  }
  template <typename Decode>
  std::size_t skip_run(std::size_t count, Decode decode) const;
  template <typename Decode>
  std::size_t add_short_run(std::size_t count, Decode decode) const;

  Lane& lane_;
};

// The loop has no branch on whether a record begins or ends a call. Half of such branches would be
// mispredicted, and cost more than everything else.
template <typename Decode>
std::size_t PlainCalls::add_run(std::size_t count, Decode decode) const {
  const std::size_t skipped = lane_.last_ns_ < lane_.store_.needed_from_ns() ? skip_run(count, decode) : 0;
  if (skipped != 0) return skipped;
  if (lane_.short_calls_ != nullptr) return add_short_run(count, decode);
  static_assert(static_cast<int>(EventKind::Open) == 0 && static_cast<int>(EventKind::Complete) == 1);
  OpenCall* const calls = lane_.store_.calls().data();
  const PendingEvent* const write_end = lane_.store_.queue().write_end();
  PendingEvent* write = lane_.store_.queue().write();
  std::uint64_t last_ns = lane_.last_ns_;
  std::size_t depth = lane_.store_.calls().size();
  // The depth of calls is limited by the capacity of the stack, and by the depth for calls in one event.
  count = std::min(
      count, std::max(depth, std::min(lane_.store_.calls().capacity(), lane_.hot_depth_limit_)) - depth);

  std::size_t added = 0;
  for (; added != count && write != write_end; ++added) {
    const PlainCall call = decode(added);
    const std::uint64_t ends = mask_of(call.is_end);
    // A call that ends at the latest event's time may have zero length, or contain an event of zero length.
    const std::uint64_t from_ns = last_ns + call.is_end;
    const bool fits_time = call.time_ns - from_ns < kTimeLimitNs - from_ns;
    if ((call.mismatch | (call.depth ^ (depth + ends)) | std::uint64_t{!fits_time}) != 0) break;

    OpenCall& top = calls[call.depth];
    PendingEvent* const open = std::bit_cast<PendingEvent*>(
        pick(ends, std::bit_cast<std::uint64_t>(top.event), std::bit_cast<std::uint64_t>(write)));
    if ((((top.key ^ call.key) | static_cast<std::uint64_t>(open->kind)) & ends) != 0) break;

    // The words at the top of the stack and in the next event are used only if the record is a begin.
    top = {write, call.key};
    write->time_ns = call.time_ns;
    write->block = nullptr;
    write->label = call.label;
    open->last_word = call.time_ns;
    open->kind = static_cast<EventKind>(call.is_end);
    write += 1 + ends;
    depth += 1 + 2 * ends;
    last_ns = call.time_ns;
  }
  lane_.store_.queue().set_write(write);
  lane_.last_ns_ = last_ns;
  lane_.store_.calls().set_size(depth);
  return added;
}

// Like the loop above, for a lane that leaves out short calls. Calls that are left out, and have no event of
// their own inside, leave their place to the next event.
template <typename Decode>
std::size_t PlainCalls::add_short_run(std::size_t count, Decode decode) const {
  ShortCalls& short_calls = *lane_.short_calls_;
  OpenCall* const calls = lane_.store_.calls().data();
  EventQueue& queue = lane_.store_.queue();
  PendingEvent* write = queue.write();
  std::uint64_t last_ns = lane_.last_ns_;
  std::size_t depth = lane_.store_.calls().size();
  const std::size_t deepest =
      std::max(depth, std::min(lane_.store_.calls().capacity(), lane_.hot_depth_limit_));

  std::size_t added = 0;
  for (; added != count; ++added) {
    const PlainCall call = decode(added);
    if ((call.mismatch | std::uint64_t{call.time_ns < last_ns || call.time_ns >= kTimeLimitNs}) != 0) break;
    if (call.is_end == 0) {
      if (call.depth != depth || depth == deepest || write == queue.write_end()) break;
      calls[depth++] = {write, call.key};
      *write++ = {call.time_ns, 0, nullptr, call.label, EventKind::Open};
    } else {
      if (call.depth + 1 != depth) break;
      const OpenCall& top = calls[call.depth];
      if (top.key != call.key || !top.is_pending() || top.event + 1 != write || top.event->block != nullptr)
        break;
      const std::uint64_t begin_ns = top.begin_ns(), length_ns = call.time_ns - begin_ns;
      if (!short_calls.leaves_out(call.depth, length_ns) || !short_calls.is_counted(begin_ns, call.time_ns))
        break;
      const std::size_t words = short_calls.words_of_call(lane_.must_be_pair(*top.event, call.time_ns, 0));
      short_calls.leave_out(call.depth, length_ns, words, static_cast<std::uint32_t>(top.event->label));
      --write;
      --depth;
    }
    last_ns = call.time_ns;
  }
  queue.set_write(write);
  lane_.last_ns_ = last_ns;
  lane_.store_.calls().set_size(depth);
  return added;
}

// Does the same as the loop above for records before the needed time. Only calls that are still open at the
// end keep their events, which are adjacent. Stops at the end of a call that was open before the loop.
template <typename Decode>
std::size_t PlainCalls::skip_run(std::size_t count, Decode decode) const {
  OpenCall* const calls = lane_.store_.calls().data();
  PendingEvent* const write = lane_.store_.queue().write();
  std::uint64_t last_ns = lane_.last_ns_;
  const std::size_t outer = lane_.store_.calls().size();
  std::size_t depth = outer;
  const std::size_t deepest =
      std::max(outer, std::min(lane_.store_.calls().capacity(), lane_.hot_depth_limit_));
  const std::size_t room =
      std::min(deepest - outer, static_cast<std::size_t>(lane_.store_.queue().write_end() - write));

  std::uint64_t ended = 0;
  std::size_t added = 0;
  for (; added != count; ++added) {
    const PlainCall call = decode(added);
    const std::uint64_t ends = mask_of(call.is_end);
    const std::uint64_t from_ns = last_ns + call.is_end;
    const bool fits_time = call.time_ns >= from_ns && call.time_ns < lane_.store_.needed_from_ns();
    const std::size_t position = call.depth - outer;  // wraps around for a call that was open before
    if ((call.mismatch | (call.depth ^ (depth + ends)) | std::uint64_t{!fits_time}) != 0 || position >= room)
      break;
    OpenCall& top = calls[call.depth];
    if (((top.key ^ call.key) & ends) != 0) break;

    // The words at the top of the stack and in its event are used only if the record is a begin.
    top = {write + position, call.key};
    write[position] = {call.time_ns, 0, nullptr, call.label, EventKind::Open};
    depth += 1 + 2 * ends;
    ended += call.is_end;
    last_ns = call.time_ns;
  }
  lane_.store_.queue().set_write(write + (depth - outer));
  lane_.store_.counters().skipped_calls += ended;
  lane_.last_ns_ = last_ns;
  lane_.store_.calls().set_size(depth);
  return added;
}

}  // namespace convert
