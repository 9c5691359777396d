#include "converters/uftrace/importer.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "converters/model/outline.h"
#include "converters/uftrace/inspect.h"
#include "converters/uftrace/perf/perf_scan.h"
#include "converters/uftrace/recording/description.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/extern_file.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/recording_import.h"
#include "converters/uftrace/symbols/module_files.h"
#include "converters/uftrace/threads/thread_plan.h"
#include "fxt/support/foreign_files.h"

namespace convert::uftrace {
namespace {

std::unique_ptr<PerfFileSource> perf_source_of(RecordingImport& recording, ImportContext& context) {
  if (recording.perf_queues.empty()) return nullptr;
  return std::make_unique<PerfFileSource>(
      recording.directory.perf_cpus,
      PerfReading{.order = recording.info.order, .reused = recording.reused_if_any()}, recording.perf_queues,
      PerfFileSource::Shown{.switches = recording.shows_perf_switches() || recording.has_estimated_exits(),
                            .names = recording.shows_own_events() ? &context.names : nullptr},
      context.stats);
}

std::unique_ptr<KernelFileSource> kernel_source_of(RecordingImport& recording, Notes& notes,
                                                   ImportStats& stats) {
  if (recording.kernel_queues.empty()) return nullptr;
  // Uses the switches in perf's files if possible, because they are more exact than the kernel's.
  const bool has_perf = recording.shows_perf_switches() &&
                        std::ranges::any_of(recording.directory.perf_cpus,
                                            [](const CpuFile& file) { return file.size_bytes != 0; });
  std::vector<ThreadId> left_out;
  for (const auto& [tid, task] : recording.sessions.tasks())
    if (!recording.kernel_queues.contains(tid)) left_out.push_back(tid);
  return std::make_unique<KernelFileSource>(
      recording.kernel, recording.kernel_queues, recording.symbolizer,
      KernelFileSource::Shown{
          .tracepoints = &recording.tracepoints,
          .left_out = std::move(left_out),
          .events = !recording.options.no_event,
          .switches = !has_perf && !recording.options.no_sched && !recording.options.no_event,
          .reused = recording.reused_if_any()},
      notes, stats);
}

// True if the ends of threads must be known before records are read. This is so in three cases: there are
// messages, the trace is split, or a thread has no switch out although another thread took its CPU.
bool matters_when_threads_are_over(const RecordingImport& recording, bool has_messages, bool is_split) {
  const auto is_displaced = [](const auto& entry) {
    const PerfThread& thread = entry.second;
    return !thread.missing.empty() && thread.missing.back().time_ns > thread.last_ns;
  };
  return has_messages || is_split ||
         (recording.shows_perf_switches() && std::ranges::any_of(recording.perf, is_displaced));
}

// Finds the last kernel event of each thread. For this, reads the kernel's files an additional time.
void find_last_kernel_events(RecordingImport& recording) {
  Notes ignored;  // the conversion adds the notes about damage
  ImportStats uncounted;
  if (const auto kernel = kernel_source_of(recording, ignored, uncounted)) kernel->find_last_ns();
}

LaneInfo lane_info_of(const ThreadPlan& plan, const RecordingImport& recording) {
  const Task& task = *plan.task;
  // A process has the name of its program, even if its main thread has another name.
  const auto name_of = [&](const Task& named, std::string PerfThread::*given) {
    const auto own = recording.perf.find(named.tid);
    return own != recording.perf.end() && !(own->second.*given).empty() ? own->second.*given : named.name;
  };
  const Task* const leader = recording.sessions.find_task(static_cast<ThreadId>(task.pid));
  return {.process = recorded(task.pid),
          .thread = recorded(task.tid),
          .process_name = name_of(leader != nullptr ? *leader : task, &PerfThread::program),
          .thread_name = name_of(task, &PerfThread::name),
          .weight = plan.size_bytes,
          .first_call_ns = plan.head.first_call ? plan.head.first_call->time_ns : kForever};
}

// Returns the thread that shows the events of the whole recording: the main thread of the first program. If
// this thread has no records, returns the first thread with records, or else the first thread.
ThreadPlan* main_thread_of(ThreadPlans& plans, const Sessions& sessions) {
  if (plans.empty()) return nullptr;
  const auto has_records = [](const auto& entry) { return !entry.second.place.empty(); };
  if (!sessions.sessions().empty()) {
    const auto leader = plans.find(static_cast<ThreadId>(sessions.sessions().front().pid));
    if (leader != plans.end() && has_records(*leader)) return &leader->second;
  }
  const auto any = std::ranges::find_if(plans, has_records);
  return any != plans.end() ? &any->second : &plans.begin()->second;
}

// Adds the messages of extern.dat to the events of `main`. Returns the time of the first message.
std::uint64_t add_messages(ThreadPlan& main, std::optional<std::uint64_t> begin_ns,
                           const RecordingImport& recording, Notes& notes) {
  auto messages = read_extern_file(recording.directory, notes);
  const auto& sessions = recording.sessions.sessions();
  if (!begin_ns && !sessions.empty()) begin_ns = sessions.front().start_ns;
  if (begin_ns)
    drop_foreign_messages(messages, recording.directory.path, *begin_ns, main.facts.elapsed_ns, notes);
  sort_by_time(messages, recording.directory.path, notes);
  std::list<ListedEvent> events;
  for (ExternMessage& message : messages)
    events.push_back({ListedEvent::What::Message, message.time_ns, std::move(message.text)});
  main.listed_events.merge(events,
                           [](const ListedEvent& a, const ListedEvent& b) { return a.time_ns < b.time_ns; });
  return messages.empty() ? kForever : messages.front().time_ns;
}

// Before version 0.10, the recorder wrote one .sym file for all modules with the same basename. The file does
// not contain the path of its module.
void note_shared_symbol_files(const RecordingImport& recording, Notes& notes) {
  std::map<std::string_view, std::set<std::string_view>> paths_of;  // indexed by basename
  std::set<const AddressSpace*> spaces;
  for (const Session& session : recording.sessions.sessions()) spaces.insert(session.space);
  for (const AddressSpace* const space : spaces)
    for (const Module& module : space->map.modules) paths_of[basename_of(module.path)].insert(module.path);
  for (const auto& [name, paths] : paths_of) {
    const std::string file = fmt::format("{}.sym", name);
    if (paths.size() < 2 || !std::ranges::binary_search(recording.directory.symbol_files, file)) continue;
    const fxt::FilePlace place = recording.directory.file(file);
    const ModuleFileHeader header = parse_module_file_header(read_optional_file(place, notes).value_or(""));
    if (header.module_path.empty() && header.build_id.empty())
      notes.add(kUnsureSymbols, Location::file(place.text()),
                fmt::format("may have the symbols of any of these modules: {}", fmt::join(paths, ", ")));
  }
}

void show_wall_clock(const Info& info, const std::filesystem::path& input, ImportContext& context) {
  if (const auto offset_ns = utc_offset_ns(info))
    context.timeline.shift_clock(*offset_ns);
  else
    context.notes.add(kNoWallClock, Location::file((input / "info").native()),
                      "has no utc_offset, which uftrace writes since v0.17");
}

}  // namespace

bool recognizes(const std::filesystem::path& input) {
  std::error_code error;
  const auto type = std::filesystem::status(input, error).type();
  if (type == std::filesystem::file_type::none) fail_to_read(input.native(), error);
  if (type != std::filesystem::file_type::directory) return false;
  if (!fxt::recording_of(input).empty()) return true;
  try {
    return !list_directory(input).threads.empty();
  } catch (const InputError&) {
    return false;
  }
}

void import(const std::filesystem::path& input, ImportContext& context, const RecordingOptions& options) {
  const auto kept = std::make_shared<RecordingImport>(input, context, options);
  RecordingImport& recording = *kept;
  const Directory& directory = recording.directory;
  if (directory.threads.empty() && directory.perf_cpus.empty() && directory.kernel_cpus.empty() &&
      recording.events.empty())
    throw InputError(Location::file(input.native()),
                     "has no task.txt and no .dat files; copy the whole recording");
  context.timeline.keep_alive(kept);
  context.timeline.at_end(
      [&recording, &chosen = context.stats.chosen_calls, &notes = context.timeline.new_notes()] {
        recording.symbolizer.add_notes();
        recording.user_events.add_notes(notes);
        if (recording.filters != nullptr)
          std::ranges::move(recording.filters->add_notes(recording.directory.path.native(), notes),
                            std::back_inserter(chosen.misfits));
        chosen.left_out += recording.shared.calls_left_out;
        chosen.is_any_shown |= recording.shared.has_shown_calls;
        if (const std::uint64_t count = recording.shared.unwritten_switches)
          notes.add(
              kCpuTracksLeftOut, Location::file(recording.directory.path.native()),
              recording.options.cpu_tracks
                  ? fmt::format("{} context switches of threads whose ids were later used by other processes",
                                count)
                  : fmt::format("{} context switches; use --cpu-tracks to show which thread ran on which CPU",
                                count),
              count);
      });
  note_shared_symbol_files(recording, context.notes);
  ThreadPlans& plans = recording.plans = plans_of(recording, context);
  plan_forks(plans, recording.sessions, recording.perf, recording.has_estimated_exits(), recording.symbolizer,
             context.timeline, context.notes);
  if (options.event_skip_out) skip_outside_calls(plans);
  std::erase_if(plans, [](const auto& entry) { return !entry.second.is_shown; });
  if (options.cpu_tracks) show_cpu_tracks(plans);
  if (const std::size_t tasks = recording.sessions.tasks().size();
      recording.directory.threads.empty() && tasks != 0)
    context.notes.add(kNoRecords, Location::file(input.native()),
                      fmt::format("has no .dat file, although task.txt lists {}",
                                  tasks == 1 ? "a thread" : fmt::format("{} threads", tasks)));
  if (!recording.kernel.files.empty())
    for (const auto& [tid, plan] : plans) recording.kernel_queues[tid];
  else if (options.kernel_only)
    context.notes.add(kNothingOfKernel, Location::file(input.native()),
                      "has no kernel events, so --kernel-only shows nothing of this input");
  if (recording.filters != nullptr) drop_hidden_arrows(plans, *recording.filters, recording.symbolizer);
  use_index(recording, context);

  context.timeline.begin_input(input.string());
  TraceInfo info = trace_info_of(recording.info, recording.sessions);
  if (options.utc)
    show_wall_clock(recording.info, input, context);
  else
    // If the trace has a wall clock, Perfetto adds a group for clocks, and collapses the groups of processes.
    // Therefore, the wall clock is left out unless the user wants it.
    info.wall_clock.reset();
  context.timeline.describe_input(std::move(info));
  std::unique_ptr<KernelFileSource> kernel =
      kernel_source_of(recording, context.timeline.new_notes(), context.stats);
  std::optional<std::uint64_t> first_ns =
      begin_of(plans, recording, kernel != nullptr ? kernel->find_first_ns() : kForever);
  ThreadPlan* const main = main_thread_of(plans, recording.sessions);
  if (const auto& sessions = recording.sessions.sessions();
      !first_ns && main != nullptr && !sessions.empty() &&
      (main->size_bytes != 0 || recording.directory.threads.empty()))
    first_ns = sessions.front().start_ns;  // the record file starts with damage, or is missing
  std::uint64_t message_ns = kForever;
  if (main != nullptr && recording.shows_own_events()) {
    message_ns = add_messages(*main, first_ns, recording, context.notes);
    if (message_ns != kForever) first_ns = std::min(message_ns, first_ns.value_or(kForever));
  }
  if (matters_when_threads_are_over(recording, message_ns != kForever, context.timeline.options().is_split))
    find_last_kernel_events(recording);
  const bool is_described =
      main != nullptr && first_ns && (!main->place.empty() || recording.directory.threads.empty());
  std::vector<ThreadOfLane> threads_with_records;
  for (auto& [tid, plan] : plans) {
    const Task& task = *plan.task;
    Lane& lane = context.timeline.add_lane(lane_info_of(plan, recording));
    plan_streams(plan, recording, context.timeline);
    const bool is_first_process =
        !recording.sessions.sessions().empty() && recording.sessions.sessions().front().pid == task.pid;
    const auto& exit_status = recording.info.exit_status;
    if (exit_status && is_killed(*exit_status) && is_first_process && task.is_leader())
      plan.ending = ending_of(*exit_status);
    if (&plan == main && is_described)
      describe(recording.directory, recording.info, *first_ns, lane, context);
    if (!plan.place.empty()) threads_with_records.push_back({&lane, &plan});
    auto source = std::make_unique<ThreadSource>(plan, lane, recording.shared, context);
    context.stats.bytes_total += source->size();
    context.timeline.add_source(std::move(source), {&lane});
  }
  const bool has_switches = kernel != nullptr || (recording.shows_perf_switches() && !recording.perf.empty());
  if (options.cpu_tracks && has_switches) context.timeline.show_cpus_of(recording.info.hostname);
  context.timeline.add_call_history(make_call_history(recording, std::move(threads_with_records)));
  if (auto perf = perf_source_of(recording, context)) context.timeline.add_shared_source(std::move(perf));
  if (kernel != nullptr) context.timeline.add_shared_source(std::move(kernel));
}

// ---- Options of the command line ----

namespace {

// Returns the path that the user has given. Throws InvalidValue if it is not a directory.
std::string directory_at(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return path;
  throw fxt::InvalidValue(std::filesystem::exists(path, error) ? "a directory" : "a directory that exists",
                          path);
}

class RecordingImporter final : public Importer {
 public:
  std::string_view name() const override { return "uftrace recording"; }
  ImporterHelp help() const override {
    return {.form = "directories",
            .input = "run.data",
            .examples = {{"run.data run.fxt", "convert a recording of uftrace"},
                         {"-F draw -t 10us run.data", "show draw() calls of 10 us or more"}},
            .common_options = {"filter", "notrace", "depth", "time-filter"}};
  }
  std::vector<Option> options() override;
  bool recognizes(const std::filesystem::path& input) const override { return uftrace::recognizes(input); }
  std::string advice_for(const std::filesystem::path& input) const override;
  void import(const std::filesystem::path& input, ImportContext& context) const override {
    uftrace::import(input, context, options_);
  }
  Outline inspect(const std::filesystem::path& input, Notes& notes) const override {
    return uftrace::inspect(input, notes);
  }
  std::map<std::string, std::vector<std::string>> summary() const override {
    return {{"format", {}},
            {"info", {"command", "program", "ended", "recorded", "elapsed", "uftrace", "host", "kernel"}},
            {"records", {"records", "bytes", "lost records"}},
            {"time", {"clock", "of", "span", "first ns", "last ns"}}};
  }
  std::string default_input() const override { return "uftrace.data"; }

 private:
  RecordingOptions options_;
};

std::string RecordingImporter::advice_for(const std::filesystem::path& input) const {
  std::error_code error;
  if (std::filesystem::is_regular_file(input, error)) {
    const std::string recording = fxt::recording_of(input);
    if (recording.empty()) return {};
    return fmt::format("a file of a uftrace recording; convert its directory, {}", recording);
  }
  // The search is limited, because the directory may be large.
  constexpr int kDeepest = 3;
  constexpr unsigned kMostEntries = 10'000;
  namespace fs = std::filesystem;
  fs::recursive_directory_iterator entry(input, fs::directory_options::skip_permission_denied, error);
  for (unsigned count = 0; !error && entry != fs::recursive_directory_iterator() && count < kMostEntries;
       ++count, entry.increment(error)) {
    if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
    if (entry->is_symlink(error) || !entry->is_directory(error)) continue;
    if (const fs::path folder = entry->path(); !fxt::recording_of(folder).empty())
      return fmt::format("a directory that contains a recording; convert {}", folder.string());
  }
  return {};
}

std::vector<Option> RecordingImporter::options() {
  const std::vector<Option> others = {
      flag("no-args", 0, options_.no_args, "omit arguments and return values of calls"),
      flag("no-event", 0, options_.no_event,
           "omit events: counters, user events, values read at calls, messages of extern.dat, context "
           "switches and tracepoints of the kernel"),
      flag("no-sched", 0, options_.no_sched, "omit context switches"),
      flag("no-sched-preempt", 0, options_.no_sched_preempt,
           "omit calls of linux:schedule in which a thread was preempted. Calls in which a thread waited "
           "are still shown"),
      not_with({"no-sched", "no-event"},
               flag("cpu-tracks", 0, options_.cpu_tracks,
                    "also show context switches on tracks for CPUs and thread states (default: show them "
                    "only as calls of linux:schedule, so that Perfetto shows the program's calls first)")),
      flag("no-kernel", 0, options_.no_kernel, "omit kernel functions and tracepoints"),
      flag("kernel-only", 0, options_.kernel_only,
           "show only kernel functions, tracepoints and lost records"),
      flag("kernel-skip-out", 0, options_.kernel_skip_out,
           "omit kernel activity outside the program's calls, as uftrace does by default"),
      {.name = "kernel-full",
       .help = "show all kernel activity (default)",
       .value = each_time([this] { options_.kernel_skip_out = false; })},
      flag("event-skip-out", 0, options_.event_skip_out,
           "omit events and context switches outside the program's calls, as uftrace does by default"),
      {.name = "event-full", .help = "show all events (default)", .value = each_time([this] {
                                                                    options_.event_skip_out = false;
                                                                  })},
      flag("utc", 0, options_.utc,
           "show wall-clock times if the recording has the offset of the wall clock. The offset is in whole "
           "seconds, so times may be wrong by one second"),
      {.name = "sysroot",
       .argument = "DIR",
       .help = "read programs and libraries below this directory, and not those of this machine, to get "
               "names if the recording has no .sym files",
       .value =
           each<std::string>([this](const std::string& path) { options_.elf.sysroot = directory_at(path); }),
       .fails_with = {"no-elf"}},
      not_with(
          {"no-elf", "no-args"},
          choice("arg-names", options_.elf.names_parameters, {{"numbers", false}, {"program", true}},
                 "choose the names of arguments (default: numbers, which gives arg1, arg2). With program, "
                 "they are the names of parameters in the debug information of the program or library")),
      {.name = "index",
       .argument = "DIR",
       .help = "keep an index of each long recording in this directory. With the index, -r does not read "
               "everything before the range; the output is the same",
       .value = each<std::string>([this](const std::string& path) { options_.index = directory_at(path); })},
      {.name = "index-step",
       .argument = "SIZE",
       .help = "choose the distance between two entries of the index, in bytes of the record file "
               "(default: 16Mi)",
       .value = each<fxt::PositiveSize>(
           [this](fxt::PositiveSize size) { options_.index_step_bytes = size.bytes; })},
      flag("no-elf", 0, options_.elf.is_off,
           "do not open files outside the recording. Programs and libraries then do not provide names"),
  };
  std::vector<Option> options = options_of(options_.filters);
  options.insert(options.end(), others.begin(), others.end());
  return options;
}

}  // namespace

std::unique_ptr<Importer> make_importer() { return std::make_unique<RecordingImporter>(); }

}  // namespace convert::uftrace
