#include "converters/uftrace/threads/kernel_stream.h"

#include <algorithm>
#include <utility>

namespace convert::uftrace {

KernelStream::KernelStream(const KernelPlan& plan, Lane& lane, CallFilter& filter, InnerCalls& calls,
                           CpuSlices& slices, Names& names)
    : plan_(plan),
      lane_(lane),
      filter_(filter),
      calls_(calls),
      slices_(slices),
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
  const std::uint64_t known_until_ns = std::exchange(known_until_ns_, time_ns);
  if (message.kind == KernelMessage::Kind::Event)
    return emit_tracepoint(time_ns, message, plan_.queue->pop_event());
  plan_.queue->pop_front();
  switch (message.kind) {
    case KernelMessage::Kind::Entry:
      return calls_.enter_kernel(time_ns, message, is_wanted());
    case KernelMessage::Kind::Exit:
      return calls_.leave_kernel(time_ns, message);
    case KernelMessage::Kind::Lost:
      return emit_loss(time_ns, message, known_until_ns);
    case KernelMessage::Kind::Event:
      return;  // emitted above
    case KernelMessage::Kind::SwitchIn:
      may_wait_ = false;
      return slices_.begin(message.time_ns, message.depth, static_cast<std::uint8_t>(message.value));
    case KernelMessage::Kind::SwitchOut:
      return emit_switch_out(message);
    case KernelMessage::Kind::Wakeup:
      return emit_wakeup(time_ns, message);
  }
}

void KernelStream::emit_tracepoint(std::uint64_t time_ns, const KernelMessage& message,
                                   std::span<const std::byte> bytes) {
  if (!is_wanted() || calls_.leaves_out_event() || !filter_.shows_event(calls_.depth(), false)) return;
  const Tracepoint* const tracepoint = plan_.tracepoints->find(message.address);
  values_.clear();
  plan_.tracepoints->add_values(*tracepoint, bytes, text_, values_);
  lane_.instant(time_ns, message.label, values_);
}

void KernelStream::emit_switch_out(const KernelMessage& message) {
  const auto state = static_cast<ThreadState>(message.address);
  may_wait_ = state == ThreadState::Blocked;
  slices_.end(message.time_ns, message.depth, state, static_cast<std::uint8_t>(message.value));
}

// A running thread is woken, too, if it was about to wait; and one wakeup may be recorded twice.
void KernelStream::emit_wakeup(std::uint64_t time_ns, const KernelMessage& message) {
  if (!std::exchange(may_wait_, false) || slices_.leaves_out(message.time_ns)) return;
  lane_.wakeup(
      time_ns,
      {.cpu = message.depth, .thread = plan_.queue->thread(), .waker = static_cast<ThreadId>(message.value)});
}

void KernelStream::emit_loss(std::uint64_t time_ns, const KernelMessage& message,
                             std::uint64_t known_until_ns) {
  calls_.lose_kernel_events(known_until_ns);
  Arguments arguments;
  if (message.address != 0) arguments.add({count_, message.address});
  arguments.add({cpu_, std::uint32_t{message.depth}});
  lane_.instant(time_ns, records_lost_, arguments);
  lane_.buffer_full(time_ns);
}

}  // namespace convert::uftrace
