#include "converters/uftrace/perf/perf_scan.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

#include "converters/uftrace/perf/perf_merge.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

struct Scanned {
  PerfThread thread;
  std::optional<std::uint64_t> out_ns;  // it is off the cpu since then
};

void end_run(Scanned& scanned) {
  if (scanned.out_ns) scanned.thread.lone_outs.push_back(*scanned.out_ns);
  scanned.out_ns.reset();
}

void take(Scanned& scanned, const PerfEvent& event, std::uint64_t shortest_ns) {
  const bool is_switch = event.kind == PerfEvent::Kind::SwitchIn || event.is_switch_out();
  if (is_switch && !scanned.thread.first_ns) scanned.thread.first_ns = event.time_ns;
  scanned.thread.last_ns = std::max(scanned.thread.last_ns, event.time_ns);
  switch (event.kind) {
    case PerfEvent::Kind::SwitchIn:
      if (scanned.out_ns && event.time_ns < *scanned.out_ns + shortest_ns)
        scanned.thread.short_outs.back() = true;
      scanned.out_ns.reset();
      break;
    case PerfEvent::Kind::SwitchOut:
    case PerfEvent::Kind::Preempted:
      end_run(scanned);
      scanned.out_ns = event.time_ns;
      ++scanned.thread.switched_out;
      if (shortest_ns != 0) scanned.thread.short_outs.push_back(false);
      if (event.kind == PerfEvent::Kind::Preempted) ++scanned.thread.preempted;
      break;
    case PerfEvent::Kind::Fork:
      scanned.thread.forked_ns = event.time_ns;
      scanned.thread.parent = event.parent;
      break;
    case PerfEvent::Kind::Exit:
      end_run(scanned);
      break;
    case PerfEvent::Kind::Comm:
      if (scanned.thread.names_given++ == 0) scanned.thread.named_ns = event.time_ns;
      [[fallthrough]];
    case PerfEvent::Kind::Exec:
      if (!event.comm.empty()) scanned.thread.name = event.comm;
      break;
    case PerfEvent::Kind::Lost:
      break;
  }
}

}  // namespace

PerfThreads scan_perf(const std::vector<CpuFile>& files, const PerfReading& reading,
                      std::uint64_t shortest_ns) {
  std::unordered_map<ThreadId, Scanned> scanned;
  for (PerfMerge events(files, reading); !events.at_end(); events.advance()) {
    const PerfEvent& event = events.event();
    if (event.kind != PerfEvent::Kind::Lost) {
      take(scanned[event.tid], event, shortest_ns);
    } else if (reading.notes != nullptr) {
      reading.notes->add(
          kSwitchesLost,
          [&] { return fmt::format("cpu {}: the kernel lost {} perf events", events.cpu(), event.lost); },
          event.lost);
    }
  }
  PerfThreads threads;
  for (auto& [tid, of_thread] : scanned) {
    end_run(of_thread);
    threads.emplace(tid, std::move(of_thread.thread));
  }
  return threads;
}

}  // namespace convert::uftrace
