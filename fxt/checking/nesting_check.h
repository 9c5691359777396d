// Follows the durations of every thread as Perfetto and Tracy do: sorted by time, ties in the order of the
// file (rules W15, W16, W17 and the enclosing duration of W21). fxt/nesting.h has the rule itself.
// Internal to the Checker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/checking/by_thread.h"
#include "fxt/checking/findings.h"
#include "fxt/checking/value_rules.h"
#include "fxt/nesting.h"
#include "fxt/records.h"

namespace fxt {

// Steps in time order, each of which may wait for earlier ones that come later in the file. A Step has a
// `time` in ns and its `order` in the file.
template <typename Step>
class SortedSteps {
 public:
  // False for what comes too late to be sorted in, and from then on.
  bool add(const Step& step) {
    is_lost_ = is_lost_ || step.time < settled_;
    if (is_lost_) return false;
    is_sorted_ = is_sorted_ && step.time >= latest_;
    latest_ = std::max(latest_, step.time);
    waiting_.push_back(step);
    return true;
  }
  // Calls `judge(step)` with the earliest `count` of those that wait.
  template <typename Judge>
  void settle(std::size_t count, Judge judge) {
    if (count == 0) return;
    if (!is_sorted_)
      std::ranges::sort(waiting_, {}, [](const Step& one) { return std::pair(one.time, one.order); });
    is_sorted_ = true;
    for (std::size_t i = 0; i < count; ++i) judge(waiting_[i]);
    settled_ = waiting_[count - 1].time;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::size_t waiting() const { return waiting_.size(); }
  bool is_lost() const { return is_lost_; }
  std::uint64_t latest() const { return latest_; }

 private:
  std::vector<Step> waiting_;
  std::uint64_t latest_ = 0;   // of what was added
  std::uint64_t settled_ = 0;  // what was before has been judged
  bool is_sorted_ = true, is_lost_ = false;
};

// One thread, its events sorted.
class TrackCheck {
 public:
  struct Step {
    std::uint64_t time = 0;   // ns
    std::uint64_t order = 0;  // in the file; breaks ties
    std::uint64_t end = 0;    // of DurationComplete
    std::uint64_t name = 0;   // of begins and ends: hash of category and name; 0 if both are empty
    std::uint64_t offset = 0;
    EventType type = EventType::Instant;
    std::uint32_t arguments = 0;  // of begins and ends: ArgumentNames
  };

  TrackCheck(const Findings& findings, const ArgumentNames& argument_names)
      : findings_(&findings), argument_names_(&argument_names) {}

  // `rule` is what misplaced durations break: W16 if the file is not in time order, else W15.
  void step(const Step& step, std::string_view rule) {
    rule_ = rule;
    if (step.time < durations_.last_time())
      return report(Fault::OutOfWindow, step, "comes after a later event of its thread");
    if (is_flow(step.type)) return apply(step);  // closes nothing
    durations_.leave(step.time, [&](const auto& ended) {
      if (ended.end != ended_at_) ended_order_ = 0;
      ended_at_ = ended.end;
      ended_order_ = std::max(ended_order_, ended.tag.order);
    });
    durations_.outlived(step.time, [&](const auto& ended, const auto& inner) {
      if (inner.end == durations_.kOpen)
        findings_->report(
            Fault::OpenWhenEnded, inner.tag.offset, kind_of(EventType::DurationBegin),
            "still open when the complete event around it, at " + offset_text(ended.tag.offset) + ", ends",
            rule_);
    });
    step.type == EventType::DurationEnd ? end(step) : apply(step);
  }
  void finish() const {
    for (std::size_t depth = 1; depth <= durations_.depth(); ++depth)
      if (durations_.at(depth).end == durations_.kOpen)
        findings_->report(Fault::NeverEnds, durations_.at(depth).tag.offset,
                          kind_of(EventType::DurationBegin), "never ends");
  }

 private:
  struct Tag {
    std::uint64_t offset = 0;
    std::uint64_t order = 0;
    std::uint64_t begin = 0;
    std::uint64_t name = 0;       // of those that wait for their end
    std::uint32_t arguments = 0;  // the same
    bool is_tied = false;         // Tracy ends it where it begins, by the end of the one before it
  };

  void apply(const Step& step) {
    Tag tag{.offset = step.offset,
            .order = step.order,
            .begin = step.time,
            .name = step.name,
            .arguments = step.arguments};
    // Tracy makes a begin and an end of each complete event, and sorts events of one time in the order of the
    // file. If a complete event that ends where this event begins stands later in the file, its end comes
    // behind this begin, and ends this duration.
    tag.is_tied = ended_at_ == step.time && ended_order_ > step.order;
    if (step.type == EventType::DurationComplete) {
      refuse(durations_.add_complete(step.time, step.end, tag), step);
      if (tag.is_tied && step.end != step.time) crosses(step.offset, step.type);
    } else if (step.type == EventType::DurationBegin) {
      refuse(durations_.add_begin(step.time, tag), step);
    } else if (step.type == EventType::Instant) {
      refuse(durations_.add_point(step.time, false), step);
    } else {
      refuse(durations_.add_flow(step.time), step);
    }
  }
  void refuse(std::optional<Fault> misplaced, const Step& step) {
    if (misplaced == Fault::Overlaps || misplaced == Fault::OverlapsBegun) {
      std::size_t depth = durations_.depth();
      while (durations_.at(depth).end == durations_.kOpen) --depth;
      findings_->report(
          *misplaced, step.offset, kind_of(step.type),
          "partly overlaps the complete event at " + offset_text(durations_.at(depth).tag.offset), rule_);
    } else if (misplaced == Fault::TooDeep) {
      report(Fault::TooDeep, step);
      if (step.type == EventType::DurationBegin) durations_.drop_begin();
    } else if (misplaced == Fault::NotEnclosed || misplaced == Fault::BehindEnded) {
      report(*misplaced, step, " on its thread");
    }
  }
  void end(const Step& step) {
    const bool is_of_dropped = durations_.has_dropped();
    const Tag begin = durations_.around(step.time).tag;
    const auto misplaced = durations_.check_end(
        step.time, [&](const Tag& tag) { return step.name == 0 || step.name == tag.name; });
    if (misplaced == Fault::StrayEnd || misplaced == Fault::StrayEndInside)
      return report(*misplaced, step, " on its thread");
    if (misplaced == Fault::Crosses)
      return durations_.end_around(
          [&](const auto&, const auto& inner) { crosses(inner.tag.offset, EventType::DurationComplete); });
    if (misplaced == Fault::NamesOuter) report(Fault::NamesOuter, step, ", at " + offset_text(begin.offset));
    if (!is_of_dropped && argument_names_->share(begin.arguments, step.arguments))
      report(Fault::NameOfBegin, step, ", at " + offset_text(begin.offset));
    if (!is_of_dropped && begin.is_tied && step.time != begin.begin)
      crosses(begin.offset, EventType::DurationBegin);
    durations_.add_end(step.time);
  }
  void report(Fault fault, const Step& step, std::string_view where = {}) const {
    findings_->report(fault, step.offset, kind_of(step.type), problem_of(fault).append(where));
  }
  void crosses(std::uint64_t offset, EventType type) const {
    findings_->report(Fault::Crosses, offset, kind_of(type), "crosses another duration of its thread", rule_);
  }

  const Findings* findings_;
  const ArgumentNames* argument_names_;
  Nesting<Tag> durations_;
  std::string_view rule_;                         // of the current step
  std::uint64_t ended_at_ = 0, ended_order_ = 0;  // of complete ones: the latest, by their order
};

// All threads.
class NestingCheck {
 public:
  NestingCheck(const Findings& findings, ArgumentNames& argument_names, bool is_as_written)
      : findings_(&findings), argument_names_(&argument_names), is_as_written_(is_as_written) {}

  // `begin_ns` and `end_ns` are the event's times.
  void add(const Event& event, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t offset) {
    if (event.type == EventType::Counter || is_async(event.type)) return;
    const bool has_name = event.type == EventType::DurationBegin || event.type == EventType::DurationEnd;
    Track& track = track_of(event.thread);
    const TrackCheck::Step step{.time = begin_ns,
                                .order = ++order_,
                                .end = end_ns,
                                .name = has_name ? hash_of_names(event.category.text, event.name.text) : 0,
                                .offset = offset,
                                .type = event.type,
                                .arguments = has_name ? argument_names_->number_of(event.arguments) : 0};
    if (is_as_written_) return track.check.step(step, "W15");
    const bool was_lost = track.steps.is_lost();
    track.is_in_order = track.is_in_order && begin_ns >= track.steps.latest();
    if (!track.steps.add(step)) {
      if (!was_lost)
        findings_->report(Fault::OutOfWindow, offset, kind_of(event.type),
                          "goes back in time further than can be followed; the nesting of its thread is not "
                          "checked from here on");
      return;
    }
    if (++waiting_ < kWindow) return;
    for (Track& other : tracks_) settle(other, (other.steps.waiting() + 1) / 2);
  }
  void finish() {
    for (Track& track : tracks_) {
      settle(track, track.steps.waiting());
      if (!track.steps.is_lost()) track.check.finish();
    }
  }

 private:
  // Steps that wait, in all tracks: about 25 MB.
  static constexpr std::size_t kWindow = std::size_t{1} << 19;

  struct Track {
    Track(const Findings& findings, const ArgumentNames& argument_names) : check(findings, argument_names) {}
    SortedSteps<TrackCheck::Step> steps;
    bool is_in_order = true;  // the records came so
    TrackCheck check;
  };

  Track& track_of(const Thread& thread) {
    Track*& track = by_thread_[thread];
    if (track == nullptr) track = &tracks_.emplace_back(*findings_, *argument_names_);
    return *track;
  }
  void settle(Track& track, std::size_t count) {
    track.steps.settle(count, [&](const TrackCheck::Step& step) {
      track.check.step(step, track.is_in_order ? "W15" : "W16");
    });
    waiting_ -= count;
  }

  const Findings* findings_;
  ArgumentNames* argument_names_;
  bool is_as_written_;
  std::deque<Track> tracks_;  // in the order of their first event
  ByThread<Track*> by_thread_;
  std::size_t waiting_ = 0;
  std::uint64_t order_ = 0;
};

}  // namespace fxt
