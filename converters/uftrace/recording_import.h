// A recording that is being converted: what the sources of its threads and files share.
#pragma once

#include <filesystem>
#include <memory>

#include "converters/model/importer.h"
#include "converters/uftrace/importer.h"
#include "converters/uftrace/kernel/kernel_file_source.h"
#include "converters/uftrace/recording.h"
#include "converters/uftrace/threads/thread_source.h"

namespace convert::uftrace {

struct RecordingImport : Recording {
  // Borrows the context.
  RecordingImport(const std::filesystem::path& path, ImportContext& context, const RecordingOptions& wanted);

  // Whether events, and the switches of perf, are shown.
  bool shows_own_events() const { return !options.no_event && !options.kernel_only; }
  bool shows_perf_switches() const { return !options.no_sched && shows_own_events(); }

  RecordingOptions options;
  KernelFiles kernel;  // empty if they are not shown
  Tracepoints tracepoints;
  SourceLines lines;
  std::unique_ptr<FilterTable> filters;  // null if all calls are shown
  RecordingContext shared;
  QueuesByThread<PerfQueue> perf_queues;
  QueuesByThread<KernelQueue> kernel_queues;
};

}  // namespace convert::uftrace
