#include "converters/uftrace/perf/perf_scan.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/hash.h"

namespace convert::uftrace {
namespace {

class Scan {
 public:
  explicit Scan(std::uint64_t shortest_ns) : shortest_ns_(shortest_ns) {}

  void add(const PerfEvent& event, std::uint16_t cpu);
  PerfThreads finish();

 private:
  struct ThreadScan {
    PerfThread thread = {};
    std::optional<std::uint64_t> out_ns = {};  // start of the thread's time off the CPU
    std::optional<std::uint16_t> cpu = {};
  };

  static void end_run(ThreadScan& scan) {
    if (scan.out_ns) scan.thread.lone_outs.push_back(*scan.out_ns);
    scan.out_ns.reset();
  }
  static void leave_cpu(ThreadScan& scan, std::uint64_t time_ns) {
    if (scan.cpu)
      scan.thread.missing.push_back(
          {.time_ns = time_ns, .cpu = *scan.cpu, .kind = PerfEvent::Kind::SwitchOut});
    scan.cpu.reset();
  }
  // This thread is on the CPU now. Therefore, the thread that was on this CPU before must have left it.
  void displace_others(const ThreadScan& scan, std::uint16_t cpu, std::uint64_t time_ns) {
    ThreadScan* const other = on_cpu_[cpu];
    if (other != nullptr && other != &scan && other->cpu == cpu) leave_cpu(*other, time_ns);
  }
  void come_to_cpu(ThreadScan& scan, std::uint16_t cpu, std::uint64_t time_ns);

  std::uint64_t shortest_ns_;
  fxt::SeededMap<ThreadId, ThreadScan> threads_;
  std::unordered_map<std::uint16_t, ThreadScan*> on_cpu_;
};

void Scan::come_to_cpu(ThreadScan& scan, std::uint16_t cpu, std::uint64_t time_ns) {
  leave_cpu(scan, time_ns);
  displace_others(scan, cpu, time_ns);
  on_cpu_[cpu] = &scan;
  scan.cpu = cpu;
}

void Scan::add(const PerfEvent& event, std::uint16_t cpu) {
  ThreadScan& scan = threads_[event.tid];
  PerfThread& thread = scan.thread;
  if (event.is_switch_out() && !thread.first_ns)
    thread.first_out = {.time_ns = event.time_ns, .cpu = cpu, .kind = event.kind};
  if (event.is_switch() && !thread.first_ns) thread.first_ns = event.time_ns;
  thread.last_ns = std::max(thread.last_ns, event.time_ns);
  if (!event.is_switch_out()) thread.exited_ns.reset();
  switch (event.kind) {
    case PerfEvent::Kind::SwitchIn:
      if (scan.out_ns && event.time_ns < *scan.out_ns + shortest_ns_) thread.short_outs.back() = true;
      scan.out_ns.reset();
      come_to_cpu(scan, cpu, event.time_ns);
      break;
    case PerfEvent::Kind::SwitchOut:
    case PerfEvent::Kind::Preempted:
      end_run(scan);
      displace_others(scan, cpu, event.time_ns);
      scan.out_ns = event.time_ns;
      scan.cpu.reset();
      ++thread.switched_out;
      if (shortest_ns_ != 0) thread.short_outs.push_back(false);
      if (event.kind == PerfEvent::Kind::Preempted) ++thread.preempted;
      break;
    case PerfEvent::Kind::Fork:
      end_run(scan);  // an earlier thread with the same id has ended
      thread.forked_ns = event.time_ns;
      thread.parent = event.parent;
      break;
    case PerfEvent::Kind::Exit:
      end_run(scan);
      scan.cpu.reset();
      thread.exited_ns = event.time_ns;
      break;
    case PerfEvent::Kind::Comm:
      if (thread.names_given++ == 0) thread.named_ns = event.time_ns;
      if (!event.comm.empty()) thread.name = event.comm;
      break;
    case PerfEvent::Kind::Exec:
      if (!thread.exec_ns) thread.exec_ns = event.time_ns;
      if (!event.comm.empty()) thread.name = thread.program = event.comm;
      // A thread that calls exec gets the id of its process. No event shows that this id came to the CPU, so
      // the switch is inferred.
      if (!thread.first_ns || scan.cpu == cpu) break;
      come_to_cpu(scan, cpu, event.time_ns);
      thread.missing.push_back({.time_ns = event.time_ns, .cpu = cpu, .kind = PerfEvent::Kind::SwitchIn});
      break;
    case PerfEvent::Kind::Lost:
      break;
  }
}

PerfThreads Scan::finish() {
  PerfThreads threads;
  while (!threads_.empty()) {  // frees each scan before the next, to save memory
    auto node = threads_.extract(threads_.begin());
    end_run(node.mapped());
    threads.emplace(node.key(), std::move(node.mapped().thread));
  }
  return threads;
}

}  // namespace

ReusedIds::Forks find_forks(const std::vector<CpuFile>& files, std::endian order) {
  ReusedIds::Forks forks;
  for (CpuMerge<PerfCursor> events(files, {.order = order}); !events.at_end(); events.advance())
    if (const PerfEvent& event = events.event(); event.kind == PerfEvent::Kind::Fork)
      forks[event.tid].push_back(event.time_ns);
  for (auto& [thread, times_ns] : forks) std::ranges::sort(times_ns);
  return forks;
}

PerfThreads scan_perf(const std::vector<CpuFile>& files, const PerfReading& reading,
                      std::uint64_t shortest_ns) {
  Scan scan(shortest_ns);
  for (CpuMerge<PerfCursor> events(files, reading); !events.at_end(); events.advance()) {
    const PerfEvent& event = events.event();
    if (event.kind != PerfEvent::Kind::Lost) {
      scan.add(event, events.cpu());
    } else if (reading.notes != nullptr) {
      reading.notes->add(
          kSwitchesLost,
          [&] { return fmt::format("CPU {}: the kernel lost {} perf events", events.cpu(), event.lost); },
          event.lost);
    }
  }
  return scan.finish();
}

}  // namespace convert::uftrace
