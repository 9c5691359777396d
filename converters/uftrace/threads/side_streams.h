// All side streams of one thread, merged by time and precedence.
#pragma once

#include <array>
#include <cstdint>

#include "converters/uftrace/threads/cpu_slices.h"
#include "converters/uftrace/threads/kernel_stream.h"
#include "converters/uftrace/threads/switch_stream.h"
#include "converters/uftrace/threads/task_streams.h"

namespace convert::uftrace {

class SideStreams {
 public:
  // Takes the plan's task events and messages, and borrows the rest.
  SideStreams(ThreadPlan& plan, Lane& lane, CallFilter& filter, StackRepair& calls, Names& names);
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;

  // More may have been delivered to the streams' queues.
  void look_again();
  // Own records from this time on need emit_before(): something is due before them, or calls that lie inside
  // the program's are open.
  std::uint64_t own_until_ns() const { return calls_.inner().open() != 0 ? 0 : first_due_.own_from_ns(); }

  // Emits all that is due earlier. True if an own record of that time needs room among the inner calls.
  bool emit_before(const Due& due);
  // Emits the event that is due first, which must exist.
  void emit_first();

  // ---- After the thread's own records ----

  Due next() const { return first_due_; }
  // Another thread is the reason for the next event, and nothing of this thread's switches follows.
  bool is_next_of_others() const { return first_ == &switches_ && switches_.is_next_of_others(); }
  Due next_task_event() const { return task_events_.next(); }
  Due next_message() const { return messages_.next(); }
  bool has_exec() const { return task_events_.has_exec(); }
  // Drops the next task event, with a note, if its time is impossible.
  bool drop_impossible_event(const ThreadFacts& facts, RecordNotes& notes);
  // Nothing of its switches is shown from here on.
  void stop_switches(std::uint64_t time_ns) {
    slices_.stop(time_ns);
    look_again();
  }
  // The thread's last event was at this time: it leaves its cpu.
  void finish(std::uint64_t time_ns) { slices_.exit(time_ns); }

 private:
  StackRepair& calls_;
  CpuSlices slices_;
  KernelStream kernel_;
  SwitchStream switches_;
  TaskEventStream task_events_;
  MessageStream messages_;
  SideStream* first_ = &kernel_;
  Due first_due_;  // of that stream
};

}  // namespace convert::uftrace
