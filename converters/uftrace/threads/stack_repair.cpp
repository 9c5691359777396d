#include "converters/uftrace/threads/stack_repair.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "converters/uftrace/recording/argument_names.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

// The key of a call that must be open, but whose function is unknown.
constexpr std::uint64_t kUnknownAddress = 0;

constexpr std::array<std::string_view, 6> kSetjmpNames{"setjmp",    "_setjmp",     "__setjmp",
                                                       "sigsetjmp", "__sigsetjmp", "_sigsetjmp"};

std::string calls_are(std::size_t count) {
  return count == 1 ? "1 call is" : fmt::format("{} calls are", count);
}
std::string calls_were(std::size_t count) {
  return count == 1 ? "1 call was" : fmt::format("{} calls were", count);
}

}  // namespace

StackRepair::Labels::Labels(Names& names)
    : repaired(names.intern(kRepaired)),
      repaired_end(names.intern(kRepairedEnd)),
      count(names.intern("count")),
      function(names.intern("function")),
      unknown(names.intern_label("[unknown]", "<unknown>")),
      records_lost(names.intern_label("event", "records lost")),
      fork(names.intern_label("event", "fork")),
      thread(names.intern_label("event", "thread")) {}

StackRepair::StackRepair(Lane& lane, CallFilter& filter, const TaskSymbols& symbols, Names& names,
                         RecordNotes& notes, ThreadNoteNames note_names)
    : lane_(lane),
      filter_(filter),
      symbols_(symbols),
      names_(names),
      notes_(notes),
      inner_(lane, filter, names, notes.all(), std::move(note_names)),
      labels_(names) {}

// ---- Room for a record ----

void StackRepair::make_room(const CallRecord& call) {
  make_room_for_event(call.time_ns);
  if (inner_.suspend_kernel()) {
    if (!will_be_seen(call)) return;
    inner_.resume_kernel();
  }
  inner_.cut_kernel(call.time_ns);
}

void StackRepair::make_room_for_event(std::uint64_t time_ns) {
  inner_.cut_off_cpu(time_ns);
  if (!ending_) return;
  inner_.cut_kernel(time_ns);
  end_now(time_ns);
}

// True if the record may change shown calls. While the open calls are unknown, any record may do so.
bool StackRepair::will_be_seen(const CallRecord& call) {
  return filter_.shows_program() && (!is_settled() || filter_.will_be_seen(call));
}

bool StackRepair::drops(const CallRecord& call) const {
  return call.is_entry() ? is_settled() && filter_.drops_entry(call) : filter_.drops_exit(call);
}

bool StackRepair::is_setjmp(std::uint64_t address) const {
  const Names::Label label = names_.label(symbols_.label(address));
  return std::ranges::find(kSetjmpNames, names_.text(label.name)) != kSetjmpNames.end();
}

bool StackRepair::is_in_module(std::uint64_t address) const {
  return names_.label(symbols_.label(address)).category != names_.label(labels_.unknown).category;
}

// ---- Without missing records ----

void StackRepair::entry(std::uint64_t time_ns, std::size_t depth, std::uint64_t address,
                        const Arguments& values) {
  if (!may_infer(depth, depth, address)) return;
  settle(time_ns, depth, nullptr);
  if (depth < lane_.depth()) {
    notes_.add(kExitMissing,
               fmt::format("an entry at depth {}, but {} open", depth, calls_are(lane_.depth())),
               lane_.depth() - depth);
    close_down_to(depth, time_ns, kExitMissing);
  } else if (depth > lane_.depth()) {
    notes_.add(kEntryMissing,
               fmt::format("an entry at depth {}, but {} open", depth, calls_are(lane_.depth())),
               depth - lane_.depth());
    while (lane_.depth() < depth) open_inferred(time_ns, kUnknownAddress, kEntryMissing);
  }
  begin(time_ns, address, true, values);
  end_arrow(time_ns);
}

void StackRepair::begin(std::uint64_t time_ns, std::uint64_t address, bool recorded,
                        const Arguments& values) {
  if (filter_.enter(address, recorded))
    lane_.begin(time_ns, address == kUnknownAddress ? labels_.unknown : symbols_.label(address), address,
                values);
  else
    lane_.begin_filtered(time_ns, address);
}

void StackRepair::exit(std::uint64_t time_ns, std::size_t depth, std::uint64_t address,
                       const Arguments& values) {
  if (!may_infer(depth + 1, depth, address)) return;
  settle(time_ns, depth + 1, &address);
  end_call(time_ns, depth, address, values);
  end_arrow(time_ns);
}

void StackRepair::end_call(std::uint64_t time_ns, std::size_t depth, std::uint64_t address,
                           const Arguments& values) {
  const std::size_t open = lane_.depth();
  const bool is_of_frame =
      depth < open && (lane_.calls()[depth].key == address || lane_.calls()[depth].key == kUnknownAddress);
  if (is_of_frame && depth + 1 == open) {
    end_top(time_ns, address, values);
  } else if (is_of_frame) {
    notes_.add(kExitMissing, fmt::format("an exit at depth {}, but {} open", depth, calls_are(open)),
               open - depth - 1);
    close_down_to(depth + 1, time_ns, kExitMissing);
    end_top(time_ns, address, values);
  } else if (depth <= open && is_setjmp(address)) {
    // setjmp returns a second time. All calls that began after the first return have ended.
    notes_.add(kLongjmp, fmt::format("a second return of setjmp at depth {}", depth));
    close_down_to(depth, time_ns, kLongjmp);
  } else if (depth < open) {
    notes_.add(kAddressMismatch, fmt::format("an exit from {:x} at depth {}, but {:x} was entered there",
                                             address, depth, lane_.calls()[depth].key));
    // An inherited call may be wrong because of damage in the parent's records. The exit is a record of the
    // thread itself, so the exit is right.
    if (depth + 1 == open && is_inferred(depth) && is_in_module(address))
      end_top(time_ns, address, values);
    else
      close_down_to(depth, time_ns, kAddressMismatch);
  } else {
    notes_.add(kExitWithoutEntry, fmt::format("an exit at depth {}, but {} open", depth, calls_are(open)),
               depth + 1 - open);
    while (lane_.depth() < depth) open_inferred(time_ns, kUnknownAddress, kExitWithoutEntry);
    open_inferred(time_ns, address, kExitWithoutEntry);
    end_top(time_ns, address, values);
  }
}

// ---- Estimated exits ----

bool StackRepair::move_exit(const CallRecord& exit, bool is_refuted, std::uint64_t returned_ns) {
  // Gap::Start is allowed, because a forked child knows its inherited calls before its first record.
  if (gap_ == Gap::Cut || exit.depth + 1 != depth() || lane_.calls()[exit.depth].key != exit.address)
    return false;
  notes_.add(kExitMoved, [&] {
    return fmt::format("the call can't have ended at its estimated exit, at {} ns", exit.time_ns);
  });
  const bool is_hidden = lane_.calls().is_filtered(exit.depth);
  const std::uint64_t entered_ns = is_hidden ? exit.time_ns : lane_.calls()[exit.depth].begin_ns();
  moved_exits_.add(exit, entered_ns, is_refuted, returned_ns);
  return true;
}

void StackRepair::end_moved() {
  const CallRecord exit = moved_exits_.take_next();
  make_room(exit);
  end_top(lane_.clamped(exit.time_ns), exit.address, {{end_label(), kExitMoved.name}});
  resume();
}

void StackRepair::end_all_moved(std::uint64_t time_ns) {
  moved_exits_.end_before(time_ns);
  while (!moved_exits_.empty()) end_moved();
}

// ---- After a gap ----

void StackRepair::lost(std::uint64_t count) {
  pending_losses_ += count;
  lane_.keep_open();
  if (lane_.last_ns() != 0 && gap_ == Gap::None) emit_losses(lane_.last_ns());
  interrupted();
}

// Emits one event for all losses that have no event yet. A LOST record has no time. Therefore, `time_ns` is
// the time of the lane's last event before the loss. If there is no such event, it is the time of the next
// record.
void StackRepair::emit_losses(std::uint64_t time_ns) {
  if (pending_losses_ == 0) return;
  lane_.instant(time_ns, labels_.records_lost, {{labels_.count, std::exchange(pending_losses_, 0)}});
  lane_.buffer_full(time_ns);
}

// Finds the open calls at the first record, or at the first record after a gap. The depth of this record
// shows that `open` calls are open. If the record is an exit, `exit_address` is the address of the innermost
// of these calls.
void StackRepair::settle(std::uint64_t time_ns, std::size_t open, const std::uint64_t* exit_address) {
  if (gap_ == Gap::None) return;
  const Gap gap = std::exchange(gap_, Gap::None);
  emit_losses(lane_.last_ns() != 0 ? lane_.last_ns() : time_ns);

  if (gap == Gap::Start && lane_.depth() == 0) {
    if (open == 0) return;
    const NoteKind& kind = origin_.calls             ? kInheritedCall
                           : exit_address != nullptr ? kExitWithoutEntry
                                                     : kEntryMissing;
    notes_.add(kind, fmt::format("{} open before the first record", calls_were(open)), open);
    std::vector<std::uint64_t> calls = origin_.calls.value_or(std::vector<std::uint64_t>{});
    calls.resize(open, kUnknownAddress);
    if (exit_address != nullptr) calls.back() = *exit_address;
    for (const std::uint64_t address : calls) open_inferred(time_ns, address, kind);
    return;
  }

  std::size_t kept = std::min(open, lane_.depth());
  if (exit_address != nullptr && kept == open && lane_.calls()[kept - 1].key != *exit_address &&
      lane_.calls()[kept - 1].key != kUnknownAddress)
    --kept;
  const std::size_t changed = lane_.depth() - kept + open - kept;
  if (changed == 0) return;
  notes_.add(kCutByLoss,
             fmt::format("calls at the gap before this record: {} ended, {} started", lane_.depth() - kept,
                         open - kept),
             changed);
  close_down_to(kept, lane_.last_ns(), kCutByLoss);
  while (lane_.depth() < open) {
    const bool is_named = exit_address != nullptr && lane_.depth() + 1 == open;
    open_inferred(time_ns, is_named ? *exit_address : kUnknownAddress, kCutByLoss);
  }
}

// Readers connect a flow to the innermost call around it, or to the last call that ended inside this call. If
// no call is visible, there is no flow. With filters, a flow could be connected to a wrong call. Therefore, a
// flow starts only if the forking call is shown. drop_hidden_arrows() has already removed the flows whose
// ends would be hidden.
void StackRepair::emit_flow(FlowStep step, std::uint64_t time_ns, std::uint64_t flow, bool to_thread) {
  if (!filter_.shows_program()) return;
  if (step == FlowStep::Begin && !filter_.shows_fork_in(depth())) return;
  if (!top_is_visible()) return note_lost_arrow(to_thread);
  lane_.keep_open();
  lane_.flow(step, time_ns, to_thread ? labels_.thread : labels_.fork, flow);
}

bool StackRepair::top_is_visible() const {
  const std::size_t calls = lane_.calls().unfiltered_size();
  return calls != 0 && calls <= lane_.options().max_depth;
}

void StackRepair::note_lost_arrow(bool to_thread) {
  notes_.add(kForkNotDrawn,
             fmt::format("no call is shown at one end of the {}'s arrow", to_thread ? "thread" : "fork"));
}

void StackRepair::end_arrow(std::uint64_t time_ns) {
  if (origin_.flow != 0 && top_is_visible())
    emit_flow(FlowStep::End, time_ns, std::exchange(origin_.flow, 0), origin_.is_in_process);
}

void StackRepair::begin_inherited(std::uint64_t time_ns) {
  if (gap_ != Gap::Start || !origin_.calls || origin_.calls->empty()) return;
  notes_.add(kInheritedCall,
             fmt::format("{} open before the first record", calls_were(origin_.calls->size())),
             origin_.calls->size());
  time_ns = lane_.clamped(time_ns);
  for (const std::uint64_t address : *origin_.calls) open_inferred(time_ns, address, kInheritedCall);
  origin_.calls.reset();
  end_arrow(time_ns);
}

// Subtracts the number of calls that must be inferred for this record from the budget of InferredCalls. If
// the budget is too small, adds a note and returns false. Does the same if the record is damaged: several
// calls must be inferred without a gap before the record, and the record's address is in no module.
bool StackRepair::may_infer(std::size_t open, std::size_t depth, std::uint64_t address) {
  const std::size_t needed = open > lane_.depth() ? open - lane_.depth() : 0;
  const bool is_damage = needed > 1 && gap_ == Gap::None && !is_in_module(address);
  inferred_.pass(notes_.offset());
  if (is_damage || !inferred_.try_spend(needed)) {
    notes_.add(kBadDepth, fmt::format("a record at depth {}, but {} open", depth, calls_are(lane_.depth())));
    return false;
  }
  return true;
}

void StackRepair::open_inferred(std::uint64_t time_ns, std::uint64_t address, const NoteKind& kind) {
  inferred_.add(lane_.depth(), address);
  begin(time_ns, address, false, {{labels_.repaired, std::string(kind.name)}});
  lane_.keep_open();
  if (lane_.calls().unfiltered_size() == lane_.options().max_depth)
    end_arrow(time_ns);  // the flow must end in this call, because deeper calls are not visible
}

void StackRepair::end_top(std::uint64_t time_ns, std::uint64_t address, const Arguments& values) {
  // The flow must end in this call, because no other visible call is open.
  if (lane_.calls().unfiltered_size() == 1) end_arrow(time_ns);
  if (lane_.calls().back().key == address || address == kUnknownAddress || lane_.calls().top_is_filtered() ||
      lane_.rename_top(symbols_.label(address), address))
    return lane_.end(time_ns, values);
  // The start of the call has already been released without the name. Therefore, the end gets an argument
  // with the name.
  Arguments with_name = values;
  with_name.add({labels_.function, std::string(names_.text(names_.label(symbols_.label(address)).name))});
  lane_.end(time_ns, with_name);
}

void StackRepair::close_top(std::uint64_t time_ns, const NoteKind& kind) {
  lane_.keep_open();
  if (lane_.annotate_top(labels_.repaired, kind.name))
    lane_.end(time_ns);
  else
    lane_.end(time_ns, {{end_label(), std::string(kind.name)}});
}

void StackRepair::close_down_to(std::size_t depth, std::uint64_t time_ns, const NoteKind& kind) {
  while (lane_.depth() > depth) close_top(time_ns, kind);
}

// ---- At the end of a program, a task or the file ----

void StackRepair::end_program(std::uint64_t time_ns, Ending ending) {
  end_all_moved(time_ns);
  ending_ = ending;
  ending_ns_ = time_ns;
  if (!inner_.has_kernel()) end_now(time_ns);
}

void StackRepair::exec(std::uint64_t time_ns) {
  end_program(time_ns, Ending::Exec);
  if (!ending_) return;
  if (inner_.program_depth() > 0) inner_.cut_kernel(time_ns);
  end_now(time_ns);
}

// Ends the program or the task. This end may have waited for exits of kernel calls. After an exec, the next
// program begins without open calls, and inherits no calls.
void StackRepair::end_now(std::uint64_t time_ns) {
  time_ns = lane_.clamped(time_ns);
  const bool is_exec = std::exchange(ending_, std::nullopt) == Ending::Exec;
  origin_.calls.reset();
  if (!is_exec) {
    close_calls(time_ns);
    gap_ = Gap::Start;
    return;
  }
  if (const std::size_t open = inner_.program_depth(); open > 0) {
    notes_.add(kClosedByExec, fmt::format("{} open when the program was replaced", calls_were(open)), open);
    close_down_to(0, time_ns, kClosedByExec);
  }
  filter_.start_over();
}

void StackRepair::finish(std::uint64_t time_ns) {
  if (std::exchange(origin_.flow, 0) != 0 && filter_.shows_program()) note_lost_arrow(origin_.is_in_process);
  end_all_moved(time_ns);
  if (ending_) time_ns = std::max(time_ns, ending_ns_);
  inner_.end_kernel(time_ns);
  if (ending_) end_now(time_ns);
  close_calls(time_ns);
}

void StackRepair::close_calls(std::uint64_t time_ns) {
  if (lane_.last_ns() != 0) emit_losses(lane_.last_ns());  // otherwise, the time of losses is unknown
  if (lane_.depth() > 0)
    notes_.add(kOpenAtEnd, fmt::format("{} open at the last record", calls_are(lane_.depth())),
               lane_.depth());
  close_down_to(0, time_ns, kOpenAtEnd);
}

}  // namespace convert::uftrace
