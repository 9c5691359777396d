// The call stack of one recorded thread: turns entries and exits into calls on its lane, and repairs what the
// records leave open (uftrace.md, sections 11 and 12). Every repair is counted, and said on the call.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/model/notes.h"

namespace convert::uftrace {

class ThreadCalls {
 public:
  // Borrows all of them. `label_of` names an address at the time of the record at hand; `place` gives the
  // record at hand, for notes.
  struct Context {
    Lane& lane;
    Names& names;
    Notes& notes;
    std::function<LabelId(std::uint64_t address)> label_of;
    std::function<Location()> place;
    // Whether a call that begins now is shown; it has a record, or must have begun unseen. Empty: all are.
    std::function<bool(std::uint64_t address, bool is_recorded)> shows = {};
  };
  explicit ThreadCalls(Context context);

  // A forked child begins inside these calls of its parent, outermost first.
  void inherit(std::vector<std::uint64_t> addresses);

  // Times must not go back (the caller clamps them). `depth` is the true one, not modulo 1024. `values` are
  // the call's arguments, or what it returns.
  void entry(std::uint64_t time_ns, std::size_t depth, std::uint64_t address, const Arguments& values);
  void exit(std::uint64_t time_ns, std::size_t depth, std::uint64_t address, const Arguments& values);
  // A LOST record: `count` records are missing here.
  void lost(std::uint64_t count);
  // Unreadable bytes are behind us: the stack must be found again from the next record.
  void interrupted() {
    if (gap_ == Gap::None) gap_ = Gap::Cut;
  }
  // The process image was replaced at this time: its calls are over.
  void exec(std::uint64_t time_ns);
  // The same where none is open.
  void start_over();
  // The task ended at this time, and its calls with it; further records are of another one with the same id.
  void exit_task(std::uint64_t time_ns);
  // The thread's records are over; calls that are open end at `time_ns`.
  void finish(std::uint64_t time_ns);

  // The records so far are all settled: plain ones may be given to the lane directly.
  bool is_settled() const { return gap_ == Gap::None; }

 private:
  // What the stack at the next record has to be compared with.
  enum class Gap : std::uint8_t { None, Start, Cut };

  void settle(std::uint64_t time_ns, std::size_t open, const std::uint64_t* exit_address);
  void tell_losses(std::uint64_t time_ns);
  void close_down_to(std::size_t depth, std::uint64_t time_ns, const NoteKind& kind);
  void close_top(std::uint64_t time_ns, const NoteKind& kind);
  void end_top(std::uint64_t time_ns, std::uint64_t address, const Arguments& values);
  void begin(std::uint64_t time_ns, std::uint64_t address, bool is_recorded, const Arguments& values);
  bool was_inferred();
  bool may_infer(std::size_t open, std::size_t depth);
  void open_inferred(std::uint64_t time_ns, std::uint64_t address, const NoteKind& kind);
  void note(const NoteKind& kind, std::string_view problem, std::uint64_t count = 1);
  bool is_setjmp(std::uint64_t address) const;

  Context context_;
  Lane* lane_;
  std::size_t inferred_budget_;
  Gap gap_ = Gap::Start;
  bool is_forked_ = false;
  std::vector<std::uint64_t> inherited_;
  std::uint64_t untold_losses_ = 0;
  // Calls that were opened unseen; some may be over.
  struct InferredCall {
    std::size_t depth;
    std::uint64_t address;
  };
  std::vector<InferredCall> inferred_;  // outermost first
  NameId repaired_, repaired_end_;
  NameId count_;
  LabelId unknown_;
  LabelId records_lost_;
};

}  // namespace convert::uftrace
