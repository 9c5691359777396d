// Reads the perf files of a recording and hands every thread its switches, names, execs and its end. One
// feeder merges all files, so that every inbox fills in order of time; a switch is 24 bytes, which one thread
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
#include "converters/uftrace/perf/inbox.h"
#include "converters/uftrace/perf/perf_merge.h"

namespace convert::uftrace {

class PerfFeeder : public Feeder {
 public:
  struct Wanted {
    bool switches = true;
    Names* names = nullptr;  // for those that threads give themselves; null: they are not handed on
  };
  // Borrows inboxes, names and stats until the timeline has run. Threads without an inbox are left out.
  PerfFeeder(const std::vector<CpuFile>& files, const PerfReading& reading,
             std::unordered_map<ThreadId, Inbox*> inboxes, const Wanted& wanted, ImportStats& stats);

  bool pump(const Turn& turn) override;
  void deliver() override;
  std::uint64_t frontier_ns() const override;
  std::size_t waiting_bytes() const override;

 private:
  void stage(const PerfEvent& event, std::uint32_t cpu);

  PerfMerge events_;
  std::unordered_map<ThreadId, Inbox*> inboxes_;
  Wanted wanted_;
  ImportStats* stats_;
  std::vector<std::pair<Inbox*, Message>> staged_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace convert::uftrace
