#include "converters/uftrace/recording_import.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "converters/model/merging/workers.h"
#include "converters/model/notes.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/threads/inferred_calls.h"

namespace convert::uftrace {

namespace {

// Returns the kernel's files. Returns no files if kernel_header lacks the formats of the events, because the
// files can't be read without formats.
KernelFiles kernel_files_of(const Directory& directory, Notes& notes) {
  std::vector<CpuFile> files = directory.kernel_cpus;
  std::erase_if(files, [](const CpuFile& file) { return file.size_bytes == 0; });
  if (files.empty()) return {};
  auto header = read_kernel_header(directory, notes);
  if (header && !header->formats.empty()) return {.files = std::move(files), .header = std::move(*header)};
  for (const CpuFile& file : files)
    notes.add(kFileSkipped, Location::file(file.place.text()),
              fmt::format(
                  "{} bytes of kernel events are skipped, because kernel_header does not have their formats",
                  file.size_bytes));
  return {};
}

std::unique_ptr<FilterTable> filter_table_of(const RecordingOptions& wanted, ImportContext& context,
                                             Symbolizer& symbolizer, DebugFiles& debug) {
  if (!wanted.filters.any() && !wanted.kernel_only) return nullptr;
  return std::make_unique<FilterTable>(wanted.filters, wanted.kernel_only,
                                       FilterTable::Functions{.symbolizer = symbolizer,
                                                              .lines = debug,
                                                              .names = context.names,
                                                              .demangle = context.options.demangle});
}

}  // namespace

RecordingImport::RecordingImport(const std::filesystem::path& path, ImportContext& context,
                                 const RecordingOptions& wanted)
    : Recording(path, {.names = context.names,
                       .notes = context.notes,
                       .symbol_notes = context.timeline.new_notes(),
                       .debug_notes = context.timeline.new_notes(),
                       .demangle = context.options.demangle,
                       .elf = wanted.elf,
                       .shortest_ns = wanted.filters.time_ns,
                       .pattern_use = wanted.pattern_use}),
      options(wanted),
      kernel(wanted.no_kernel ? KernelFiles{} : kernel_files_of(directory, context.notes)),
      tracepoints(kernel.header, kernel.files.empty() ? nullptr : symbolizer.images().kernel_symbols(),
                  context.names),
      filters(filter_table_of(wanted, context, symbolizer, debug)),
      shared{.symbolizer = symbolizer,
             .debug = debug,
             .events = {.symbolizer = symbolizer,
                        .names = context.names,
                        .user_events = user_events,
                        .demangle = context.options.demangle,
                        .word_size = info.bits / 8,
                        .order = info.order},
             .filters = filters.get(),
             .shows_values = !wanted.no_args && !wanted.kernel_only,
             .shows_events = shows_own_events(),
             .workers = std::vector<WorkerScratch>(context.timeline.options().jobs)} {
  // -C shows only callers of functions, and -L shows only functions in source files. A context switch is
  // neither, so these options also hide switches.
  using Of = FilterItem::Option;
  options.no_sched |= options.filters.has(Of::Caller) || options.filters.has(Of::Location);
}

namespace {

// Each thread needs about 10 KiB of memory, or 20 KiB with events of the kernel. A single line of task.txt is
// enough to add a thread, so the number of threads is limited.
constexpr fxt::Limit kThreads{"threads", 9'500, 1};
constexpr fxt::Limit kEmptyThreads{"threads without records", 20'000, 0};
// A first record of 16 bytes can have a depth of about a thousand. Then, as many calls were open before it,
// and all of them need memory.
constexpr fxt::Limit kOpenBefore{"open calls before the first records of threads", 1'000'000, 128};

std::uint64_t bytes_of_threads(const Directory& directory) {
  std::uint64_t bytes = 0;
  for (const ThreadFile& file : directory.threads) bytes += file.size_bytes;
  return bytes;
}

// The number of calls that may be open before the first records is limited. Each thread gets an equal share.
void limit_open_calls(ThreadPlans& plans, const Directory& directory, Notes& notes) {
  const std::uint64_t bytes = bytes_of_threads(directory);
  const std::uint64_t most = kOpenBefore.of(bytes) / std::max<std::size_t>(plans.size(), 1);
  for (auto& [tid, plan] : plans) {
    plan.most_calls = std::min(most, InferredCalls::kBudget);
    if (plan.head.first_call && plan.head.first_call->depth > plan.most_calls)
      notes.add(kOverLimit, [&, &left_out = plan] {
        return fmt::format("{}: {}; calls of this thread deeper than {} are left out", left_out.place.text(),
                           kOpenBefore.exceeded(bytes), left_out.most_calls);
      });
  }
}

// Limits the number of threads that are shown. Threads without records are left out first.
class ThreadBudget {
 public:
  explicit ThreadBudget(const Directory& directory)
      : with_records_(kThreads, bytes_of_threads(directory)), all_(kThreads, bytes_of_threads(directory)) {
    all_.take(directory.threads.size());
  }
  bool take(bool has_records) {
    if (has_records ? with_records_.take() : empty_.take() && all_.take()) return true;
    ++(!has_records && empty_.is_exceeded() ? left_out_empty_ : left_out_);
    return false;
  }
  void add_notes(const Location& task_file, Notes& notes) const {
    for (const auto& [budget, count] :
         {std::pair(&with_records_, left_out_), std::pair(&empty_, left_out_empty_)})
      if (count > 0)
        notes.add(kOverLimit, task_file, budget->exceeded() + "; the other threads are left out", count);
  }

 private:
  fxt::Budget with_records_, all_, empty_{kEmptyThreads};
  std::uint64_t left_out_ = 0, left_out_empty_ = 0;
};

// Returns the ancestors of shown threads. Their records are needed, because they have the calls that a child
// inherits from its parent.
std::set<ProcessId> ancestors_of_shown(const Sessions& sessions, ImportContext& context) {
  std::set<ProcessId> ancestors;
  for (const auto& [tid, task] : sessions.tasks()) {
    if (!context.shows_thread(number_of(recorded(tid)))) continue;
    for (const Task* child = &task; child != nullptr && child->parent;
         child = sessions.find_task(static_cast<ThreadId>(*child->parent)))
      if (!ancestors.insert(*child->parent).second) break;
  }
  return ancestors;
}

// Returns the execs and library loads of each thread, sorted by time.
std::map<ThreadId, std::list<ListedEvent>> listed_events_of(const RecordingImport& recording, Notes& notes) {
  std::map<ThreadId, std::list<ListedEvent>> changes;
  const auto add = [&](ThreadId tid, ListedEvent change) {
    if (recording.sessions.find_task(tid) != nullptr)
      changes[tid].push_back(std::move(change));
    else
      notes.add(kNoThread, [&] {
        return fmt::format("{}: {} of {} by thread {}", recording.directory.file("task.txt").text(),
                           change.what == ListedEvent::What::Exec ? "exec" : "load", change.text,
                           number_of(recorded(tid)));
      });
  };
  for (const TaskEvent& event : recording.events)
    if (const auto* load = std::get_if<LibraryLoad>(&event))
      add(load->tid, {ListedEvent::What::Dlopen, load->time_ns, load->libname});
  for (const Session* session : recording.sessions.execs())
    add(static_cast<ThreadId>(session->pid), {ListedEvent::What::Exec, session->start_ns, session->exename});
  for (auto& [tid, list] : changes)
    list.sort([](const ListedEvent& a, const ListedEvent& b) { return a.time_ns < b.time_ns; });
  return changes;
}

// Infers a missing switch in. If a thread's first switch is a switch out, the thread was on this CPU since
// its exec or first record.
std::optional<PerfMessage> inferred_begin_of(const ThreadPlan& plan, const PerfThread& perf) {
  const std::uint64_t begin_ns =
      std::min(plan.head.first_ns.value_or(kForever), perf.exec_ns.value_or(kForever));
  if (!perf.first_out || begin_ns >= perf.first_out->time_ns) return std::nullopt;
  return PerfMessage{.time_ns = begin_ns, .cpu = perf.first_out->cpu, .kind = PerfEvent::Kind::SwitchIn};
}

std::optional<std::uint64_t> first_ns_of(const ThreadPlan& plan, const RecordingImport& recording) {
  if (plan.skips_outside && plan.inherited.empty()) return plan.head.first_ns;
  std::uint64_t first_ns = plan.head.first_ns.value_or(kForever);
  if (!plan.listed_events.empty() && plan.listed_events.front().time_ns >= plan.facts.begun_ns)
    first_ns = std::min(first_ns, plan.listed_events.front().time_ns);
  if (const auto perf = recording.perf.find(plan.task->tid); perf != recording.perf.end()) {
    if (recording.shows_perf_switches()) {
      first_ns = std::min(first_ns, perf->second.first_ns.value_or(kForever));
      if (const auto begin = inferred_begin_of(plan, perf->second))
        first_ns = std::min(first_ns, begin->time_ns);
    }
    if (recording.shows_own_events()) first_ns = std::min(first_ns, perf->second.named_ns.value_or(kForever));
  }
  return first_ns == kForever ? std::nullopt : std::optional(first_ns);
}

}  // namespace

ThreadPlans plans_of(RecordingImport& recording, ImportContext& context) {
  auto changes = listed_events_of(recording, context.notes);
  const auto ancestors = ancestors_of_shown(recording.sessions, context);
  ThreadPlans plans;
  ThreadBudget budget(recording.directory);
  for (const auto& [tid, task] : recording.sessions.tasks()) {
    const bool is_shown = context.shows_thread(number_of(recorded(tid)));
    if (!is_shown)
      context.notes.add(kThreadsLeftOut, [&, id = number_of(recorded(task.tid))] {
        return fmt::format("{}: thread {}", recording.directory.path.native(), id);
      });
    if (!is_shown && !ancestors.contains(task.pid)) continue;
    const bool has_records =
        std::ranges::binary_search(recording.directory.threads, recorded(tid), {}, &ThreadFile::tid) ||
        recording.perf.contains(tid);
    if (!budget.take(has_records)) continue;
    plans.emplace(tid,
                  ThreadPlan{.task = &task,
                             .is_shown = is_shown,
                             .facts = facts_of(task, recording),
                             .payload_decoder = std::make_unique<PayloadDecoder>(recording.layouts, task),
                             .listed_events = std::move(changes[tid])});
  }
  budget.add_notes(Location::file(recording.directory.file("task.txt").text()), context.notes);
  for (const ThreadFile& file : recording.directory.threads) {
    for (const auto& [task, part] : tasks_of(file, recording)) {
      const auto found = plans.find(task->tid);
      if (found == plans.end()) continue;
      ThreadPlan& plan = found->second;
      plan.place = file.place;
      plan.size_bytes = size_of(part, file);
      plan.keep_open = file.keep_open;
      plan.facts.part = part;
      plan.head = read_head(plan.place, plan.facts);
      if (const auto times = possible_times_of(*task, recording, plan.head)) plan.facts.times = *times;
    }
  }
  limit_open_calls(plans, recording.directory, context.notes);
  return plans;
}

void skip_outside_calls(ThreadPlans& plans) {
  std::map<ProcessId, std::uint64_t> first_calls_ns;
  for (const auto& [tid, plan] : plans) {
    std::uint64_t& first_ns = first_calls_ns.try_emplace(plan.task->pid, kForever).first->second;
    if (!plan.inherited.empty())
      first_ns = 0;
    else if (plan.head.first_call)
      first_ns = std::min(first_ns, plan.head.first_call->time_ns);
  }
  for (auto& [tid, plan] : plans) {
    plan.skips_outside = true;
    plan.switches_from_ns = first_calls_ns.at(plan.task->pid);
  }
}

void show_cpu_tracks(ThreadPlans& plans) {
  std::set<std::pair<ThreadId, ProcessId>> named;
  // For each id of a thread: the process for which the sink names this thread last. The sink names threads in
  // the order of this loop.
  std::map<ThreadId, ProcessId> last_named;
  for (const auto& [tid, plan] : plans)
    if (named.insert({recorded(tid), recorded(plan.task->pid)}).second)
      last_named[recorded(tid)] = recorded(plan.task->pid);
  for (auto& [tid, plan] : plans)
    plan.shows_cpu_tracks = last_named[recorded(tid)] == recorded(plan.task->pid);
}

namespace {

// Makes the indexes of several recorded threads at the same time, with up to `jobs` threads.
std::vector<ThreadIndex> indexes_of(const std::vector<const ThreadPlan*>& plans, std::uint64_t step_bytes,
                                    std::size_t jobs) {
  std::vector<ThreadIndex> indexes(plans.size());
  Workers workers(std::min(jobs, plans.size()));
  workers.start(plans.size(),
                [&](std::size_t i, std::size_t) { indexes[i] = index_of(plans[i]->walked(), step_bytes); });
  workers.finish();
  return indexes;
}

}  // namespace

void use_index(RecordingImport& recording, ImportContext& context) {
  const RecordingOptions& options = recording.options;
  if (options.index.empty() || recording.filters != nullptr || !recording.kernel.files.empty()) return;
  const std::uint64_t step_bytes = options.index_step_bytes;
  std::vector<const ThreadPlan*> long_plans;
  for (const auto& [tid, plan] : recording.plans)
    if (!plan.place.empty() && plan.size_bytes > step_bytes) long_plans.push_back(&plan);
  if (long_plans.empty()) return;

  const auto file =
      std::filesystem::path(options.index) / index_name_of(identity_of_directory(recording.directory.path));
  const FileIdentity info = identity_of(recording.directory.file("info"));
  const auto is_current = [&](const RecordIndex& index) {
    return index.step_bytes == step_bytes && index.info == info &&
           std::ranges::all_of(long_plans, [&](const ThreadPlan* plan) {
             const ThreadIndex* const thread = index.find(number_of(plan->task->tid));
             return thread != nullptr && thread->part_begin == plan->facts.part.begin &&
                    thread->file == identity_of(plan->place);
           });
  };
  auto index = read_index(file, context.notes);
  if (!index || !is_current(*index)) {
    index = RecordIndex{.step_bytes = step_bytes,
                        .info = info,
                        .threads = indexes_of(long_plans, step_bytes, context.timeline.options().jobs)};
    write_index(*index, file, context.notes);
  }
  recording.index = std::move(*index);
  for (auto& [tid, plan] : recording.plans) plan.index = recording.index.find(number_of(tid));
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
  plan.shown_process = timeline.ids().shown(recorded(task.pid));
  plan.shown_thread = timeline.ids().shown(recorded(task.tid));
  if (const auto perf = recording.perf.find(task.tid); perf != recording.perf.end()) {
    plan.switches = {.queue = &recording.perf_queues[task.tid],
                     .lone_outs = perf->second.lone_outs,
                     .short_outs = perf->second.short_outs,
                     .last_ns = perf->second.last_ns,
                     .shows_switches = recording.shows_perf_switches(),
                     .shows_preempted = !recording.options.no_sched_preempt};
    if (!recording.shows_perf_switches()) {
      plan.switches_from_ns = kForever;
    } else {
      if (const auto begin = inferred_begin_of(plan, perf->second)) plan.switches.inferred = {*begin};
      std::ranges::copy(perf->second.missing, std::back_inserter(plan.switches.inferred));
    }
  }
  if (const auto queue = recording.kernel_queues.find(task.tid); queue != recording.kernel_queues.end()) {
    queue->second.set_thread(plan.shown_thread);
    plan.kernel = {.queue = &queue->second,
                   .thread = fmt::format("{}: thread {}", recording.directory.path.native(),
                                         number_of(recorded(task.tid))),
                   .tracepoints = &recording.tracepoints,
                   .skips_outside = recording.options.kernel_skip_out};
  }
}

}  // namespace convert::uftrace
