// One stack per thread, as readers have it.
#include "fxt/duration_guard.h"

#include <algorithm>

namespace fxt {
namespace {

constexpr std::size_t kMaxDepth = 512;

bool is_flow(EventType type) {
  return type == EventType::FlowBegin || type == EventType::FlowStep || type == EventType::FlowEnd;
}

// Counters and async operations lie beside the durations of their thread.
bool is_watched(EventType type) {
  return type == EventType::Instant || type == EventType::DurationBegin || type == EventType::DurationEnd ||
         type == EventType::DurationComplete || is_flow(type);
}

std::string on_thread(const Thread& thread) {
  return " on thread " + std::to_string(thread.thread) + " of process " + std::to_string(thread.process);
}

}  // namespace

// How many of the open durations still enclose the event: those that ended before it don't. At its very end
// a duration still encloses flows, but nothing else.
std::size_t DurationGuard::open_at(const Track& track, const Event& event) {
  std::size_t open = track.open.size();
  while (open > 0) {
    const auto end = track.open[open - 1].end;
    if (!end || *end > event.time || (*end == event.time && is_flow(event.type))) break;
    --open;
  }
  return open;
}

std::string DurationGuard::objection(const Event& event) const {
  static const Track kNew;
  if (!is_watched(event.type)) return "";
  const auto known = tracks_.find({event.thread.process, event.thread.thread});
  const Track& track = known == tracks_.end() ? kNew : known->second;
  if (track.released) return "";

  if (event.time < track.last_time)
    return "at " + std::to_string(event.time) + " ns comes after one at " + std::to_string(track.last_time) +
           " ns" + on_thread(event.thread) + ": its events must be in time order, outer durations first";
  const std::size_t open = open_at(track, event);
  const Duration* const innermost = open == 0 ? nullptr : &track.open[open - 1];
  if (is_flow(event.type))
    return innermost != nullptr ? ""
                                : "lies in no duration" + on_thread(event.thread) + ": viewers would drop it";
  if (event.type == EventType::DurationEnd) {
    if (innermost == nullptr) return "ends a duration that never began" + on_thread(event.thread);
    if (innermost->end)
      return "ends a duration before the one inside it, which lasts until " +
             std::to_string(*innermost->end) + " ns";
    return "";
  }
  if (open >= kMaxDepth) return "lies deeper than 512 durations, where Perfetto drops it";
  if (event.type == EventType::DurationComplete && innermost != nullptr && innermost->end &&
      event.end > *innermost->end)
    return "lasts until " + std::to_string(event.end) + " ns, beyond the one around it, which ends at " +
           std::to_string(*innermost->end) + " ns";
  return "";
}

void DurationGuard::written(const Event& event) {
  last_time_ = std::max({last_time_, event.time, event.end});
  if (!is_watched(event.type)) return;
  Track& track = tracks_[{event.thread.process, event.thread.thread}];
  if (track.released) return;
  track.last_time = event.time;
  track.open.resize(open_at(track, event));
  if (event.type == EventType::DurationEnd) track.open.pop_back();
  if (event.type == EventType::DurationComplete && event.end > event.time)
    track.open.push_back({.end = event.end, .category = {}, .name = {}});
  if (event.type == EventType::DurationBegin)
    track.open.push_back({.end = std::nullopt,
                          .category = std::string(event.category.text),
                          .name = std::string(event.name.text)});
}

void DurationGuard::release(const Thread& thread) {
  Track& track = tracks_[{thread.process, thread.thread}];
  track.released = true;
  track.open.clear();
}

std::vector<DurationGuard::Unfinished> DurationGuard::unfinished() const {
  std::vector<Unfinished> all;
  for (const auto& [key, track] : tracks_) {
    for (std::size_t i = track.open.size(); i-- > 0;) {
      const Duration& duration = track.open[i];
      if (!duration.end)
        all.push_back({.thread = {.process = key.first, .thread = key.second},
                       .category = duration.category,
                       .name = duration.name});
    }
  }
  return all;
}

}  // namespace fxt
