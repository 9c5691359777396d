// The fast path of a lane: records that begin or end a call and fit the lane's open calls.
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

template <typename Put>
bool Lane::try_begin(std::uint64_t time_ns, LabelId label, std::uint64_t key, std::size_t most_words,
                     Put put) {
  if (depth() >= hot_depth_limit_) return false;
  store_.make_room();
  ArgumentArena& blocks = store_.queue().blocks();
  std::uint64_t* const words = blocks.try_reserve(most_words);
  if (words == nullptr) return false;
  const PackedArguments packed = put(words);
  if (packed.count > options_.limits.arguments_per_record) return false;
  last_ns_ = time_ns;
  open(time_ns, label, key, packed.count == 0 ? nullptr : blocks.commit(packed));
  return true;
}

template <typename Put>
bool Lane::try_end(std::uint64_t time_ns, std::size_t most_words, Put put) {
  if (time_ns < store_.needed_from_ns()) return false;
  if (short_calls_ != nullptr) {
    Arguments& arguments = short_calls_->arguments_of_end();
    const PackedArguments packed = put(arguments.reserve(most_words));
    arguments.commit(packed.end, packed.count);
    end(time_ns, arguments);
    return true;
  }
  PendingEvent& call = *calls().back().event;
  if (call.kind != EventKind::Open || must_be_pair(call, time_ns, call.argument_count()) ||
      !put_after(call, most_words, put))
    return false;
  last_ns_ = time_ns;
  complete(depth() - 1, time_ns);
  return true;
}

// Adds arguments to the arguments of a call. Returns false, and does nothing, if no memory is ready, or if a
// record has no room for them.
template <typename Put>
bool Lane::put_after(PendingEvent& call, std::size_t most_words, Put put) {
  ArgumentArena& blocks = store_.queue().blocks();
  const std::size_t count = call.argument_count(), limit = options_.limits.arguments_per_record;
  if (std::uint64_t* const words = blocks.try_reserve_behind(call.block, most_words)) {
    const PackedArguments packed = put(words);
    if (count + packed.count > limit) return false;
    if (packed.count != 0) blocks.commit_behind(call.block, packed);
    return true;
  }
  const auto before = call.arguments().words();
  std::uint64_t* const words =
      store_.queue().is_full() ? nullptr : blocks.try_reserve(before.size() + most_words);
  if (words == nullptr) return false;
  const PackedArguments packed = put(ArgumentArena::copy(before, words));
  if (count + packed.count > limit) return false;
  if (packed.count != 0) call.block = blocks.commit({packed.end, count + packed.count});
  return true;
}

template <typename Decode>
std::size_t Lane::add_run(std::size_t count, Decode decode) {
  if (last_ns_ < store_.needed_from_ns()) {
    const std::size_t before = depth();
    const std::size_t added =
        run<true>(count, store_.needed_from_ns(), decode, [](const PendingEvent&, auto&) { return true; });
    store_.counters().skipped_calls += (added - (depth() - before)) / 2;
    return added;
  }
  if (short_calls_ == nullptr) return run<false>(count, kTimeLimitNs, decode, nullptr);
  const std::size_t words = short_calls_->words_of_call(options_.durations == DurationForm::Pairs);
  return run<true>(count, kTimeLimitNs, decode, [&](const PendingEvent& event, const PlainCall& end) {
    const std::uint64_t length_ns = end.time_ns - event.time_ns;
    if (!short_calls_->leaves_out(end.depth, length_ns) ||
        !short_calls_->is_counted(event.time_ns, end.time_ns))
      return false;
    short_calls_->leave_out(end.depth, event.time_ns, end.time_ns, words, event.label);
    return true;
  });
}

// Adds records before `limit_ns`. With `kRemoves`, a call that ends leaves no event. Then only calls that
// began in this run may end, so that the open calls have adjacent events without arguments, and `ends_call`
// is asked about each end. The loop has no branch on whether a record begins or ends a call. Half of such
// branches would be mispredicted, and cost more than everything else.
template <bool kRemoves, typename Decode, typename Ends>
std::size_t Lane::run(std::size_t count, std::uint64_t limit_ns, Decode decode,
                      [[maybe_unused]] Ends ends_call) {
  static_assert(static_cast<int>(EventKind::Open) == 0 && static_cast<int>(EventKind::Complete) == 1);
  OpenCall* const calls = store_.calls().data();
  const PendingEvent* const write_end = store_.queue().write_end();
  PendingEvent* write = store_.queue().write();
  std::uint64_t last_ns = last_ns_;
  std::size_t depth = this->depth();
  const std::size_t outer = kRemoves ? depth : 0;
  // The depth is limited by the capacity of the stack, and by the depth for calls in one event.
  const std::size_t deepest = std::max(depth, std::min(store_.calls().capacity(), hot_depth_limit_));

  std::size_t added = 0;
  for (; added != count && write != write_end; ++added) {
    const PlainCall call = decode(added);
    const std::uint64_t ends = mask_of(call.is_end);
    // A call that ends at the latest event's time may have zero length, or contain an event of zero length.
    const std::uint64_t from_ns = last_ns + call.is_end;
    const bool fits_time = call.time_ns - from_ns < limit_ns - from_ns;
    const bool fits_depth = call.depth - outer < deepest - outer;
    if ((call.mismatch | (call.depth ^ (depth + ends)) | std::uint64_t{!fits_time} |
         std::uint64_t{!fits_depth}) != 0)
      break;

    OpenCall& top = calls[call.depth];
    PendingEvent* const open = std::bit_cast<PendingEvent*>(
        pick(ends, std::bit_cast<std::uint64_t>(top.event), std::bit_cast<std::uint64_t>(write)));
    if ((((top.key ^ call.key) | static_cast<std::uint64_t>(open->kind)) & ends) != 0) break;
    if constexpr (kRemoves)
      if (ends != 0 && !ends_call(*open, call)) break;

    // The words at the top of the stack and in the next event are used only if the record is a begin.
    top = {write, call.key};
    write->time_ns = call.time_ns;
    write->block = nullptr;
    write->label = call.label;
    open->last_word = call.time_ns;
    open->kind = static_cast<EventKind>(call.is_end);
    write += static_cast<std::ptrdiff_t>(kRemoves ? 1 + 2 * ends : 1 + ends);  // `ends` is 0 or -1
    depth += 1 + 2 * ends;
    last_ns = call.time_ns;
  }
  store_.queue().set_write(write);
  last_ns_ = last_ns;
  store_.calls().set_size(depth);
  return added;
}

}  // namespace convert
