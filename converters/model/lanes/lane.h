// One thread's events in program order. A lane pairs starts and ends of calls, and decides in which form a
// call is written (docs/mixed-form.md). A call becomes one complete event at the position of its start. In
// the following cases, the call becomes two events instead, a Begin and an End:
// - Its length is zero.
// - An event of zero length is inside the call, at the time of its end.
// - It has more arguments than one record can have.
// - Its end is not known when its start must be written.
// - An option requests pairs.
//
// Only one thread at a time adds events to a lane. At the same time, another thread may consume the sealed
// events, which no longer change.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/lane_short_calls.h"
#include "converters/model/lanes/lane_store.h"
#include "converters/model/lanes/limits.h"
#include "converters/model/lanes/open_call_stack.h"
#include "converters/model/reading/bits.h"

namespace convert {

// One decoded record, for Lane::add_run().
struct PlainCall {
  std::uint64_t time_ns = 0;
  std::uint64_t key = 0;
  std::size_t depth = 0;  // add_run() stops before the record if the depth does not fit the open calls
  LabelId label{};
  std::uint64_t is_end = 0;    // 0 or 1
  std::uint64_t mismatch = 0;  // add_run() stops before the record if this is not 0
};

class Lane {
 public:
  Lane(ChunkPool& pool, const LaneOptions& options);

  // ---- Emitting events ----
  // Times must not decrease, and are below kTimeLimitNs. Otherwise, BrokenContract is thrown.

  // Opens a call inside the open calls. The caller chooses `key`, for example an address. If there are too
  // many arguments for one record, the end of the call gets the remaining ones. Arguments for which the end
  // has no room are dropped, and counted as cut.
  void begin(std::uint64_t time_ns, LabelId label, std::uint64_t key = 0, const Arguments& arguments = {});
  // Opens a call that is not shown. The call is on the stack, but has no event and adds no level.
  void begin_filtered(std::uint64_t time_ns, std::uint64_t key) {
    advance(time_ns);
    store_.calls().push_filtered(key);
  }
  // Ends the top call, with additional `arguments`. Throws BrokenContract if no call is open.
  void end(std::uint64_t time_ns, const Arguments& arguments = {});

  // ---- The fast path ----

  // can_begin() is true if the lane accepts `time_ns`, and `depth` is the depth of the next call. can_end()
  // is true if the lane accepts `time_ns`, and the top call has this depth and key.
  bool can_begin(std::uint64_t time_ns, std::size_t depth) const {
    return depth == this->depth() && is_next(time_ns);
  }
  bool can_end(std::uint64_t time_ns, std::uint64_t key, std::size_t depth) const {
    return depth + 1 == this->depth() && calls().back().key == key && is_next(time_ns);
  }
  // Like begin() and end(), but `put(words)` packs at most `most_words` words of arguments into the lane's
  // memory, and returns PackedArguments. The functions return false, and do nothing, if the memory is too
  // small. can_begin() or can_end() must be true.
  template <typename Put>
  bool try_begin(std::uint64_t time_ns, LabelId label, std::uint64_t key, std::size_t most_words, Put put);
  template <typename Put>
  bool try_end(std::uint64_t time_ns, std::size_t most_words, Put put);
  // Adds up to `count` records. decode(0) returns the first record as a PlainCall, decode(1) the second one.
  // Stops before a record that has a `mismatch`, that does not fit the open calls, or that needs begin() or
  // end(). Returns the number of added records.
  template <typename Decode>
  std::size_t add_run(std::size_t count, Decode decode);

  // ---- Open calls ----

  // Ends the call at `depth`, and drops its event. Calls inside this call remain. Returns false, and does
  // nothing, if the call is released, filtered or too deep.
  bool retract(std::size_t depth, std::uint64_t time_ns);

  // Ends the call at `depth` at an earlier time. Inner events from this time on move out by one level.
  // Returns false, and does nothing, if the call is not pending, must be a pair, or would have no length.
  // Also returns false if a record has no room for the arguments, or if some calls are too deep.
  bool end_earlier(std::size_t depth, std::uint64_t time_ns, const Arguments& arguments = {});

  // suspend_top() removes the top `count` calls for a while, so that filtered calls can begin and end.
  // resume_top() pushes them back, inside the calls that are open at that time.
  void suspend_top(std::size_t count);
  void resume_top();
  // Shows the top call and all calls around it, even if short calls are left out.
  void keep_open();

  // On the deepest level that viewers show, an instant becomes a call of zero length. See InstantStack.
  void instant(std::uint64_t time_ns, LabelId label, const Arguments& arguments = {});
  // `arguments` has one number for each series of the counter. `id` is a thread's tid or 0.
  void counter(std::uint64_t time_ns, LabelId label, std::uint64_t id, const Arguments& arguments);
  // The lane must have an open call that is shown. This is not checked.
  void flow(FlowStep step, std::uint64_t time_ns, LabelId label, std::uint64_t id);
  void context_switch(std::uint64_t time_ns, const ContextSwitch& context_switch);
  void wakeup(std::uint64_t time_ns, const Wakeup& wakeup);
  // Emits bytes of the stream `name`. Bytes beyond kMaxTextBytes are cut off.
  void blob(std::uint64_t time_ns, std::string_view name, std::span<const std::byte> bytes);
  void buffer_full(std::uint64_t time_ns);

  // Gives the top call another name and key. Returns false if the call is shown and already released.
  bool rename_top(LabelId label, std::uint64_t key);
  // Appends `text` to the string argument `name` of the top call, after a comma if the argument exists.
  // Returns false if the call is released or has no room. In this case, the caller may add the argument to
  // the end of the call.
  bool annotate_top(NameId name, std::string_view text);

  // Shows the events on the thread of another lane, inside the calls of that lane. Must be called before the
  // first event. All calls of this lane must have zero length.
  void set_matched() { is_matched_ = true; }
  bool is_matched() const { return is_matched_; }

  // All open calls, including filtered ones. Their number is the depth of the next call.
  const OpenCallStack& calls() const { return store_.calls(); }
  std::size_t depth() const { return calls().size(); }
  std::uint64_t last_ns() const { return last_ns_; }  // time of the latest event; 0 before the first
  // Returns `time_ns`, or the time of the latest event if that is later.
  std::uint64_t clamped(std::uint64_t time_ns) const { return std::max(time_ns, last_ns_); }
  const LaneOptions& options() const { return options_; }
  // For the merge.
  LaneStore& store() { return store_; }
  LaneShortCalls* short_calls() { return short_calls_.get(); }  // null if calls of any length are emitted

 private:
  // Opens a call that becomes one event. run() does not use this function.
  void open(std::uint64_t time_ns, LabelId label, std::uint64_t key, const std::uint64_t* block) {
    store_.calls().push(push(time_ns, EventKind::Open, label, 0, block), key);
  }
  // Ends the pending call at `depth`, as one event. Calls inside this call remain.
  PendingEvent& complete(std::size_t depth, std::uint64_t end_ns) {
    PendingEvent& call = *calls()[depth].event;
    call.complete(end_ns);
    store_.calls().remove(depth);
    return call;
  }
  // True if a pending call that ends at `end_ns` with this number of arguments must become a pair.
  bool must_be_pair(const PendingEvent& call, std::uint64_t end_ns, std::size_t arguments) const {
    return end_ns == call.time_ns || end_ns == zero_ns_ || arguments > options_.limits.arguments_per_record ||
           (short_calls_ != nullptr && options_.durations == DurationForm::Pairs);
  }
  void begin_slow(std::uint64_t time_ns, LabelId label, std::uint64_t key, const Arguments& arguments);
  void end_shown(std::uint64_t time_ns, const Arguments& arguments);
  void end_slow(std::uint64_t time_ns, const Arguments& arguments);
  void end_by_length(std::uint64_t time_ns, const Arguments& arguments);
  std::size_t words_of(const PendingEvent& call, std::uint64_t end_ns, const ArgumentRow& more,
                       std::size_t count) const;
  PendingEvent* push(std::uint64_t time_ns, EventKind kind, LabelId label, std::uint64_t id = 0,
                     const std::uint64_t* block = nullptr) {
    PendingEvent* const event = store_.add();
    *event = {time_ns, id, block, label, kind};
    return event;
  }
  template <typename T>
  void push_value(std::uint64_t time_ns, EventKind kind, const T& value);
  const std::uint64_t* keep(std::span<const std::uint64_t> words, std::size_t count);
  const std::uint64_t* keep(const Arguments& arguments);
  void drop(std::size_t depth);
  void extend(PendingEvent& call, const Arguments& more);
  template <typename Put>
  bool put_after(PendingEvent& call, std::size_t most_words, Put put);
  struct Complete;
  struct Skip;
  struct LeaveOut;
  template <typename Decode, typename Ending>
  std::size_t run(std::size_t count, std::uint64_t limit_ns, Decode decode, Ending ending);
  bool is_next(std::uint64_t time_ns) const { return time_ns >= last_ns_ && time_ns < kTimeLimitNs; }
  void advance(std::uint64_t time_ns) {
    if (!is_next(time_ns)) [[unlikely]]
      refuse_time(time_ns);
    last_ns_ = time_ns;
  }
  [[noreturn]] void refuse_time(std::uint64_t time_ns) const;

  LaneOptions options_;
  LaneStore store_;
  InstantStack instants_;
  std::unique_ptr<LaneShortCalls> short_calls_;
  // Arguments of the end of a call, and the arguments about the calls that are left out inside the call.
  Arguments with_left_out_;
  // Calls at this depth or deeper take the slow path, which starts in begin_slow(). If an option requests
  // pairs, the depth is 0, so all calls take the slow path. Exception: if short calls are left out, an option
  // for pairs does not change the depth, because the form of a call is decided at its end.
  std::size_t hot_depth_limit_ =
      options_.durations == DurationForm::Mixed || options_.short_calls != nullptr ? options_.max_depth : 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t zero_ns_ = kForever;  // time of the latest event of zero length
  bool is_matched_ = false;
};

// ---- The fast path: records that begin or end a call and fit the lane's open calls ----

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

// Adds more arguments to a call. Returns false, and does nothing, if the current chunk has no room, or if a
// record can't have this number of arguments.
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

// Returns the number of words of a call in the trace, or 0 if lengths are not wanted. The call has the
// arguments of `call`, and also the arguments `more`. `count` is the number of all these arguments.
inline std::size_t Lane::words_of(const PendingEvent& call, std::uint64_t end_ns, const ArgumentRow& more,
                                  std::size_t count) const {
  if (!short_calls_->wants_lengths()) return 0;
  const std::uint64_t length_ns = end_ns - call.time_ns;
  std::size_t words = short_calls_->words_of_call(must_be_pair(call, end_ns, count));
  for (const ArgumentRow& row : {call.arguments(), more})
    if (!row.empty()) words += short_calls_->words_of(row, length_ns);
  return words;
}

// The template argument `Ending` of Lane::run() decides what happens to a call that ends:
// - Complete: the call becomes a Complete event.
// - Skip: the call is removed if it ends before the time in LaneStore::skip_calls_before().
// - LeaveOut: the call is removed if it is too short.
// run() stops before the end of a call for which must_stay() is not 0. run() also calls removed() when a call
// begins, with `ends` == 0. Then removed() must not count anything.
struct Lane::Complete {
  static constexpr bool kRemoves = false;
};

struct Lane::Skip {
  static constexpr bool kRemoves = true;
  Lane& lane;

  std::uint64_t must_stay(const PendingEvent& event, const PlainCall& end) const {
    const bool is_kept = lane.short_calls_ != nullptr && lane.short_calls_->is_kept(end.depth);
    return std::uint64_t{is_kept} | std::uint64_t{lane.store_.queue().is_first(event)};
  }
  void removed(const PendingEvent&, const PlainCall& end, std::uint64_t ends) const {
    if (lane.short_calls_ != nullptr) lane.short_calls_->forget(end.depth);
    lane.store_.counters().skipped_calls += ends & 1;
  }
};

struct Lane::LeaveOut {
  static constexpr bool kRemoves = true;
  Lane& lane;
  LaneShortCalls& calls;
  std::size_t words;  // size of a call without arguments, in words

  std::uint64_t must_stay(const PendingEvent& event, const PlainCall& end) const {
    return std::uint64_t{!calls.leaves_out(end.depth, end.time_ns - event.time_ns)} |
           std::uint64_t{!calls.is_in_range(event.time_ns, end.time_ns)};
  }
  [[gnu::always_inline]] void removed(const PendingEvent& event, const PlainCall& end,
                                      std::uint64_t ends) const {
    const bool has_arguments = (std::bit_cast<std::uint64_t>(event.block) & ends) != 0;
    calls.leave_out(end.depth, end.time_ns - event.time_ns,
                    has_arguments ? lane.words_of(event, end.time_ns, {}, event.argument_count()) : words,
                    static_cast<std::uint32_t>(event.label), ends);
  }
};

template <typename Decode>
std::size_t Lane::add_run(std::size_t count, Decode decode) {
  if (short_calls_ != nullptr) short_calls_->make_room_for(store_.calls().capacity());
  if (last_ns_ < store_.needed_from_ns()) return run(count, store_.needed_from_ns(), decode, Skip{*this});
  if (short_calls_ == nullptr) return run(count, kTimeLimitNs, decode, Complete{});
  const std::size_t words = short_calls_->words_of_call(options_.durations == DurationForm::Pairs);
  return run(count, kTimeLimitNs, decode, LeaveOut{*this, *short_calls_, words});
}

// Adds records before `limit_ns`. The loop has no branch on whether a record begins or ends a call. Half of
// these branches would be mispredicted, which would cost more than the rest of the loop.
template <typename Decode, typename Ending>
std::size_t Lane::run(std::size_t count, std::uint64_t limit_ns, Decode decode,
                      [[maybe_unused]] Ending ending) {
  static_assert(static_cast<int>(EventKind::Open) == 0 && static_cast<int>(EventKind::Complete) == 1);
  OpenCall* const calls = store_.calls().data();
  const PendingEvent* const write_end = store_.queue().write_end();
  PendingEvent* write = store_.queue().write();
  std::uint64_t last_ns = last_ns_;
  std::size_t depth = this->depth();
  // The loop ends at this depth: the stack is full, or calls take the slow path.
  const std::size_t deepest = std::max(depth, std::min(store_.calls().capacity(), hot_depth_limit_));

  std::size_t added = 0;
  for (; added != count && write != write_end; ++added) {
    const PlainCall call = decode(added);
    const std::uint64_t ends = mask_of(call.is_end);
    // A call that ends at the time of the latest event is not plain. It may have zero length, or contain an
    // event of zero length.
    const std::uint64_t from_ns = last_ns + call.is_end;
    const bool fits_time = call.time_ns - from_ns < limit_ns - from_ns;
    if ((call.mismatch | (call.depth ^ (depth + ends)) | std::uint64_t{!fits_time} |
         std::uint64_t{call.depth >= deepest}) != 0)
      break;

    OpenCall& top = calls[call.depth];
    PendingEvent* const open = std::bit_cast<PendingEvent*>(
        pick(ends, std::bit_cast<std::uint64_t>(top.event), std::bit_cast<std::uint64_t>(write)));
    if ((((top.key ^ call.key) | static_cast<std::uint64_t>(open->kind)) & ends) != 0) break;
    if constexpr (Ending::kRemoves) {
      const bool is_latest = open + 1 == write;
      if (((std::uint64_t{!is_latest} | ending.must_stay(*open, call)) & ends) != 0) break;
      const bool has_block = (std::bit_cast<std::uint64_t>(open->block) & ends) != 0;
      if (has_block && !store_.queue().blocks().remove_latest(open->block)) break;
      ending.removed(*open, call, ends);
    }

    // If a call ends, the values in `top` and `*write` are not used. They are stored anyway, to avoid a
    // branch.
    top = {write, call.key};
    write->time_ns = call.time_ns;
    write->block = nullptr;
    write->label = call.label;
    open->last_word = call.time_ns;
    open->kind = static_cast<EventKind>(call.is_end);
    write += static_cast<std::ptrdiff_t>(Ending::kRemoves ? 1 + 2 * ends : 1 + ends);  // `ends` is 0 or -1
    depth += 1 + 2 * ends;
    last_ns = call.time_ns;
  }
  store_.queue().set_write(write);
  last_ns_ = last_ns;
  store_.calls().set_size(depth);
  return added;
}

}  // namespace convert
