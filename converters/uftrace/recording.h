// Everything that the sources of one recording share, read and put together before its records are.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "converters/model/importer.h"
#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/kernel/kernel_file_source.h"
#include "converters/uftrace/options.h"
#include "converters/uftrace/perf/perf_scan.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/recording/task_file.h"
#include "converters/uftrace/symbols/symbolizer.h"
#include "converters/uftrace/threads/thread_source.h"

namespace convert::uftrace {

struct Recording {
  // Borrows the context.
  Recording(const std::filesystem::path& path, ImportContext& context, const Options& wanted);

  // What the program did besides its calls is shown, and when it ran as perf tells.
  bool shows_own_events() const { return !options.no_event && !options.kernel_only; }
  bool shows_perf_switches() const { return !options.no_sched && !options.kernel_only; }

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
  UserEvents user_events;
  DebugFiles debug;
  PayloadLayouts layouts;
  SourceLines lines;
  RecordingContext shared;
  std::map<ThreadId, PerfQueue> perf_queues;
  std::map<ThreadId, KernelQueue> kernel_queues;
};

}  // namespace convert::uftrace
