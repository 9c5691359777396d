// Reads the kernel's files of a recording and passes their events to the queues of the threads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converters/uftrace/cpus/cpu_files.h"
#include "converters/uftrace/kernel/kernel_cursor.h"
#include "converters/uftrace/kernel/kernel_queue.h"
#include "converters/uftrace/kernel/tracepoint.h"
#include "converters/uftrace/recording/reused_ids.h"
#include "converters/uftrace/symbols/label_cache.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

struct KernelFiles {
  std::vector<CpuFile> files;
  KernelHeader header;
};

class KernelFileSource : public CpuFileSource<KernelCursor, KernelMessage, KernelQueue> {
 public:
  struct Shown {
    const Tracepoints* tracepoints = nullptr;  // null: only calls, no tracepoints
    std::vector<ThreadId> left_out = {};       // threads of the recording that are left out, ascending
    bool events = true;                        // show tracepoints as instants
    bool switches = false;                     // show the switches and wakeups of the kernel's scheduler
    const ReusedIds* reused = nullptr;         // null if threads keep the kernel's ids
  };
  // The references must stay valid until Timeline::run() returns.
  KernelFileSource(const KernelFiles& files, QueuesByThread<KernelQueue>& queues, Symbolizer& symbolizer,
                   const Shown& shown, Notes& notes, ImportStats& stats);

  // Skips the first events, until an event is for a thread that is shown. Returns the time of this event,
  // or kForever if there is none.
  std::uint64_t find_first_ns();

  // Finds the time of the last message of each queue. Reads all files, so nothing is left for pump().
  void find_last_ns() {
    for (auto& [thread, queue] : queues()) queue.set_last_ns(0);
    read_all([](KernelQueue& queue, std::uint64_t time_ns) { queue.set_last_ns(time_ns); });
  }

 private:
  // The state of a CPU after its latest event.
  struct Cpu {
    std::uint16_t number = 0;
    ThreadId thread{};             // thread of the latest event
    KernelQueue* queue = nullptr;  // queue of the thread; null if the thread is not shown
    bool is_behind_loss = false;
    std::uint64_t lost = 0;
  };

  void stage(const KernelEvent& event) override;
  void lose_events(const KernelEvent& event, Cpu& cpu);
  void switch_to(ThreadId thread, const KernelEvent& event, Cpu& cpu);
  void stage_other(std::uint64_t type, const KernelEvent& event, const Cpu& cpu);
  void stage_loss(KernelQueue& queue, std::uint64_t time_ns, const Cpu& cpu);
  void stage_call(const GraphFormat& format, const KernelEvent& event, KernelQueue& queue);
  void stage_event(const Tracepoint& tracepoint, const KernelEvent& event, const Cpu& cpu,
                   KernelQueue& queue);
  void stage_switch(const Tracepoint& tracepoint, const KernelEvent& event, const Cpu& cpu);
  void stage_wakeup(const Tracepoint& tracepoint, const KernelEvent& event, const Cpu& cpu);
  void note_short(const KernelEvent& event, const Cpu& cpu);
  void note_skipped(std::uint64_t type, const KernelEvent& event, const Cpu& cpu);

  std::uint64_t type_of(std::span<const std::byte> payload) const {
    return common_.type.load_from(payload, order_);
  }
  ThreadId thread_in(const IntegerField& field, const KernelEvent& event) const {
    const auto id = static_cast<ThreadId>(static_cast<std::uint32_t>(field.load_from(event.payload, order_)));
    return shown_.reused == nullptr ? id : shown_.reused->at(id, event.order_ns);
  }
  const Tracepoint* find_tracepoint(std::uint64_t type) const;
  KernelQueue* find_subject(ThreadId current, const Tracepoint& tracepoint, const KernelEvent& event);
  bool is_for_no_thread(const KernelEvent& event);

  std::endian order_;
  CommonFields common_;
  std::vector<GraphFormat> graph_;  // the formats of entries (one or two) and of exits
  Symbolizer& symbolizer_;
  AddressCache<LabelId> labels_;
  Shown shown_;
  Notes& notes_;
  std::vector<Cpu> cpus_;  // indexed by file
};

}  // namespace convert::uftrace
