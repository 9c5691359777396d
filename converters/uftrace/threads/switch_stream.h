// The perf events of one thread, by time: a context switch record for each switch, recorded or inferred, a
// call `linux:schedule` for the time that the thread is off its cpu, and the exits, execs and names of tasks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/perf/perf_event.h"
#include "converters/uftrace/threads/cpu_slices.h"
#include "converters/uftrace/threads/side_stream.h"
#include "converters/uftrace/threads/stack_repair.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

class SwitchStream : public SideStream {
 public:
  // Borrows the references.
  SwitchStream(const SwitchPlan& plan, Lane& lane, StackRepair& calls, CpuSlices& slices, Names& names);

  Due next() const override;
  void emit_next() override;
  // The thread's last switch is next. It was inferred: another thread came to the cpu.
  bool is_next_of_others() const {
    return !is_begin_next() && is_inferred_next() && plan_.inferred[inferred_].time_ns > plan_.last_ns;
  }

 private:
  const PerfMessage* first() const { return plan_.queue == nullptr ? nullptr : plan_.queue->first(); }
  const PerfMessage* message() const { return is_inferred_next() ? &plan_.inferred[inferred_] : first(); }
  // Nothing else happens before the time from which switches are shown, when the thread is on a cpu.
  bool is_begin_next() const;
  bool is_inferred_next() const;
  void emit_inferred();
  void switch_out(std::uint64_t time_ns, const PerfMessage& message);
  bool is_lone(std::uint64_t time_ns);
  bool is_short(std::size_t out) const { return out < plan_.short_outs.size() && plan_.short_outs[out]; }

  const SwitchPlan& plan_;
  Lane& lane_;
  StackRepair& calls_;
  CpuSlices& slices_;
  LabelId blocked_, preempted_, renamed_;
  NameId comm_;
  std::size_t inferred_ = 0;   // of plan_.inferred, those that have passed
  std::size_t outs_ = 0;       // switches out so far
  std::size_t lone_outs_ = 0;  // of plan_.lone_outs, those that have passed
};

}  // namespace convert::uftrace
