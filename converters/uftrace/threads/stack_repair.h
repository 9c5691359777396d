// The call stack of one thread. Converts entries and exits to balanced calls on the thread's lane. Infers
// missing entries and exits. Kernel calls and times off the CPU become calls inside the program's calls.
// Every repair is counted, and is shown in an argument of the repaired call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/records/open_calls.h"
#include "converters/uftrace/records/record_notes.h"
#include "converters/uftrace/symbols/task_symbols.h"
#include "converters/uftrace/threads/call_filter.h"
#include "converters/uftrace/threads/inferred_calls.h"
#include "converters/uftrace/threads/inner_calls.h"
#include "converters/uftrace/threads/moved_exits.h"

namespace convert::uftrace {

// The data that a thread inherits from the thread that forked or created it.
struct ThreadOrigin {
  // Calls in which a forked child begins, outermost first. Nothing if the thread was not forked, or if these
  // calls are already open.
  std::optional<std::vector<std::uint64_t>> calls = {};
  // The flow that ends in the thread's first shown call; 0 without a flow, or if it has ended.
  std::uint64_t flow = 0;
  bool is_in_process = false;  // true if a thread of the same process created this thread
  std::uint64_t most_calls = InferredCalls::kBudget;  // how many calls may be opened before the first record
};

class StackRepair : public OpenCalls {
 public:
  // `symbols` must always be at the time of the current record.
  StackRepair(Lane& lane, CallFilter& filter, const TaskSymbols& symbols, Names& names, RecordNotes& notes,
              ThreadNoteNames note_names);

  void begin_thread(ThreadOrigin origin) {
    inferred_ = InferredCalls(origin.most_calls);
    origin_ = std::move(origin);
  }
  // Opens the inherited calls, if they are not open yet. Must be called before an event of the thread.
  void begin_inherited(std::uint64_t time_ns);
  void emit_flow(FlowStep step, std::uint64_t time_ns, std::uint64_t flow, bool to_thread);
  // True if a flow leads to this thread, and has not ended in a call yet.
  bool awaits_arrow() const { return origin_.flow != 0; }

  // ---- The calls of the program ----

  // Calls with moved exits do not count, because the next record is outside of these calls.
  std::size_t depth() const override { return inner_.program_depth() - moved_exits_.size(); }
  // Returns 0 for an inferred call, because its address may come from damaged records of another thread.
  std::uint64_t address_at(std::size_t depth) const override {
    return is_inferred(depth) ? 0 : lane_.calls()[depth].key;
  }
  // True if the open calls are known. Then plain records may go directly to the lane.
  bool is_settled() const { return gap_ == Gap::None; }

  // Suspends or cuts the inner calls, so that only program calls are open. resume() must be called after the
  // record.
  void make_room(const CallRecord& call);
  // Must be called for an event that shows that the thread is on its CPU. Cuts the off-CPU call. If the end
  // of a program or task still waits for exits of kernel calls, cuts these calls, and ends the program or
  // task.
  void make_room_for_event(std::uint64_t time_ns);
  void resume() { inner_.resume_kernel(); }

  // True if it is certain that no part of the call is shown. Must be called after make_room().
  bool drops(const CallRecord& call) const;
  // entry() and exit() must be called after make_room(), in the order of time. `depth` is the true depth, not
  // modulo 1024. `values` are the call's arguments, or its return value.
  void entry(std::uint64_t time_ns, std::size_t depth, std::uint64_t address, const Arguments& values);
  void exit(std::uint64_t time_ns, std::size_t depth, std::uint64_t address, const Arguments& values);
  // Must be called at a LOST record: `count` records are missing here.
  void lost(std::uint64_t count);
  // Must be called after unreadable bytes. The next record then shows which calls are open.
  void interrupted() {
    if (gap_ == Gap::None) gap_ = Gap::Cut;
  }

  enum class Ending : std::uint8_t { Exec, Exit };
  // Must be called when another program starts, or when the task ends. The program's calls end. Later records
  // belong to another program, or to another task with the same id. Calls of the kernel continue, because
  // they have their own exits. Program calls around open kernel calls end together with the outermost of
  // these kernel calls.
  void end_program(std::uint64_t time_ns, Ending ending);
  // Like end_program(), but also cuts the kernel calls inside program calls. Therefore, the program ends at
  // once.
  void exec(std::uint64_t time_ns);
  // Must be called after a call of the kernel has ended.
  void after_kernel_exit(std::uint64_t time_ns) {
    if (ending_ && inner_.open() == 0) end_now(time_ns);
  }
  // Must be called after the thread's last record. Open calls end at `time_ns`.
  void finish(std::uint64_t time_ns);

  // ---- Estimated exits that other records refute ----

  MovedExits& moved_exits() { return moved_exits_; }
  const MovedExits& moved_exits() const { return moved_exits_; }
  // If `exit` ends the innermost call, adds it to moved_exits(); see MovedExits::add(). Returns false if
  // `exit` ends another call, or if records before `exit` are missing.
  bool move_exit(const CallRecord& exit, bool is_refuted, std::uint64_t returned_ns);
  // end_moved() ends the call of the first moved exit, at the new time of this exit. end_all_moved() ends the
  // calls of all moved exits, not later than `time_ns`.
  void end_moved();
  void end_all_moved(std::uint64_t time_ns);

  // ---- Inner calls ----

  InnerCalls& inner() { return inner_; }
  const InnerCalls& inner() const { return inner_; }

 private:
  // The reason why the open calls are unknown: the next record is the first one (Start), or records are
  // missing (Cut).
  enum class Gap : std::uint8_t { None, Start, Cut };
  struct Labels {
    explicit Labels(Names& names);
    NameId repaired, repaired_end, count, function;
    LabelId unknown, records_lost, fork, thread;
  };

  bool will_be_seen(const CallRecord& call);
  void end_now(std::uint64_t time_ns);
  void settle(std::uint64_t time_ns, std::size_t open, const std::uint64_t* exit_address);
  void emit_losses(std::uint64_t time_ns);
  void close_calls(std::uint64_t time_ns);
  void close_down_to(std::size_t depth, std::uint64_t time_ns, const NoteKind& kind);
  void close_top(std::uint64_t time_ns, const NoteKind& kind);
  void end_top(std::uint64_t time_ns, std::uint64_t address, const Arguments& values);
  void begin(std::uint64_t time_ns, std::uint64_t address, bool recorded, const Arguments& values);
  void end_call(std::uint64_t time_ns, std::size_t depth, std::uint64_t address, const Arguments& values);
  void end_arrow(std::uint64_t time_ns);
  bool top_is_visible() const;
  void note_lost_arrow(bool to_thread);
  bool is_inferred(std::size_t depth) const { return inferred_.contains(depth, lane_.calls()[depth].key); }
  // Returns the name of the argument for a repair at the end of the innermost call. The start of an inferred
  // call already has the argument `repaired`, so its end needs another name.
  NameId end_label() const {
    return is_inferred(lane_.depth() - 1) ? labels_.repaired_end : labels_.repaired;
  }
  bool may_infer(std::size_t open, std::size_t depth, std::uint64_t address);
  void open_inferred(std::uint64_t time_ns, std::uint64_t address, const NoteKind& kind);
  bool is_setjmp(std::uint64_t address) const;
  bool is_in_module(std::uint64_t address) const;

  Lane& lane_;
  CallFilter& filter_;
  const TaskSymbols& symbols_;
  const Names& names_;
  RecordNotes& notes_;
  InnerCalls inner_;
  const Labels labels_;
  Gap gap_ = Gap::Start;
  ThreadOrigin origin_;
  std::uint64_t pending_losses_ = 0;
  InferredCalls inferred_;
  MovedExits moved_exits_;
  std::optional<Ending> ending_;  // set while the end of a program or task waits for exits of kernel calls
  std::uint64_t ending_ns_ = 0;   // recorded time of this end
};

}  // namespace convert::uftrace
