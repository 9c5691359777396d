// What happens on a thread besides its own records, by time: one interface for all such streams, and the one
// table that says what comes first at equal times.
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

// At equal times, earlier ones come first.
enum class Precedence : std::uint8_t {
  SwitchIn,    // what follows happens on the cpu
  KernelExit,  // a kernel call lies in the program's call that was open at its entry
  ExecOrLoad,  // exec, dlopen
  OwnRecord,   // entries, exits and events of the thread's own file
  Kernel,      // entries and tracepoints of the kernel
  Switch,      // switches out, and what else perf files hold
  Message,     // of extern.dat
};

// When something is due on its thread.
struct Due {
  std::uint64_t time_ns = kForever;
  Precedence precedence = Precedence::Message;

  friend auto operator<=>(const Due&, const Due&) = default;
  // Own records from this time on come later.
  std::uint64_t plain_until_ns() const {
    return time_ns == kForever ? kForever : time_ns + (precedence > Precedence::OwnRecord ? 1 : 0);
  }
};

// What the streams of a thread emit to.
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
  // When its next event is due; at kForever if none waits.
  virtual Due next() const = 0;
  // Emits that event, which must exist.
  virtual void emit_next() = 0;
};

// The kernel events of one thread, by time: calls, tracepoints, switches and wakeups of the kernel's ring
// buffers.
class KernelStream : public SideStream {
 public:
  KernelStream(const KernelPlan& plan, const StreamOutput& output);

  Due next() const override;
  void emit_next() override;  // of all but calls
  // Emits the call that is next and those that follow it at once, which come by the million: before `until`,
  // and not behind what is due in other streams. False if the next event is no call.
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
  std::uint64_t known_until_ns_ = 0;  // of its latest message
  bool may_wait_ = true;              // for a wakeup, as far as switches show
  std::string text_;                  // of the current tracepoint
  Arguments values_;
};

// The perf events of one thread, by time: a call `linux:schedule` for the time that the thread is off its
// cpu, a context switch record for each switch, recorded or inferred, and the exits, execs and names of
// tasks. Without CPU tracks, instants show the switches and exits that no call shows.
class SwitchStream : public SideStream {
 public:
  SwitchStream(const SwitchPlan& plan, const StreamOutput& output);

  Due next() const override;
  void emit_next() override;

 private:
  const PerfMessage* first() const { return plan_.queue == nullptr ? nullptr : plan_.queue->first(); }
  const PerfMessage* message() const { return is_inferred_next() ? &plan_.inferred[inferred_] : first(); }
  // Nothing else happens before the time from which switches are shown, when the thread is on a cpu.
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
      false;                  // the call of the last switch out is, and so is the switch in that would end it
  std::size_t inferred_ = 0;  // of plan_.inferred, those that have passed
  std::size_t outs_ = 0;      // switches out so far
  std::size_t lone_outs_ = 0;  // of plan_.lone_outs, those that have passed
};

// The thread's execs, loads of libraries and messages.
class ListedEventStream : public SideStream {
 public:
  // By time; an exec or load before a message of the same time.
  ListedEventStream(std::list<ListedEvent> events, const StreamOutput& output);

  Due next() const override;
  void emit_next() override;

  // Whether an exec or load is left.
  bool has_own() const { return own_ != 0; }
  // Whether such an event is next. There must be one.
  bool is_next(ListedEvent::What what) const { return events_.front().what == what; }
  // Drops the next event, with a note, if it is an exec or load whose time is impossibly far behind the
  // thread's other events.
  bool drop_impossible(const ThreadFacts& facts, RecordNotes& notes);

 private:
  ListedEvent take_next();
  void emit_message(const ListedEvent& message);

  std::list<ListedEvent> events_;
  std::size_t own_;  // of them, those that are no messages
  StreamOutput to_;
  LabelId dlopen_;
  NameId path_, message_;
};

// Estimated exits that were moved. They are own records, but later ones than those that were read.
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
  // Moves the plan's listed events here, and borrows the rest.
  SideStreams(ThreadPlan& plan, Lane& lane, CallFilter& filter, StackRepair& calls, Names& names);
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;

  // Chooses the first stream again, after the streams' queues were filled.
  void look_again();
  // Own records from this time on need emit_before(): something is due before them, or calls that lie inside
  // the program's are open.
  std::uint64_t plain_until_ns() const {
    const bool needs_care =
        calls_.inner().open() != 0 || (has_estimated_exits_ && (moves_exits() || returned_ns_ != 0));
    return needs_care ? 0 : first_due_.plain_until_ns();
  }

  // Emits all that is due earlier. True if an own record of that time needs room among the inner calls.
  bool emit_before(const Due& due);
  // Emits the event that is due first, which must exist. If it is a kernel call, those that follow it at once
  // go with it, before `until`.
  void emit_first(const Due& until);

  // ---- Estimated exits, after what is due before them was emitted ----

  // Keeps an exit for later if the thread can't return now, has come back to a CPU since its last record, or
  // an exit before it was kept. False if nothing of that. A `final` exit has no guessed time.
  bool move_exit(const CallRecord& exit, bool is_final);
  // The thread has another record at that time: emits the exits that were kept. True if the record needs
  // room.
  bool end_moved_exits(std::uint64_t time_ns);

  // ---- After the thread's own records ----

  Due next() const { return first_due_; }
  // An exec or load is left, which the thread did itself.
  bool has_own_listed() const { return listed_.has_own(); }
  // Drops the next event, with a note, if it is an exec or load at an impossible time.
  bool drop_impossible_event(const ThreadFacts& facts, RecordNotes& notes);
  // Switches that are shown without records, as calls and instants.
  std::uint64_t unwritten_switches() const { return slices_.unwritten(); }
  // Nothing of its switches is shown from here on.
  void stop_switches(std::uint64_t time_ns) {
    slices_.stop(time_ns);
    look_again();
  }
  // The last thing that the thread did was at this time: it leaves its cpu, if it is shown there.
  void finish(std::uint64_t time_ns) {
    if (slices_.waits_until_ns() == kForever) slices_.exit(time_ns);
  }

 private:
  void choose_first();
  // The thread is off the CPU, or in the kernel: no call of the program ends.
  bool refutes_exits() const { return slices_.is_off_cpu() || calls_.inner().open() != 0; }
  bool moves_exits() const { return refutes_exits() || !calls_.moved_exits().empty(); }

  StackRepair& calls_;
  const bool has_estimated_exits_;
  std::uint64_t returned_ns_ = 0;  // when the thread came back to a CPU, since its last record; 0: it did not
  CpuSlices slices_;
  KernelStream kernel_;
  SwitchStream switches_;
  ListedEventStream listed_;
  MovedExitStream moved_;
  SideStream* others_ = &switches_;  // the first one beside the kernel
  SideStream* first_ = &kernel_;
  Due others_due_, first_due_;  // of those streams
};

}  // namespace convert::uftrace
