// Reads the perf files of a recording twice. The first pass collects data about threads before the records
// are read. The second pass runs while the records are read, and passes switches, names, execs and exits to
// the threads.
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
  std::string name = {};                       // the thread's last name; empty without one
  std::string program = {};                    // the thread's last name from an exec; empty without one
  std::optional<std::uint64_t> first_ns = {};  // time of the thread's first switch
  std::optional<std::uint64_t> named_ns = {};  // time of the thread's first new name that is not from an exec
  std::uint64_t switched_out = 0;
  std::uint64_t preempted = 0;    // number of switches out while the thread was runnable
  std::uint64_t names_given = 0;  // number of new names that are not from execs
  std::uint64_t last_ns = 0;      // time of the thread's last event
  // time of the thread's exit; empty if an event other than a switch out follows it
  std::optional<std::uint64_t> exited_ns = {};
  std::optional<std::uint64_t> forked_ns = {};
  ThreadId parent = {};  // the thread that forked this thread, if forked_ns is set
  // If the thread's first switch is a switch out, the next two members help to find out when and on which CPU
  // the thread ran first.
  std::optional<std::uint64_t> exec_ns = {};  // time of the thread's first exec
  std::optional<PerfMessage> first_out = {};  // the thread's first switch, if that is a switch out
  // Switches that were not recorded, but must have happened. A switch out is missing if this thread is on a
  // CPU when it is switched in, or when another thread comes to this CPU. A switch in is missing if this
  // thread calls exec on a CPU to which it was not switched.
  std::vector<PerfMessage> missing = {};
  // Times of switches out without a following switch in. Such a switch is the thread's last one, or events
  // are missing after it.
  std::vector<std::uint64_t> lone_outs = {};
  // For each switch out, in order: true if the next switch in comes before the minimum time off the CPU.
  // Empty if there is no minimum.
  std::vector<bool> short_outs = {};
};

using PerfThreads = std::map<ThreadId, PerfThread>;

ReusedIds::Forks find_forks(const std::vector<CpuFile>& files, std::endian order);

// Adds notes about damage to `reading.notes`. `shortest_ns` is the minimum time off the CPU, or 0.
PerfThreads scan_perf(const std::vector<CpuFile>& files, const PerfReading& reading,
                      std::uint64_t shortest_ns = 0);

class PerfFileSource final : public CpuFileSource<PerfCursor, PerfMessage> {
 public:
  struct Shown {
    bool switches = true;
    Names* names = nullptr;  // for new names of threads; null if new names are not shown
  };
  // The references must stay valid until Timeline::run() returns.
  PerfFileSource(const std::vector<CpuFile>& files, const PerfReading& reading,
                 QueuesByThread<PerfQueue>& queues, const Shown& shown, ImportStats& stats)
      : CpuFileSource(files, reading, queues, stats), shown_(shown) {}

 private:
  // Forks and losses are not passed to threads, because scan_perf() has processed them.
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
