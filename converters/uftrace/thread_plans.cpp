#include "converters/uftrace/thread_plans.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

bool is_wanted(ThreadId tid, const ImportOptions& options) {
  return options.tids.empty() || std::ranges::count(options.tids, static_cast<std::uint64_t>(tid)) != 0;
}

// The execs and library loads of all threads, by thread and time. The first image of a process is no exec,
// unless the process was forked into another one before.
std::map<ThreadId, std::deque<ImageChange>> image_changes_of(const RecordingImport& recording, Notes& notes) {
  std::map<ThreadId, std::deque<ImageChange>> changes;
  const auto add = [&](ThreadId tid, ImageChange change) {
    if (recording.sessions.find_task(tid) != nullptr)
      changes[tid].push_back(std::move(change));
    else
      notes.add(kNoThread, [&] {
        return fmt::format("{}: {} of {} by thread {}", (recording.directory.path / "task.txt").native(),
                           change.what == ImageChange::What::Exec ? "exec" : "load", change.path,
                           static_cast<std::uint64_t>(tid));
      });
  };
  std::set<ProcessId> forked, started;
  for (const TaskEvent& event : recording.events) {
    if (const auto* fork = std::get_if<Fork>(&event)) forked.insert(fork->child);
    if (const auto* load = std::get_if<LibraryLoad>(&event))
      add(load->tid, {ImageChange::What::Dlopen, load->time_ns, load->libname});
  }
  for (const Session& session : recording.sessions.sessions()) {  // by start, which the lines are not
    const bool is_first = started.insert(session.pid).second;
    if (is_first && !forked.contains(session.pid)) continue;
    const auto leader = static_cast<ThreadId>(session.pid);
    add(leader, {ImageChange::What::Exec, session.start_ns, session.exename});
  }
  for (auto& [tid, list] : changes) std::ranges::stable_sort(list, {}, &ImageChange::time_ns);
  return changes;
}

// When the first of what is shown of the thread is.
std::optional<std::uint64_t> first_ns_of(const ThreadPlan& plan, const RecordingImport& recording) {
  std::uint64_t first_ns = plan.head.first_ns.value_or(kForever);
  if (const auto perf = recording.perf.find(plan.task->tid); perf != recording.perf.end()) {
    if (recording.shows_perf_switches())
      first_ns = std::min(first_ns, perf->second.first_ns.value_or(kForever));
    if (recording.shows_own_events()) first_ns = std::min(first_ns, perf->second.named_ns.value_or(kForever));
  }
  return first_ns == kForever ? std::nullopt : std::optional(first_ns);
}

}  // namespace

ThreadPlans plans_of(RecordingImport& recording, ImportContext& context) {
  auto changes = image_changes_of(recording, context.notes);
  ThreadPlans plans;
  for (const auto& [tid, task] : recording.sessions.tasks()) {
    if (!is_wanted(tid, context.options)) {
      const auto number = static_cast<std::uint64_t>(tid);
      context.notes.add(kThreadsLeftOut, [&] {
        return fmt::format("{}: thread {}", recording.directory.path.native(), number);
      });
      continue;
    }
    plans.emplace(tid, ThreadPlan{.task = &task,
                                  .facts = facts_of(task, recording.info, recording.symbolizer),
                                  .payloads = std::make_unique<PayloadDecoder>(recording.layouts, task),
                                  .image_changes = std::move(changes[tid])});
  }
  for (const ThreadFile& file : recording.directory.threads) {
    const auto found = plans.find(file.tid);
    if (found == plans.end()) continue;
    ThreadPlan& plan = found->second;
    plan.path = file.path.string();
    plan.size_bytes = file.size_bytes;
    plan.keep_open = recording.directory.threads.size() <= open_file_limit() / 2;  // cpus have files, too
    plan.head = read_head(plan.path, plan.facts);
  }
  return plans;
}

std::optional<std::uint64_t> begin_of(const ThreadPlans& plans, const RecordingImport& recording,
                                      std::uint64_t kernel_ns) {
  std::optional<std::uint64_t> begin_ns;
  if (kernel_ns != kForever) begin_ns = kernel_ns;
  for (const auto& [tid, plan] : plans)
    if (const auto time_ns = first_ns_of(plan, recording))
      begin_ns = std::min(*time_ns, begin_ns.value_or(*time_ns));
  return begin_ns;
}

void plan_streams(ThreadPlan& plan, RecordingImport& recording, Timeline& timeline) {
  const Task& task = *plan.task;
  if (const auto perf = recording.perf.find(task.tid); perf != recording.perf.end()) {
    plan.last_switch_ns = perf->second.last_ns;
    plan.switches = {.queue = &recording.perf_queues[task.tid],
                     .lone_outs = perf->second.lone_outs,
                     .short_outs = perf->second.short_outs,
                     .process = timeline.shown_id(task.pid),
                     .thread = timeline.shown_id(task.tid),
                     .has_estimated_exits = recording.info.has<FeatureBits::EstimateReturn>()};
  }
  if (const auto queue = recording.kernel_queues.find(task.tid); queue != recording.kernel_queues.end()) {
    queue->second.set_thread(timeline.shown_id(task.tid));
    plan.kernel = {.queue = &queue->second,
                   .thread = fmt::format("{}: thread {}", recording.directory.path.native(),
                                         static_cast<std::uint64_t>(task.tid)),
                   .tracepoints = &recording.tracepoints,
                   .skips_outside = recording.options.kernel_skip_out,
                   .process = timeline.shown_id(task.pid),
                   .thread_id = timeline.shown_id(task.tid)};
  }
}

}  // namespace convert::uftrace
