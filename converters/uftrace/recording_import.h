// The data of a conversion that all its sources share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/merging/thread_match.h"
#include "converters/uftrace/importer.h"
#include "converters/uftrace/kernel/kernel_file_source.h"
#include "converters/uftrace/recording.h"
#include "converters/uftrace/threads/thread_plan.h"
#include "converters/uftrace/threads/thread_source.h"

namespace convert::uftrace {

struct RecordingImport : Recording {
  RecordingImport(const std::filesystem::path& path, ImportContext& context, const RecordingOptions& wanted);

  // True if events of the program are shown.
  bool shows_own_events() const { return !options.no_event && !options.kernel_only; }
  // True if context switches in perf files are shown.
  bool shows_perf_switches() const { return !options.no_sched && shows_own_events(); }
  // True for recordings made with `uftrace record -e`. Context switches are then read even if they are not
  // shown, because they may disprove estimated exits.
  bool has_estimated_exits() const { return info.has<FeatureBits::EstimateReturn>(); }

  RecordingOptions options;
  KernelFiles kernel;  // empty if the kernel is not shown
  Tracepoints tracepoints;
  std::unique_ptr<FilterTable> filters;  // null if all calls are shown
  SharedByThreads shared;
  QueuesByThread<PerfQueue> perf_queues;
  QueuesByThread<KernelQueue> kernel_queues;
  RecordIndex index;  // has no threads if no index is used
  ThreadPlans plans;
};

// ---- The plans of the recording's threads, before their records are read ----

// Returns plans for all threads that get a lane, and for threads from which they inherit calls. Some threads
// have no record file.
ThreadPlans plans_of(RecordingImport& recording, ImportContext& context);

// Hides events outside of calls. Also hides the context switches of each process before its first call. Must
// be called when all plans are complete, including the inherited calls.
void skip_outside_calls(ThreadPlans& plans);

// Shows switches on CPU tracks. If threads of several processes had the same id, only the switches of the
// last one are shown. For each id, Perfetto shows only the process that was named last, which would be wrong
// for the other threads.
void show_cpu_tracks(ThreadPlans& plans);

// Reads the index of the recording. Makes a new index if it is missing or the recording has changed. The
// plans then refer to the index. There is no index if the kernel is shown or if filter options are used.
void use_index(RecordingImport& recording, ImportContext& context);

// Returns the time of the first record or other event of the recording. `kernel_ns` is the time of the first
// kernel event.
std::optional<std::uint64_t> begin_of(const ThreadPlans& plans, const RecordingImport& recording,
                                      std::uint64_t kernel_ns);

// Plans the side streams of a thread. The thread's lane must have been added.
void plan_streams(ThreadPlan& plan, RecordingImport& recording, Timeline& timeline);

// ---- For other inputs (recorded_calls.cpp) ----

struct ThreadOfLane {
  const Lane* lane;
  const ThreadPlan* plan;
};
// Returns a history that reads record files only when it is used. The recording must outlive the history.
std::unique_ptr<CallHistory> make_call_history(RecordingImport& recording, std::vector<ThreadOfLane> threads);

}  // namespace convert::uftrace
