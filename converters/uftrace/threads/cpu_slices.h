// When a thread is on a cpu, and on which: its context switches in the trace. The other side of each is
// thread 0, which viewers show as an idle cpu. Whatever was on a cpu leaves it, at the latest at its end.
#pragma once

#include <cstdint>
#include <optional>

#include "converters/model/lanes/lane.h"

namespace convert::uftrace {

class CpuSlices {
 public:
  // Borrows the lane. The ids are those of the timeline.
  CpuSlices(Lane& lane, ProcessId process, ThreadId thread)
      : lane_(lane), process_(process), thread_(thread) {}

  void begin(std::uint64_t time_ns, std::uint16_t cpu, std::uint8_t priority = kNormalPriority) {
    if (cpu_) end(time_ns, *cpu_, ThreadState::Blocked);  // a switch out is missing
    cpu_ = cpu;
    begin_again();
    lane_.context_switch(
        time_ns,
        {.cpu = cpu, .priority = priority, .incoming_process = process_, .incoming_thread = thread_});
  }
  void end(std::uint64_t time_ns, std::uint16_t cpu, ThreadState state,
           std::uint8_t priority = kNormalPriority) {
    cpu_.reset();
    if (has_left_) return;
    lane_.context_switch(time_ns, {.cpu = cpu,
                                   .priority = priority,
                                   .outgoing_state = has_exited_ ? ThreadState::Dead : state,
                                   .outgoing_process = process_,
                                   .outgoing_thread = thread_});
  }
  // The thread exits, or its records are over. It leaves the cpu now, and not once more when it is switched
  // out.
  void exit(std::uint64_t time_ns) {
    has_exited_ = true;
    if (!cpu_) return;
    end(time_ns, *cpu_, ThreadState::Dead);
    has_left_ = true;
  }
  // Another thread has the id from here on.
  void begin_again() { has_exited_ = has_left_ = false; }

 private:
  Lane& lane_;
  ProcessId process_;
  ThreadId thread_;
  std::optional<std::uint16_t> cpu_;  // nothing: on none that is known
  bool has_exited_ = false, has_left_ = false;
};

}  // namespace convert::uftrace
