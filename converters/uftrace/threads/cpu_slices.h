// When a thread is on a cpu, and on which: its context switches in the trace. The other side of each is
// thread 0, which viewers show as an idle cpu. A thread still on a cpu leaves it at its last event. What lies
// before some time may be left out: a thread that is on a cpu then comes to it at that time. A time before
// the lane's last event is shown at that event's time. Without CPU tracks nothing is written, but all else
// of the thread has the same times.
#pragma once

#include <cstdint>
#include <optional>

#include "converters/model/lanes/lane.h"
#include "converters/uftrace/threads/call_filter.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

class CpuSlices {
 public:
  // Borrows the lane and the filter, which counts what is left out. Nothing is shown before the plan's
  // `switches_from_ns`.
  CpuSlices(Lane& lane, CallFilter& filter, const ThreadPlan& plan)
      : lane_(lane),
        filter_(filter),
        from_ns_(plan.switches_from_ns),
        process_(plan.shown_process),
        thread_(plan.shown_thread),
        has_tracks_(plan.shows_cpu_tracks) {}

  bool has_tracks() const { return has_tracks_; }
  // Called for each recorded switch.
  void count_switch() { unwritten_ += has_tracks_ ? 0 : 1; }
  // Recorded switches that have no record in the trace, because there are no tracks.
  std::uint64_t unwritten() const { return unwritten_; }

  void begin(std::uint64_t time_ns, std::uint16_t cpu, std::uint8_t priority = kNormalPriority) {
    if (cpu_) end(time_ns, *cpu_, ThreadState::Blocked);  // a switch out is missing
    is_off_cpu_ = false;
    cpu_ = cpu;
    priority_ = priority;
    begin_again();
    if (time_ns < from_ns_)
      is_waiting_ = true;
    else
      show_begin(time_ns);
  }
  // When the thread comes to its cpu as far as is shown; kForever if it is there, or on none.
  std::uint64_t waits_until_ns() const { return is_waiting_ ? from_ns_ : kForever; }
  // That time has come.
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
  // The thread exits, or its records are over. It leaves the cpu now, and not once more when it is switched
  // out.
  void exit(std::uint64_t time_ns) {
    has_exited_ = true;
    if (!cpu_) return;
    end(time_ns, *cpu_, ThreadState::Dead);
    has_left_ = true;
  }
  // Nothing is shown from here on.
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
  // Both are false while nothing is known of it.
  bool is_on_cpu() const { return cpu_.has_value(); }
  bool is_off_cpu() const { return is_off_cpu_; }
  // Whether the thread has left its cpu with its exit.
  bool has_left() const { return has_left_; }
  // A record shows that the thread is on a CPU, whatever its switches say.
  void prove_running() { is_off_cpu_ = false; }
  // Another thread has the id from here on.
  void begin_again() { has_exited_ = has_left_ = is_off_cpu_ = false; }

 private:
  // Whether what happens to the thread at that time is left out of the tracks; then it is counted.
  bool leaves_out(std::uint64_t time_ns) {
    return time_ns < from_ns_ && (!has_tracks_ || !filter_.shows_outside());
  }
  void write(std::uint64_t time_ns, const ContextSwitch& context_switch) {
    time_ns = lane_.clamped(time_ns);
    if (has_tracks_) return lane_.context_switch(time_ns, context_switch);
    pass(time_ns);
  }
  // Moves the lane's time on: a filtered call has no event.
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
  std::optional<std::uint16_t> cpu_;  // nothing: on none that is known
  bool is_off_cpu_ = false;
  std::uint8_t priority_ = kNormalPriority;
  bool is_waiting_ = false;  // on a cpu, which isn't shown yet
  bool has_exited_ = false, has_left_ = false;
};

}  // namespace convert::uftrace
