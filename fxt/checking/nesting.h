// The rules for nested durations of a thread (W15 to W17, W21). All readers nest durations that obey these
// rules in the same way. Internal to the Checker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fxt/format.h"
#include "fxt/rules.h"

namespace fxt {

// The durations of one thread that are open at the thread's last event, outermost first. Events must come in
// the order of time, outer durations before inner ones. Times after kLatest are treated as kLatest. `Tag` is
// the caller's data for each duration.
template <typename Tag>
class Nesting {
 public:
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0}, kLatest = kOpen - 1;
  struct Duration {
    std::uint64_t end = kOpen;  // kOpen if the duration awaits its end event
    // if `end` is kOpen: the end of the complete event around the duration
    std::uint64_t around_ends = kLatest;
    Tag tag = {};
    // The latest time at which the duration may end.
    std::uint64_t limit() const { return std::min(end, around_ends); }
  };

  Nesting() = default;
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

  // The fault of an event that is nested incorrectly; nothing if its nesting is correct.
  using Misplaced = std::optional<Fault>;

  // ---- Each of these functions adds an event, or returns why it is misplaced and changes nothing. ----

  Misplaced add_complete(std::uint64_t begin, std::uint64_t end, const Tag& tag) {
    if (begin == end) return add_point(begin, true);
    Duration* around = top_;
    const Misplaced misplaced = find_complete(begin, end, around);
    if (!misplaced) open(around, begin, {.end = std::min(end, kLatest), .tag = tag});
    return misplaced;
  }
  Misplaced add_begin(std::uint64_t time, const Tag& tag) {
    Duration* around = top_;
    const Misplaced misplaced = find_begin(time, around);
    if (!misplaced) open(around, time, {.end = kOpen, .around_ends = around->limit(), .tag = tag});
    return misplaced;
  }
  Misplaced add_end(std::uint64_t time) {
    if (dropped_ != 0) return --dropped_, Misplaced();
    Duration* around = top_;
    const Misplaced misplaced = find_end(time, around);
    if (!misplaced) go_to(around - 1, time);
    return misplaced;
  }
  // Adds an event of no length: an instant or a duration.
  Misplaced add_point(std::uint64_t time, bool is_duration) {
    Duration* around = top_;
    const Misplaced misplaced = find_point(time, around);
    if (misplaced) return misplaced;
    const std::size_t points = points_at(time);
    go_to(around, time);
    points_ = points + 1;
    point_encloses_ = is_duration;
    return {};
  }
  // At its end time, a duration still encloses flows, but no other events.
  Misplaced add_flow(std::uint64_t time) {
    const std::uint64_t known_time = std::min(time, kLatest);
    const Duration* around = top_;
    while (around->end < known_time) --around;
    if (known_time > around->around_ends) return Fault::OpenWhenEnded;
    const bool is_in_point = points_at(time) != 0 && point_encloses_;
    if (!is_in_point && around == durations_.data()) return Fault::NotEnclosed;
    if (!is_in_point && (around != top_ || points_ != 0)) return Fault::BehindEnded;
    last_time_ = time;
    return {};
  }

  // The fault of an end event. `is_named(tag)` returns true if the end event has the name in `tag`.
  template <typename IsNamed>
  Misplaced check_end(std::uint64_t time, IsNamed is_named) const {
    if (dropped_ != 0) return {};
    Duration* around = top_;
    const Misplaced misplaced = find_end(time, around);
    if (misplaced || is_named(around->tag)) return misplaced;
    for (--around; around != durations_.data(); --around)
      if (around->end == kOpen && is_named(around->tag)) return Fault::NamesOuter;
    return {};
  }

  // ---- What is open ----

  std::uint64_t last_time() const { return last_time_; }
  std::size_t depth() const { return depth_of(top_); }
  // The duration at a depth, from 1 (the outermost) to depth(). At depth 0 is an artificial duration that
  // encloses the whole trace.
  const Duration& duration_at(std::size_t depth) const { return durations_[depth]; }
  // The innermost duration around an event at `time`. This may be the artificial duration at depth 0.
  const Duration& innermost_around(std::uint64_t time) const {
    time = std::min(time, kLatest);
    const Duration* around = top_;
    while (around->end <= time) --around;
    return *around;
  }

  // ---- Repairs after a misplaced event ----

  // Must be called after the fault TooDeep. Readers drop this begin and its end event.
  void drop_begin() { ++dropped_; }
  bool has_dropped() const { return dropped_ != 0; }

  // Removes the durations that have ended by `time`, innermost first, and calls `visit(duration)` for each.
  template <typename Visitor>
  void remove_ended(std::uint64_t time, Visitor visit) {
    time = std::min(time, kLatest);
    for (; top_->end <= time; --top_) visit(*top_);
  }
  // Repairs the fault OpenWhenEnded. Must be called after remove_ended(time). Removes the durations that
  // ended before `time` and still have open durations inside. For each of them, calls `visit(ended, inner)`
  // with the removed duration and the next duration inside it.
  template <typename Visitor>
  void remove_outlived(std::uint64_t time, Visitor visit) {
    if (top_->limit() >= time) return;  // none has ended
    remove_if([&](const Duration& duration) { return duration.end < time; }, visit);
  }
  // Must be called after the fault Crosses. Removes the innermost duration that awaits its end. Calls
  // `visit(removed, inner)` with the removed duration and the duration inside it.
  template <typename Visitor>
  void end_around(Visitor visit) {
    const Duration* const ended = innermost_open(top_);
    remove_if([&](const Duration& duration) { return &duration == ended; }, visit);
  }

  // Removes the durations for which the condition is true, outermost first.
  template <typename Condition>
  void remove_if(Condition condition) {
    remove_if(condition, [](const Duration&, const Duration&) {});
  }

 private:
  // Each of these functions finds the duration around an event, and returns the event's fault.
  Misplaced find_around(std::uint64_t time, Duration*& around) const {
    time = std::min(time, kLatest);
    while (around->end <= time) --around;
    return time <= around->around_ends ? Misplaced() : Fault::OpenWhenEnded;
  }
  Misplaced find_begin(std::uint64_t time, Duration*& around) const {
    const Misplaced misplaced = find_around(time, around);
    const bool is_deepest = around == &durations_.back() && durations_.size() > kMaxDepth;
    return !misplaced && is_deepest ? Fault::TooDeep : misplaced;
  }
  Misplaced find_complete(std::uint64_t begin, std::uint64_t end, Duration*& around) const {
    const Misplaced misplaced = find_begin(begin, around);
    if (misplaced || std::min(end, kLatest) <= around->limit()) return misplaced;
    return around->end == kOpen ? Fault::OverlapsBegun : Fault::Overlaps;
  }
  Misplaced find_end(std::uint64_t time, Duration*& around) const {
    const Misplaced misplaced = find_around(time, around);
    const Duration* const none = durations_.data();
    if (misplaced || (around->end == kOpen && around != none)) return misplaced;
    return around == none                   ? Fault::StrayEnd
           : innermost_open(around) == none ? Fault::StrayEndInside
                                            : Fault::Crosses;
  }
  Misplaced find_point(std::uint64_t time, Duration*& around) const {
    const Misplaced misplaced = find_begin(time, around);
    return !misplaced && depth_of(around) + points_at(time) >= kMaxDepth ? Fault::TooDeep : misplaced;
  }
  std::size_t points_at(std::uint64_t time) const { return time == last_time_ ? points_ : 0; }

  // At most kMaxDepth durations can be open.
  void open(Duration* around, std::uint64_t time, const Duration& duration) {
    if (around == &durations_.back()) {
      const std::size_t depth = depth_of(around);
      durations_.resize(std::min(2 * durations_.size(), kMaxDepth + 1));
      around = durations_.data() + depth;
    }
    *++around = duration;
    go_to(around, time);
  }
  void go_to(Duration* top, std::uint64_t time) {
    top_ = top;
    last_time_ = time;
    points_ = 0;
  }
  std::size_t depth_of(const Duration* duration) const {
    return static_cast<std::size_t>(duration - durations_.data());
  }
  const Duration* innermost_open(const Duration* from) const {
    while (from->end != kOpen) --from;
    return from;
  }
  template <typename Condition, typename Visitor>
  void remove_if(Condition condition, Visitor visit) {
    Duration* kept = durations_.data();
    for (Duration* duration = kept + 1; duration <= top_; ++duration) {
      if (condition(*duration)) {
        if (duration != top_) visit(*duration, duration[1]);
        continue;
      }
      const std::uint64_t limit = kept->limit();
      *++kept = *duration;
      if (kept->end == kOpen) kept->around_ends = limit;
    }
    top_ = kept;
  }

  std::uint64_t last_time_ = 0;
  std::size_t points_ = 0;       // number of events of no length at last_time_ that are nested in each other
  bool point_encloses_ = false;  // true if the latest event of no length is a duration
  std::size_t dropped_ = 0;      // number of dropped begins that have not ended yet
  std::vector<Duration> durations_ = std::vector<Duration>(8);
  Duration* top_ = durations_.data();
};

}  // namespace fxt
