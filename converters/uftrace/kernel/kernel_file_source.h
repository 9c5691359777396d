// Reads the kernel's files of a recording and hands every thread what the kernel did for it. One feeder
// merges all files, so that every queue fills in order of time.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/lanes/event.h"
#include "converters/model/merging/source.h"
#include "converters/uftrace/kernel/graph_formats.h"
#include "converters/uftrace/kernel/kernel_cursor.h"
#include "converters/uftrace/kernel/kernel_queue.h"
#include "converters/uftrace/kernel/kernel_symbols.h"
#include "converters/uftrace/kernel/tracepoint.h"
#include "converters/uftrace/recording/cpu_merge.h"

namespace convert::uftrace {

using KernelMerge = CpuMerge<KernelCursor>;
using KernelInboxes = std::unordered_map<ThreadId, KernelQueue*>;

// What is read, and how: the same for all files of a recording.
struct KernelFiles {
  std::vector<CpuFile> files;
  KernelHeader header;
};

class KernelFileSource : public SharedSource {
 public:
  struct Wanted {
    const Tracepoints* tracepoints = nullptr;  // null: no events but calls
    bool events = true;                        // they are told, and
    bool switches = false;                     // so is what sched_switch and sched_wakeup say of cpus
  };
  // Borrows all but the first two until the timeline has run. Threads without an queue are left out.
  KernelFileSource(const KernelFiles& files, KernelInboxes perf_queues, KernelSymbols symbols,
                   const Wanted& wanted, Notes& notes, ImportStats& stats);

  // When the first event is that is told to a thread; kForever if there is none. Those before it are behind
  // us then.
  std::uint64_t find_first_ns();

  bool pump(const PumpBudget& turn) override;
  void deliver() override;
  std::uint64_t watermark_ns() const override;
  std::size_t waiting_bytes() const override;

 private:
  // Who ran on a cpu, as far as its events tell.
  struct Cpu {
    std::uint16_t number = 0;
    ThreadId latest{};              // that the latest event is of
    KernelQueue* thread = nullptr;  // the same; null: it has no queue
    bool is_behind_loss = false;
    std::uint64_t lost = 0;
  };

  void stage(const KernelEvent& event, Cpu& cpu);
  void stage_data(const KernelEvent& event, Cpu& cpu);
  void stage_loss(KernelQueue& queue, std::uint64_t time_ns, const Cpu& cpu);
  void stage_call(const GraphFormat& format, const KernelEvent& event, KernelQueue& queue);
  void stage_event(const Tracepoint& tracepoint, const KernelEvent& event, KernelQueue& queue);
  void stage_switch(const Tracepoint& tracepoint, const KernelEvent& event, const Cpu& cpu);
  void stage_wakeup(const Tracepoint& tracepoint, const KernelEvent& event, const Cpu& cpu);
  void put(KernelQueue& queue, const KernelMessage& message) {
    if (!queue.has_staged()) filled_.push_back(&queue);
    queue.stage(message);
  }
  void skip(std::uint64_t id, const KernelEvent& event, const Cpu& cpu);
  Cpu& cpu_at_hand();
  const Tracepoint* tracepoint_of(std::uint64_t id) const;
  KernelQueue* inbox_of(ThreadId thread) const;
  KernelQueue* told_to(const Tracepoint& tracepoint, std::span<const std::byte> payload) const;
  bool is_foreign(const KernelEvent& event) const;

  KernelMerge events_;
  std::endian order_;
  CommonFields common_;
  GraphFormats graph_;
  KernelInboxes queues_;
  KernelSymbols symbols_;
  Wanted wanted_;
  Notes* notes_;
  ImportStats* stats_;
  std::vector<Cpu> cpus_;             // by file
  std::vector<KernelQueue*> filled_;  // have something staged
  std::uint64_t bytes_read_ = 0;
};

}  // namespace convert::uftrace
