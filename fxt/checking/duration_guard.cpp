// One stack per thread, as readers have it; one table of flows.
#include "fxt/checking/duration_guard.h"

#include <algorithm>

namespace fxt {
namespace {

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

// ---- One thread ----

DurationStack::Open* DurationStack::grow() {
  const std::size_t depth = open_.size(), top = this->depth();
  if (depth > kMaxDepth) return nullptr;
  open_.resize(std::min(2 * depth, kMaxDepth + 1));
  top_ = open_.data() + top;
  return open_.data() + depth;
}

bool DurationStack::add_point(std::uint64_t time) {
  Open* const around = around_event_at(time);
  const std::size_t points = points_at(time);
  if (around == nullptr || static_cast<std::size_t>(around - open_.data()) + points >= kMaxDepth)
    return false;
  go_to(around, time);
  points_ = points + 1;
  return true;
}

std::size_t DurationStack::depth_at(std::uint64_t time) const {
  std::size_t depth = this->depth();
  while (open_[depth].end <= time) --depth;
  return depth;
}

std::string DurationStack::objection(const Event& event) const {
  if (event.time < last_time_)
    return "at " + std::to_string(event.time) + " ns comes after one at " + std::to_string(last_time_) +
           " ns" + on_thread(thread_) + ": its events must be in time order, outer durations first";
  if (is_flow(event.type)) {
    // At its very end a duration still encloses flows, but nothing else.
    const bool enclosed = depth_at(event.time) != 0 || (depth() != 0 && open_[1].end == event.time);
    return enclosed ? "" : "lies in no duration" + on_thread(thread_) + ": viewers would drop it";
  }
  const std::size_t depth = depth_at(event.time);
  const std::uint64_t end = open_[depth].end;
  if (event.type == EventType::DurationEnd) {
    if (depth == 0) return "ends a duration that never began" + on_thread(thread_);
    if (end != kOpen)
      return "ends a duration before the one inside it, which lasts until " + std::to_string(end) + " ns";
    return "";
  }
  if (depth == kMaxDepth) return "lies deeper than 512 durations, where Perfetto drops it";
  const bool is_point = event.type == EventType::Instant ||
                        (event.type == EventType::DurationComplete && event.end == event.time);
  if (is_point && depth + points_at(event.time) >= kMaxDepth)
    return "follows too many events of no length at one time: Perfetto stacks them and drops what lies "
           "deeper "
           "than 512";
  if (event.type == EventType::DurationComplete && event.end > end)
    return "lasts until " + std::to_string(event.end) + " ns, beyond the one around it, which ends at " +
           std::to_string(end) + " ns";
  return "";
}

void DurationStack::add(const Event& event, std::uint64_t names) {
  if (is_flow(event.type)) {
    points_ = points_at(event.time);
    last_time_ = event.time;
  } else if (event.type == EventType::DurationComplete) {
    add_complete(event.time, event.end);
  } else if (event.type == EventType::DurationBegin) {
    add_begin(event.time, names);
  } else if (event.type == EventType::DurationEnd) {
    add_end(event.time);
  } else {
    add_point(event.time);
  }
}

void DurationStack::append_pending(std::vector<Pending>& all) const {
  for (std::size_t i = depth(); i > 0; --i)
    if (open_[i].end == kOpen) all.push_back({.thread = thread_, .names = open_[i].names});
}

// ---- All threads ----

DurationStack& DurationGuard::stack_of(const Thread& thread) {
  if (last_stack_ == nullptr || last_thread_ != thread) {
    last_stack_ = &stacks_.try_emplace({thread.process, thread.thread}, thread).first->second;
    last_thread_ = thread;
  }
  return *last_stack_;
}

std::string DurationGuard::objection(const Event& event) {
  if (!is_watched(event.type)) return "";
  std::string objection = stack_of(event.thread).objection(event);
  if (objection.empty() && is_flow(event.type)) objection = flow_objection(event);
  return objection;
}

std::string DurationGuard::flow_objection(const Event& event) const {
  const std::string id = std::to_string(event.id);
  const OpenFlows::Found flow = flows_.find(event.thread.process, event.id);
  if (event.type == EventType::FlowBegin) {
    const bool in_use = flow.match == OpenFlows::Match::Found && flow.process == event.thread.process;
    return in_use ? "begins flow " + id + ", which is open since " + std::to_string(flow.where) + " ns" : "";
  }
  if (flow.match == OpenFlows::Match::NoneBegan) return "continues flow " + id + ", which has not begun";
  if (flow.match == OpenFlows::Match::SeveralOthers)
    return "continues flow " + id + ", which several other processes have begun";
  if (event.time < flow.where)
    return "continues flow " + id + " before it begins at " + std::to_string(flow.where) + " ns";
  return "";
}

void DurationGuard::add(const Event& event, std::uint64_t names) {
  if (!is_watched(event.type)) return;
  stack_of(event.thread).add(event, names);
  if (event.type == EventType::FlowBegin) flows_.begin(event.thread.process, event.id, event.time);
  if (event.type == EventType::FlowEnd) flows_.end(flows_.find(event.thread.process, event.id), event.id);
}

std::vector<DurationStack::Pending> DurationGuard::pending() const {
  std::vector<DurationStack::Pending> all;
  for (const auto& [key, stack] : stacks_) stack.append_pending(all);
  return all;
}

}  // namespace fxt
