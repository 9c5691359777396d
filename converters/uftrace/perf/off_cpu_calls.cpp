#include "converters/uftrace/perf/off_cpu_calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

OffCpuCalls::OffCpuCalls(Context context)
    : context_(std::move(context)),
      blocked_(context_.names.intern_label("sched", "linux:schedule")),
      preempted_(context_.names.intern_label("sched", "linux:schedule (pre-empted)")),
      renamed_(context_.names.intern_label("event", "linux:task-name")),
      repaired_(context_.names.intern("repaired")),
      comm_(context_.names.intern("comm")) {}

void OffCpuCalls::tell(std::uint64_t time_ns, OwnRecord record) {
  if (context_.plan.queue == nullptr) return;
  while (const PerfMessage* const first = context_.plan.queue->first()) {
    if (time_ns < behind_ns(*first)) break;
    take_first();
  }
  if (is_off_) interrupt(time_ns, record);
}

void OffCpuCalls::tell_before(std::uint64_t time_ns) {
  while (next_ns() < time_ns) take_first();
}

void OffCpuCalls::take_first() {
  const PerfMessage message = *context_.plan.queue->first();
  context_.plan.queue->pop_front();
  const std::uint64_t time_ns = std::max(message.time_ns, context_.lane.last_ns());
  switch (message.kind) {
    case PerfEvent::Kind::SwitchIn:
      return switch_in(time_ns, message);
    case PerfEvent::Kind::SwitchOut:
    case PerfEvent::Kind::Preempted:
      return switch_out(time_ns, message);
    case PerfEvent::Kind::Exit:
      end_call(time_ns);
      has_exited_ = true;
      return context_.on_exit(time_ns);
    case PerfEvent::Kind::Exec:
      end_call(time_ns);
      has_exited_ = false;  // the thread that called it may have taken the id of another, which is gone
      return context_.on_exec(time_ns);
    case PerfEvent::Kind::Comm:  // given by any thread
      return context_.lane.instant(time_ns, renamed_, {{comm_, message.name}});
    default:
      return;  // no message
  }
}

// The other side of every switch is thread 0, which is what viewers take for an idle cpu.
void OffCpuCalls::switch_in(std::uint64_t time_ns, const PerfMessage& message) {
  end_call(time_ns);
  has_exited_ = false;
  context_.lane.context_switch(time_ns, {.cpu = message.cpu,
                                         .outgoing_state = ThreadState::New,
                                         .incoming_process = context_.plan.process,
                                         .incoming_thread = context_.plan.thread});
}

// A thread that was preempted would run on: FXT calls that running.
void OffCpuCalls::switch_out(std::uint64_t time_ns, const PerfMessage& message) {
  const bool is_preempted = message.kind == PerfEvent::Kind::Preempted;
  is_short_ = is_short(outs_++);
  end_call(time_ns);
  context_.lane.context_switch(time_ns, {.cpu = message.cpu,
                                         .outgoing_state = has_exited_    ? ThreadState::Dead
                                                           : is_preempted ? ThreadState::Running
                                                                          : ThreadState::Blocked,
                                         .outgoing_process = context_.plan.process,
                                         .outgoing_thread = context_.plan.thread});
  if (is_lone(message.time_ns)) return;
  label_ = is_preempted ? preempted_ : blocked_;
  begin_call(time_ns);
}

void OffCpuCalls::begin_call(std::uint64_t time_ns) {
  if (context_.shows && !context_.shows(is_short_)) return;
  context_.lane.begin(time_ns, label_);
  is_off_ = true;
  if (context_.on_off) context_.on_off();
}

void OffCpuCalls::end_call(std::uint64_t time_ns) {
  if (std::exchange(is_off_, false)) end_lane_call(time_ns, {});
}

void OffCpuCalls::end_lane_call(std::uint64_t time_ns, const Arguments& arguments) {
  if (context_.before_on) context_.before_on(time_ns);
  context_.lane.end(time_ns, arguments);
  if (context_.on_on) context_.on_on(time_ns);
}

// A record of the thread says that it ran while its switches say that it did not: switches are missing. But
// an exit whose time is a guess says nothing, and the call goes on behind it.
void OffCpuCalls::interrupt(std::uint64_t time_ns, OwnRecord record) {
  is_off_ = false;
  is_interrupted_ = context_.plan.has_estimated_exits && record == OwnRecord::Exit;
  const NoteKind& kind = is_interrupted_ ? kScheduleSplit : kScheduleCut;
  context_.notes.add(kind, [&] {
    return fmt::format("{}: off the cpu, but it has a record at {} ns", context_.name, time_ns);
  });
  end_lane_call(std::max(time_ns, context_.lane.last_ns()), {{repaired_, std::string(kind.name)}});
}

void OffCpuCalls::go_on(std::uint64_t time_ns) {
  is_interrupted_ = false;
  begin_call(std::max(time_ns, context_.lane.last_ns()));
}

// Both are by time.
bool OffCpuCalls::is_lone(std::uint64_t time_ns) {
  const auto& lone = context_.plan.lone_outs;
  while (lone_told_ < lone.size() && lone[lone_told_] < time_ns) ++lone_told_;
  if (lone_told_ == lone.size() || lone[lone_told_] != time_ns) return false;
  ++lone_told_;
  return true;
}

}  // namespace convert::uftrace
