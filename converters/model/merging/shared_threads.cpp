#include "converters/model/merging/shared_threads.h"

#include <map>
#include <utility>

namespace convert {
namespace {

constexpr std::uint64_t kWaits = ~std::uint64_t{0};

using ThreadKey = std::pair<ProcessId, ThreadId>;

std::map<ThreadKey, std::size_t> lanes_by_thread(std::span<const LaneInfo> lanes) {
  std::map<ThreadKey, std::size_t> counts;
  for (const LaneInfo& lane : lanes) ++counts[{lane.process, lane.thread}];
  return counts;
}

}  // namespace

bool SharedThreads::are_in(std::span<const LaneInfo> lanes) {
  return lanes_by_thread(lanes).size() != lanes.size();
}

void SharedThreads::add_lanes(std::span<const LaneInfo> lanes) {
  const auto counts = lanes_by_thread(lanes);
  std::map<ThreadKey, std::size_t> shared;
  for (const LaneInfo& lane : lanes) {
    const ThreadKey key{lane.process, lane.thread};
    const bool is_alone = counts.at(key) == 1;
    thread_of_lane_.push_back(is_alone ? kAlone : shared.try_emplace(key, shared.size()).first->second);
  }
  threads_.resize(shared.size());
  too_deep_.resize(lanes.size());
  next_.add_lanes(lanes);
}

void SharedThreads::write(std::span<const MergedRun> runs) {
  runs_.clear();
  changed_.clear();
  for (const auto& [events, lane] : runs) {
    if (thread_of_lane_[lane] == kAlone) {
      runs_.push_back({events, lane});
      continue;
    }
    Thread& thread = threads_[thread_of_lane_[lane]];
    // What stays as it is goes on in one piece.
    const PendingEvent* kept = events.data();
    for (const PendingEvent& event : events) {
      const std::size_t replaced = changed_.size();
      if (take(thread, event, too_deep_[lane])) continue;
      if (&event != kept) runs_.push_back({{kept, &event}, lane});
      for (std::size_t i = replaced; i < changed_.size(); ++i) runs_.push_back({{&changed_[i], 1}, lane});
      kept = &event + 1;
    }
    const PendingEvent* const end = events.data() + events.size();
    if (kept != end) runs_.push_back({{kept, end}, lane});
  }
  if (!runs_.empty()) next_.write(runs_);
}

// Whether the event stays as it is; otherwise what stands for it was added to `changed_`, or nothing.
bool SharedThreads::take(Thread& thread, const PendingEvent& event, TooDeepCount& hidden) {
  auto& open = thread.open;
  while (!open.empty() && open.back() <= event.time_ns) open.pop_back();
  switch (event.kind) {
    case EventKind::Complete:
      open.push_back(event.end_ns);
      return true;
    case EventKind::Begin:
      if (thread.left_out == 0 && open.size() <= last_place_) {
        open.push_back(kWaits);
        return true;
      }
      hidden.add(event.label);
      ++thread.left_out;
      return false;
    case EventKind::End:
      if (thread.left_out == 0) {
        if (!open.empty()) open.pop_back();
        return true;
      }
      --thread.left_out;
      return false;
    case EventKind::Instant:
      return take_instant(thread, event, hidden);
    default:
      return true;
  }
}

// The last place that is left is taken by pairs, as in Lane::instant().
bool SharedThreads::take_instant(Thread& thread, const PendingEvent& event, TooDeepCount& hidden) {
  if (std::exchange(thread.points_ns, event.time_ns) != event.time_ns) thread.points = 0;
  const std::size_t place = thread.open.size() + thread.points;
  if (place < last_place_) {
    ++thread.points;
    return true;
  }
  if (place > last_place_) {
    hidden.add(event.label);
    return false;
  }
  changed_.push_back(event);
  changed_.back().kind = EventKind::Begin;
  changed_.push_back({event.time_ns, 0, nullptr, event.label, EventKind::End});
  return false;
}

}  // namespace convert
