// One thread's events in program order. A lane pairs begins and ends of calls, and decides in which form a
// call is written (docs/mixed-form.md). A call becomes one complete event at the position of its begin. In
// the following cases, it becomes a begin and an end instead:
// - Its length is zero.
// - An event of zero length is inside it at its very end.
// - It has more arguments than one record can hold.
// - Its end is not known when its begin must be written.
// - An option requests pairs.
//
// Only one thread at a time fills a lane. Another thread may consume the sealed events meanwhile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "converters/model/lanes/argument.h"
#include "converters/model/lanes/event.h"
#include "converters/model/lanes/lane_store.h"
#include "converters/model/lanes/limits.h"
#include "converters/model/lanes/open_call_stack.h"
#include "converters/model/lanes/pending_event.h"

namespace convert {

class ShortCalls;

class Lane {
 public:
  Lane(ChunkPool& pool, const LaneOptions& options);
  ~Lane();

  // ---- Emitting events. Times must not decrease, and are below kTimeLimitNs, or BrokenContract is thrown.
  // ----

  // Opens a call inside the open calls. The caller chooses `key` (an address). The begin has as many
  // arguments as one record can hold, and the end as many of the other arguments. Arguments beyond these are
  // counted as cut.
  void begin(std::uint64_t time_ns, LabelId label, std::uint64_t key = 0, const Arguments& arguments = {});
  // Opens a call that is filtered out. It is on the stack, but has no event and adds no level.
  void begin_filtered(std::uint64_t time_ns, std::uint64_t key) {
    advance(time_ns);
    store_.calls().push_filtered(key);
  }
  // Ends the top call, with additional `arguments`. Throws BrokenContract if no call is open.
  void end(std::uint64_t time_ns, const Arguments& arguments = {});

  // ---- The fast path, implemented in plain_calls.h ----

  // True if the time may be the next one, and a call at exactly this depth would begin, or the top call has
  // this depth and key.
  bool can_begin(std::uint64_t time_ns, std::size_t depth) const {
    return depth == this->depth() && is_next(time_ns);
  }
  bool can_end(std::uint64_t time_ns, std::uint64_t key, std::size_t depth) const {
    return depth + 1 == this->depth() && calls().back().key == key && is_next(time_ns);
  }
  // Like begin() and end(), but `put(words)` packs at most `most_words` words of arguments into the lane's
  // memory, and returns PackedArguments. Return false, and do nothing, if this is not possible. can_begin()
  // or can_end() must be true.
  template <typename Put>
  bool try_begin(std::uint64_t time_ns, LabelId label, std::uint64_t key, std::size_t most_words, Put put);
  template <typename Put>
  bool try_end(std::uint64_t time_ns, std::size_t most_words, Put put);
  // Adds many calls: decode(0), decode(1), … until `count`, each a PlainCall. Stops before the first record
  // that is not plain, does not fit the open calls, or needs begin() or end(). Returns the number of added
  // records.
  template <typename Decode>
  std::size_t add_run(std::size_t count, Decode decode);

  // ---- Open calls ----

  // Ends the call at `depth` and drops it. Calls inside it remain. Returns false, and does nothing, if the
  // call is released, filtered or too deep.
  bool retract(std::size_t depth, std::uint64_t time_ns);

  // Ends the call at `depth` at an earlier time. Events inside it that began after that time move out by one
  // level. Returns false, and does nothing, if the call is released or must be a pair, if it would have no
  // length, if the record has no room for the arguments, or if some calls are too deep.
  bool end_earlier(std::size_t depth, std::uint64_t time_ns, const Arguments& arguments = {});

  // Suspends the top `count` calls while filtered calls begin and end. Then resume_top() pushes them back,
  // inside the calls that are open at that time.
  void suspend_top(std::size_t count);
  void resume_top();
  // The top call, and all calls around it, are shown even if they are short (LaneOptions::short_calls).
  void keep_open();

  // If a viewer's stack has only one level left, an instant becomes a call of zero length. See InstantStack.
  void instant(std::uint64_t time_ns, LabelId label, const Arguments& arguments = {});
  // Has one numeric argument for each series. `id` is a thread's tid or 0.
  void counter(std::uint64_t time_ns, LabelId label, std::uint64_t id, const Arguments& arguments);
  // Needs an open call that is shown, which is not checked.
  void flow(FlowStep step, std::uint64_t time_ns, LabelId label, std::uint64_t id);
  void context_switch(std::uint64_t time_ns, const ContextSwitch& context_switch);
  void wakeup(std::uint64_t time_ns, const Wakeup& wakeup);
  // Emits bytes of any length, which belong to the stream `name`.
  void blob(std::uint64_t time_ns, std::string_view name, std::span<const std::byte> bytes);
  void buffer_full(std::uint64_t time_ns);

  // Gives the top call another name and key. Returns false if the call is released.
  bool rename_top(LabelId label, std::uint64_t key);
  // Appends `text` to the string argument `name` of the top call, after a comma if the argument exists.
  // Returns false if the call is released, or has no room. Then the caller may add the argument to the end.
  bool annotate_top(NameId name, std::string_view text);

  // Shows the events on the thread of another lane, among that lane's calls. This lane must then have no
  // calls with a length. Must be called before the first event.
  void set_matched() { is_matched_ = true; }
  bool is_matched() const { return is_matched_; }

  // All open calls, including filtered ones. Their number is the depth of the next call.
  const OpenCallStack& calls() const { return store_.calls(); }
  std::size_t depth() const { return calls().size(); }
  std::uint64_t last_ns() const { return last_ns_; }  // time of the latest event; 0 before the first
  // The time at which an event with this time is shown. It is not before the latest event.
  std::uint64_t clamped(std::uint64_t time_ns) const { return std::max(time_ns, last_ns_); }
  const LaneOptions& options() const { return options_; }
  // The interface for the merge.
  LaneStore& store() { return store_; }
  ShortCalls* short_calls() { return short_calls_.get(); }  // null if calls of any length are emitted

 private:
  // Opens a call that becomes one event. The only other place that does this is the loop of add_run().
  void open(std::uint64_t time_ns, LabelId label, std::uint64_t key, const std::uint64_t* block) {
    store_.calls().push(push(time_ns, EventKind::Open, label, 0, block), key);
  }
  // Ends the pending call at `depth`, as one event. Calls inside it remain.
  PendingEvent& complete(std::size_t depth, std::uint64_t end_ns) {
    PendingEvent& call = *calls()[depth].event;
    call.complete(end_ns);
    store_.calls().remove(depth);
    return call;
  }
  // True if a pending call becomes a begin and an end if it ends at `end_ns` with that many arguments.
  bool must_be_pair(const PendingEvent& call, std::uint64_t end_ns, std::size_t arguments) const {
    return end_ns == call.time_ns || end_ns == zero_ns_ || arguments > options_.limits.arguments_per_record ||
           (short_calls_ != nullptr && options_.durations == DurationForm::Pairs);
  }
  void begin_slow(std::uint64_t time_ns, LabelId label, std::uint64_t key, const Arguments& arguments);
  void end_shown(std::uint64_t time_ns, const Arguments& arguments);
  void end_slow(std::uint64_t time_ns, const Arguments& arguments);
  void end_by_length(std::uint64_t time_ns, const Arguments& arguments);
  std::size_t words_of(const PendingEvent& call, std::uint64_t end_ns, const Arguments& arguments) const;
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
  template <bool kRemoves, typename Decode, typename Ends>
  std::size_t run(std::size_t count, std::uint64_t limit_ns, Decode decode, Ends ends_call);
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
  std::unique_ptr<ShortCalls> short_calls_;
  Arguments with_left_out_;  // of the call that ends
  // Calls at this depth or deeper, and calls that are written as pairs from the start, take the slow path. A
  // call that may be left out becomes a pair at its end.
  std::size_t hot_depth_limit_ =
      options_.durations == DurationForm::Mixed || options_.short_calls != nullptr ? options_.max_depth : 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t zero_ns_ = kForever;  // the latest time of an event of zero length
  bool is_matched_ = false;
};

}  // namespace convert
