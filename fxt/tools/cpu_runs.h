// Which thread ran on which cpu, from the context switches and wakeups of a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "fxt/records.h"
#include "fxt/tools/selection.h"

namespace fxt::tools {

// A thread was on a cpu from one context switch to the next.
struct CpuRun {
  std::uint16_t cpu = 0;
  std::uint64_t thread = 0;  // its koid
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::optional<std::uint64_t> woken_ns = {};  // if a wakeup of the thread came before
  bool has_end = true;                         // false: it ends with the trace
};

// Whether it is selected, but for its time. It has no name and no category.
bool takes(const Selection& selection, const CpuRun& run);

class CpuRuns {
 public:
  // `ran` is called with each run when it has ended.
  explicit CpuRuns(std::function<void(const CpuRun&)> ran) : ran_(std::move(ran)) {}

  // To be called with all records in the order of time; ignores those that are not about scheduling. What ran
  // on a cpu before its first context switch is unknown. The idle thread does not run.
  void add(const Record& record, std::uint64_t time_ns);
  // No record follows.
  void finish(std::uint64_t last_ns);

 private:
  void change(std::uint16_t cpu, std::optional<std::uint64_t> incoming, std::uint64_t time_ns);

  std::function<void(const CpuRun&)> ran_;
  std::map<std::uint16_t, CpuRun> running_;       // by cpu
  std::map<std::uint64_t, std::uint64_t> woken_;  // times by thread, until it runs
};

}  // namespace fxt::tools
