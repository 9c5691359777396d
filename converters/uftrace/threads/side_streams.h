// Provides the events of a thread besides its own records, in the order of time. All such streams have one
// interface, and one table defines the order of equal times.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <string>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/kernel/kernel_queue.h"
#include "converters/uftrace/kernel/tracepoint.h"
#include "converters/uftrace/perf/perf_cursor.h"
#include "converters/uftrace/threads/cpu_slices.h"
#include "converters/uftrace/threads/inner_calls.h"
#include "converters/uftrace/threads/stack_repair.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

// At equal times, earlier enumerators come first.
enum class Precedence : std::uint8_t {
  SwitchIn,    // later events happen on the CPU
  KernelExit,  // a kernel call is inside the call of the program that was open at its entry
  ExecOrLoad,  // exec, dlopen
  OwnRecord,   // entries, exits and events of the thread's own file
  Kernel,      // entries and tracepoints of the kernel
  Switch,      // switches out, and other events of perf files
  Message,     // from extern.dat
};

// The time at which an event is due on its thread.
struct Due {
  std::uint64_t time_ns = kForever;
  Precedence precedence = Precedence::Message;

  friend auto operator<=>(const Due&, const Due&) = default;
  // Own records from this time on come after the event.
  std::uint64_t plain_until_ns() const {
    return time_ns == kForever ? kForever : time_ns + (precedence > Precedence::OwnRecord ? 1 : 0);
  }
};

// The output of a thread's streams.
struct StreamOutput {
  Lane& lane;
  CallFilter& filter;
  StackRepair& calls;
  CpuSlices& slices;
  Names& names;
};

class SideStream {
 public:
  virtual ~SideStream() = default;
  // The time when its next event is due; kForever if no event is left.
  virtual Due next() const = 0;
  // Emits the next event, which must exist.
  virtual void emit_next() = 0;
};

// The kernel events of one thread, in the order of time: calls, tracepoints, switches and wakeups from the
// kernel's ring buffers.
class KernelStream : public SideStream {
 public:
  KernelStream(const KernelPlan& plan, const StreamOutput& output);

  Due next() const override;
  void emit_next() override;  // for all events except calls
  // Emits the next call and the calls that directly follow it, because there are millions of them. Stops at
  // `until`, and before events that are due in other streams. Returns false if the next event is not a call.
  bool emit_calls(const Due& until, const Due& others);

 private:
  static Due due_of(const KernelMessage& message) {
    return {message.time_ns,
            message.kind == KernelMessage::Kind::Exit ? Precedence::KernelExit : Precedence::Kernel};
  }
  const KernelMessage* first() const { return plan_.queue == nullptr ? nullptr : plan_.queue->first(); }
  void leave(std::uint64_t time_ns, const KernelMessage& exit);
  void emit_tracepoint(std::uint64_t time_ns, const KernelMessage& message, std::span<const std::byte> bytes);
  void emit_switch_out(const KernelMessage& message);
  void emit_wakeup(const KernelMessage& message);
  void emit_loss(std::uint64_t time_ns, const KernelMessage& message, std::uint64_t known_until_ns);
  InnerCalls& inner() const { return to_.calls.inner(); }
  bool is_wanted() const { return !plan_.skips_outside || inner().program_depth() > 0; }

  const KernelPlan& plan_;
  StreamOutput to_;
  NameId count_, cpu_;
  LabelId records_lost_;
  std::uint64_t known_until_ns_ = 0;  // time of its latest message
  bool may_wait_ = true;              // according to its switches, the thread may wait for a wakeup
  std::string text_;                  // of the current tracepoint
  Arguments values_;
};

// The perf events of one thread, in the order of time. They become a call `linux:schedule` for the time when
// the thread is off its CPU, a context switch record for each recorded or inferred switch, and the exits,
// execs and names of tasks. Without CPU tracks, instants show the switches and exits that no call shows.
class SwitchStream : public SideStream {
 public:
  SwitchStream(const SwitchPlan& plan, const StreamOutput& output);

  Due next() const override;
  void emit_next() override;

 private:
  const PerfMessage* first() const { return plan_.queue == nullptr ? nullptr : plan_.queue->first(); }
  const PerfMessage* message() const { return is_inferred_next() ? &plan_.inferred[inferred_] : first(); }
  // True if the next event is the start of the time for which switches are shown, with the thread on a CPU.
  bool is_begin_next() const;
  bool is_inferred_next() const;
  void emit_inferred();
  void switch_in(std::uint64_t time_ns, const PerfMessage& message);
  void switch_out(std::uint64_t time_ns, const PerfMessage& message);
  void exit(std::uint64_t time_ns, const PerfMessage& message);
  void emit_instant(std::uint64_t time_ns, LabelId label, const Arguments& arguments);
  bool is_lone(std::uint64_t time_ns);
  bool is_short(std::size_t out) const { return out < plan_.short_outs.size() && plan_.short_outs[out]; }

  const SwitchPlan& plan_;
  StreamOutput to_;
  LabelId blocked_, preempted_, switched_in_, switched_out_, exited_, renamed_;
  NameId comm_, cpu_, next_cpu_, state_, is_blocked_, is_runnable_;
  bool is_out_hidden_ =
      false;  // the call of the last switch out is hidden, and so is the switch in that would end it
  std::size_t inferred_ = 0;   // number of entries of plan_.inferred that have passed
  std::size_t outs_ = 0;       // number of switches out until now
  std::size_t lone_outs_ = 0;  // number of entries of plan_.lone_outs that have passed
};

// The thread's execs, loads of libraries and messages.
class ListedEventStream : public SideStream {
 public:
  // `events` are in the order of time. An exec or load comes before a message with the same time.
  ListedEventStream(std::list<ListedEvent> events, const StreamOutput& output);

  Due next() const override;
  void emit_next() override;

  // True if an exec or load is left.
  bool has_own() const { return own_ != 0; }
  // True if the next event, which must exist, is of this kind.
  bool is_next(ListedEvent::What what) const { return events_.front().what == what; }
  // Drops the next event, with a note, if it is an exec or load whose time is impossibly long after the
  // thread's other events.
  bool drop_impossible(const ThreadFacts& facts, RecordNotes& notes);

 private:
  ListedEvent take_next();
  void emit_message(const ListedEvent& message);

  std::list<ListedEvent> events_;
  std::size_t own_;  // number of events that are not messages
  StreamOutput to_;
  LabelId dlopen_;
  NameId path_, message_;
};

// Estimated exits that were moved. They are own records with times after those of the records that were read.
class MovedExitStream : public SideStream {
 public:
  explicit MovedExitStream(StackRepair& calls) : calls_(calls) {}

  Due next() const override {
    const std::uint64_t time_ns = calls_.moved_exits().next_ns();
    return time_ns == kForever ? Due{} : Due{time_ns, Precedence::OwnRecord};
  }
  void emit_next() override { calls_.end_moved(); }

 private:
  StackRepair& calls_;
};

// All side streams of one thread, merged by time and precedence.
class SideStreams {
 public:
  // Moves the plan's listed events here.
  SideStreams(ThreadPlan& plan, Lane& lane, CallFilter& filter, StackRepair& calls, Names& names);
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;

  // Selects the first stream again. Must be called after the queues of the streams were filled.
  void look_again();
  // Returns the time from which own records need emit_before(), because an event is due before them. It is 0
  // if calls inside the program's calls are open, or if estimated exits may have to be moved.
  std::uint64_t plain_until_ns() const {
    const bool needs_care =
        calls_.inner().open() != 0 || (has_estimated_exits_ && (moves_exits() || returned_ns_ != 0));
    return needs_care ? 0 : first_due_.plain_until_ns();
  }

  // Emits all events that are due before `due`. Returns true if the inner calls must be suspended or cut for
  // an own record at the time of `due`.
  bool emit_before(const Due& due);
  // Emits the event that is due first, which must exist. If it is a kernel call, also emits the calls that
  // directly follow it before `until`.
  void emit_first(const Due& until);

  // ---- Estimated exits, after events that are due before them ----

  // Keeps an exit for later if the thread can't return now, if it has come back to a CPU since its last
  // record, or if an earlier exit is kept. Otherwise returns false. A final exit's time is not estimated.
  bool move_exit(const CallRecord& exit, bool is_final);
  // Emits the exits that were kept, because the thread's next record is at this time. Returns true if the
  // inner calls must be suspended or cut for that record.
  bool end_moved_exits(std::uint64_t time_ns);

  // ---- After the thread's own records ----

  Due next() const { return first_due_; }
  // True if an exec or load of the thread itself is left.
  bool has_own_listed() const { return listed_.has_own(); }
  // Drops the next event, with a note, if it is an exec or load at an impossible time.
  bool drop_impossible_event(const ThreadFacts& facts, RecordNotes& notes);
  // The number of switches that are shown without records, as calls and instants.
  std::uint64_t unwritten_switches() const { return slices_.unwritten(); }
  // Hides all later switches.
  void stop_switches(std::uint64_t time_ns) {
    slices_.stop(time_ns);
    look_again();
  }
  // Must be called at the thread's last activity. The thread leaves its CPU, if it is shown there.
  void finish(std::uint64_t time_ns) {
    if (slices_.waits_until_ns() == kForever) slices_.exit(time_ns);
  }

 private:
  void choose_first();
  // True if the thread is off the CPU, or in the kernel. Then no call of the program can end.
  bool refutes_exits() const { return slices_.is_off_cpu() || calls_.inner().open() != 0; }
  bool moves_exits() const { return refutes_exits() || !calls_.moved_exits().empty(); }

  StackRepair& calls_;
  const bool has_estimated_exits_;
  // Time when the thread came back to a CPU after its last record; 0 if it did not.
  std::uint64_t returned_ns_ = 0;
  CpuSlices slices_;
  KernelStream kernel_;
  SwitchStream switches_;
  ListedEventStream listed_;
  MovedExitStream moved_;
  SideStream* others_ = &switches_;  // the first stream apart from the kernel's
  SideStream* first_ = &kernel_;
  Due others_due_, first_due_;  // of those streams
};

}  // namespace convert::uftrace
