#include "converters/uftrace/recording/fork_plan.h"

#include <algorithm>
#include <utility>

#include "converters/uftrace/records/fork_scan.h"

namespace convert::uftrace {
namespace {

struct PlannedFork {
  ThreadPlan* child;
  std::uint64_t time_ns;
  ProcessId parent;
};

// In the order of time, so that a child that forks itself is complete before its own children are.
std::vector<PlannedFork> forks_of(std::map<ThreadId, ThreadPlan>& plans) {
  std::vector<PlannedFork> forks;
  for (auto& [tid, plan] : plans)
    if (plan.task->parent && plan.task->fork_ns)
      forks.push_back({&plan, *plan.task->fork_ns, *plan.task->parent});
  std::ranges::stable_sort(forks, {}, &PlannedFork::time_ns);
  return forks;
}

class Planner {
 public:
  Planner(std::map<ThreadId, ThreadPlan>& plans, Symbolizer& symbolizer, std::size_t max_depth,
          const std::function<std::uint64_t()>& next_flow)
      : plans_(plans), symbolizer_(symbolizer), max_depth_(max_depth), next_flow_(next_flow) {}

  // All forks of one process that nothing else has to wait for.
  void plan(ProcessId parent, const std::vector<PlannedFork>& forks) {
    std::vector<ForkQuery> queries;
    for (const PlannedFork& fork : forks)
      queries.push_back(
          {.fork_ns = fork.time_ns, .first_exit = first_exit_of(fork.child->path, fork.child->order)});

    // A FORK line names the process, not the thread: the one that entered the forking call last, or the
    // leader.
    std::vector<std::pair<ThreadPlan*, ForkAnswer>> best(forks.size());
    for (auto& [tid, plan] : plans_) {
      if (plan.task->pid != parent) continue;
      const auto view = symbolizer_.view(*plan.task, forks.front().time_ns);
      const auto answers = scan_forks(plan.path, plan.order, plan.inherited, queries,
                                      [&](std::uint64_t address) { return view.is_code(address); });
      for (std::size_t i = 0; i < forks.size(); ++i) {
        auto& [thread, answer] = best[i];
        if (thread == nullptr || answers[i].left_from_ns > answer.left_from_ns ||
            (answers[i].left_from_ns == answer.left_from_ns && plan.task->is_leader())) {
          thread = &plan;
          answer = answers[i];
        }
      }
    }
    for (std::size_t i = 0; i < forks.size(); ++i)
      if (best[i].first != nullptr) connect(*best[i].first, *forks[i].child, std::move(best[i].second));
  }

 private:
  void connect(ThreadPlan& parent, ThreadPlan& child, ForkAnswer answer) {
    child.inherited = std::move(answer.open_addresses);
    if (!answer.entry_offset || answer.entry_depth >= max_depth_) return;
    if (!shows_a_call(child.path, child.order)) return;
    child.fork_flow = next_flow_();
    const ForkPoint point{.entry_offset = *answer.entry_offset, .flow = child.fork_flow};
    parent.forks.insert(
        std::ranges::upper_bound(parent.forks, point.entry_offset, {}, &ForkPoint::entry_offset), point);
  }

  std::map<ThreadId, ThreadPlan>& plans_;
  Symbolizer& symbolizer_;
  std::size_t max_depth_;
  const std::function<std::uint64_t()>& next_flow_;
};

}  // namespace

void plan_forks(std::map<ThreadId, ThreadPlan>& plans, Symbolizer& symbolizer, std::size_t max_depth,
                const std::function<std::uint64_t()>& next_flow) {
  Planner planner(plans, symbolizer, max_depth, next_flow);
  std::vector<PlannedFork> forks = forks_of(plans);
  for (PlannedFork& fork : forks) fork.child->is_forked = true;
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
