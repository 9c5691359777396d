#include "converters/uftrace/threads/kernel_stream.h"

#include <algorithm>
#include <utility>

namespace convert::uftrace {

KernelStream::KernelStream(const KernelPlan& plan, Lane& lane, CallFilter& filter, InnerCalls& calls,
                           Names& names)
    : plan_(plan),
      lane_(lane),
      filter_(filter),
      calls_(calls),
      count_(names.intern("count")),
      cpu_(names.intern("cpu")),
      records_lost_(names.intern_label("event", "records lost")) {}

Due KernelStream::next() const {
  const KernelMessage* const first = plan_.queue == nullptr ? nullptr : plan_.queue->first();
  if (first == nullptr) return {};
  return {first->time_ns,
          first->kind == KernelMessage::Kind::Exit ? Precedence::KernelExit : Precedence::Kernel};
}

void KernelStream::emit_next() {
  const KernelMessage message = *plan_.queue->first();
  const std::uint64_t time_ns = std::max(message.time_ns, lane_.last_ns());
  if (message.kind == KernelMessage::Kind::Event)
    return emit_tracepoint(time_ns, message, plan_.queue->pop_event());
  plan_.queue->pop_front();
  switch (message.kind) {
    case KernelMessage::Kind::Entry:
      return calls_.enter_kernel(time_ns, message, is_wanted());
    case KernelMessage::Kind::Exit:
      return calls_.leave_kernel(time_ns, message);
    case KernelMessage::Kind::Lost:
      return emit_loss(time_ns, message);
    case KernelMessage::Kind::Event:
      return;  // emitted above
    case KernelMessage::Kind::SwitchIn:
    case KernelMessage::Kind::SwitchOut:
    case KernelMessage::Kind::Preempted:
      return emit_switch(time_ns, message);
    case KernelMessage::Kind::Wakeup:
      return emit_wakeup(time_ns, message);
  }
}

void KernelStream::emit_tracepoint(std::uint64_t time_ns, const KernelMessage& message,
                                   std::span<const std::byte> bytes) {
  if (!is_wanted() || !filter_.shows_event(calls_.depth(), false)) return;
  const Tracepoint* const tracepoint = plan_.tracepoints->find(message.address);
  values_.clear();
  plan_.tracepoints->add_values(*tracepoint, bytes, text_, values_);
  lane_.instant(time_ns, message.label, values_);
}

// As in SwitchStream, the other side is an idle cpu.
void KernelStream::emit_switch(std::uint64_t time_ns, const KernelMessage& message) {
  const bool is_in = message.kind == KernelMessage::Kind::SwitchIn;
  may_wait_ = message.kind == KernelMessage::Kind::SwitchOut;
  ContextSwitch event{.cpu = message.depth};
  if (!is_in)
    event.outgoing_state =
        message.kind == KernelMessage::Kind::Preempted ? ThreadState::Running : ThreadState::Blocked;
  (is_in ? event.incoming_process : event.outgoing_process) = plan_.process;
  (is_in ? event.incoming_thread : event.outgoing_thread) = plan_.thread_id;
  lane_.context_switch(time_ns, event);
}

// A running thread is woken, too, if it was about to wait; and one wakeup may be recorded twice.
void KernelStream::emit_wakeup(std::uint64_t time_ns, const KernelMessage& message) {
  if (!std::exchange(may_wait_, false)) return;
  lane_.wakeup(
      time_ns,
      {.cpu = message.depth, .thread = plan_.thread_id, .waker = static_cast<ThreadId>(message.value)});
}

void KernelStream::emit_loss(std::uint64_t time_ns, const KernelMessage& message) {
  calls_.lose_kernel_events();
  Arguments arguments;
  if (message.address != 0) arguments.add({count_, message.address});
  arguments.add({cpu_, std::uint32_t{message.depth}});
  lane_.instant(time_ns, records_lost_, arguments);
  lane_.buffer_full(time_ns);
}

}  // namespace convert::uftrace
