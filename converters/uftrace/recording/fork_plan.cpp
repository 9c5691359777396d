#include "converters/uftrace/recording/fork_plan.h"

#include <algorithm>
#include <utility>

#include "converters/uftrace/records/fork_scan.h"

namespace convert::uftrace {
namespace {

struct PlannedFork {
  ProcessId child;
  std::uint64_t time_ns;
  ProcessId parent;
  ThreadPlan* plan;  // null if the child has no records
};

// In the order of time, so that a child that forks itself is complete before its own children are.
std::vector<PlannedFork> forks_of(std::map<ThreadId, ThreadPlan>& plans, const Sessions& sessions) {
  std::vector<PlannedFork> forks;
  for (const auto& [tid, task] : sessions.tasks()) {
    if (!task.parent || !task.fork_ns) continue;
    const auto plan = plans.find(tid);
    const bool has_records = plan != plans.end() && !plan->second.path.empty();
    forks.push_back({task.pid, *task.fork_ns, *task.parent, has_records ? &plan->second : nullptr});
  }
  std::ranges::stable_sort(forks, {}, &PlannedFork::time_ns);
  return forks;
}

// Pids are given in ascending order, and begin anew at the end of their range.
bool is_forked_before(const PlannedFork& a, const PlannedFork& b) {
  const auto order = [](const PlannedFork& fork) { return std::pair(fork.child < fork.parent, fork.child); };
  return order(a) < order(b);
}

// A call that forks, and the thread that made it.
struct Candidate {
  ThreadPlan* thread;
  ForkCall call;
  bool is_taken = false;
};

// Calls that forks can be found in, in the order of their begin. Each is taken once.
class Candidates {
 public:
  explicit Candidates(std::vector<Candidate> all) : all_(std::move(all)) {
    std::ranges::stable_sort(all_, {}, [](const Candidate& c) { return c.call.begin_ns; });
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const ForkCall& call = all_[i].call;
      for (std::size_t depth = call.depth; depth < call.stack.size(); ++depth)
        by_key_[{depth, call.stack[depth]}].indices.push_back(i);
      (call.makes_process ? forks_ : others_).indices.push_back(i);
    }
  }

  // The earliest that is not taken and began before `time_ns`: one that the child was seen to leave, or else
  // any. Null if there is none.
  Candidate* take(std::uint64_t time_ns, const std::optional<CallKey>& first_exit) {
    if (first_exit) {
      if (const auto left = by_key_.find(*first_exit); left != by_key_.end())
        if (Candidate* const found = take(left->second, time_ns)) return found;
    }
    Candidate* const found = take(forks_, time_ns);
    return found != nullptr ? found : take(others_, time_ns);
  }

 private:
  struct Queue {
    std::vector<std::size_t> indices = {};
    std::size_t next = 0;
  };

  Candidate* take(Queue& queue, std::uint64_t time_ns) {
    while (queue.next < queue.indices.size() && all_[queue.indices[queue.next]].is_taken) ++queue.next;
    if (queue.next == queue.indices.size()) return nullptr;
    Candidate& candidate = all_[queue.indices[queue.next]];
    if (candidate.call.begin_ns >= time_ns) return nullptr;
    candidate.is_taken = true;
    return &candidate;
  }

  std::vector<Candidate> all_;
  std::map<CallKey, Queue> by_key_;
  Queue forks_, others_;
};

class Planner {
 public:
  Planner(std::map<ThreadId, ThreadPlan>& plans, Symbolizer& symbolizer, std::size_t max_depth,
          const std::function<std::uint64_t()>& next_flow)
      : plans_(plans), symbolizer_(symbolizer), max_depth_(max_depth), next_flow_(next_flow) {}

  // All forks of one process, in the order of time, that nothing else has to wait for.
  void plan(ProcessId parent, std::vector<PlannedFork> forks) {
    ForkQuery query;
    for (const PlannedFork& fork : forks) {
      query.times_ns.push_back(fork.time_ns);
      if (const auto key = first_exit_of(fork)) query.first_exits.insert(*key);
    }
    std::vector<Candidate> found;
    std::pair<ThreadPlan*, std::vector<StackMoment>> leader;
    for (auto& [tid, plan] : plans_) {
      if (plan.task->pid != parent || plan.path.empty()) continue;
      ForkScanResult scan = scan_forks(plan.path, plan.facts, *plan.task, symbolizer_, plan.payloads.get(),
                                       plan.inherited, query);
      for (ForkCall& call : scan.calls) found.push_back({&plan, std::move(call)});
      if (leader.first == nullptr || plan.task->is_leader()) leader = {&plan, std::move(scan.moments)};
    }
    if (leader.first == nullptr) return;

    Candidates candidates(std::move(found));
    // Where no call forked that can be told, the arrow comes from what the leader was in.
    std::map<ProcessId, StackMoment*> moments;
    for (std::size_t i = 0; i < forks.size(); ++i) moments[forks[i].child] = &leader.second[i];
    std::ranges::sort(forks, is_forked_before);
    for (const PlannedFork& fork : forks) {
      const Candidate* const from = candidates.take(fork.time_ns, first_exit_of(fork));
      if (fork.plan == nullptr) continue;
      if (from != nullptr) {
        const ForkCall& call = from->call;
        connect(*from->thread, *fork.plan,
                {.stack = call.stack, .entry_offset = call.entry_offset, .entry_depth = call.depth});
      } else {
        connect(*leader.first, *fork.plan, *moments[fork.child]);
      }
    }
  }

 private:
  static std::optional<CallKey> first_exit_of(const PlannedFork& fork) {
    if (fork.plan == nullptr || !fork.plan->head.first_call) return std::nullopt;
    const CallRecord& call = *fork.plan->head.first_call;
    return call.is_entry() ? std::nullopt : std::optional(CallKey{call.depth, call.address});
  }

  void connect(ThreadPlan& parent, ThreadPlan& child, const StackMoment& from) {
    child.inherited = from.stack;
    if (!from.entry_offset || from.entry_depth >= max_depth_) return;
    if (!child.head.first_call) return;  // nothing for the arrow to end in
    child.fork_flow = next_flow_();
    const ForkPoint point{.entry_offset = *from.entry_offset, .flow = child.fork_flow};
    parent.forks.insert(
        std::ranges::upper_bound(parent.forks, point.entry_offset, {}, &ForkPoint::entry_offset), point);
  }

  std::map<ThreadId, ThreadPlan>& plans_;
  Symbolizer& symbolizer_;
  std::size_t max_depth_;
  const std::function<std::uint64_t()>& next_flow_;
};

}  // namespace

void plan_forks(std::map<ThreadId, ThreadPlan>& plans, const Sessions& sessions, Symbolizer& symbolizer,
                std::size_t max_depth, const std::function<std::uint64_t()>& next_flow) {
  Planner planner(plans, symbolizer, max_depth, next_flow);
  std::vector<PlannedFork> forks = forks_of(plans, sessions);
  for (PlannedFork& fork : forks)
    if (fork.plan != nullptr) fork.plan->is_forked = true;
  // Each process's forks in one walk. A process forks only after it was forked itself, so the first fork that
  // is left always has a complete parent.
  while (!forks.empty()) {
    const ProcessId parent = forks.front().parent;
    const auto others = std::stable_partition(forks.begin(), forks.end(),
                                              [&](const PlannedFork& f) { return f.parent == parent; });
    planner.plan(parent, std::vector<PlannedFork>(forks.begin(), others));
    forks.erase(forks.begin(), others);
  }
}

}  // namespace convert::uftrace
