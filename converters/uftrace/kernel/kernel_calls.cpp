#include "converters/uftrace/kernel/kernel_calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

// Deeper calls than any kernel makes: a damaged depth must not cost memory.
constexpr std::size_t kMaxFrames = 4096;
constexpr std::size_t kNone = ~std::size_t{0};

}  // namespace

KernelCalls::KernelCalls(Context context)
    : context_(std::move(context)),
      repaired_(context_.names.intern("repaired")),
      count_(context_.names.intern("count")),
      cpu_(context_.names.intern("cpu")),
      caller_(context_.names.intern("caller")),
      retval_(context_.names.intern("retval")),
      records_lost_(context_.names.intern_label("event", "records lost")) {}

template <typename Describe>
void KernelCalls::note(const NoteKind& kind, Describe&& describe) {
  context_.notes.add(kind, [&] { return fmt::format("{}: {}", context_.plan.thread, describe()); });
}

void KernelCalls::take_first(std::size_t user_depth) {
  const KernelMessage message = *context_.plan.queue->first();
  const std::uint64_t time_ns = std::max(message.time_ns, context_.lane.last_ns());
  if (message.kind == KernelMessage::Kind::Event)
    return tell_event(time_ns, message, context_.plan.queue->pop_event(), user_depth);
  context_.plan.queue->pop_front();
  switch (message.kind) {
    case KernelMessage::Kind::Entry:
      return enter(time_ns, message, user_depth);
    case KernelMessage::Kind::Exit:
      return leave(time_ns, message);
    case KernelMessage::Kind::Lost:
      return lose(time_ns, message);
    case KernelMessage::Kind::Event:
      return;  // is told
    case KernelMessage::Kind::SwitchIn:
    case KernelMessage::Kind::SwitchOut:
    case KernelMessage::Kind::Preempted:
      return tell_switch(time_ns, message);
    case KernelMessage::Kind::Wakeup:
      return tell_wakeup(time_ns, message);
  }
}

void KernelCalls::tell_event(std::uint64_t time_ns, const KernelMessage& message,
                             std::span<const std::byte> bytes, std::size_t user_depth) {
  if (context_.plan.skips_outside && user_depth == 0) return;
  if (context_.filter != nullptr && !context_.filter->shows_event(depth_in(user_depth))) return;
  const Tracepoint* const tracepoint = context_.plan.tracepoints->find(message.address);
  values_.clear();
  context_.plan.tracepoints->add_values(*tracepoint, bytes, text_, values_);
  context_.lane.instant(time_ns, message.label, values_);
}

// As OffCpuCalls says them: the other side is an idle cpu.
void KernelCalls::tell_switch(std::uint64_t time_ns, const KernelMessage& message) {
  const bool is_in = message.kind == KernelMessage::Kind::SwitchIn;
  may_wait_ = message.kind == KernelMessage::Kind::SwitchOut;
  ContextSwitch told{.cpu = message.depth};
  if (!is_in)
    told.outgoing_state =
        message.kind == KernelMessage::Kind::Preempted ? ThreadState::Running : ThreadState::Blocked;
  (is_in ? told.incoming_process : told.outgoing_process) = context_.plan.process;
  (is_in ? told.incoming_thread : told.outgoing_thread) = context_.plan.thread_id;
  context_.lane.context_switch(time_ns, told);
}

// One that runs is woken, too, where it was about to wait; and one wakeup may be told twice.
void KernelCalls::tell_wakeup(std::uint64_t time_ns, const KernelMessage& message) {
  if (!std::exchange(may_wait_, false)) return;
  context_.lane.wakeup(time_ns, {.cpu = message.depth,
                                 .thread = context_.plan.thread_id,
                                 .waker = static_cast<ThreadId>(message.value)});
}

// ---- Calls ----

void KernelCalls::enter(std::uint64_t time_ns, const KernelMessage& message, std::size_t user_depth) {
  const bool has_depth = message.depth != KernelMessage::kNoDepth;
  const std::size_t depth = has_depth ? message.depth : frames_.empty() ? 0 : frames_.back().depth + 1;
  // Calls that must have ended.
  std::size_t kept = frames_.size();
  while (kept > 0 && frames_[kept - 1].depth >= depth) --kept;
  drop_down_to(kept, time_ns);
  if (frames_.size() == kMaxFrames) drop_down_to(0, time_ns);
  Frame frame{.address = message.address,
              .begin_ns = message.time_ns,
              .depth = depth,
              .is_drawn = !context_.plan.skips_outside || user_depth > 0,
              .around = depth_in(user_depth)};
  if (context_.filter != nullptr && frame.is_drawn) {
    const KernelFilter::Decision decision = context_.filter->enter(frame.around, frame.address);
    frame.is_drawn = decision.is_shown;
    frame.shortest_ns = decision.shortest_ns;
  }
  frames_.push_back(frame);
  if (!frame.is_drawn) return;
  ++drawn_;
  if (message.has_value)
    context_.lane.begin(time_ns, message.label, message.address, {{caller_, Pointer{message.value}}});
  else
    context_.lane.begin(time_ns, message.label, message.address);
}

// The frame that an exit ends; kNone if its entry was not seen.
std::size_t KernelCalls::frame_of(const KernelMessage& message) const {
  const bool has_depth = message.depth != KernelMessage::kNoDepth;
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const Frame& frame = frames_[i];
    if (frame.address == message.address && (!has_depth || frame.depth == message.depth)) return i;
    if (has_depth && frame.depth < message.depth) break;
  }
  return kNone;
}

void KernelCalls::leave(std::uint64_t time_ns, const KernelMessage& message) {
  const std::size_t frame = frame_of(message);
  if (frame == kNone) {
    note(kKernelExitWithoutEntry,
         [&] { return fmt::format("an exit of {:x} at {} ns", message.address, message.time_ns); });
    return;
  }
  drop_down_to(frame + 1, time_ns);
  const bool is_kept = frames_.back().is_kept(message.time_ns);
  if (is_kept) keep_around(frame);
  if (!frames_.back().is_drawn)
    frames_.pop_back();
  else if (is_kept || !leave_out_top(time_ns))
    end_top(time_ns, message.has_value ? &message.value : nullptr, {});
}

// ---- What is left out when it is known ----

void KernelCalls::keep_around(std::size_t frame) {
  while (frame-- > 0 && !frames_[frame].holds_kept) frames_[frame].holds_kept = true;
}

// The innermost frame is drawn: it ends, and is seen no more. False if that can't be helped.
bool KernelCalls::leave_out_top(std::uint64_t time_ns) {
  const bool overlaps = below_switch_ == drawn_;
  const std::size_t inside = overlaps ? 1 + late_ : 0;
  if (!context_.lane.retract(context_.lane.depth() - 1 - inside, time_ns)) return false;
  if (overlaps) --below_switch_;
  frames_.pop_back();
  --drawn_;
  context_.filter->drop();
  return true;
}

// ---- What is cut ----

// The innermost frame is drawn. If the thread was switched off in it and is not back yet, the call ends
// there; where its begin is out already, it ends when the thread is back.
void KernelCalls::end_top(std::uint64_t time_ns, const std::uint64_t* returned, std::string_view repaired) {
  const bool overlaps = below_switch_ == drawn_;
  if (overlaps) {
    note(kKernelClipped, [&] {
      return fmt::format("a call of {:x} ends at {} ns, off the cpu", frames_.back().address, time_ns);
    });
    repaired = kKernelClipped.name;
    --below_switch_;
  }
  frames_.pop_back();
  --drawn_;
  Arguments arguments;
  if (returned != nullptr) arguments.add({retval_, static_cast<std::int64_t>(*returned)});
  if (!repaired.empty()) arguments.add({repaired_, repaired});
  if (!overlaps)
    context_.lane.end(time_ns, arguments);
  else if (late_ != 0 || !context_.lane.end_parent_of_top(arguments))
    ++late_;
}

// Calls above so many frames have no exit: they are kept.
void KernelCalls::drop_down_to(std::size_t frames, std::uint64_t time_ns) {
  while (frames_.size() > frames) {
    keep_around(frames_.size() - 1);
    if (!frames_.back().is_drawn) {
      frames_.pop_back();
      continue;
    }
    note(kExitMissing, [&] {
      return fmt::format("a kernel call of {:x} has ended before {} ns", frames_.back().address, time_ns);
    });
    end_top(time_ns, nullptr, kExitMissing.name);
  }
}

// Ends what is drawn above so many calls; their exits have nothing to end any more.
void KernelCalls::cut_down_to(std::size_t drawn, std::uint64_t time_ns, const NoteKind& kind) {
  for (std::size_t i = frames_.size(); drawn_ > drawn; --i) {
    Frame& frame = frames_[i - 1];
    if (!frame.is_drawn) continue;
    frame.is_drawn = false;
    --drawn_;
    // Only of what nobody wants, however long it is, is it known now.
    const bool is_unwanted = frame.shortest_ns == kForever && !frame.holds_kept && &kind == &kKernelClipped;
    if (is_unwanted && context_.lane.retract(context_.lane.depth() - 1, time_ns)) {
      context_.filter->drop();
      continue;
    }
    keep_around(i - 1);
    note(kind, [&] { return fmt::format("a kernel call of {:x}, up to {} ns", frame.address, time_ns); });
    context_.lane.end(time_ns, {{repaired_, kind.name}});
  }
}

void KernelCalls::end_for_filter() {
  if (context_.filter != nullptr)
    for (Frame& frame : frames_) frame.is_over = true;
}

bool KernelCalls::suspend_top() {
  if (drawn_ == 0 || below_switch_ != kOn) return false;
  end_for_filter();
  context_.lane.suspend_top(drawn_);
  is_aside_ = true;
  return true;
}

void KernelCalls::resume_top() {
  context_.lane.resume_top();
  is_aside_ = false;
}

void KernelCalls::give_way(std::uint64_t time_ns) {
  end_for_filter();
  if (drawn_ != 0) cut_down_to(0, std::max(time_ns, context_.lane.last_ns()), kKernelClipped);
}

void KernelCalls::end_all(std::uint64_t time_ns, const NoteKind& kind) {
  cut_down_to(0, std::max(time_ns, context_.lane.last_ns()), kind);
  frames_.clear();
}

void KernelCalls::switching_on(std::uint64_t time_ns) {
  cut_down_to(std::min(below_switch_, drawn_), time_ns, kKernelClipped);
}

void KernelCalls::switched_on(std::uint64_t time_ns) {
  below_switch_ = kOn;
  for (; late_ > 0; --late_) context_.lane.end(time_ns, {{repaired_, kKernelClipped.name}});
}

// Nothing tells what the kernel did meanwhile: calls end at the last that is known before.
void KernelCalls::lose(std::uint64_t time_ns, const KernelMessage& message) {
  cut_down_to(below_switch_ == kOn ? 0 : below_switch_, context_.lane.last_ns(), kCutByLoss);
  Arguments arguments;
  if (message.address != 0) arguments.add({count_, message.address});
  arguments.add({cpu_, std::uint32_t{message.depth}});
  context_.lane.instant(time_ns, records_lost_, arguments);
  context_.lane.buffer_full(time_ns);
}

}  // namespace convert::uftrace
