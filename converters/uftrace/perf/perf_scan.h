// Reads the perf files of a recording twice: before the records are read, for what has to be known about
// threads; and beside them, for the threads' switches, names, execs and exits.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/cpus/cpu_files.h"
#include "converters/uftrace/perf/perf_cursor.h"

namespace convert::uftrace {

struct PerfThread {
  std::string name = {};                        // the last one that it gave itself; empty if it never did
  std::string program = {};                     // the last one that an exec gave it; the same
  std::optional<std::uint64_t> first_ns = {};   // of its switches
  std::optional<std::uint64_t> named_ns = {};   // its first new name that was not an exec's
  std::uint64_t switched_out = 0;               // number of switches out
  std::uint64_t preempted = 0;                  // of them, those while it was runnable
  std::uint64_t names_given = 0;                // without those of execs
  std::uint64_t last_ns = 0;                    // of its switches, execs and exits
  std::optional<std::uint64_t> exited_ns = {};  // its exit, if it did nothing after that but leave its CPU
  std::optional<std::uint64_t> forked_ns = {};
  ThreadId parent = {};  // the thread that forked it, if forked_ns is known
  // Where it ran first: what follows is not a switch in.
  std::optional<std::uint64_t> exec_ns = {};  // its first exec
  std::optional<PerfMessage> first_out = {};  // its first switch, if that is out
  // Switches that no event tells of: out, when another thread is on its cpu, or it comes to any; in, at an
  // exec.
  std::vector<PerfMessage> missing = {};
  // Times of switches out that no switch in follows: the last one of a thread that never ran again, or one
  // before a gap in the file.
  std::vector<std::uint64_t> lone_outs = {};
  // Of each switch out, in order, whether the next switch in comes too soon; empty if no shortest time is
  // set.
  std::vector<bool> short_outs = {};
};

using PerfThreads = std::map<ThreadId, PerfThread>;

ReusedIds::Forks find_forks(const std::vector<CpuFile>& files, std::endian order);

// Damage is noted in `reading.notes`. Less than `shortest_ns` off the cpu is too short; 0: nothing is.
PerfThreads scan_perf(const std::vector<CpuFile>& files, const PerfReading& reading,
                      std::uint64_t shortest_ns = 0);

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
