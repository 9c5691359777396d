// One thread's events in program order. A lane pairs begins and ends of calls, and decides in which form a
// call is written (docs/mixed-form.md). A call becomes one complete event at the position of its begin. In
// the following cases, it becomes a begin and an end instead:
// - Its length is zero.
// - An event of zero length is inside it at its very end.
// - It has more arguments than one record can hold.
// - Its end is not known when its begin must be written.
//
// Only one thread at a time fills a lane. Another thread may consume the sealed events meanwhile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

class Lane {
 public:
  Lane(ChunkPool& pool, const LaneOptions& options) : options_(options), store_(pool) {}

  // ---- Emitting events. Times must not decrease, and are below kTimeLimitNs: BrokenContract otherwise. ----

  // Opens a call inside the open calls. The caller chooses `key` (an address). The arguments that one record
  // can hold are written with the begin, the same number of further arguments with the end. The rest is
  // counted as cut.
  void begin(std::uint64_t time_ns, LabelId label, std::uint64_t key = 0, const Arguments& arguments = {});
  // Opens a call that is filtered. It is on the stack, but has no event and adds no level.
  void begin_filtered(std::uint64_t time_ns, std::uint64_t key) {
    advance(time_ns);
    store_.calls().push_filtered(key);
  }
  // Ends the top call. Throws BrokenContract if no call is open. `arguments` are added to those of the begin.
  void end(std::uint64_t time_ns, const Arguments& arguments = {});

  // Ends the call at `depth` and drops it. Calls inside it remain. Returns false, and does nothing, if the
  // call is released, filtered or too deep.
  bool retract(std::size_t depth, std::uint64_t time_ns);

  // Ends the call at `depth` at an earlier time. Events that began since then inside it move out by one
  // level. Returns false, and does nothing, in these cases: the call is released; it would have no length;
  // the record has no room for the arguments; there are calls that are too deep.
  bool end_earlier(std::size_t depth, std::uint64_t time_ns, const Arguments& arguments = {});

  // Suspends the top `count` calls while filtered calls begin and end. resume_top() pushes them back inside
  // the calls that are open then.
  void suspend_top(std::size_t count) { store_.calls().suspend_top(count); }
  void resume_top() { store_.calls().resume_top(); }

  // If a viewer's stack has only one level left, an instant becomes a call of zero length. See InstantStack.
  void instant(std::uint64_t time_ns, LabelId label, const Arguments& arguments = {});
  // One numeric argument for each series. `id` is a thread's tid or 0.
  void counter(std::uint64_t time_ns, LabelId label, std::uint64_t id, const Arguments& arguments);
  // Needs an open call that is shown (not checked here).
  void flow(FlowStep step, std::uint64_t time_ns, LabelId label, std::uint64_t id);
  void context_switch(std::uint64_t time_ns, const ContextSwitch& context_switch);
  void wakeup(std::uint64_t time_ns, const Wakeup& wakeup);
  // Bytes of the stream `name`, of any length.
  void blob(std::uint64_t time_ns, std::string_view name, std::span<const std::byte> bytes);
  void buffer_full(std::uint64_t time_ns);

  // Gives the top call another name and key. Returns false if the call is released.
  bool rename_top(LabelId label, std::uint64_t key);
  // Appends `text` to the string argument `name` of the top call, after a comma if it has one. Returns false
  // if the call is released, or has no room. Then the end may carry the argument.
  bool annotate_top(NameId name, std::string_view text);

  // The events are shown on the thread of another lane, among that lane's calls. This lane must then have no
  // calls with a length. Called before the first event.
  void set_matched() { is_matched_ = true; }
  bool is_matched() const { return is_matched_; }

  // The open calls of all kinds. Their number is the depth of the next call.
  const OpenCallStack& calls() const { return store_.calls(); }
  std::size_t depth() const { return calls().size(); }
  std::uint64_t last_ns() const { return last_ns_; }  // of all events until now; 0 before the first
  // The time at which an event of that time is shown. It is not before the last event.
  std::uint64_t clamped(std::uint64_t time_ns) const { return std::max(time_ns, last_ns_); }
  const LaneOptions& options() const { return options_; }
  // The interface for the merge.
  LaneStore& store() { return store_; }

 private:
  friend class PlainCalls;  // the hot path

  // Whether a pending call that ends at `end_ns` with that number of arguments becomes a begin and an end.
  bool must_be_pair(const PendingEvent& call, std::uint64_t end_ns, std::size_t arguments) const {
    return end_ns == call.time_ns || end_ns == zero_ns_ || arguments > options_.limits.arguments_per_record;
  }
  void begin_slow(std::uint64_t time_ns, LabelId label, std::uint64_t key, const Arguments& arguments);
  void end_slow(std::uint64_t time_ns, const Arguments& arguments);
  PendingEvent* push(std::uint64_t time_ns, EventKind kind, LabelId label, std::uint64_t id = 0,
                     const std::uint64_t* block = nullptr);
  template <typename T>
  void push_value(std::uint64_t time_ns, EventKind kind, const T& value);
  const std::uint64_t* keep(std::span<const std::uint64_t> words, std::size_t count);
  const std::uint64_t* keep(const Arguments& arguments);
  const std::uint64_t* extended(const PendingEvent& begin, const Arguments& more);
  void advance(std::uint64_t time_ns) {
    if (time_ns < last_ns_ || time_ns >= kTimeLimitNs) [[unlikely]]
      refuse_time(time_ns);
    last_ns_ = time_ns;
  }
  [[noreturn]] void refuse_time(std::uint64_t time_ns) const;

  LaneOptions options_;
  LaneStore store_;
  InstantStack instants_;
  // Number of open calls whose begin could not hold them, outermost first.
  std::vector<Arguments> end_arguments_;
  // Deeper calls, and calls that are written as pairs, take the slow path.
  std::size_t hot_depth_limit_ = options_.durations == DurationForm::Mixed ? options_.max_depth : 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t zero_ns_ = kForever;  // the latest time of an event of zero length
  bool is_matched_ = false;
};

}  // namespace convert
