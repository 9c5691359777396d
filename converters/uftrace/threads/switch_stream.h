// The perf events of one thread, by time: a context switch record for each switch, a call `linux:schedule`
// for the time that the thread is off its cpu, and the exits, execs and names of tasks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/perf/perf_event.h"
#include "converters/uftrace/threads/side_stream.h"
#include "converters/uftrace/threads/stack_repair.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

class SwitchStream : public SideStream {
 public:
  // Borrows the references.
  SwitchStream(const SwitchPlan& plan, Lane& lane, StackRepair& calls, Names& names);

  Due next() const override;
  void emit_next() override;

 private:
  void switch_in(std::uint64_t time_ns, const PerfMessage& message);
  void switch_out(std::uint64_t time_ns, const PerfMessage& message);
  bool is_lone(std::uint64_t time_ns);
  bool is_short(std::size_t out) const { return out < plan_.short_outs.size() && plan_.short_outs[out]; }

  const SwitchPlan& plan_;
  Lane& lane_;
  StackRepair& calls_;
  LabelId blocked_, preempted_, renamed_;
  NameId comm_;
  std::size_t outs_ = 0;       // switches out so far
  std::size_t lone_outs_ = 0;  // of plan_.lone_outs, those that have passed
  bool has_exited_ = false;
};

}  // namespace convert::uftrace
