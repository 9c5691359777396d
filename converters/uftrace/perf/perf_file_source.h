// Reads the perf files of a recording and hands every thread its switches, names, execs and its exit.
#pragma once

#include <cstdint>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/uftrace/cpus/cpu_file_source.h"
#include "converters/uftrace/perf/perf_cursor.h"
#include "converters/uftrace/perf/perf_event.h"

namespace convert::uftrace {

class PerfFileSource final : public CpuFileSource<PerfCursor, PerfMessage> {
 public:
  struct Shown {
    bool switches = true;
    Names* names = nullptr;  // for the names that threads give themselves; null: those are not shown
  };
  // Borrows the queues, names and stats until the timeline has run.
  PerfFileSource(const std::vector<CpuFile>& files, const PerfReading& reading,
                 QueuesByThread<PerfQueue>& queues, const Shown& shown, ImportStats& stats)
      : CpuFileSource(files, reading, queues, stats), shown_(shown) {}

 private:
  // Forks and losses are not for threads: scan_perf() has found them.
  void stage(const PerfEvent& event) override {
    using Kind = PerfEvent::Kind;
    const bool is_name = event.kind == Kind::Comm && shown_.names != nullptr;
    const bool is_shown = event.kind == Kind::Exit || event.kind == Kind::Exec || is_name ||
                          (event.is_switch() && shown_.switches);
    if (!is_shown) return;
    PerfQueue* const queue = find_queue(event.tid);
    if (queue == nullptr) return;
    put(*queue, {.time_ns = event.time_ns,
                 .cpu = events().cpu(),
                 .kind = event.kind,
                 .name = is_name ? shown_.names->intern(event.comm) : NameId{}});
  }

  Shown shown_;
};

}  // namespace convert::uftrace
