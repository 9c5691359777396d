// Tracks the durations of each thread as Perfetto and Tracy do, in the order of time. Checks the rules
// W15, W16 and W17, and whether durations enclose flows (W21). fxt/checking/nesting.h has the rules
// themselves. Internal to the Checker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "fxt/checking/by_thread.h"
#include "fxt/checking/findings.h"
#include "fxt/checking/nesting.h"
#include "fxt/checking/value_rules.h"
#include "fxt/records.h"

namespace fxt {

class TrackCheck {
 public:
  struct Step {
    std::uint64_t time = 0;    // in ns
    std::uint64_t end = 0;     // for DurationComplete
    std::uint64_t name = 0;    // for begins and ends: hash of category and name; 0 if both are empty
    std::uint64_t offset = 0;  // in the file
    EventType type = EventType::Instant;
    std::uint32_t arguments = 0;  // for begins and ends: from ArgumentNames::number_of()
  };

  TrackCheck(const Findings& findings, const ArgumentNames& argument_names)
      : findings_(&findings), argument_names_(&argument_names) {}

  void step(const Step& step) {
    if (step.time < durations_.last_time()) return report(Fault::OutOfOrder, step, "its thread");
    if (is_flow(step.type)) return apply(step);  // a flow event ends no duration
    durations_.remove_ended(step.time, [&](const auto& ended) {
      if (ended.end != ended_at_) ended_offset_ = 0;
      ended_at_ = ended.end;
      ended_offset_ = std::max(ended_offset_, ended.tag.offset);
    });
    durations_.remove_outlived(step.time, [&](const auto& ended, const auto& inner) {
      if (inner.end == durations_.kOpen)
        findings_->report(
            Fault::OpenWhenEnded, inner.tag.offset, kind_of(EventType::DurationBegin),
            "still open when the complete event around it, at " + offset_text(ended.tag.offset) + ", ends");
    });
    step.type == EventType::DurationEnd ? end(step) : apply(step);
  }
  void finish() const {
    for (std::size_t depth = 1; depth <= durations_.depth(); ++depth)
      if (durations_.duration_at(depth).end == durations_.kOpen)
        findings_->report(Fault::NeverEnds, durations_.duration_at(depth).tag.offset,
                          kind_of(EventType::DurationBegin), "never ends");
  }

 private:
  struct Tag {
    std::uint64_t offset = 0;
    std::uint64_t begin = 0;
    std::uint64_t name = 0;       // for durations without an end yet: Step::name of the begin
    std::uint32_t arguments = 0;  // for durations without an end yet: Step::arguments of the begin
    bool is_tied = false;         // Tracy ends the duration when it begins; apply() explains why
  };

  void apply(const Step& step) {
    Tag tag{.offset = step.offset, .begin = step.time, .name = step.name, .arguments = step.arguments};
    // Tracy splits each complete event into a begin and an end, and keeps the order of the file at equal
    // times. Example: this event begins at 50, and a complete event that is later in the file ends at 50.
    // Tracy sees this begin first, and ends the new duration with the end of the complete event.
    tag.is_tied = ended_at_ == step.time && ended_offset_ > step.offset;
    if (step.type == EventType::DurationComplete) {
      drop_begun_together(step);
      refuse(durations_.add_complete(step.time, step.end, tag), step);
      if (tag.is_tied && step.end != step.time) report(Fault::TakesEarlierEnd, step);
    } else if (step.type == EventType::DurationBegin) {
      refuse(durations_.add_begin(step.time, tag), step);
    } else if (step.type == EventType::Instant) {
      refuse(durations_.add_point(step.time, false), step);
    } else {
      refuse(durations_.add_flow(step.time), step);
    }
  }
  // Viewers drop a complete event if a shorter event with the same begin comes before it in the file. The
  // steps are sorted by length, so the longer event has already been added here.
  void drop_begun_together(const Step& step) {
    const auto is_dropped = [&step](const auto& around) {
      return around.tag.begin == step.time && around.end != Nesting<Tag>::kOpen && around.end > step.end &&
             around.tag.offset > step.offset;
    };
    if (step.end == step.time || !is_dropped(durations_.duration_at(durations_.depth()))) return;
    durations_.remove_if([&](const auto& around) {
      if (!is_dropped(around)) return false;
      overlaps(Fault::Overlaps, around.tag.offset, step.offset);
      return true;
    });
  }
  void overlaps(Fault fault, std::uint64_t offset, std::uint64_t other) const {
    findings_->report(fault, offset, kind_of(EventType::DurationComplete),
                      "partly overlaps the complete event at " + offset_text(other));
  }
  void refuse(std::optional<Fault> misplaced, const Step& step) {
    if (misplaced == Fault::Overlaps || misplaced == Fault::OverlapsBegun) {
      std::size_t depth = durations_.depth();
      while (durations_.duration_at(depth).end == durations_.kOpen) --depth;
      overlaps(*misplaced, step.offset, durations_.duration_at(depth).tag.offset);
    } else if (misplaced == Fault::TooDeep) {
      report(Fault::TooDeep, step);
      if (step.type == EventType::DurationBegin) durations_.drop_begin();
    } else if (misplaced == Fault::NotEnclosed || misplaced == Fault::BehindEnded) {
      report(*misplaced, step, " on its thread");
    }
  }
  void end(const Step& step) {
    const bool is_of_dropped = durations_.has_dropped();
    const Tag begin = durations_.innermost_around(step.time).tag;
    const auto misplaced = durations_.check_end(
        step.time, [&](const Tag& tag) { return step.name == 0 || step.name == tag.name; });
    if (misplaced == Fault::StrayEnd || misplaced == Fault::StrayEndInside)
      return report(*misplaced, step, " on its thread");
    if (misplaced == Fault::Crosses)
      return durations_.end_around([&](const auto&, const auto& inner) {
        findings_->report(Fault::Crosses, inner.tag.offset, kind_of(EventType::DurationComplete),
                          problem_of(Fault::Crosses));
      });
    if (misplaced == Fault::NamesOuter) report(Fault::NamesOuter, step, ", at " + offset_text(begin.offset));
    if (!is_of_dropped && argument_names_->share(begin.arguments, step.arguments))
      report(Fault::NameOfBegin, step, ", at " + offset_text(begin.offset));
    if (!is_of_dropped && begin.is_tied && step.time != begin.begin)
      findings_->report(Fault::TakesEarlierEnd, begin.offset, kind_of(EventType::DurationBegin),
                        problem_of(Fault::TakesEarlierEnd));
    durations_.add_end(step.time);
  }
  void report(Fault fault, const Step& step, std::string_view where = {}) const {
    findings_->report(fault, step.offset, kind_of(step.type), problem_of(fault).append(where));
  }

  const Findings* findings_;
  const ArgumentNames* argument_names_;
  Nesting<Tag> durations_;
  // End and offset of the complete event that ended last. Of several such events, the last one in the file
  // counts.
  std::uint64_t ended_at_ = 0, ended_offset_ = 0;
};

class NestingCheck {
 public:
  NestingCheck(const Findings& findings, ArgumentNames& argument_names)
      : findings_(&findings), argument_names_(&argument_names) {}

  void add(const Event& event, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t offset) {
    if (event.type == EventType::Counter || is_async(event.type)) return;
    const bool has_name = event.type == EventType::DurationBegin || event.type == EventType::DurationEnd;
    track_of(event.thread)
        .step({.time = begin_ns,
               .end = end_ns,
               .name = has_name ? hash_of_names(event.category.text, event.name.text) : 0,
               .offset = offset,
               .type = event.type,
               .arguments = has_name ? argument_names_->number_of(event.arguments) : 0});
  }
  void finish() const {
    for (const TrackCheck& track : tracks_) track.finish();
  }

 private:
  TrackCheck& track_of(const Thread& thread) {
    TrackCheck*& track = by_thread_[thread];
    if (track == nullptr) track = &tracks_.emplace_back(*findings_, *argument_names_);
    return *track;
  }

  const Findings* findings_;
  ArgumentNames* argument_names_;
  std::deque<TrackCheck> tracks_;  // in the order of the threads' first events
  ByThread<TrackCheck*> by_thread_;
};

}  // namespace fxt
