#include "converters/uftrace/threads/side_streams.h"

#include <utility>

namespace convert::uftrace {

SideStreams::SideStreams(ThreadPlan& plan, Lane& lane, CallFilter& filter, StackRepair& calls, Names& names)
    : calls_(calls),
      slices_(lane, filter, plan.switches_from_ns, plan.shown_process, plan.shown_thread),
      kernel_(plan.kernel, lane, filter, calls.inner(), slices_, names),
      switches_(plan.switches, lane, calls, slices_, names),
      task_events_(std::move(plan.image_changes), lane, filter, calls, names),
      messages_(std::move(plan.messages), lane, filter, calls, names) {
  look_again();
}

void SideStreams::look_again() {
  first_ = &kernel_;
  first_due_ = kernel_.next();
  const auto compare = [this](SideStream& stream, const Due& due) {
    if (due >= first_due_) return;
    first_ = &stream;
    first_due_ = due;
  };
  compare(switches_, switches_.next());
  compare(task_events_, task_events_.next());
  compare(messages_, messages_.next());
}

void SideStreams::emit_first() {
  // An exec would end them at once.
  if (first_ != &task_events_ || !task_events_.is_exec_next()) calls_.begin_inherited(first_due_.time_ns);
  first_->emit_next();
  look_again();
}

// Only the kernel and switches have calls that must make room. Where nothing of theirs was due before an own
// record, it leaves their calls alone, as plain records do, which never come here.
bool SideStreams::emit_before(const Due& due) {
  bool needs_room = false;
  while (first_due_ < due) {
    needs_room = first_ == &kernel_ || first_ == &switches_;
    emit_first();
  }
  return needs_room || calls_.inner().open() != 0;
}

bool SideStreams::drop_impossible_event(const ThreadFacts& facts, RecordNotes& notes) {
  if (!task_events_.drop_impossible(facts, notes)) return false;
  look_again();
  return true;
}

}  // namespace convert::uftrace
