// One thread's events in program order, waiting for their turn in the time merge. Pairs entries and exits
// into calls, and decides which form a call is written in (the mixed form of the design):
//
//   a call becomes ONE complete event at the position of its begin, unless its length is zero, or something
//   of zero length lies inside it at its very end, or its end is not known when its begin must be written:
//   then it becomes a begin and an end.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/event.h"
#include "converters/model/field_queue.h"
#include "converters/model/slot.h"

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
};

class Lane {
 public:
  Lane(SlotPool& pool, const LaneOptions& options) : pool_(&pool), options_(options) {}
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // ---- Filling: times must not decrease and lie below 2^63 ns (callers check input; asserted here). ----

  // Opens a call inside those that are open. `key` is the caller's own, handed back by top_key() (an
  // address). Of `arguments`, the first 15 go with the begin and up to 15 more with the end.
  void begin(std::uint64_t time_ns, LabelId label, std::uint64_t key = 0, Arguments arguments = {});
  // Ends the innermost open call, which must exist. `arguments` are added to those of the begin; at most 30
  // in all are kept (cut_arguments() counts the rest).
  void end(std::uint64_t time_ns, Arguments arguments = {});

  // Takes the arguments over and leaves empty room for the next ones in their place.
  void instant(std::uint64_t time_ns, LabelId label, Arguments&& arguments = {});
  // Numeric arguments only, one per series; `id` is a thread's tid or 0.
  void counter(std::uint64_t time_ns, LabelId label, std::uint64_t id, Arguments arguments);
  // Needs an open, visible call (checked by the sinks' readers, not here): see flows in fxt-notes W21.
  void flow(FlowStep step, std::uint64_t time_ns, LabelId label, std::uint64_t id, Arguments arguments = {});
  void context_switch(std::uint64_t time_ns, const ContextSwitch& context_switch);
  void log(std::uint64_t time_ns, std::string text);
  // Bytes of the stream `name`; chunked where they are written. Stands in the lane where it was said.
  void blob(std::uint64_t time_ns, std::string_view name, std::span<const std::byte> bytes);
  void buffer_full(std::uint64_t time_ns);
  // Whether an instant said now would be shown. To Perfetto an instant is a slice, too, and lies on those
  // that came before it at the same time.
  bool shows_instant(std::uint64_t time_ns) const {
    const std::size_t shown_depth = std::min(frames_.size(), options_.max_depth);
    const std::size_t below = instants_ns_ == time_ns ? instants_ : 0;
    return shown_depth + below < std::max(options_.max_depth, kPerfettoMaxDepth);
  }
  // Says all records of a form; shows_instant() must hold. Returns its fields, `count` as the form says, to
  // be filled in at once.
  std::uint64_t* formed(std::uint64_t time_ns, FormId form, std::size_t count) {
    advance(time_ns);
    count_instant(time_ns);
    *next_slot() = {time_ns, fields_.end(), {}, Slot::tag_of(form)};
    return fields_.add(count);
  }

  // Gives the open call at `depth` its true name, which was not known at its begin. False if its begin is out
  // already.
  bool rename(std::size_t depth, LabelId label, std::uint64_t key);
  // Adds `text` to the string argument `name` of the innermost open call, after a comma if there is one.
  // False if its begin is out already (or hidden): then the end may carry it.
  bool annotate_top(NameId name, std::string_view text);

  // Calls open now, hidden ones included: the depth the next call gets.
  std::size_t depth() const { return frames_.size(); }
  std::uint64_t top_key() const { return frames_.back().key; }
  std::uint64_t key_at(std::size_t depth) const { return frames_[depth].key; }
  LabelId label_at(std::size_t depth) const { return frames_[depth].label; }
  // True if the innermost call is shown (depth below max_depth); flows need one.
  bool top_is_visible() const { return !frames_.empty() && frames_.size() <= options_.max_depth; }
  // The latest time said; 0 before the first.
  std::uint64_t last_ns() const { return last_ns_; }

  // ---- The hot path: one plain record. False (and nothing done) when it does not fit the open calls. ----

  // An entry at exactly the current depth, not going back in time.
  bool try_begin(std::uint64_t time_ns, LabelId label, std::uint64_t key, std::size_t depth) {
    if (depth != frames_.size() || time_ns < last_ns_ || time_ns >= kTimeLimitNs) return false;
    if (depth >= hot_depth_limit_) {
      begin(time_ns, label, key);
      return true;
    }
    last_ns_ = time_ns;
    Slot* slot = next_slot();
    *slot = {time_ns, 0, label, 0};
    static_assert(static_cast<int>(SlotKind::Open) == 0);
    frames_.push_back({slot, time_ns, key, label, DetailsId::None});
    return true;
  }

  // An exit of the innermost call, not going back in time.
  bool try_end(std::uint64_t time_ns, std::uint64_t key, std::size_t depth) {
    if (depth + 1 != frames_.size()) return false;
    const Frame& frame = frames_.back();
    if (frame.key != key || time_ns < last_ns_ || time_ns >= kTimeLimitNs) return false;
    if (frame.slot == nullptr || time_ns == frame.begin_ns || time_ns == zero_ns_) {
      end(time_ns);
      return true;
    }
    last_ns_ = time_ns;
    frame.slot->end_ns = time_ns;
    frame.slot->tag += static_cast<std::uint32_t>(SlotKind::Complete);  // Open is 0; details stay
    frames_.pop_back();
    return true;
  }

  // ---- Emptying, by the Timeline and the sink. ----

  // True if nothing waits here.
  bool empty() const { return chunks_.size() <= 1 && read_ == write_; }
  const Slot& head() const { return *read_; }  // must not be empty()
  bool head_is_open() const { return !empty() && head().kind() == SlotKind::Open; }
  // The longest run of waiting events, ready to write, with time < `before_ns`, that lies in one piece. Valid
  // until consume().
  std::span<const Slot> ready(std::uint64_t before_ns) const {
    const Slot* last = read_;
    const Slot* const stop = end_of_front();
    while (last != stop && last->time_ns < before_ns && last->kind() != SlotKind::Open) ++last;
    return {read_, last};
  }
  // Takes away the first `count` of what is ready(). True if more may be ready behind them, in another piece.
  bool consume(std::size_t count) {
    read_ += count;
    if (read_ != end_of_front()) return false;
    leave_front();
    return true;
  }
  // Gives up waiting for the end of the oldest open call: it becomes a begin. head_is_open() must hold.
  void release_head();
  // Bytes that wait here.
  std::size_t waiting_bytes() const {
    return waiting_slots() * sizeof(Slot) + details_bytes_ + fields_.waiting_bytes();
  }

  const Details& details(DetailsId id) const { return details_[index(id)]; }
  void drop_details(DetailsId id);  // once written
  // Of a Formed; valid until others are said or dropped.
  const std::uint64_t* fields(const Slot& formed) const { return fields_.at(formed.end_ns); }
  // Once a Formed of `count` fields, and all before it, are written.
  void drop_fields(const Slot& formed, std::size_t count) { fields_.drop_until(formed.end_ns + count); }

  // Calls and instants left out because they lie too deep.
  std::uint64_t hidden() const { return hidden_; }
  std::uint64_t cut_arguments() const { return cut_arguments_; }

 private:
  struct Frame {
    Slot* slot;  // null if the call is written as a pair, or hidden
    std::uint64_t begin_ns;
    std::uint64_t key;
    LabelId label;
    DetailsId rest;  // arguments that the begin had no room for
  };

  static std::size_t index(DetailsId id) { return static_cast<std::size_t>(id) - 1; }
  Slot* next_slot() {
    if (write_ == write_end_) add_chunk();
    return write_++;
  }
  const Slot* end_of_front() const {
    return chunks_.size() <= 1 ? write_ : chunks_.front().get() + SlotPool::kSlotsPerChunk;
  }
  void leave_front();
  std::size_t waiting_slots() const;
  void add_chunk();
  Slot* push(std::uint64_t time_ns, SlotKind kind, LabelId label, std::uint64_t id = 0,
             DetailsId details = DetailsId::None);
  void finish_with(Slot& slot, std::uint64_t time_ns, Arguments arguments);
  DetailsId keep(Details details);
  DetailsId keep(Arguments&& arguments);
  DetailsId fresh_details();
  void advance(std::uint64_t time_ns) {
    assert(time_ns >= last_ns_ && time_ns < kTimeLimitNs);
    last_ns_ = time_ns;
  }
  void count_instant(std::uint64_t time_ns) {
    assert(shows_instant(time_ns));
    instants_ = instants_ns_ == time_ns ? instants_ + 1 : 1;
    instants_ns_ = zero_ns_ = time_ns;
  }

  SlotPool* pool_;
  LaneOptions options_;
  std::deque<SlotPool::Chunk> chunks_;
  Slot* write_ = nullptr;
  Slot* write_end_ = nullptr;
  const Slot* read_ = nullptr;

  std::vector<Frame> frames_;
  std::size_t first_waiting_frame_ = 0;  // no frame below it has a slot that waits
  // Deeper calls and pairs take the slow way.
  std::size_t hot_depth_limit_ = options_.durations == DurationForm::Mixed ? options_.max_depth : 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t zero_ns_ = ~std::uint64_t{0};  // the latest time at which something of zero length lies

  std::vector<Details> details_;
  std::vector<DetailsId> free_details_;
  std::size_t details_bytes_ = 0;
  FieldQueue fields_;
  std::uint64_t instants_ns_ = ~std::uint64_t{0};  // when the latest instant was
  std::size_t instants_ = 0;                       // how many were then
  std::uint64_t hidden_ = 0;
  std::uint64_t cut_arguments_ = 0;
};

}  // namespace convert
