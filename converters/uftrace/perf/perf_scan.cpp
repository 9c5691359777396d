#include "converters/uftrace/perf/perf_scan.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

struct ThreadScan {
  PerfThread thread;
  std::optional<std::uint64_t> out_ns;  // off the cpu since then
};

void end_run(ThreadScan& scan) {
  if (scan.out_ns) scan.thread.lone_outs.push_back(*scan.out_ns);
  scan.out_ns.reset();
}

void add(const PerfEvent& event, std::uint64_t shortest_ns, ThreadScan& scan) {
  PerfThread& thread = scan.thread;
  if (event.is_switch() && !thread.first_ns) thread.first_ns = event.time_ns;
  thread.last_ns = std::max(thread.last_ns, event.time_ns);
  switch (event.kind) {
    case PerfEvent::Kind::SwitchIn:
      if (scan.out_ns && event.time_ns < *scan.out_ns + shortest_ns) thread.short_outs.back() = true;
      scan.out_ns.reset();
      break;
    case PerfEvent::Kind::SwitchOut:
    case PerfEvent::Kind::Preempted:
      end_run(scan);
      scan.out_ns = event.time_ns;
      ++thread.switched_out;
      if (shortest_ns != 0) thread.short_outs.push_back(false);
      if (event.kind == PerfEvent::Kind::Preempted) ++thread.preempted;
      break;
    case PerfEvent::Kind::Fork:
      thread.forked_ns = event.time_ns;
      thread.parent = event.parent;
      break;
    case PerfEvent::Kind::Exit:
      end_run(scan);
      break;
    case PerfEvent::Kind::Comm:
      if (thread.names_given++ == 0) thread.named_ns = event.time_ns;
      [[fallthrough]];
    case PerfEvent::Kind::Exec:
      if (!event.comm.empty()) thread.name = event.comm;
      break;
    case PerfEvent::Kind::Lost:
      break;
  }
}

}  // namespace

PerfThreads scan_perf(const std::vector<CpuFile>& files, const PerfReading& reading,
                      std::uint64_t shortest_ns) {
  std::unordered_map<ThreadId, ThreadScan> scans;
  for (CpuMerge<PerfCursor> events(files, reading); !events.at_end(); events.advance()) {
    const PerfEvent& event = events.event();
    if (event.kind != PerfEvent::Kind::Lost) {
      add(event, shortest_ns, scans[event.tid]);
    } else if (reading.notes != nullptr) {
      reading.notes->add(
          kSwitchesLost,
          [&] { return fmt::format("cpu {}: the kernel lost {} perf events", events.cpu(), event.lost); },
          event.lost);
    }
  }
  PerfThreads threads;
  for (auto& [tid, scan] : scans) {
    end_run(scan);
    threads.emplace(tid, std::move(scan.thread));
  }
  return threads;
}

}  // namespace convert::uftrace
