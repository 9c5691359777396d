// One thread's events in program order. A lane pairs begins and ends of calls, and decides which form a call
// is written in (docs/mixed-form.md):
//
//   a call becomes ONE complete event at the position of its begin, unless its length is zero, or an event of
//   zero length lies inside it at its very end, or its end is not known when its begin must be written: then
//   it becomes a begin and an end.
//
// One thread at a time fills a lane; another thread may consume the sealed events meanwhile.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "converters/model/lanes/argument.h"
#include "converters/model/lanes/event.h"
#include "converters/model/lanes/event_queue.h"
#include "converters/model/lanes/limits.h"
#include "converters/model/lanes/open_call_stack.h"
#include "converters/model/lanes/pending_event.h"

namespace convert {

// What a lane did not emit.
struct LaneCounters {
  TooDeepCount too_deep;
  std::uint64_t cut_arguments = 0;  // that no record had room for
  std::uint64_t skipped_calls = 0;  // that end before skip_calls_before()
};

class Lane {
 public:
  Lane(ChunkPool& pool, const LaneOptions& options) : options_(options), queue_(pool) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // ---- Emitting events. Times must not decrease, and are below kTimeLimitNs. ----

  // Opens a call inside those that are open. `key` is the caller's own (an address); top_key() returns it.
  // The arguments that one record can hold go with the begin, as many more go with the end, and the rest is
  // counted as cut.
  void begin(std::uint64_t time_ns, LabelId label, std::uint64_t key = 0, const Arguments& arguments = {});
  // Opens a call that is filtered: it is on the stack, but has no event and adds no level.
  void begin_filtered(std::uint64_t time_ns, std::uint64_t key) {
    advance(time_ns);
    open_calls_.push_filtered(key);
  }
  // Ends the top call, which must exist. `arguments` are added to those of the begin.
  void end(std::uint64_t time_ns, const Arguments& arguments = {});

  // Ends the call at `depth` and drops it; calls inside it stay. Returns false, and does nothing, if its
  // begin may be emitted already or the call is filtered or too deep.
  bool retract(std::size_t depth, std::uint64_t time_ns);

  // Ends the call at `depth` at a time that has passed: what began since then inside it moves out by one
  // level. Returns false, and does nothing, if its begin is emitted already or it would have no length.
  bool end_earlier(std::size_t depth, std::uint64_t time_ns, const Arguments& arguments = {});
  // Ends the parent of the top call at the time the top call began; the top becomes its sibling. Returns
  // false as end_earlier().
  bool end_parent_of_top(const Arguments& arguments = {}) {
    return end_earlier(depth() - 2, open_calls_.back().event->time_ns, arguments);
  }

  // Takes the top `count` calls off while filtered calls begin and end; resume_top() pushes them back inside
  // whatever is open then.
  void suspend_top(std::size_t count) { open_calls_.suspend_top(count); }
  void resume_top() { open_calls_.resume_top(); }

  // Where a viewer's stack has one level left, an instant becomes a call of zero length; see InstantStack.
  void instant(std::uint64_t time_ns, LabelId label, const Arguments& arguments = {});
  // One numeric argument for each series; `id` is a thread's tid or 0.
  void counter(std::uint64_t time_ns, LabelId label, std::uint64_t id, const Arguments& arguments);
  // Needs an open call that is shown (not checked here).
  void flow(FlowStep step, std::uint64_t time_ns, LabelId label, std::uint64_t id,
            const Arguments& arguments = {});
  // A moment on a track of its own, outside of the thread's calls. The label names the track, `id` is unique
  // to it in the output (Timeline::new_id()).
  void moment_on_track(std::uint64_t time_ns, LabelId label, std::uint64_t id, const Arguments& arguments);
  void context_switch(std::uint64_t time_ns, const ContextSwitch& context_switch);
  void wakeup(std::uint64_t time_ns, const Wakeup& wakeup);
  // Bytes of the stream `name`, of any length.
  void blob(std::uint64_t time_ns, std::string_view name, std::span<const std::byte> bytes);
  void buffer_full(std::uint64_t time_ns);

  // Gives the open call at `depth` another name and key. Returns false if its begin is emitted already.
  bool rename(std::size_t depth, LabelId label, std::uint64_t key);
  // Adds `text` to the string argument `name` of the top call, after a comma if it has one. Returns false if
  // its begin is emitted already, or has no room: then the end may carry the argument.
  bool annotate_top(NameId name, std::string_view text);

  // The events are shown on the thread of another lane, among that lane's calls; this lane must then have no
  // calls of some length. Called before the first event.
  void set_matched() { is_matched_ = true; }
  bool is_matched() const { return is_matched_; }

  // Calls that end before `time_ns` need not be emitted if nothing else is emitted inside them. The lane's
  // first event always is.
  void skip_calls_before(std::uint64_t time_ns) { needed_from_ns_ = time_ns; }

  // The number of open calls, of all kinds: the depth of the next call.
  std::size_t depth() const { return open_calls_.size(); }
  std::uint64_t top_key() const { return open_calls_.back().key; }
  std::uint64_t key_at(std::size_t depth) const { return open_calls_[depth].key; }
  bool top_is_filtered() const { return open_calls_.is_filtered(open_calls_.size() - 1); }
  std::size_t unfiltered_depth() const { return open_calls_.unfiltered_size(); }
  // Whether the innermost of the unfiltered calls is shown; flows need such a call.
  bool top_is_visible() const { return unfiltered_depth() != 0 && unfiltered_depth() <= options_.max_depth; }
  std::uint64_t last_ns() const { return last_ns_; }  // of all events so far; 0 before the first
  const LaneOptions& options() const { return options_; }
  const LaneCounters& counters() const { return counters_; }

  // ---- Handing events over to the merge, while nobody fills the lane ----

  // Bounds the lane's memory: when a pending call holds more than `bytes` back, its begin is emitted alone.
  void set_held_bytes_limit(std::size_t bytes) { held_bytes_limit_ = bytes; }
  // Seals the events before the oldest pending call. Returns their size in bytes.
  std::size_t seal();
  // Emits the begin of the oldest pending call without its end. queue().has_unsealed() must hold.
  void release_oldest();
  EventQueue& queue() { return queue_; }

 private:
  friend class PlainCalls;  // the hot path

  bool skip(const PendingEvent& call) {
    if (!queue_.remove_latest(call)) return false;
    ++counters_.skipped_calls;
    return true;
  }
  PendingEvent* next_event() {
    if (queue_.is_full()) add_chunk();
    return queue_.add();
  }
  void begin_slow(std::uint64_t time_ns, LabelId label, std::uint64_t key, const Arguments& arguments);
  void end_slow(std::uint64_t time_ns, const Arguments& arguments);
  void add_chunk();
  void limit_held_bytes();
  PendingEvent* push(std::uint64_t time_ns, EventKind kind, LabelId label, std::uint64_t id = 0,
                     const std::uint64_t* block = nullptr);
  template <typename T>
  void push_value(std::uint64_t time_ns, EventKind kind, const T& value);
  std::uint64_t* new_block(std::size_t count, std::size_t words);
  const std::uint64_t* keep(std::span<const std::uint64_t> words, std::size_t count);
  const std::uint64_t* keep(const Arguments& arguments);
  const std::uint64_t* extended(const PendingEvent& begin, const Arguments& more);
  void advance(std::uint64_t time_ns) {
    assert(time_ns >= last_ns_ && time_ns < kTimeLimitNs);
    last_ns_ = time_ns;
  }

  LaneOptions options_;
  std::size_t held_bytes_limit_ = ~std::size_t{0};
  EventQueue queue_;
  OpenCallStack open_calls_;
  InstantStack instants_;
  std::vector<Arguments> end_arguments_;  // of open calls whose begin could not hold them, outermost first
  // Deeper calls, and calls that are written as pairs, take the slow path.
  std::size_t hot_depth_limit_ = options_.durations == DurationForm::Mixed ? options_.max_depth : 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t zero_ns_ = kForever;  // the latest time of an event of zero length
  std::uint64_t needed_from_ns_ = 0;
  LaneCounters counters_;
  bool is_matched_ = false;
};

}  // namespace convert
