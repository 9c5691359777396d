// Finds out which thread forked or created which other thread, and where the flow between these threads
// starts. Also finds the calls that a forked child inherits.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "converters/model/merging/workers.h"
#include "converters/model/notes.h"
#include "converters/uftrace/filters/kept_call_scan.h"
#include "converters/uftrace/filters/thread_filter.h"
#include "converters/uftrace/records/fork_scan.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {
namespace {

struct PlannedFork {
  ThreadId child;  // a new thread, or the first thread of a process
  std::uint64_t time_ns;
  ProcessId parent;
  ThreadPlan* plan;              // null if the child has no records
  bool has_line;                 // task.txt has a FORK line: the child begins inside its parent's calls
  bool is_thread = false;        // the child is a thread of the parent's process
  std::optional<ThreadId> by{};  // the thread that forked, if perf has recorded it
};

// Adds the data of perf files to a fork, unless uftrace's own files contradict these data.
void complete(PlannedFork& fork, const PerfThread& known, const ThreadPlans& plans) {
  const auto parent = plans.find(known.parent);
  if (!known.forked_ns || parent == plans.end() || parent->second.place.empty()) return;
  const bool has_parent = fork.has_line || fork.is_thread;
  if (has_parent && (parent->second.task->pid != fork.parent || *known.forked_ns > fork.time_ns)) return;
  const auto first_ns = fork.plan != nullptr ? fork.plan->head.first_ns : std::nullopt;
  if (first_ns && *known.forked_ns > *first_ns) return;
  fork.parent = parent->second.task->pid;
  fork.time_ns = *known.forked_ns;
  fork.by = known.parent;
}

// Returns all forks, sorted by time. In this order, the fork that made a process is planned before the forks
// of this process.
std::vector<PlannedFork> forks_of(ThreadPlans& plans, const Sessions& sessions, const PerfThreads& perf) {
  std::vector<PlannedFork> forks;
  for (const auto& [tid, task] : sessions.tasks()) {
    const auto known = perf.find(tid);
    const auto plan = plans.find(tid);
    const bool has_records = plan != plans.end() && !plan->second.place.empty();
    PlannedFork fork{.child = tid,
                     .time_ns = task.fork_ns.value_or(0),
                     .parent = task.parent.value_or(ProcessId{}),
                     .plan = has_records ? &plan->second : nullptr,
                     .has_line = task.is_leader() && task.parent && task.fork_ns};
    if (!task.is_leader()) {
      if (!has_records || !plan->second.is_shown || !plan->second.head.first_call) continue;
      fork.is_thread = true;
      fork.parent = task.pid;
      fork.time_ns = plan->second.head.first_call->time_ns;
    }
    if (known != perf.end()) complete(fork, known->second, plans);
    if (fork.has_line || fork.is_thread || fork.by) forks.push_back(fork);
  }
  std::ranges::stable_sort(forks, {}, &PlannedFork::time_ns);
  return forks;
}

// Compares two forks by the ids of the children. The kernel assigns ascending ids. After the largest id, it
// starts again with small ids. Therefore, a child whose id is less than its parent's was forked after the
// children with larger ids.
bool is_forked_before(const PlannedFork& a, const PlannedFork& b) {
  const auto order = [](const PlannedFork& fork) {
    return std::pair(static_cast<ProcessId>(fork.child) < fork.parent, fork.child);
  };
  return order(a) < order(b);
}

struct Candidate {
  ThreadPlan* thread;
  ForkCall call;
  bool is_claimed = false;
};

// The forking calls of a process, in the order of their starts. Each call is assigned to at most one child.
class Candidates {
 public:
  explicit Candidates(std::vector<Candidate> all) : all_(std::move(all)) {
    std::ranges::stable_sort(all_, {}, [](const Candidate& c) { return c.call.begin_ns; });
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const ForkCall& call = all_[i].call;
      by_kind_[static_cast<std::size_t>(call.kind)].indices.push_back(i);
      if (call.kind == ForkKind::Thread) continue;
      for (std::size_t depth = call.depth; depth < call.stack.size(); ++depth)
        by_key_[{call.stack[depth], depth}].indices.push_back(i);
    }
  }

  // Assigns a forking call to a child: the earliest call that began before `time_ns` and is not assigned yet.
  // Prefers a call whose exit is the child's first record. Returns null if there is no such call.
  Candidate* claim(std::uint64_t time_ns, const std::optional<CallKey>& first_exit) {
    if (first_exit) {
      if (const auto left = by_key_.find(*first_exit); left != by_key_.end())
        if (Candidate* const found = claim(left->second, time_ns)) return found;
    }
    Candidate* const found = claim(ForkKind::Process, time_ns);
    return found != nullptr ? found : claim(ForkKind::Other, time_ns);
  }

  // Assigns a call of this kind to a child: the earliest call that began before `time_ns` and is not assigned
  // yet.
  Candidate* claim(ForkKind kind, std::uint64_t time_ns) {
    return claim(by_kind_[static_cast<std::size_t>(kind)], time_ns);
  }

  // Assigns to the child the forking call that was open in the forking thread (`fork.by`) at the time of the
  // fork. Returns null if there is none. `open` has the calls that were open at this time. With estimated
  // exits, some of them may be missing.
  Candidate* claim_open(const PlannedFork& fork, const std::vector<std::uint64_t>& open,
                        bool has_estimated_exits) {
    const auto later =
        std::ranges::upper_bound(all_, fork.time_ns, {}, [](const Candidate& c) { return c.call.begin_ns; });
    const auto latest = std::find_if(std::reverse_iterator(later), all_.rend(),
                                     [&](const Candidate& c) { return c.thread->task->tid == fork.by; });
    if (latest == all_.rend()) return nullptr;
    const bool may_be_open = has_estimated_exits && !latest->is_claimed &&
                             fork.is_thread == (latest->call.kind == ForkKind::Thread);
    if (!may_be_open && !latest->call.is_open_in(open)) return nullptr;
    latest->is_claimed = true;
    return &*latest;
  }

 private:
  struct Queue {
    std::vector<std::size_t> indices = {};
    std::size_t next = 0;
  };

  Candidate* claim(Queue& queue, std::uint64_t time_ns) {
    while (queue.next < queue.indices.size() && all_[queue.indices[queue.next]].is_claimed) ++queue.next;
    if (queue.next == queue.indices.size()) return nullptr;
    Candidate& candidate = all_[queue.indices[queue.next]];
    if (candidate.call.begin_ns >= time_ns) return nullptr;
    candidate.is_claimed = true;
    return &candidate;
  }

  std::vector<Candidate> all_;
  std::map<CallKey, Queue> by_key_;
  std::array<Queue, 4> by_kind_;
};

// Returns the calls that the child has inherited, outermost first. `calls` were open in the parent at the
// time of the fork. If the child's first record contradicts them, the result matches the first record.
std::vector<std::uint64_t> calls_around(const ThreadPlan& child, std::vector<std::uint64_t> calls) {
  if (!child.head.first_call) return calls;
  const CallRecord& first = *child.head.first_call;
  const auto is_before = [&](const ListedEvent& event) {
    return event.what == ListedEvent::What::Exec && event.time_ns <= first.time_ns;
  };
  if (std::ranges::any_of(child.listed_events, is_before)) return calls;
  calls.resize(first.is_entry() ? first.depth : first.depth + 1);
  if (!first.is_entry()) calls.back() = first.address;
  return calls;
}

class Planner {
 public:
  Planner(ThreadPlans& plans, Sessions& sessions, bool has_estimated_exits, Symbolizer& symbolizer,
          Timeline& timeline, Notes& notes)
      : plans_(plans),
        sessions_(sessions),
        has_estimated_exits_(has_estimated_exits),
        symbolizer_(symbolizer),
        timeline_(timeline),
        notes_(notes) {
    for (auto& [tid, plan] : plans)
      if (!plan.place.empty()) threads_of_[plan.task->pid].push_back(&plan);
  }

  // Plans all forks of one process. `forks` must be sorted by time. The fork of this process itself must have
  // been planned before.
  void plan(ProcessId parent, std::vector<PlannedFork> forks) {
    const auto of_parent = threads_of_.find(parent);
    if (of_parent == threads_of_.end()) return;
    const std::vector<ThreadPlan*>& threads = of_parent->second;
    const auto found =
        std::ranges::find_if(threads, [](const ThreadPlan* p) { return p->task->is_leader(); });
    ThreadPlan* const leader = found != threads.end() ? *found : threads.front();

    // For each thread of the parent, the forks at whose times the thread's open calls are needed. If no
    // forking call is found for a fork, its flow starts in the innermost open call.
    std::map<const ThreadPlan*, std::vector<const PlannedFork*>> forks_in;
    std::set<CallKey> first_exits;
    for (const PlannedFork& fork : forks) {
      if (fork.by || fork.has_line) forks_in[fork.by ? &plans_.at(*fork.by) : leader].push_back(&fork);
      if (const auto key = first_exit_of(fork)) first_exits.insert(*key);
    }
    std::vector<Candidate> calls;
    std::map<ThreadId, Origin> origins;
    std::vector<ForkScanResult> scans = scan_all(threads, first_exits, [&](const ThreadPlan* thread) {
      std::vector<std::uint64_t> times_ns;
      if (const auto here = forks_in.find(thread); here != forks_in.end())
        for (const PlannedFork* const fork : here->second) times_ns.push_back(fork->time_ns);
      // The scan must go on until the last fork, because threads may be created until then.
      times_ns.push_back(forks.back().time_ns);
      return times_ns;
    });
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (!scans[i].left_out.empty())
        notes_.add(kOverLimit, Location::file(threads[i]->place.text()),
                   fmt::format("{}; some forked children begin without the open calls of their parent",
                               scans[i].left_out));
      for (ForkCall& call : scans[i].calls) calls.push_back({threads[i], std::move(call)});
      const std::vector<const PlannedFork*>& forks_here = forks_in[threads[i]];
      for (std::size_t n = 0; n < forks_here.size(); ++n)
        origins[forks_here[n]->child] = {threads[i], std::move(scans[i].snapshots[n])};
    }

    Candidates candidates(std::move(calls));
    for (const PlannedFork& fork : forks)
      if (fork.by)
        origins[fork.child].call =
            candidates.claim_open(fork, origins[fork.child].snapshot.stack, has_estimated_exits_);
    std::ranges::sort(forks, is_forked_before);
    for (const PlannedFork& fork : forks) {
      Origin& origin = origins[fork.child];
      if (!fork.by)
        origin.call = fork.is_thread ? candidates.claim(ForkKind::Thread, fork.time_ns)
                                     : candidates.claim(fork.time_ns, first_exit_of(fork));
      if (fork.plan != nullptr) connect(origin, fork);
    }
  }

 private:
  struct Origin {
    ThreadPlan* thread = nullptr;
    StackSnapshot snapshot = {};
    const Candidate* call = nullptr;  // null if none was found
  };

  template <typename TimesOf>
  std::vector<ForkScanResult> scan_all(const std::vector<ThreadPlan*>& threads,
                                       const std::set<CallKey>& first_exits, TimesOf times_of) {
    Workers workers(std::min(timeline_.options().jobs, threads.size()));
    std::vector<ForkKinds> kinds(workers.jobs());
    std::vector<ForkScanResult> results(threads.size());
    workers.start(threads.size(), [&](std::size_t i, std::size_t worker) {
      results[i] =
          scan_forks(threads[i]->walked(), symbolizer_, times_of(threads[i]), first_exits, kinds[worker]);
    });
    workers.finish();
    return results;
  }

  static std::optional<CallKey> first_exit_of(const PlannedFork& fork) {
    if (fork.plan == nullptr || fork.is_thread || !fork.plan->head.first_call) return std::nullopt;
    const CallRecord& call = *fork.plan->head.first_call;
    return call.is_entry() ? std::nullopt : std::optional(CallKey{call.address, call.depth});
  }

  void connect(const Origin& origin, const PlannedFork& fork) {
    if (origin.call != nullptr) {
      const ForkCall& call = origin.call->call;
      if (fork.has_line) sessions_.forked_in(fork.child, *origin.call->thread->task, call.begin_ns);
      connect(*origin.call->thread, *fork.plan, {.stack = call.stack, .entry_offset = call.entry_offset},
              call.depth, fork.has_line);
    } else if (fork.has_line || fork.by) {
      connect(*origin.thread, *fork.plan, origin.snapshot, origin.snapshot.stack.size() - 1, fork.has_line);
    }
  }

  // Lets the flow to the child start in the parent's call at `depth`, and sets the child's inherited calls.
  void connect(ThreadPlan& parent, ThreadPlan& child, const StackSnapshot& from, std::size_t depth,
               bool inherits) {
    if (const auto calls = calls_around(child, from.stack); inherits && calls.size() <= child.most_calls)
      child.inherited.assign(calls.begin(), calls.end());  // without unused memory
    if (!parent.is_shown || !child.is_shown) return;
    if (!from.entry_offset || depth >= timeline_.options().lanes.max_depth) return;
    if (!child.head.first_call) return;  // there is no call in which the flow could end
    child.fork_flow = timeline_.ids().new_id();
    parent.forks.emplace(*from.entry_offset,
                         ForkPoint{.flow = child.fork_flow, .makes_thread = !child.task->is_leader()});
  }

  ThreadPlans& plans_;
  std::map<ProcessId, std::vector<ThreadPlan*>> threads_of_;  // threads with records, in the order of tids
  Sessions& sessions_;
  const bool has_estimated_exits_;
  Symbolizer& symbolizer_;
  Timeline& timeline_;
  Notes& notes_;
};

}  // namespace

void plan_forks(ThreadPlans& plans, Sessions& sessions, const PerfThreads& perf, bool has_estimated_exits,
                Symbolizer& symbolizer, Timeline& timeline, Notes& notes) {
  Planner planner(plans, sessions, has_estimated_exits, symbolizer, timeline, notes);
  std::vector<PlannedFork> forks = forks_of(plans, sessions, perf);
  for (PlannedFork& fork : forks)
    if (fork.plan != nullptr && fork.has_line) fork.plan->is_forked = true;
  // All forks of a process are planned together. For the earliest remaining fork, the fork that made its
  // parent has already been planned, because a process is forked before it forks.
  std::map<ProcessId, std::vector<PlannedFork>> forks_by;
  for (const PlannedFork& fork : forks) forks_by[fork.parent].push_back(fork);
  for (const PlannedFork& fork : forks)
    if (auto all = forks_by.extract(fork.parent)) planner.plan(fork.parent, std::move(all.mapped()));
}

namespace {

// Returns the calls that StackRepair will open before the thread's first record, outermost first.
std::vector<std::uint64_t> calls_before(const ThreadPlan& plan, const CallRecord& first) {
  std::vector<std::uint64_t> calls = calls_around(plan, plan.inherited);
  if (calls.size() != first.depth + (first.is_entry() ? 0 : 1)) calls.clear();  // ended by an exec
  calls.resize(first.depth, 0);
  return calls;
}

// True if later records do not hide the thread's first call. Returns false for a function with a condition on
// arguments, because the arguments are not read here.
bool is_kept(const ThreadPlan& plan, const FunctionRule* rule, FilterTable& table, Symbolizer& symbolizer) {
  if (rule != nullptr && rule->has(Setting::Condition)) return false;
  if (!table.looks_ahead()) return true;
  KeptCalls kept_calls;
  KeptCallScan scan(plan.walked(), table, symbolizer, kept_calls);
  while (scan.step()) {
  }
  return kept_calls.is_kept(plan.head.first_call_offset);
}

bool begins_in_shown_call(const ThreadPlan& plan, FilterTable& table, Symbolizer& symbolizer) {
  const CallRecord& first = *plan.head.first_call;
  TaskSymbols symbols(symbolizer, *plan.task);
  symbols.move_to(first.time_ns);
  ThreadFilter filter(table);
  std::size_t depth = 0;
  bool is_shown = false;
  for (const std::uint64_t address : calls_before(plan, first))
    is_shown |=
        filter.enter(depth++, address == 0 ? table.unknown_rule() : table.rule_of(symbols, address), true);
  if (is_shown || !first.is_entry()) return is_shown;
  const FunctionRule* const rule = table.rule_of(symbols, first.address);
  return filter.enter(depth, rule, true) && is_kept(plan, rule, table, symbolizer);
}

}  // namespace

void drop_hidden_arrows(ThreadPlans& plans, FilterTable& table, Symbolizer& symbolizer) {
  std::set<std::uint64_t> dropped;
  for (auto& [tid, plan] : plans) {
    if (plan.fork_flow == 0 || begins_in_shown_call(plan, table, symbolizer)) continue;
    dropped.insert(plan.fork_flow);
    plan.fork_flow = 0;
  }
  for (auto& [tid, plan] : plans)
    std::erase_if(plan.forks, [&](const auto& fork) { return dropped.contains(fork.second.flow); });
}

}  // namespace convert::uftrace
