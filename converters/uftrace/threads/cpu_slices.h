// Writes context switches for the times at which a thread is on a CPU. The other thread in each switch is
// thread 0, which viewers show as idle. If the records do not show when a thread leaves its CPU, a switch is
// added at the thread's last event. Switches before a start time can be hidden. If a thread is on a CPU at
// the start time, a switch to this CPU is added. A switch before the lane's last event is shown at the time
// of this event. Without CPU tracks, no switches are written, but this does not change the times of other
// events.
#pragma once

#include <cstdint>
#include <optional>

#include "converters/model/lanes/lane.h"
#include "converters/uftrace/threads/call_filter.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

class CpuSlices {
 public:
  // `filter` counts hidden switches. Switches before `plan.switches_from_ns` are hidden.
  CpuSlices(Lane& lane, CallFilter& filter, const ThreadPlan& plan)
      : lane_(lane),
        filter_(filter),
        from_ns_(plan.switches_from_ns),
        process_(plan.shown_process),
        thread_(plan.shown_thread),
        has_tracks_(plan.shows_cpu_tracks) {}

  bool has_tracks() const { return has_tracks_; }
  // Must be called for each recorded switch.
  void count_switch() { unwritten_ += has_tracks_ ? 0 : 1; }
  // The number of recorded switches that were not written, because the trace has no CPU tracks.
  std::uint64_t unwritten() const { return unwritten_; }

  void begin(std::uint64_t time_ns, std::uint16_t cpu, std::uint8_t priority = kNormalPriority) {
    if (cpu_) end(time_ns, *cpu_, ThreadState::Blocked);  // the switch out is missing
    is_off_cpu_ = false;
    cpu_ = cpu;
    priority_ = priority;
    begin_again();
    if (time_ns < from_ns_)
      is_waiting_ = true;
    else
      show_begin(time_ns);
  }
  // The time at which show_begin() must be called. kForever if the thread is on no CPU, or is already shown
  // on its CPU.
  std::uint64_t waits_until_ns() const { return is_waiting_ ? from_ns_ : kForever; }
  // Must be called at the time waits_until_ns().
  void show_begin(std::uint64_t time_ns) {
    is_waiting_ = false;
    write(time_ns,
          {.cpu = *cpu_, .priority = priority_, .incoming_process = process_, .incoming_thread = thread_});
  }
  void end(std::uint64_t time_ns, std::uint16_t cpu, ThreadState state,
           std::uint8_t priority = kNormalPriority) {
    cpu_.reset();
    is_off_cpu_ = true;
    is_waiting_ = false;
    if (has_left_ || leaves_out(time_ns)) return;
    write(time_ns, {.cpu = cpu,
                    .priority = priority,
                    .outgoing_state = has_exited_ ? ThreadState::Dead : state,
                    .outgoing_process = process_,
                    .outgoing_thread = thread_});
  }
  // Must be called if the thread exits, or if its records end. The thread leaves its CPU. Its later switch
  // out is not shown.
  void exit(std::uint64_t time_ns) {
    has_exited_ = true;
    if (!cpu_) return;
    end(time_ns, *cpu_, ThreadState::Dead);
    has_left_ = true;
  }
  // Hides all later switches.
  void stop(std::uint64_t time_ns) {
    if (from_ns_ == kForever) return;
    exit(time_ns);
    from_ns_ = kForever;
  }
  void wakeup(std::uint64_t time_ns, const Wakeup& wakeup) {
    if (leaves_out(time_ns)) return;
    time_ns = lane_.clamped(time_ns);
    if (has_tracks_)
      lane_.wakeup(time_ns, wakeup);
    else
      pass(time_ns);
  }
  // is_on_cpu() and is_off_cpu() return false while it is unknown whether the thread is on a CPU.
  bool is_on_cpu() const { return cpu_.has_value(); }
  bool is_off_cpu() const { return is_off_cpu_; }
  // True if the thread has left its CPU because of exit().
  bool has_left() const { return has_left_; }
  // Must be called if a record shows that the thread is on a CPU, even if this contradicts a switch.
  void prove_running() { is_off_cpu_ = false; }
  // Must be called when another thread gets the thread's id.
  void begin_again() { has_exited_ = has_left_ = is_off_cpu_ = false; }

 private:
  // True if an event at this time is hidden. Events before `from_ns_` are hidden. However, if there are CPU
  // tracks, they are hidden only if the filter hides events outside of calls. The filter then counts them.
  bool leaves_out(std::uint64_t time_ns) {
    return time_ns < from_ns_ && (!has_tracks_ || !filter_.shows_outside());
  }
  void write(std::uint64_t time_ns, const ContextSwitch& context_switch) {
    time_ns = lane_.clamped(time_ns);
    if (has_tracks_) return lane_.context_switch(time_ns, context_switch);
    pass(time_ns);
  }
  // Advances the lane's time by a hidden call of length 0, which is not written to the trace.
  void pass(std::uint64_t time_ns) {
    lane_.begin_filtered(time_ns, 0);
    lane_.end(time_ns);
  }

  Lane& lane_;
  CallFilter& filter_;
  std::uint64_t from_ns_;
  ProcessId process_;
  ThreadId thread_;
  bool has_tracks_;
  std::uint64_t unwritten_ = 0;
  std::optional<std::uint16_t> cpu_;  // nothing if the thread is off the CPU, or if its CPU is unknown
  bool is_off_cpu_ = false;
  std::uint8_t priority_ = kNormalPriority;
  bool is_waiting_ = false;  // the thread is on a CPU, but is not shown there yet
  bool has_exited_ = false, has_left_ = false;
};

}  // namespace convert::uftrace
