// Sorting in a window, and what readers do with the durations that do not nest.
#include "fxt/checking/nesting_check.h"

#include <algorithm>

#include "fxt/checking/value_rules.h"
#include "fxt/records.h"

namespace fxt {
namespace {

// Steps that may wait for earlier ones that come later in the file: about 25 MB.
constexpr std::size_t kWindow = std::size_t{1} << 19;

}  // namespace

// ---- One thread ----

void TrackCheck::step(const Step& step, std::string_view rule) {
  if (is_flow(step.type)) return apply(step, rule);  // closes nothing
  durations_.leave(step.time, [&](const auto& ended) {
    if (ended.end != ended_at_) ended_order_ = 0;
    ended_at_ = ended.end;
    ended_order_ = std::max(ended_order_, ended.tag.order);
  });
  durations_.outlived(step.time, [&](const auto& ended, const auto& inner) {
    if (inner.end == durations_.kOpen)
      findings_->report(
          Fault::OpenWhenEnded, inner.tag.offset, kind_of(EventType::DurationBegin),
          "still open when the complete event around it, at " + place(ended.tag.offset) + ", ends", rule);
  });
  if (step.type == EventType::DurationEnd) {
    end(step, rule);
  } else {
    apply(step, rule);
  }
}

void TrackCheck::apply(const Step& step, std::string_view rule) {
  const bool is_complete = step.type == EventType::DurationComplete;
  Tag tag{.offset = step.offset,
          .order = step.order,
          .begin = step.time,
          .name = step.name,
          .arguments = step.arguments};
  // Tracy sorts ends like other events: one that is later in the file ends a duration that has begun
  // meanwhile.
  tag.is_tied = ended_at_ == step.time && ended_order_ > step.order;
  Misplaced misplaced = Misplaced::No;
  if (is_complete) {
    misplaced = durations_.add_complete(step.time, step.end, tag);
    if (tag.is_tied && step.end != step.time) crosses(step.offset, step.type, rule);
  } else if (step.type == EventType::DurationBegin) {
    misplaced = durations_.add_begin(step.time, tag);
  } else if (step.type == EventType::Instant) {
    misplaced = durations_.add_point(step.time, false);
  } else {
    misplaced = durations_.add_flow(step.time);
  }
  if (misplaced != Misplaced::No) refuse(misplaced, step, rule);
}

void TrackCheck::refuse(Misplaced misplaced, const Step& step, std::string_view rule) {
  if (misplaced == Misplaced::BeyondAround) {
    std::size_t depth = durations_.depth();
    while (durations_.at(depth).end == durations_.kOpen) --depth;
    findings_->report(
        depth == durations_.depth() ? Fault::Overlaps : Fault::OverlapsBegun, step.offset, kind_of(step.type),
        "partly overlaps the complete event at " + place(durations_.at(depth).tag.offset), rule);
  } else if (misplaced == Misplaced::TooDeep || misplaced == Misplaced::TooManyAtOnce) {
    findings_->report(Fault::TooDeep, step.offset, kind_of(step.type), "lies deeper than 512 durations");
    if (step.type == EventType::DurationBegin) ++dropped_begins_;
  } else if (misplaced == Misplaced::NotEnclosed) {
    findings_->report(Fault::NotEnclosed, step.offset, kind_of(step.type),
                      "lies in no duration of its thread");
  } else if (misplaced == Misplaced::BehindEnded) {
    findings_->report(Fault::BehindEnded, step.offset, kind_of(step.type),
                      "follows a complete event or an instant that is over, inside its duration");
  }
}

void TrackCheck::end(const Step& step, std::string_view rule) {
  if (dropped_begins_ > 0) {
    --dropped_begins_;
    return;
  }
  const Tag begin = durations_.around(step.time).tag;
  const Misplaced misplaced = durations_.check_end(
      step.time, [&](const Tag& tag) { return step.name == 0 || step.name == tag.name; });
  if (misplaced == Misplaced::NeverBegan) {
    findings_->report(durations_.depth() == 0 ? Fault::StrayEnd : Fault::StrayEndInside, step.offset,
                      kind_of(step.type), "ends a duration that never began on its thread");
  } else if (misplaced == Misplaced::InnerIsOpen) {
    durations_.end_around([&](const auto&, const auto& inner) {
      crosses(inner.tag.offset, EventType::DurationComplete, rule);
    });
  } else {
    if (misplaced == Misplaced::NamesOuter)
      findings_->report(
          Fault::NamesOuter, step.offset, kind_of(step.type),
          "ends an outer duration by its name while the one at " + place(begin.offset) + " is still open");
    if (argument_names_->share(begin.arguments, step.arguments))
      findings_->report(Fault::NameOfBegin, step.offset, kind_of(step.type),
                        "has an argument named like one of its begin, at " + place(begin.offset));
    if (begin.is_tied && step.time != begin.begin) crosses(begin.offset, EventType::DurationBegin, rule);
    durations_.add_end(step.time);
  }
}

void TrackCheck::crosses(std::uint64_t offset, EventType type, std::string_view rule) const {
  findings_->report(Fault::Crosses, offset, kind_of(type), "crosses another duration of its thread", rule);
}

void TrackCheck::finish() {
  for (std::size_t depth = 1; depth <= durations_.depth(); ++depth)
    if (durations_.at(depth).end == durations_.kOpen)
      findings_->report(Fault::NeverEnds, durations_.at(depth).tag.offset, kind_of(EventType::DurationBegin),
                        "never ends");
}

// ---- All threads ----

void NestingCheck::add(const Event& event, std::uint64_t begin_ns, std::uint64_t end_ns,
                       std::uint64_t offset) {
  if (event.type == EventType::Counter || is_async(event.type)) return;
  const bool has_name = event.type == EventType::DurationBegin || event.type == EventType::DurationEnd;
  const TrackCheck::Step step{.time = begin_ns,
                              .order = ++order_,
                              .end = end_ns,
                              .name = has_name ? hash_of_names(event) : 0,
                              .offset = offset,
                              .type = event.type,
                              .arguments = has_name ? argument_names_->number_of(event.arguments) : 0};
  Track& track = track_of(event.thread);
  if (step.time < track.settled) {
    if (!track.lost)
      findings_->report(Fault::OutOfWindow, offset, kind_of(step.type),
                        "goes back in time further than can be followed; the nesting of its thread is not "
                        "checked from here on");
    track.lost = true;
  }
  if (track.lost) return;
  if (step.time < track.latest) track.in_order = track.sorted = false;
  track.latest = std::max(track.latest, step.time);
  track.waiting.push_back(step);
  if (++waiting_ < kWindow) return;
  for (Track& other : tracks_) settle(other, (other.waiting.size() + 1) / 2);
}

NestingCheck::Track& NestingCheck::track_of(const Thread& thread) {
  if (last_track_ != nullptr && last_thread_ == thread) return *last_track_;
  Track*& track = by_thread_[thread];
  if (track == nullptr) track = &tracks_.emplace_back(*findings_, *argument_names_);
  last_thread_ = thread;
  last_track_ = track;
  return *track;
}

// Judges the earliest of what waits.
void NestingCheck::settle(Track& track, std::size_t count) {
  if (count == 0) return;
  if (!track.sorted)
    std::ranges::sort(track.waiting, [](const TrackCheck::Step& a, const TrackCheck::Step& b) {
      return a.time != b.time ? a.time < b.time : a.order < b.order;
    });
  track.sorted = true;
  for (std::size_t i = 0; i < count; ++i) track.check.step(track.waiting[i], track.in_order ? "W15" : "W16");
  track.settled = track.waiting[count - 1].time;
  track.waiting.erase(track.waiting.begin(), track.waiting.begin() + static_cast<std::ptrdiff_t>(count));
  waiting_ -= count;
}

void NestingCheck::finish() {
  for (Track& track : tracks_) {
    settle(track, track.waiting.size());
    if (!track.lost) track.check.finish();
  }
}

}  // namespace fxt
