// Finds out which thread ran on which CPU, from the context switches and wakeups of a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "fxt/records.h"
#include "fxt/tools/selection.h"

namespace fxt::tools {

// The time in which a thread was on a CPU, from one context switch to the next.
struct CpuRun {
  std::uint16_t cpu = 0;
  std::uint64_t thread = 0;  // its koid
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::optional<std::uint64_t> woken_ns = {};  // time of the wakeup before the run, if there was one
  bool has_end = true;                         // false if the run lasts until the end of the trace
};

// True if the run is selected, regardless of its time. A selection by names or categories selects no run,
// because runs have neither.
bool takes(const Selection& selection, const CpuRun& run);

class CpuRuns {
 public:
  explicit CpuRuns(std::function<void(const CpuRun&)> ran) : ran_(std::move(ran)) {}

  // Must be called with all records in the order of time. Ignores records that are not about scheduling. The
  // thread on a CPU before its first context switch is unknown. The idle thread has no runs.
  void add(const Record& record, std::uint64_t time_ns);
  // Must be called after the last record.
  void finish(std::uint64_t last_ns);

 private:
  void change(std::uint16_t cpu, std::optional<std::uint64_t> incoming, std::uint64_t time_ns);

  std::function<void(const CpuRun&)> ran_;
  std::map<std::uint16_t, CpuRun> running_;
  std::map<std::uint64_t, std::uint64_t> woken_;  // wakeup times by thread, until the thread runs
};

}  // namespace fxt::tools
