#include "converters/uftrace/threads/switch_stream.h"

#include <algorithm>

namespace convert::uftrace {

SwitchStream::SwitchStream(const SwitchPlan& plan, Lane& lane, StackRepair& calls, CpuSlices& slices,
                           Names& names)
    : plan_(plan),
      lane_(lane),
      calls_(calls),
      slices_(slices),
      blocked_(names.intern_label("sched", "linux:schedule")),
      preempted_(names.intern_label("sched", "linux:schedule (pre-empted)")),
      renamed_(names.intern_label("event", "linux:task-name")),
      comm_(names.intern("comm")) {}

bool SwitchStream::is_inferred_next() const {
  if (inferred_ == plan_.inferred.size()) return false;
  return first() == nullptr || plan_.inferred[inferred_].time_ns <= first()->time_ns;
}

bool SwitchStream::is_begin_next() const {
  const std::uint64_t time_ns = slices_.waits_until_ns();
  return time_ns != kForever && (message() == nullptr || time_ns <= message()->time_ns);
}

Due SwitchStream::next() const {
  if (is_begin_next()) return {slices_.waits_until_ns(), Precedence::SwitchIn};
  const PerfMessage* const next = message();
  if (next == nullptr) return {};
  return {next->time_ns, next->kind == PerfEvent::Kind::SwitchIn ? Precedence::SwitchIn : Precedence::Switch};
}

void SwitchStream::emit_next() {
  if (is_begin_next()) return slices_.show_begin(slices_.waits_until_ns());
  if (is_inferred_next()) return emit_inferred();
  const PerfMessage message = *first();
  plan_.queue->pop_front();
  const std::uint64_t time_ns = std::max(message.time_ns, lane_.last_ns());
  switch (message.kind) {
    case PerfEvent::Kind::SwitchIn:
      calls_.inner().end_off_cpu(time_ns);
      return slices_.begin(message.time_ns, message.cpu);
    case PerfEvent::Kind::SwitchOut:
    case PerfEvent::Kind::Preempted:
      return switch_out(time_ns, message);
    case PerfEvent::Kind::Exit:
      calls_.inner().end_off_cpu(time_ns);
      calls_.exit_task(time_ns);
      return slices_.exit(message.time_ns);
    case PerfEvent::Kind::Exec:
      calls_.inner().end_off_cpu(time_ns);
      slices_.begin_again();  // the calling thread may have got the id of another thread, which is gone
      return calls_.exec(time_ns);
    case PerfEvent::Kind::Comm:  // given by any thread
      if (calls_.inner().leaves_out_event()) return;
      return lane_.instant(time_ns, renamed_, {{comm_, message.name}});
    default:
      return;  // not in the queue
  }
}

// Calls off the cpu lie between recorded switches only.
void SwitchStream::emit_inferred() {
  const PerfMessage& message = plan_.inferred[inferred_++];
  if (message.kind == PerfEvent::Kind::SwitchIn)
    slices_.begin(message.time_ns, message.cpu);
  else
    slices_.end(message.time_ns, message.cpu, ThreadState::Blocked);
}

// A thread that was preempted would run on: FXT calls that running.
void SwitchStream::switch_out(std::uint64_t time_ns, const PerfMessage& message) {
  const bool is_preempted = message.kind == PerfEvent::Kind::Preempted;
  const bool is_too_short = is_short(outs_++);
  calls_.inner().end_off_cpu(time_ns);
  slices_.end(message.time_ns, message.cpu, is_preempted ? ThreadState::Running : ThreadState::Blocked);
  if (!is_lone(message.time_ns))
    calls_.inner().begin_off_cpu(time_ns, is_preempted ? preempted_ : blocked_, is_too_short);
}

// Whether no switch in follows. Both are by time.
bool SwitchStream::is_lone(std::uint64_t time_ns) {
  const auto& lone = plan_.lone_outs;
  while (lone_outs_ < lone.size() && lone[lone_outs_] < time_ns) ++lone_outs_;
  if (lone_outs_ == lone.size() || lone[lone_outs_] != time_ns) return false;
  ++lone_outs_;
  return true;
}

}  // namespace convert::uftrace
