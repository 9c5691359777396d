#include "converters/uftrace/threads/switch_stream.h"

#include <algorithm>

namespace convert::uftrace {

SwitchStream::SwitchStream(const SwitchPlan& plan, Lane& lane, StackRepair& calls, Names& names)
    : plan_(plan),
      lane_(lane),
      calls_(calls),
      blocked_(names.intern_label("sched", "linux:schedule")),
      preempted_(names.intern_label("sched", "linux:schedule (pre-empted)")),
      renamed_(names.intern_label("event", "linux:task-name")),
      comm_(names.intern("comm")) {}

Due SwitchStream::next() const {
  const PerfMessage* const first = plan_.queue == nullptr ? nullptr : plan_.queue->first();
  if (first == nullptr) return {};
  return {first->time_ns,
          first->kind == PerfEvent::Kind::SwitchIn ? Precedence::SwitchIn : Precedence::Switch};
}

void SwitchStream::emit_next() {
  const PerfMessage message = *plan_.queue->first();
  plan_.queue->pop_front();
  const std::uint64_t time_ns = std::max(message.time_ns, lane_.last_ns());
  switch (message.kind) {
    case PerfEvent::Kind::SwitchIn:
      return switch_in(time_ns, message);
    case PerfEvent::Kind::SwitchOut:
    case PerfEvent::Kind::Preempted:
      return switch_out(time_ns, message);
    case PerfEvent::Kind::Exit:
      calls_.inner().end_off_cpu(time_ns);
      has_exited_ = true;
      return calls_.exit_task(time_ns);
    case PerfEvent::Kind::Exec:
      calls_.inner().end_off_cpu(time_ns);
      has_exited_ = false;  // the calling thread may have got the id of another thread, which is gone
      return calls_.exec(time_ns);
    case PerfEvent::Kind::Comm:  // given by any thread
      return lane_.instant(time_ns, renamed_, {{comm_, message.name}});
    default:
      return;  // not in the queue
  }
}

// The other side of every switch is thread 0, which viewers show as an idle cpu.
void SwitchStream::switch_in(std::uint64_t time_ns, const PerfMessage& message) {
  calls_.inner().end_off_cpu(time_ns);
  has_exited_ = false;
  lane_.context_switch(time_ns, {.cpu = message.cpu,
                                 .outgoing_state = ThreadState::New,
                                 .incoming_process = plan_.process,
                                 .incoming_thread = plan_.thread});
}

// A thread that was preempted would run on: FXT calls that running.
void SwitchStream::switch_out(std::uint64_t time_ns, const PerfMessage& message) {
  const bool is_preempted = message.kind == PerfEvent::Kind::Preempted;
  const bool is_too_short = is_short(outs_++);
  calls_.inner().end_off_cpu(time_ns);
  lane_.context_switch(time_ns, {.cpu = message.cpu,
                                 .outgoing_state = has_exited_    ? ThreadState::Dead
                                                   : is_preempted ? ThreadState::Running
                                                                  : ThreadState::Blocked,
                                 .outgoing_process = plan_.process,
                                 .outgoing_thread = plan_.thread});
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
