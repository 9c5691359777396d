// Reads the perf files of a recording and hands every thread its switches, names, execs and its end. One
// feeder merges all files, so that every queue fills in order of time; a switch is 24 bytes, which one thread
// reads fast enough.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/lanes/event.h"
#include "converters/model/merging/source.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/perf/perf_merge.h"
#include "converters/uftrace/perf/perf_queue.h"

namespace convert::uftrace {

class PerfFileSource : public SharedSource {
 public:
  struct Wanted {
    bool switches = true;
    Names* names = nullptr;  // for those that threads give themselves; null: they are not handed on
  };
  // Borrows perf_queues, names and stats until the timeline has run. Threads without an queue are left out.
  PerfFileSource(const std::vector<CpuFile>& files, const PerfReading& reading,
                 std::unordered_map<ThreadId, PerfQueue*> perf_queues, const Wanted& wanted,
                 ImportStats& stats);

  bool pump(const PumpBudget& turn) override;
  void deliver() override;
  std::uint64_t watermark_ns() const override;
  std::size_t waiting_bytes() const override;

 private:
  void stage(const PerfEvent& event, std::uint32_t cpu);

  PerfMerge events_;
  std::unordered_map<ThreadId, PerfQueue*> queues_;
  Wanted wanted_;
  ImportStats* stats_;
  std::vector<std::pair<PerfQueue*, PerfMessage>> staged_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace convert::uftrace
