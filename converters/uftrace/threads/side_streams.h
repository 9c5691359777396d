// Provides the events of a thread that are not in its own record file, in the order of time. Each kind of
// events is a side stream. Precedence is the order at equal times.
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

// At equal times, events of earlier enumerators are emitted first.
enum class Precedence : std::uint8_t {
  SwitchIn,    // first, because the thread is on the CPU from then on
  KernelExit,  // before own records, so that a kernel call ends inside the program call in which it began
  ExecOrLoad,
  OwnRecord,  // entries, exits and events of the thread's own file
  Kernel,     // entries and tracepoints of the kernel
  Switch,     // switches out, and other events of perf files
  Message,    // from extern.dat
};

// The time of an event, and its precedence among events at this time.
struct Due {
  std::uint64_t time_ns = kForever;
  Precedence precedence = Precedence::Message;

  friend auto operator<=>(const Due&, const Due&) = default;
  // Own records before this time come before the event.
  std::uint64_t plain_until_ns() const {
    return time_ns == kForever ? kForever : time_ns + (precedence > Precedence::OwnRecord ? 1 : 0);
  }
};

// The objects to which a thread's side streams write.
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
  virtual Due next() const = 0;
  // Emits the next event. There must be one.
  virtual void emit_next() = 0;
};

// The kernel events of one thread in the order of time: calls, tracepoints, switches and wakeups.
class KernelStream : public SideStream {
 public:
  KernelStream(const KernelPlan& plan, const StreamOutput& output);

  Due next() const override;
  void emit_next() override;  // emits any event except a call
  // Emits the next call and the calls directly after it, which may be millions. Stops at the time `until`,
  // and at `others`, the next event of other streams. Returns false if the next event is not a call.
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
  std::uint64_t known_until_ns_ = 0;  // time of the latest message
  bool may_wait_ = true;              // false if the thread certainly does not wait for a wakeup
  std::string text_;                  // text of the current tracepoint
  Arguments values_;
};

// The perf events of one thread, in the order of time. A time off the CPU becomes a call `linux:schedule`.
// Each switch that was recorded or inferred becomes a context switch record. Exits, execs and names of tasks
// are shown as well. Without CPU tracks, instants show the switches and exits that no call shows.
class SwitchStream : public SideStream {
 public:
  SwitchStream(const SwitchPlan& plan, const StreamOutput& output);

  Due next() const override;
  void emit_next() override;

 private:
  const PerfMessage* first() const { return plan_.queue == nullptr ? nullptr : plan_.queue->first(); }
  const PerfMessage* message() const { return is_inferred_next() ? &plan_.inferred[inferred_] : first(); }
  // True if CpuSlices::show_begin() must be called next. This is so if the thread is on a CPU at the time
  // from which switches are shown.
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
  // True if the call for the time after the last switch out is hidden. Then, the next switch in gets no
  // instant.
  bool is_out_hidden_ = false;
  std::size_t inferred_ = 0;   // index of the next element of plan_.inferred
  std::size_t outs_ = 0;       // number of switches out so far
  std::size_t lone_outs_ = 0;  // index of the next element of plan_.lone_outs
};

// The thread's execs, loads of libraries and messages.
class ListedEventStream : public SideStream {
 public:
  // `events` are in the order of time. An exec or load comes before a message with the same time.
  ListedEventStream(std::list<ListedEvent> events, const StreamOutput& output);

  Due next() const override;
  void emit_next() override;

  bool has_own() const { return own_ != 0; }
  // True if the next event is of this kind. There must be a next event.
  bool is_next(ListedEvent::What what) const { return events_.front().what == what; }
  // If the next event is an exec or load whose time is impossibly late, drops it with a note, and returns
  // true. A time is impossibly late if it is too long after the thread's other events.
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

// The estimated exits that were moved to later times. Their records have already been read.
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
  // Takes the listed events out of the plan.
  SideStreams(ThreadPlan& plan, Lane& lane, CallFilter& filter, StackRepair& calls, Names& names);
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;

  // Finds the stream with the first event. Must be called when the queues of the streams have been filled.
  void look_again();
  // Own records before this time do not need emit_before(), because no event is due before them. Returns 0 if
  // inner calls are open, or if estimated exits may have to be moved.
  std::uint64_t plain_until_ns() const {
    const bool needs_care =
        calls_.inner().open() != 0 || (has_estimated_exits_ && (moves_exits() || returned_ns_ != 0));
    return needs_care ? 0 : first_due_.plain_until_ns();
  }

  // Emits all events that are due before `due`. Returns true if StackRepair::make_room() must be called for
  // an own record at `due`.
  bool emit_before(const Due& due);
  // Emits the first event, which must exist. If it is a kernel call, also emits the kernel calls directly
  // after it, up to `until`.
  void emit_first(const Due& until);

  // ---- Estimated exits, after events that are due before them ----

  // Must be called for each exit. Returns true if the exit is kept for later: if no call of the thread can
  // return now, or if an earlier exit is kept. An exit that is not final (see RecordItem::is_final_exit) is
  // also kept if the thread came back to a CPU after its last record. An exit that StackRepair::move_exit()
  // rejects is not kept.
  bool move_exit(const CallRecord& exit, bool is_final);
  // Must be called if the thread has a record at this time. Emits the exits that were kept. Returns true if
  // StackRepair::make_room() must be called for this record.
  bool end_moved_exits(std::uint64_t time_ns);

  // ---- After the thread's own records ----

  Due next() const { return first_due_; }
  // True if an exec or load is left. Messages do not count, because they are not events of the thread.
  bool has_own_listed() const { return listed_.has_own(); }
  // If the next event is an exec or load at an impossible time, drops it with a note, and returns true.
  bool drop_impossible_event(const ThreadFacts& facts, RecordNotes& notes);
  // The number of switches that are not written as records, but as calls and instants.
  std::uint64_t unwritten_switches() const { return slices_.unwritten(); }
  // Hides all later switches.
  void stop_switches(std::uint64_t time_ns) {
    slices_.stop(time_ns);
    look_again();
  }
  // Must be called at the thread's last activity. If the thread is shown on a CPU, it leaves this CPU.
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
  // The time when the thread came back to a CPU after its last record; 0 if it did not.
  std::uint64_t returned_ns_ = 0;
  CpuSlices slices_;
  KernelStream kernel_;
  SwitchStream switches_;
  ListedEventStream listed_;
  MovedExitStream moved_;
  SideStream* others_ = &switches_;  // the stream with the first event, of all streams except kernel_
  SideStream* first_ = &kernel_;
  Due others_due_, first_due_;
};

}  // namespace convert::uftrace
