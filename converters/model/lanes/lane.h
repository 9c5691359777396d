// One thread's events in program order, waiting for their turn in the time merge. Pairs entries and exits
// into calls, and decides which form a call is written in (the mixed form of the design):
//
//   a call becomes ONE complete event at the position of its begin, unless its length is zero, or something
//   of zero length lies inside it at its very end, or its end is not known when its begin must be written:
//   then it becomes a begin and an end.
//
// One thread at a time fills a lane. What it has sealed can be taken by another one meanwhile.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "converters/model/lanes/argument.h"
#include "converters/model/lanes/argument_arena.h"
#include "converters/model/lanes/chunk.h"
#include "converters/model/lanes/event.h"
#include "converters/model/lanes/open_call_stack.h"
#include "converters/model/lanes/pending_event.h"
#include "converters/model/lanes/too_deep_count.h"

namespace convert {

// FXT takes 15 arguments a record; a call has two records to offer.
inline constexpr std::size_t kArgumentsPerRecord = 15;

enum class DurationForm : std::uint8_t { Mixed, Pairs };

// Perfetto drops slices deeper than this, and then misdraws their parents. Instants are slices to it.
inline constexpr std::size_t kPerfettoMaxDepth = 512;

struct LaneOptions {
  // Calls at this depth and deeper are left out, begin and end together, and counted. Instants are, where
  // they would lie deeper than this and kPerfettoMaxDepth.
  std::size_t max_depth = kPerfettoMaxDepth;
  DurationForm durations = DurationForm::Mixed;

  // The deepest place of an instant.
  std::size_t deepest_instant() const { return std::max(max_depth, kPerfettoMaxDepth) - 1; }
};

// Sealed events of a lane that lie side by side, in order, or none; none is Open. `chunk` is theirs when
// nothing else of it will come.
struct SealedEvents {
  std::span<PendingEvent> events;
  std::unique_ptr<EventChunk> chunk = nullptr;
};

class Lane {
 public:
  Lane(ChunkPool& pool, const LaneOptions& options) : pool_(&pool), options_(options) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // ---- Filling: times must not decrease and lie below 2^63 ns (callers check input; asserted here). ----

  // Opens a call inside those that are open. `key` is the caller's own, handed back by top_key() (an
  // address). Of `arguments`, the first 15 go with the begin and up to 15 more with the end.
  void begin(std::uint64_t time_ns, LabelId label, std::uint64_t key = 0, const Arguments& arguments = {});
  // The same for a call that is not to be seen: it is open like any other, but says nothing, and takes no
  // place from those inside it.
  void begin_filtered(std::uint64_t time_ns, std::uint64_t key) {
    advance(time_ns);
    ++filtered_calls_;
    open_calls_.push(&filtered_event_, key);
  }
  // Ends the innermost open call, which must exist. `arguments` are added to those of the begin; at most 30
  // in all are kept (cut_arguments() counts the rest).
  void end(std::uint64_t time_ns, const Arguments& arguments = {});

  // The call at `depth` ends, and is as if it had never been; what lies inside it stays. False (and nothing
  // done) if its begin may be out already, or it is not to be seen anyway.
  bool retract(std::size_t depth, std::uint64_t time_ns);

  // Ends the call around the innermost one where that one began: it stays open, and lies behind. False (and
  // nothing done) if that can't be drawn any more, or the call would have no length.
  bool end_parent_of_top(const Arguments& arguments = {});

  // The innermost calls step aside, so many, while calls that are not to be seen begin and end: until they
  // are put back, and lie inside those that are open then.
  void suspend_top(std::size_t count) { open_calls_.suspend_top(count); }
  void resume_top() { open_calls_.resume_top(); }

  // To Perfetto an instant is a slice, too, that lies on those before it at the same time: the last place
  // that is left is taken by begin/end pairs of zero length, which leave it again, as many as there are.
  void instant(std::uint64_t time_ns, LabelId label, const Arguments& arguments = {});
  // Numeric arguments only, one per series; `id` is a thread's tid or 0.
  void counter(std::uint64_t time_ns, LabelId label, std::uint64_t id, const Arguments& arguments);
  // Needs an open, visible call (checked by the sinks' readers, not here): see flows in fxt-notes W21.
  void flow(FlowStep step, std::uint64_t time_ns, LabelId label, std::uint64_t id,
            const Arguments& arguments = {});
  void context_switch(std::uint64_t time_ns, const ContextSwitch& context_switch);
  void wakeup(std::uint64_t time_ns, const Wakeup& wakeup);
  void log(std::uint64_t time_ns, std::string_view text);
  // Bytes of the stream `name`; chunked where they are written. Stands in the lane where it was said.
  void blob(std::uint64_t time_ns, std::string_view name, std::span<const std::byte> bytes);
  void buffer_full(std::uint64_t time_ns);

  // Gives the open call at `depth` its true name, which was not known at its begin. False if its begin is out
  // already.
  bool rename(std::size_t depth, LabelId label, std::uint64_t key);
  // Adds `text` to the string argument `name` of the innermost open call, after a comma if there is one.
  // False if its begin is out already (or hidden): then the end may carry it.
  bool annotate_top(NameId name, std::string_view text);

  // Its events are shown on the thread of another lane, among that one's calls: it must not have any that
  // last. Decided before anything is said.
  void set_matched() { is_matched_ = true; }
  bool is_matched() const { return is_matched_; }

  // Calls that end before `time_ns` need not be said, as far as nothing else is said in them. The first event
  // always is.
  void skip_calls_before(std::uint64_t time_ns) { needed_from_ns_ = time_ns; }

  // Calls open now, hidden ones and those left out included: the depth the next call gets.
  std::size_t depth() const { return open_calls_.size(); }
  std::uint64_t top_key() const { return open_calls_.back().key; }
  std::uint64_t key_at(std::size_t depth) const { return open_calls_[depth].key; }
  bool top_is_filtered() const { return is_filtered(open_calls_.back()); }
  // Open calls that are not left out.
  std::size_t unfiltered_depth() const { return open_calls_.size() - filtered_calls_; }
  // True if the innermost of those is shown (depth below max_depth); flows need one.
  bool top_is_visible() const { return unfiltered_depth() != 0 && unfiltered_depth() <= options_.max_depth; }
  // The latest time said; 0 before the first.
  std::uint64_t last_ns() const { return last_ns_; }

  // ---- The hot path: one plain record. False (and nothing done) when it does not fit the open calls. ----

  // An entry at exactly the current depth, not going back in time.
  bool try_begin(std::uint64_t time_ns, LabelId label, std::uint64_t key, std::size_t depth) {
    if (!can_begin(time_ns, depth)) return false;
    if (depth >= hot_depth_limit_) {
      begin(time_ns, label, key);
      return true;
    }
    last_ns_ = time_ns;
    PendingEvent* event = next_event();
    *event = {time_ns, 0, nullptr, label, EventKind::Open};
    open_calls_.push(event, key);
    return true;
  }

  // Whether it would, for an entry.
  bool can_begin(std::uint64_t time_ns, std::size_t depth) const {
    return depth == open_calls_.size() && time_ns >= last_ns_ && time_ns < kTimeLimitNs;
  }

  // An exit of the innermost call, not going back in time.
  bool try_end(std::uint64_t time_ns, std::uint64_t key, std::size_t depth) {
    if (depth + 1 != open_calls_.size()) return false;
    const OpenCall& call = open_calls_.back();
    if (call.key != key || time_ns < last_ns_ || time_ns >= kTimeLimitNs) return false;
    if (!call.is_pending() || time_ns == call.event->time_ns || time_ns == zero_ns_) {
      end(time_ns);
      return true;
    }
    last_ns_ = time_ns;
    call.event->end_ns = time_ns;
    call.event->kind = EventKind::Complete;
    if (time_ns < needed_from_ns_) skip_call(*call.event);
    open_calls_.pop();
    return true;
  }

  // The same of one that is left out; false for others.
  bool try_end_filtered(std::uint64_t time_ns, std::uint64_t key, std::size_t depth) {
    if (depth + 1 != open_calls_.size() || !top_is_filtered() || top_key() != key) return false;
    if (time_ns < last_ns_ || time_ns >= kTimeLimitNs) return false;
    last_ns_ = time_ns;
    pop_filtered();
    return true;
  }

  // Takes plain calls in bulk: decode(0), decode(1), … of `count`, and stops before the first one that is not
  // plain, does not fit the open calls, or needs more care. Returns how many were taken. See plain_run.h.
  template <typename Decode>
  std::size_t add_plain_run(std::size_t count, Decode decode);

  // ---- Sealing, by the Timeline, while nobody fills. ----

  // Open calls do not hold more than this back: then the oldest becomes a begin, and what waits behind it
  // goes on. So a lane's memory is bounded, by what it says alone.
  void set_held_bytes_limit(std::size_t bytes) { held_bytes_limit_ = bytes; }
  // Seals what stands before the oldest open call; the pieces can be taken. Gives their size in bytes.
  std::size_t seal();
  // Whether something waits behind the last seal: an open call first.
  bool has_unsealed() const { return unsealed_ != nullptr && unsealed_ != write_; }
  std::uint64_t first_unsealed_ns() const { return unsealed_->time_ns; }  // when has_unsealed()
  // Whether there is an event that was not taken yet, and the time of the first.
  bool has_events() const { return first_sealed() != sealed_.end() || has_unsealed(); }
  std::uint64_t first_ns() const {
    const auto batch = first_sealed();
    return batch != sealed_.end() ? batch->events.front().time_ns : first_unsealed_ns();
  }
  // Gives up waiting for the end of the oldest open call: it becomes a begin. has_unsealed() must hold.
  void release_oldest();

  // ---- Taking, by the merge, also while another thread fills. ----

  bool has_sealed() const { return !sealed_.empty(); }
  // has_sealed() must hold. The slots are good until the lane ends or their chunk is given back.
  SealedEvents pop_sealed() {
    SealedEvents batch = std::move(sealed_.front());
    sealed_.pop_front();
    return batch;
  }

  // Calls and instants left out because they lie too deep.
  const TooDeepCount& too_deep() const { return too_deep_; }
  std::uint64_t cut_arguments() const { return cut_arguments_; }
  // Calls that were not said because they are not needed.
  std::uint64_t skipped_calls() const { return skipped_calls_; }

 private:
  std::deque<SealedEvents>::const_iterator first_sealed() const {
    return std::ranges::find_if(sealed_, [](const SealedEvents& batch) { return !batch.events.empty(); });
  }
  template <typename Decode>
  std::size_t skip_plain_run(std::size_t count, Decode decode);
  bool skip_call(const PendingEvent& complete);
  PendingEvent* next_event() {
    if (write_ == write_end_) add_chunk();
    return write_++;
  }
  void pop_filtered() {
    --filtered_calls_;
    open_calls_.pop();
    first_pending_ = std::min(first_pending_, open_calls_.size());
  }
  bool is_filtered(const OpenCall& call) const { return call.event == &filtered_event_; }
  void begin_slow(std::uint64_t time_ns, LabelId label, std::uint64_t key, const Arguments& arguments);
  void end_slow(std::uint64_t time_ns, const Arguments& arguments);
  void add_chunk();
  // The depth of the oldest open call that waits; depth() if none does.
  std::size_t oldest_pending();
  EventChunk& chunk_of(const PendingEvent* event);
  void limit_held_bytes();
  PendingEvent* remove_retracted(PendingEvent* begin, PendingEvent* end);
  PendingEvent* push(std::uint64_t time_ns, EventKind kind, LabelId label, std::uint64_t id = 0,
                     const std::uint64_t* block = nullptr);
  template <typename T>
  void push_value(std::uint64_t time_ns, EventKind kind, const T& value);
  // Room for a run of `words` words behind its header, which is filled in.
  std::uint64_t* new_block(std::size_t count, std::size_t words);
  const std::uint64_t* keep(std::span<const std::uint64_t> row, std::size_t count);
  const std::uint64_t* keep(const Arguments& arguments);
  const std::uint64_t* extended(const PendingEvent& begin, const Arguments& more, std::size_t count);
  std::uint64_t bytes_used() const { return event_bytes_ + blocks_.bytes(); }
  void advance(std::uint64_t time_ns) {
    assert(time_ns >= last_ns_ && time_ns < kTimeLimitNs);
    last_ns_ = time_ns;
  }

  ChunkPool* pool_;
  LaneOptions options_;
  std::size_t held_bytes_limit_ = ~std::size_t{0};

  std::vector<std::unique_ptr<EventChunk>> filling_;  // what is not sealed to its end
  const PendingEvent* first_ = nullptr;               // of all
  PendingEvent* unsealed_ = nullptr;  // the first one behind the last seal, in filling_.front()
  PendingEvent* write_ = nullptr;
  PendingEvent* write_end_ = nullptr;
  ArgumentArena blocks_{*pool_};
  std::uint64_t event_bytes_ = 0;    // in full chunks, all in all
  std::deque<SealedEvents> sealed_;  // sealed

  OpenCallStack open_calls_;
  PendingEvent filtered_event_{
      .time_ns = 0, .end_ns = 0, .block = nullptr, .label = {}, .kind = EventKind::Begin};
  std::size_t filtered_calls_ = 0;        // frames of calls that are left out; they share that slot
  std::size_t first_pending_ = 0;         // no call below it waits
  std::vector<Arguments> end_arguments_;  // of frames that have some, outermost first
  // Deeper calls and pairs take the slow way.
  std::size_t hot_depth_limit_ = options_.durations == DurationForm::Mixed ? options_.max_depth : 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t zero_ns_ = ~std::uint64_t{0};  // the latest time at which something of zero length lies

  std::uint64_t instants_ns_ = ~std::uint64_t{0};  // when the latest instant was
  std::size_t instants_ = 0;                       // how many were then
  TooDeepCount too_deep_;
  std::uint64_t cut_arguments_ = 0;
  std::size_t retracted_ = 0;  // slots that are LeftOut
  std::uint64_t needed_from_ns_ = 0;
  std::uint64_t skipped_calls_ = 0;
  bool is_matched_ = false;
};

}  // namespace convert
