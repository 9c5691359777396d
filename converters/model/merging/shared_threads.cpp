#include "converters/model/merging/shared_threads.h"

#include <map>
#include <utility>

namespace convert {
namespace {

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
    const bool is_shared = counts.at(key) > 1;
    thread_of_lane_.push_back(is_shared ? shared.try_emplace(key, shared.size()).first->second : kNotShared);
  }
  threads_.resize(shared.size());
  too_deep_.resize(lanes.size());
  SinkStage::add_lanes(lanes);
}

void SharedThreads::write(std::span<const MergedRun> runs) {
  runs_.clear();
  replacements_.clear();
  for (const auto& [events, lane] : runs) {
    if (thread_of_lane_[lane] == kNotShared) {
      runs_.push_back({events, lane});
      continue;
    }
    Thread& thread = threads_[thread_of_lane_[lane]];
    const PendingEvent* first_kept = events.data();
    for (const PendingEvent& event : events) {
      const std::size_t replaced = replacements_.size();
      if (keeps(thread, event, too_deep_[lane])) continue;
      if (&event != first_kept) runs_.push_back({{first_kept, &event}, lane});
      for (std::size_t i = replaced; i < replacements_.size(); ++i)
        runs_.push_back({{&replacements_[i], 1}, lane});
      first_kept = &event + 1;
    }
    const PendingEvent* const end = events.data() + events.size();
    if (first_kept != end) runs_.push_back({{first_kept, end}, lane});
  }
  if (!runs_.empty()) SinkStage::write(runs_);
}

// Returns false if the event is dropped, or if other events were added in its place.
bool SharedThreads::keeps(Thread& thread, const PendingEvent& event, TooDeepCount& too_deep) {
  auto& call_ends = thread.call_ends;
  while (!call_ends.empty() && call_ends.back() <= event.time_ns) call_ends.pop_back();
  switch (event.kind) {
    case EventKind::Complete:
      call_ends.push_back(event.end_ns());
      return true;
    case EventKind::Begin:
      if (thread.dropped_begins == 0 && call_ends.size() <= deepest_) {
        call_ends.push_back(kForever);
        return true;
      }
      too_deep.add(event.label);
      ++thread.dropped_begins;
      return false;
    case EventKind::End:
      if (thread.dropped_begins == 0) {
        if (!call_ends.empty()) call_ends.pop_back();
        return true;
      }
      --thread.dropped_begins;
      return false;
    case EventKind::Instant:
      return keeps_instant(thread, event, too_deep);
    default:
      return true;
  }
}

bool SharedThreads::keeps_instant(Thread& thread, const PendingEvent& event, TooDeepCount& too_deep) {
  switch (thread.instants.add(event.time_ns, thread.call_ends.size(), deepest_)) {
    case InstantStack::Form::Instant:
      return true;
    case InstantStack::Form::TooDeep:
      too_deep.add(event.label);
      return false;
    case InstantStack::Form::Pair:
      break;
  }
  replacements_.push_back(event);
  replacements_.back().kind = EventKind::Begin;
  replacements_.push_back({event.time_ns, 0, nullptr, event.label, EventKind::End});
  return false;
}

}  // namespace convert
