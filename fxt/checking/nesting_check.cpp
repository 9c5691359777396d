// Sorting in a window, and the two stacks.
#include "fxt/checking/nesting_check.h"

#include <algorithm>
#include <string>

namespace fxt {
namespace {

// Steps that may wait for earlier ones that come later in the file: about 25 MB.
constexpr std::size_t kWindow = std::size_t{1} << 19;
constexpr std::size_t kPerfettoMaxDepth = 512;
constexpr std::string_view kComplete = "complete";

std::uint64_t hash_of(const String& category, const String& name) {
  if (category.text.empty() && name.text.empty()) return 0;
  const std::hash<std::string_view> hash;
  return hash(category.text) * 31 + hash(name.text);
}

bool is_before(const Step& a, const Step& b) {
  return a.time != b.time ? a.time < b.time : a.order < b.order;
}

std::string_view word_for(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::Instant:
      return "instant";
    case Step::Kind::Begin:
      return "begin";
    case Step::Kind::End:
      return "end";
    case Step::Kind::Complete:
    case Step::Kind::CompleteEnd:
      return kComplete;
    case Step::Kind::Flow:
      return "flow";
  }
  return "event";
}

}  // namespace

std::string place(std::uint64_t offset) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  do {
    digits.insert(digits.begin(), kDigits[offset % 16]);
    offset /= 16;
  } while (offset != 0);
  return "+0x" + digits;
}

// ---- Perfetto ----

void PerfettoStack::step(const Step& step, std::string_view rule) {
  switch (step.kind) {
    case Step::Kind::Instant:
      open(step, 0, rule);
      break;
    case Step::Kind::Begin:
      open(step, std::nullopt, rule);
      break;
    case Step::Kind::Complete:
      open(step, step.end - step.time, rule);
      break;
    case Step::Kind::End:
      close(step, rule);
      break;
    case Step::Kind::Flow:
      bind_flow(step);
      break;
    case Step::Kind::CompleteEnd:
      break;  // it knows the end already
  }
}

// Takes off what has ended; false if the new slice can't be placed.
bool PerfettoStack::make_room(const Step& step, std::optional<std::uint64_t> duration,
                              std::string_view rule) {
  bool open_above = false;
  for (std::size_t i = slices_.size(); i-- > 0;) {
    const Slice slice = slices_[i];
    if (!slice.end) {
      open_above = true;
      continue;
    }
    if (open_above) {
      if (step.time <= *slice.end) continue;
      findings_->error(rule, slices_[i + 1].offset, "begin",
                       "still open when the complete event around it, at " + place(slice.offset) + ", ends",
                       "Perfetto cuts it there and ignores its end");
      slices_.resize(i);
      open_above = false;
      continue;
    }
    const bool both_instants = slice.begin == *slice.end && duration == 0U;
    if (*slice.end < step.time || (*slice.end == step.time && !both_instants)) {
      slices_.pop_back();
      continue;
    }
    if (!duration) continue;
    if (step.time<*slice.end&& * duration> * slice.end - step.time) {
      findings_->error(rule, step.offset, word_for(step.kind),
                       "partly overlaps the complete event at " + place(slice.offset), "Perfetto drops it");
      return false;
    }
  }
  return true;
}

void PerfettoStack::open(const Step& step, std::optional<std::uint64_t> duration, std::string_view rule) {
  if (!make_room(step, duration, rule)) return;
  if (slices_.size() >= kPerfettoMaxDepth) {
    findings_->error("W15", step.offset, word_for(step.kind), "lies deeper than 512 durations",
                     "Perfetto drops it, and ends others in its place");
    return;
  }
  Slice& slice = slices_.emplace_back();
  slice.begin = step.time;
  if (duration) slice.end = step.time + *duration;
  slice.offset = step.offset;
  slice.is_instant = step.kind == Step::Kind::Instant;
}

void PerfettoStack::close(const Step& step, std::string_view rule) {
  make_room(step, std::nullopt, rule);
  for (std::size_t i = slices_.size(); i-- > 0;) {
    if (slices_[i].end) continue;
    slices_[i].end = step.time;
    if (i + 1 == slices_.size()) slices_.pop_back();
    return;
  }
}

void PerfettoStack::bind_flow(const Step& step) const {
  const bool enclosed = std::ranges::any_of(slices_, [&](const Slice& slice) {
    return !slice.is_instant && (!slice.end || *slice.end >= step.time);
  });
  if (!enclosed)
    findings_->error("W21", step.offset, "flow", "lies in no duration of its thread",
                     "Perfetto drops it, or binds it to the wrong slice");
}

// ---- Tracy ----

void TracyStack::step(const Step& step, std::string_view rule) {
  switch (step.kind) {
    case Step::Kind::Begin:
      zones_.push_back({.meant_end = std::nullopt, .begin = begins_.size(), .offset = step.offset});
      begins_.push_back(
          {.tracy_end = std::nullopt, .zone = zones_.size() - 1, .name = step.name, .offset = step.offset});
      break;
    case Step::Kind::Complete:
      zones_.push_back({.meant_end = step.end, .begin = 0, .offset = step.offset});
      break;
    case Step::Kind::CompleteEnd:
      pop(step, rule);
      break;
    case Step::Kind::End:
      pop(step, rule);
      end_begin(step, rule);
      break;
    case Step::Kind::Instant:
    case Step::Kind::Flow:
      break;
  }
}

// Tracy ends whatever is innermost.
void TracyStack::pop(const Step& step, std::string_view rule) {
  if (zones_.empty()) return;
  const Zone zone = zones_.back();
  zones_.pop_back();
  if (!zone.meant_end) {
    begins_[zone.begin].tracy_end = step.time;
  } else if (*zone.meant_end != step.time) {
    mismatch(zone.offset, rule);
  }
}

// The file means the innermost open begin.
void TracyStack::end_begin(const Step& step, std::string_view rule) {
  if (begins_.empty()) {
    findings_->warning("W17", step.offset, "end", "ends a duration that never began on its thread",
                       "readers ignore it");
    return;
  }
  const Begin begin = begins_.back();
  const bool names_another =
      step.name != 0 && step.name != begin.name &&
      std::ranges::any_of(begins_, [&](const Begin& other) { return other.name == step.name; });
  if (names_another)
    findings_->error(
        "W16", step.offset, "end",
        "ends an outer duration by its name while the one at " + place(begin.offset) + " is still open",
        "Perfetto and Tracy pair without names and end the inner one");
  begins_.pop_back();
  if (!begin.tracy_end) {
    zones_[begin.zone].meant_end = step.time;
  } else if (*begin.tracy_end != step.time) {
    mismatch(begin.offset, rule);
  }
}

void TracyStack::mismatch(std::uint64_t offset, std::string_view rule) const {
  findings_->error(rule, offset, "duration", "crosses another duration of its thread",
                   "Tracy gives it the other's end");
}

void TracyStack::finish() {
  for (const Begin& begin : begins_)
    findings_->error("W17", begin.offset, "begin", "never ends",
                     "Perfetto shows it as unfinished, Tracy invents an end");
}

// ---- Both ----

void NestingCheck::add(const Event& event, std::uint64_t begin_ns, std::uint64_t end_ns,
                       std::uint64_t offset) {
  Step step{.time = begin_ns, .order = order_, .end = end_ns, .offset = offset};
  switch (event.type) {
    case EventType::Instant:
      step.kind = Step::Kind::Instant;
      break;
    case EventType::DurationBegin:
    case EventType::DurationEnd:
      step.kind = event.type == EventType::DurationBegin ? Step::Kind::Begin : Step::Kind::End;
      step.name = hash_of(event.category, event.name);
      break;
    case EventType::DurationComplete:
      step.kind = Step::Kind::Complete;
      break;
    case EventType::FlowBegin:
    case EventType::FlowStep:
    case EventType::FlowEnd:
      step.kind = Step::Kind::Flow;
      break;
    case EventType::Counter:
    case EventType::AsyncBegin:
    case EventType::AsyncInstant:
    case EventType::AsyncEnd:
      return;
  }
  order_ += 2;
  Track& track = track_of(event.thread);
  if (step.time < track.settled) {
    if (!track.lost)
      findings_->warning("W16", offset, word_for(step.kind),
                         "goes back in time further than can be followed; the nesting of its thread is not "
                         "checked from here on",
                         "readers must sort");
    track.lost = true;
  }
  if (track.lost) return;
  if (step.time < track.latest) track.in_order = false;
  track.latest = std::max(track.latest, step.time);
  push(track, step);
  if (step.kind != Step::Kind::Complete) return;
  step.kind = Step::Kind::CompleteEnd;
  step.time = end_ns;
  ++step.order;
  push(track, step);
}

NestingCheck::Track& NestingCheck::track_of(const Thread& thread) {
  if (last_track_ != nullptr && last_thread_ == thread) return *last_track_;
  Track*& track = by_thread_[thread];
  if (track == nullptr) track = &tracks_.emplace_back(*findings_);
  last_thread_ = thread;
  last_track_ = track;
  return *track;
}

void NestingCheck::push(Track& track, const Step& step) {
  // Nearly always the place is at the end, or before a few ends that lie in the future.
  constexpr std::ptrdiff_t kNear = 64;
  auto place = track.waiting.end();
  const auto limit = track.waiting.size() > kNear ? place - kNear : track.waiting.begin();
  while (place != limit && is_before(step, place[-1])) --place;
  if (place == limit && place != track.waiting.begin() && is_before(step, place[-1])) {
    track.sorted = false;
    place = track.waiting.end();
  }
  track.waiting.insert(place, step);
  if (++waiting_ < kWindow) return;
  for (Track& other : tracks_) settle(other, Settle::PastHalf);
  if (waiting_ < kWindow / 4 * 3) return;
  for (Track& other : tracks_) settle(other, Settle::Half);
}

// Judges the earlier part of what waits. Ends that lie in the future wait on, unless there are too many.
void NestingCheck::settle(Track& track, Settle part) {
  if (!track.sorted) std::ranges::sort(track.waiting, is_before);
  track.sorted = true;
  const std::string_view rule = track.in_order ? "W15" : "W16";
  const std::size_t half = part == Settle::All ? track.waiting.size() : (track.waiting.size() + 1) / 2;
  std::size_t count = 0;
  while (count < half && (part != Settle::PastHalf || track.waiting[count].time <= track.latest)) {
    track.perfetto.step(track.waiting[count], rule);
    track.tracy.step(track.waiting[count], rule);
    ++count;
  }
  if (count != 0) track.settled = track.waiting[count - 1].time;
  track.waiting.erase(track.waiting.begin(), track.waiting.begin() + static_cast<std::ptrdiff_t>(count));
  waiting_ -= count;
}

void NestingCheck::finish() {
  for (Track& track : tracks_) {
    settle(track, Settle::All);
    if (!track.lost) track.tracy.finish();
  }
}

}  // namespace fxt
