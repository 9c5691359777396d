#include "converters/uftrace/import.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "converters/uftrace/arguments/payload_reader.h"
#include "converters/uftrace/filters/fork_arrows.h"
#include "converters/uftrace/host.h"
#include "converters/uftrace/kernel/kernel_feeder.h"
#include "converters/uftrace/note_kinds.h"
#include "converters/uftrace/perf/perf_feeder.h"
#include "converters/uftrace/perf/perf_scan.h"
#include "converters/uftrace/recording/description.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/fork_plan.h"
#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/recording/task_file.h"
#include "converters/uftrace/recording/text_file.h"
#include "converters/uftrace/records/thread_source.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kInfoMagic = "Ftrace!";

// More record files than this are opened anew for each block, to stay below the usual limit of 1024 open
// files.
constexpr std::size_t kMaxOpenFiles = 256;

// Without the formats of their events, nothing in them can be told.
KernelFiles kernel_files_of(const Directory& directory, Notes& notes) {
  std::vector<CpuFile> files = directory.kernel_cpus;
  std::erase_if(files, [](const CpuFile& file) { return file.size_bytes == 0; });
  if (files.empty()) return {};
  auto header = read_kernel_header(directory.path, notes);
  if (header && !header->formats.empty()) return {.files = std::move(files), .header = std::move(*header)};
  for (const CpuFile& file : files)
    notes.add(
        kFileSkipped, Place::file(file.path.string()),
        fmt::format("{} bytes: kernel events, whose formats are missing (kernel_header)", file.size_bytes));
  return {};
}

// What the program did besides its calls, and when it ran as perf tells.
bool shows_own_events(const Options& options) { return !options.no_event && !options.kernel_only; }
bool shows_perf_switches(const Options& options) { return !options.no_sched && !options.kernel_only; }

std::unique_ptr<FilterTable> filter_table_of(const Options& wanted, ImportContext& context,
                                             Symbolizer& symbolizer) {
  if (!wanted.filters.any() && !wanted.kernel_only) return nullptr;
  return std::make_unique<FilterTable>(wanted.filters, wanted.kernel_only, context.options.demangle,
                                       symbolizer);
}

// Everything that the sources of one recording share, kept as long as one of them.
struct Recording {
  Recording(const std::filesystem::path& path, ImportContext& context, const Options& wanted)
      : options(wanted),
        directory(list_directory(path)),
        info(read_info(path, context.notes)),
        events(read_task_file(path, info.order, context.notes)),
        sessions(directory, info, events, context.notes),
        perf(scan_perf(directory.perf_cpus, {.order = info.order, .notes = &context.notes},
                       wanted.filters.time_ns)),
        kernel(wanted.no_kernel ? KernelFiles{} : kernel_files_of(directory, context.notes)),
        symbolizer(directory, sessions, context.options.demangle, context.names, context.timeline.new_notes(),
                   wanted),
        tracepoints(kernel.header, kernel.files.empty() ? nullptr : symbolizer.kernel_symbols(),
                    context.names),
        filters(filter_table_of(wanted, context, symbolizer)),
        specs(info, (path / "info").native(), context.notes),
        user_events(read_event_names(path, context.notes)),
        event_programs(sessions),
        debug(directory, context.timeline.new_notes()),
        plans(specs, debug, context.names),
        lines(debug, context.names),
        workshop{.symbolizer = symbolizer,
                 .lines = lines,
                 .events = {.symbolizer = symbolizer,
                            .names = context.names,
                            .user_events = user_events,
                            .programs = event_programs,
                            .demangle = context.options.demangle,
                            .word_size = info.bits / 8,
                            .order = info.order},
                 .filters = filters.get(),
                 .shows_program = !wanted.kernel_only,
                 .shows_values = !wanted.no_args && !wanted.kernel_only,
                 .shows_events = shows_own_events(wanted),
                 .benches = std::vector<Workshop::Bench>(context.timeline.jobs())},
        payloads{.symbolizer = symbolizer,
                 .plans = plans,
                 .names = context.names,
                 .demangle = context.options.demangle,
                 .order = info.order} {
    // They are no callers of what is asked for.
    options.no_sched |= options.filters.has(FilterItem::Option::Caller);
  }

  Options options;
  Directory directory;
  Info info;
  std::vector<TaskEvent> events;
  Sessions sessions;
  PerfThreads perf;    // what the perf files say of threads
  KernelFiles kernel;  // none: they are not shown
  Symbolizer symbolizer;
  Tracepoints tracepoints;
  std::unique_ptr<FilterTable> filters;  // null: all calls are shown
  SpecTable specs;
  EventNames user_events;
  EventPrograms event_programs;
  DebugFiles debug;
  PayloadPlans plans;
  SourceLines lines;
  Workshop workshop;
  PayloadShop payloads;
  std::map<ThreadId, Inbox> inboxes;
  std::map<ThreadId, KernelInbox> kernel_inboxes;
};

template <typename Mailbox>
std::unordered_map<ThreadId, Mailbox*> pointers_to(std::map<ThreadId, Mailbox>& inboxes) {
  std::unordered_map<ThreadId, Mailbox*> pointers;
  for (auto& [tid, inbox] : inboxes) pointers.emplace(tid, &inbox);
  return pointers;
}

// A ThreadSource that keeps its recording alive.
class OwningSource : public ThreadSource {
 public:
  OwningSource(std::shared_ptr<Recording> recording, ThreadPlan plan, Lane& lane, ImportContext& context)
      : ThreadSource(std::move(plan), lane, recording->workshop, context), recording_(std::move(recording)) {}

 private:
  std::shared_ptr<Recording> recording_;
};

// The same for the feeder.
class OwningFeeder : public PerfFeeder {
 public:
  OwningFeeder(std::shared_ptr<Recording> recording, ImportContext& context)
      : PerfFeeder(recording->directory.perf_cpus, {.order = recording->info.order},
                   pointers_to(recording->inboxes),
                   {.switches = shows_perf_switches(recording->options),
                    .names = shows_own_events(recording->options) ? &context.names : nullptr},
                   context.stats),
        recording_(std::move(recording)) {}

 private:
  std::shared_ptr<Recording> recording_;
};

// And for that of the kernel's files.
class OwningKernelFeeder : public KernelFeeder {
 public:
  OwningKernelFeeder(std::shared_ptr<Recording> recording, ImportContext& context)
      : OwningKernelFeeder(std::move(recording), context, context.timeline.new_notes()) {}

 private:
  OwningKernelFeeder(std::shared_ptr<Recording> recording, ImportContext& context, Notes& notes)
      : KernelFeeder(recording->kernel, pointers_to(recording->kernel_inboxes),
                     KernelSymbols({.symbols = recording->symbolizer.kernel_symbols(),
                                    .file = (recording->directory.path / "kallsyms").native(),
                                    .demangle = context.options.demangle,
                                    .names = context.names,
                                    .notes = notes}),
                     wanted_of(*recording), notes, context.stats),
        recording_(std::move(recording)) {}

  // Perf's switches are the same ones.
  static Wanted wanted_of(const Recording& recording) {
    const bool has_perf = shows_perf_switches(recording.options) &&
                          std::ranges::any_of(recording.directory.perf_cpus,
                                              [](const CpuFile& file) { return file.size_bytes != 0; });
    return {.tracepoints = &recording.tracepoints,
            .events = !recording.options.no_event,
            .switches = !has_perf && !recording.options.no_sched};
  }

  std::shared_ptr<Recording> recording_;
};

bool is_wanted(ThreadId tid, const ImportOptions& options) {
  return options.tids.empty() || std::ranges::count(options.tids, static_cast<std::uint64_t>(tid)) != 0;
}

// The execs and library loads of all threads, by thread and time. The first image of a process is no exec,
// unless the process was forked into another one before.
std::map<ThreadId, std::deque<TaskMoment>> moments_of(const Recording& recording, Notes& notes) {
  std::map<ThreadId, std::deque<TaskMoment>> moments;
  const auto add = [&](ThreadId tid, TaskMoment moment) {
    if (recording.sessions.find_task(tid) != nullptr)
      moments[tid].push_back(std::move(moment));
    else
      notes.add(kNoThread, [&] {
        return fmt::format("{}: {} of {} by thread {}", (recording.directory.path / "task.txt").native(),
                           moment.what == TaskMoment::What::Exec ? "exec" : "load", moment.path,
                           static_cast<std::uint64_t>(tid));
      });
  };
  std::set<ProcessId> forked, started;
  for (const TaskEvent& event : recording.events) {
    if (const auto* fork = std::get_if<Fork>(&event)) forked.insert(fork->child);
    if (const auto* load = std::get_if<LibraryLoad>(&event))
      add(load->tid, {TaskMoment::What::Dlopen, load->time_ns, load->libname});
  }
  for (const Session& session : recording.sessions.sessions()) {  // by start, which the lines are not
    const bool is_first = started.insert(session.pid).second;
    if (is_first && !forked.contains(session.pid)) continue;
    const auto leader = static_cast<ThreadId>(session.pid);
    add(leader, {TaskMoment::What::Exec, session.start_ns, session.exename});
  }
  for (auto& [tid, list] : moments) std::ranges::stable_sort(list, {}, &TaskMoment::time_ns);
  return moments;
}

// Of all threads that get a lane; some have no record file.
std::map<ThreadId, ThreadPlan> plans_of(Recording& recording, ImportContext& context) {
  auto moments = moments_of(recording, context.notes);
  std::map<ThreadId, ThreadPlan> plans;
  for (const auto& [tid, task] : recording.sessions.tasks()) {
    if (!is_wanted(tid, context.options)) {
      const auto number = static_cast<std::uint64_t>(tid);
      context.notes.add(kThreadsLeftOut, [&] {
        return fmt::format("{}: thread {}", recording.directory.path.native(), number);
      });
      continue;
    }
    plans.emplace(tid, ThreadPlan{.task = &task,
                                  .path = {},
                                  .facts = facts_of(task, recording.info, recording.symbolizer),
                                  .payloads = std::make_unique<PayloadReader>(recording.payloads, task),
                                  .moments = std::move(moments[tid])});
  }
  for (const ThreadFile& file : recording.directory.threads) {
    const auto found = plans.find(file.tid);
    if (found == plans.end()) continue;
    ThreadPlan& plan = found->second;
    plan.path = file.path.string();
    plan.size_bytes = file.size_bytes;
    plan.keep_open = recording.directory.threads.size() <= kMaxOpenFiles;
    plan.head = read_head(plan.path, plan.facts);
  }
  return plans;
}

SwitchPlan switches_of(const Task& task, Recording& recording, Timeline& timeline) {
  const auto perf = recording.perf.find(task.tid);
  if (perf == recording.perf.end()) return {};
  return {.inbox = &recording.inboxes[task.tid],
          .lone_outs = perf->second.lone_outs,
          .short_outs = perf->second.short_outs,
          .process = timeline.koid_of(task.pid),
          .thread = timeline.koid_of(task.tid),
          .last_ns = perf->second.last_ns,
          .has_estimated_exits = recording.info.has<FeatureBits::EstimateReturn>()};
}

KernelPlan kernel_of(const Task& task, Recording& recording, Timeline& timeline) {
  const auto inbox = recording.kernel_inboxes.find(task.tid);
  if (inbox == recording.kernel_inboxes.end()) return {};
  inbox->second.set_thread(timeline.koid_of(task.tid));
  return {.inbox = &inbox->second,
          .thread = fmt::format("{}: thread {}", recording.directory.path.native(),
                                static_cast<std::uint64_t>(task.tid)),
          .tracepoints = &recording.tracepoints,
          .skips_outside = recording.options.kernel_skip_out,
          .process = timeline.koid_of(task.pid),
          .thread_id = timeline.koid_of(task.tid)};
}

// When the first of what is shown of the thread is.
std::optional<std::uint64_t> first_ns_of(const ThreadPlan& plan, const Recording& recording) {
  std::uint64_t first_ns = plan.head.first_ns.value_or(kForever);
  if (const auto perf = recording.perf.find(plan.task->tid); perf != recording.perf.end()) {
    if (shows_perf_switches(recording.options))
      first_ns = std::min(first_ns, perf->second.first_ns.value_or(kForever));
    if (shows_own_events(recording.options))
      first_ns = std::min(first_ns, perf->second.named_ns.value_or(kForever));
  }
  return first_ns == kForever ? std::nullopt : std::optional(first_ns);
}

LaneInfo lane_info_of(const Task& task, const Recording& recording, std::uint64_t weight) {
  const auto name_of = [&](const Task& named) {
    const auto own = recording.perf.find(named.tid);
    return own != recording.perf.end() && !own->second.name.empty() ? own->second.name : named.name;
  };
  const Task* const leader = recording.sessions.find_task(static_cast<ThreadId>(task.pid));
  return {.process = task.pid,
          .thread = task.tid,
          .process_name = name_of(leader != nullptr ? *leader : task),
          .thread_name = name_of(task),
          .weight = weight};
}

// The thread that what is said of the whole recording stands at: the first program's, or else the first one
// with records, or any.
ThreadPlan* main_thread_of(std::map<ThreadId, ThreadPlan>& plans, const Sessions& sessions) {
  if (plans.empty()) return nullptr;
  const auto has_records = [](const auto& entry) { return !entry.second.path.empty(); };
  if (!sessions.sessions().empty()) {
    const auto leader = plans.find(static_cast<ThreadId>(sessions.sessions().front().pid));
    if (leader != plans.end() && has_records(*leader)) return &leader->second;
  }
  const auto any = std::ranges::find_if(plans, has_records);
  return any != plans.end() ? &any->second : &plans.begin()->second;
}

// When the recording's first record, switch or kernel event is.
std::optional<std::uint64_t> begin_of(const std::map<ThreadId, ThreadPlan>& plans, const Recording& recording,
                                      std::uint64_t kernel_ns) {
  std::optional<std::uint64_t> begin_ns;
  if (kernel_ns != kForever) begin_ns = kernel_ns;
  for (const auto& [tid, plan] : plans)
    if (const auto time_ns = first_ns_of(plan, recording))
      begin_ns = std::min(*time_ns, begin_ns.value_or(*time_ns));
  return begin_ns;
}

void add_messages(ThreadPlan& main, std::optional<std::uint64_t> begin_ns, const Recording& recording,
                  Notes& notes) {
  auto messages = read_extern_file(recording.directory.path, notes);
  const auto& sessions = recording.sessions.sessions();
  if (!begin_ns && !sessions.empty()) begin_ns = sessions.front().start_ns;
  if (begin_ns)
    leave_out_foreign(messages, recording.directory.path, *begin_ns, main.facts.elapsed_ns, notes);
  put_in_order(messages, recording.directory.path, notes);
  std::ranges::move(messages, std::back_inserter(main.messages));
}

void show_wall_clock(const Info& info, const std::filesystem::path& input, ImportContext& context) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  std::int64_t behind_ns = 0;
  if (!info.utc_offset_s || __builtin_mul_overflow(*info.utc_offset_s, kNsPerSecond, &behind_ns)) {
    context.notes.add(kNoWallClock, Place::file((input / "info").native()),
                      "tells no utc_offset (uftrace does since v0.17)");
    return;
  }
  context.timeline.shift_clock(behind_ns);
}

bool starts_with_magic(const std::filesystem::path& path) {
  try {
    const auto head = read_text_file(path, kInfoMagic.size());
    return head && *head == kInfoMagic;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

bool recognizes(const std::filesystem::path& input) {
  std::error_code error;
  if (!std::filesystem::is_directory(input, error)) return false;
  if (starts_with_magic(input / "info")) return true;
  if (std::filesystem::is_regular_file(input / "task.txt", error)) return true;
  try {
    return !list_directory(input).threads.empty();
  } catch (const InputError&) {
    return false;
  }
}

void import(const std::filesystem::path& input, ImportContext& context, const Options& options) {
  const auto recording = std::make_shared<Recording>(input, context, options);
  context.timeline.at_end([recording, &notes = context.timeline.new_notes()] {
    recording->symbolizer.add_notes();
    recording->event_programs.add_notes(recording->directory.path, notes);
    if (recording->filters != nullptr)
      recording->filters->add_notes(recording->directory.path.native(), notes);
  });
  auto plans = plans_of(*recording, context);
  if (const std::size_t tasks = recording->sessions.tasks().size();
      recording->directory.threads.empty() && tasks != 0)
    context.notes.add(kNoRecords, Place::file(input.native()),
                      fmt::format("no .dat file of the {} that task.txt tells of",
                                  tasks == 1 ? "thread" : fmt::format("{} threads", tasks)));
  if (!recording->kernel.files.empty())
    for (const auto& [tid, plan] : plans) recording->kernel_inboxes[tid];
  else if (options.kernel_only)
    context.notes.add(kNothingOfKernel, Place::file(input.native()), "nothing is shown of it");
  plan_forks(plans, recording->sessions, recording->perf, recording->symbolizer, context.timeline.max_depth(),
             [&] { return context.timeline.next_flow(); });
  if (recording->filters != nullptr) leave_out_arrows(plans, *recording->filters, recording->symbolizer);

  context.timeline.begin_input(input.string());
  if (options.utc) show_wall_clock(recording->info, input, context);
  std::unique_ptr<KernelFeeder> kernel;
  if (!recording->kernel_inboxes.empty()) kernel = std::make_unique<OwningKernelFeeder>(recording, context);
  std::optional<std::uint64_t> first_ns =
      begin_of(plans, *recording, kernel != nullptr ? kernel->find_first_ns() : kForever);
  ThreadPlan* const main = main_thread_of(plans, recording->sessions);
  if (main != nullptr && shows_own_events(options)) {
    add_messages(*main, first_ns, *recording, context.notes);
    if (!main->messages.empty())
      first_ns = std::min(main->messages.front().time_ns, first_ns.value_or(kForever));
  }
  const bool is_described = main != nullptr && !main->path.empty() && first_ns;
  std::vector<HostThread> host_threads;
  for (auto& [tid, plan] : plans) {
    const Task& task = *plan.task;
    Lane& lane = context.timeline.add_lane(lane_info_of(task, *recording, plan.size_bytes));
    plan.switches = switches_of(task, *recording, context.timeline);
    plan.kernel = kernel_of(task, *recording, context.timeline);
    const bool is_first_process =
        !recording->sessions.sessions().empty() && recording->sessions.sessions().front().pid == task.pid;
    const auto& exit_status = recording->info.exit_status;
    if (exit_status && is_killed(*exit_status) && is_first_process && task.is_leader())
      plan.ending = ending_of(*exit_status);
    if (&plan == main && is_described)
      describe(recording->directory, recording->info, *first_ns, lane, context);
    if (!plan.path.empty()) host_threads.push_back({&lane, &task, plan.path, plan.facts, plan.inherited});
    auto source = std::make_unique<OwningSource>(recording, std::move(plan), lane, context);
    context.stats.bytes_total += source->size();
    context.timeline.add_source(std::move(source), {&lane});
  }
  context.timeline.add_host(std::make_unique<RecordingHost>(
      recording, recording->symbolizer, recording->payloads,
      !recording->info.has<FeatureBits::EstimateReturn>(), std::move(host_threads)));
  if (!recording->inboxes.empty())
    context.timeline.add_feeder(std::make_unique<OwningFeeder>(recording, context));
  if (kernel != nullptr) context.timeline.add_feeder(std::move(kernel));
}

}  // namespace convert::uftrace
