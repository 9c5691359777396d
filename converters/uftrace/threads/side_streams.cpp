#include "converters/uftrace/threads/side_streams.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "converters/uftrace/recording/argument_names.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

SideStreams::SideStreams(ThreadPlan& plan, Lane& lane, CallFilter& filter, StackRepair& calls, Names& names)
    : calls_(calls),
      has_estimated_exits_(plan.facts.has_estimated_exits),
      slices_(lane, filter, plan),
      kernel_(plan.kernel, {lane, filter, calls, slices_, names}),
      switches_(plan.switches, {lane, filter, calls, slices_, names}),
      listed_(std::move(plan.listed_events), {lane, filter, calls, slices_, names}),
      moved_(calls) {
  look_again();
}

void SideStreams::look_again() {
  others_ = &switches_;
  others_due_ = switches_.next();
  if (const Due listed = listed_.next(); listed < others_due_) {
    others_ = &listed_;
    others_due_ = listed;
  }
  if (const Due moved = moved_.next(); moved < others_due_) {
    others_ = &moved_;
    others_due_ = moved;
  }
  choose_first();
}

void SideStreams::choose_first() {
  first_ = &kernel_;
  first_due_ = kernel_.next();
  if (others_due_ >= first_due_) return;
  first_ = others_;
  first_due_ = others_due_;
}

void SideStreams::emit_first(const Due& until) {
  // The inherited calls must be open before an event of the thread. Two kinds of events do not need them: an
  // exec would end them at once, and a message does not prove that the thread runs.
  const std::uint64_t time_ns = first_due_.time_ns;
  if (first_ != &listed_ || listed_.is_next(ListedEvent::What::Dlopen)) calls_.begin_inherited(time_ns);
  MovedExits& moved = calls_.moved_exits();
  // Kernel calls do not change the other streams, so many can be emitted at once. But if there are moved
  // exits, each kernel call may disprove them.
  const bool was_off_cpu = slices_.is_off_cpu();
  const Due kernel_until = moved.empty() ? until : Due{0, Precedence::SwitchIn};
  if (first_ != &kernel_ || !kernel_.emit_calls(kernel_until, others_due_))
    first_->emit_next();
  else if (moved.empty())
    return choose_first();
  if (was_off_cpu && !slices_.is_off_cpu()) returned_ns_ = time_ns;
  if (!moved.empty()) moved.update(time_ns, refutes_exits());
  look_again();
}

// Returns true if inner calls are open, or if the last emitted event is from the kernel stream or the switch
// stream. Only these two streams have inner calls.
bool SideStreams::emit_before(const Due& due) {
  bool needs_room = false;
  while (first_due_ < due) {
    needs_room = first_ == &kernel_ || first_ == &switches_;
    emit_first(due);
  }
  return needs_room || calls_.inner().open() != 0;
}

bool SideStreams::move_exit(const CallRecord& exit, bool is_final) {
  if (!moves_exits() && (is_final || returned_ns_ == 0)) return false;
  if (!calls_.move_exit(exit, refutes_exits(), returned_ns_)) return false;
  look_again();
  return true;
}

bool SideStreams::end_moved_exits(std::uint64_t time_ns) {
  slices_.prove_running();
  returned_ns_ = 0;
  if (calls_.moved_exits().empty()) return false;
  calls_.end_all_moved(time_ns);
  look_again();
  return true;
}

bool SideStreams::drop_impossible_event(const ThreadFacts& facts, RecordNotes& notes) {
  if (first_ != &listed_ || !listed_.drop_impossible(facts, notes)) return false;
  look_again();
  return true;
}

// ---- Execs, loads of libraries, messages ----

ListedEventStream::ListedEventStream(std::list<ListedEvent> events, const StreamOutput& output)
    : events_(std::move(events)),
      own_(events_.size() - static_cast<std::size_t>(
                                std::ranges::count(events_, ListedEvent::What::Message, &ListedEvent::what))),
      to_(output),
      dlopen_(output.names.intern_label("event", "dlopen")),
      path_(output.names.intern("path")),
      message_(output.names.intern("message")) {}

Due ListedEventStream::next() const {
  if (events_.empty()) return {};
  return {events_.front().time_ns,
          is_next(ListedEvent::What::Message) ? Precedence::Message : Precedence::ExecOrLoad};
}

ListedEvent ListedEventStream::take_next() {
  ListedEvent event = std::move(events_.front());
  events_.pop_front();
  if (event.what != ListedEvent::What::Message) --own_;
  return event;
}

bool ListedEventStream::drop_impossible(const ThreadFacts& facts, RecordNotes& notes) {
  if (is_next(ListedEvent::What::Message)) return false;
  const std::uint64_t time_ns = events_.front().time_ns;
  const std::uint64_t from_ns = to_.lane.last_ns() != 0 ? to_.lane.last_ns() : facts.begun_ns;
  if (from_ns == 0 || !leaps_too_far(from_ns, time_ns, facts.elapsed_ns)) return false;
  notes.add(kBadTime, fmt::format("task.txt's time of {} ns is impossible", time_ns));
  take_next();
  return true;
}

void ListedEventStream::emit_next() {
  const ListedEvent event = take_next();
  if (event.what == ListedEvent::What::Message) return emit_message(event);
  to_.calls.make_room_for_event(event.time_ns);
  const std::uint64_t time_ns = to_.lane.clamped(event.time_ns);
  const bool is_exec = event.what == ListedEvent::What::Exec;
  const bool is_wanted = to_.filter.shows_program() && !to_.calls.inner().leaves_out_event();
  if (is_exec) to_.calls.exec(time_ns);
  if (is_wanted && to_.filter.shows_event(to_.calls.depth(), false))
    to_.lane.instant(time_ns, is_exec ? to_.names.intern_label("event", "exec " + event.text) : dlopen_,
                     {{path_, event.text}});
  to_.calls.resume();
}

void ListedEventStream::emit_message(const ListedEvent& message) {
  if (to_.calls.inner().leaves_out_event() || !to_.filter.shows_event(to_.calls.depth(), false)) return;
  to_.lane.instant(to_.lane.clamped(message.time_ns),
                   to_.names.intern_label("event", "external-data: " + message.text),
                   {{message_, message.text}});
}

// ---- Switches ----

SwitchStream::SwitchStream(const SwitchPlan& plan, const StreamOutput& output)
    : plan_(plan),
      to_(output),
      blocked_(output.names.intern_label("sched", "linux:schedule")),
      preempted_(output.names.intern_label("sched", "linux:schedule (pre-empted)")),
      switched_in_(output.names.intern_label("sched", "linux:sched-in")),
      switched_out_(output.names.intern_label("sched", "linux:sched-out")),
      exited_(output.names.intern_label("sched", "linux:task-exit")),
      renamed_(output.names.intern_label("event", "linux:task-name")),
      comm_(output.names.intern("comm")),
      cpu_(output.names.intern(kCpu)),
      next_cpu_(output.names.intern(kNextCpu)),
      state_(output.names.intern(kState)),
      is_blocked_(output.names.intern("blocked")),
      is_runnable_(output.names.intern("runnable")) {}

bool SwitchStream::is_inferred_next() const {
  if (inferred_ == plan_.inferred.size()) return false;
  return first() == nullptr || plan_.inferred[inferred_].time_ns <= first()->time_ns;
}

bool SwitchStream::is_begin_next() const {
  const std::uint64_t time_ns = to_.slices.waits_until_ns();
  return time_ns != kForever && (message() == nullptr || time_ns <= message()->time_ns);
}

Due SwitchStream::next() const {
  if (is_begin_next()) return {to_.slices.waits_until_ns(), Precedence::SwitchIn};
  const PerfMessage* const next = message();
  if (next == nullptr) return {};
  return {next->time_ns, next->kind == PerfEvent::Kind::SwitchIn ? Precedence::SwitchIn : Precedence::Switch};
}

void SwitchStream::emit_next() {
  if (is_begin_next()) return to_.slices.show_begin(to_.slices.waits_until_ns());
  if (is_inferred_next()) return emit_inferred();
  const PerfMessage message = *first();
  plan_.queue->pop_front();
  const std::uint64_t time_ns = to_.lane.clamped(message.time_ns);
  switch (message.kind) {
    case PerfEvent::Kind::SwitchIn:
      if (plan_.shows_switches) return switch_in(time_ns, message);
      return to_.slices.begin(message.time_ns, message.cpu);
    case PerfEvent::Kind::SwitchOut:
    case PerfEvent::Kind::Preempted:
      if (plan_.shows_switches) return switch_out(time_ns, message);
      return to_.slices.end(message.time_ns, message.cpu, ThreadState::Blocked);
    case PerfEvent::Kind::Exit:
      return exit(time_ns, message);
    case PerfEvent::Kind::Exec:
      to_.calls.inner().end_off_cpu(time_ns);
      to_.slices.begin_again();  // another thread, which has ended, may have had the id before
      return to_.calls.end_program(time_ns, StackRepair::Ending::Exec);
    case PerfEvent::Kind::Comm:  // another thread may have set the name
      if (to_.calls.inner().leaves_out_event()) return;
      return to_.lane.instant(time_ns, renamed_, {{comm_, message.name}});
    default:
      return;  // not in the queue
  }
}

// Shows an inferred switch on the CPU track. A call for the time off the CPU is drawn only between two
// recorded switches.
void SwitchStream::emit_inferred() {
  const PerfMessage& message = plan_.inferred[inferred_++];
  if (message.kind == PerfEvent::Kind::SwitchIn)
    to_.slices.begin(message.time_ns, message.cpu);
  else
    to_.slices.end(message.time_ns, message.cpu, ThreadState::Blocked);
}

void SwitchStream::switch_in(std::uint64_t time_ns, const PerfMessage& message) {
  to_.slices.count_switch();
  const bool is_hidden = std::exchange(is_out_hidden_, false);
  const bool ends_call = to_.calls.inner().end_off_cpu(time_ns, {{next_cpu_, std::uint32_t{message.cpu}}});
  if (!ends_call && !is_hidden) emit_instant(time_ns, switched_in_, {{cpu_, std::uint32_t{message.cpu}}});
  to_.slices.begin(message.time_ns, message.cpu);
}

// A preempted thread gets the state Running, which in FXT means that it could still run. If the thread has
// exited, its exit is shown instead of its switch out.
void SwitchStream::switch_out(std::uint64_t time_ns, const PerfMessage& message) {
  to_.slices.count_switch();
  const bool is_preempted = message.kind == PerfEvent::Kind::Preempted;
  const NameId state = is_preempted ? is_runnable_ : is_blocked_;
  const bool is_too_short = is_short(outs_++);
  to_.calls.inner().end_off_cpu(time_ns);
  to_.slices.end(message.time_ns, message.cpu, is_preempted ? ThreadState::Running : ThreadState::Blocked);
  const bool is_last = is_lone(message.time_ns);
  is_out_hidden_ = is_preempted && !plan_.shows_preempted;
  if (is_out_hidden_) return;
  if (!is_last)
    is_out_hidden_ = !to_.calls.inner().begin_off_cpu(time_ns, {.label = is_preempted ? preempted_ : blocked_,
                                                                .state = state,
                                                                .cpu = message.cpu,
                                                                .is_short = is_too_short});
  else if (!to_.slices.has_left())
    emit_instant(time_ns, switched_out_, {{cpu_, std::uint32_t{message.cpu}}, {state_, state}});
}

void SwitchStream::exit(std::uint64_t time_ns, const PerfMessage& message) {
  to_.calls.inner().end_off_cpu(time_ns);
  to_.calls.end_program(time_ns, StackRepair::Ending::Exit);
  if (to_.slices.is_on_cpu()) emit_instant(time_ns, exited_, {{cpu_, std::uint32_t{message.cpu}}});
  is_out_hidden_ = false;  // the next switch in may belong to another thread that gets the id
  to_.slices.exit(message.time_ns);
}

// Emits an instant for a switch or exit. Emits nothing if there are CPU tracks, because the tracks show both.
void SwitchStream::emit_instant(std::uint64_t time_ns, LabelId label, const Arguments& arguments) {
  if (to_.slices.has_tracks() || !plan_.shows_switches) return;
  InnerCalls& inner = to_.calls.inner();
  if (!inner.leaves_out_event() && to_.filter.shows_event(inner.depth(), false))
    to_.lane.instant(time_ns, label, arguments);
}

// True if the switch out at `time_ns` is not followed by a switch in. Must be called in the order of time.
bool SwitchStream::is_lone(std::uint64_t time_ns) {
  const auto& lone = plan_.lone_outs;
  while (lone_outs_ < lone.size() && lone[lone_outs_] < time_ns) ++lone_outs_;
  if (lone_outs_ == lone.size() || lone[lone_outs_] != time_ns) return false;
  ++lone_outs_;
  return true;
}

// ---- The kernel ----

KernelStream::KernelStream(const KernelPlan& plan, const StreamOutput& output)
    : plan_(plan),
      to_(output),
      count_(output.names.intern("count")),
      cpu_(output.names.intern(kCpu)),
      records_lost_(output.names.intern_label("event", "records lost")) {}

Due KernelStream::next() const {
  const KernelMessage* const next = first();
  return next == nullptr ? Due{} : due_of(*next);
}

bool KernelStream::emit_calls(const Due& until, const Due& others) {
  const auto is_call = [](const KernelMessage* message) {
    return message != nullptr && message->kind <= KernelMessage::Kind::Exit;
  };
  const KernelMessage* message = first();
  if (!is_call(message)) return false;
  do {
    plan_.queue->pop_front();  // `message` stays valid until deliver()
    const std::uint64_t time_ns = to_.lane.clamped(message->time_ns);
    known_until_ns_ = time_ns;
    if (message->kind == KernelMessage::Kind::Entry)
      inner().enter_kernel(time_ns, *message, is_wanted());
    else
      leave(time_ns, *message);
    message = plan_.queue->first();
  } while (is_call(message) && due_of(*message) < until && due_of(*message) <= others);
  return true;
}

void KernelStream::leave(std::uint64_t time_ns, const KernelMessage& exit) {
  inner().leave_kernel(time_ns, exit);
  to_.calls.after_kernel_exit(time_ns);
}

void KernelStream::emit_next() {
  const KernelMessage message = *plan_.queue->first();
  const std::uint64_t time_ns = to_.lane.clamped(message.time_ns);
  const std::uint64_t known_until_ns = std::exchange(known_until_ns_, time_ns);
  if (message.kind == KernelMessage::Kind::Event)
    return emit_tracepoint(time_ns, message, plan_.queue->pop_event());
  plan_.queue->pop_front();
  switch (message.kind) {
    case KernelMessage::Kind::Entry:
    case KernelMessage::Kind::Exit:
    case KernelMessage::Kind::Event:
      return;  // the code above and emit_calls() handle these kinds
    case KernelMessage::Kind::Lost:
      return emit_loss(time_ns, message, known_until_ns);
    case KernelMessage::Kind::SwitchIn:
      may_wait_ = false;
      to_.slices.count_switch();
      return to_.slices.begin(message.time_ns, message.depth, static_cast<std::uint8_t>(message.value));
    case KernelMessage::Kind::SwitchOut:
      return emit_switch_out(message);
    case KernelMessage::Kind::Wakeup:
      return emit_wakeup(message);
  }
}

void KernelStream::emit_tracepoint(std::uint64_t time_ns, const KernelMessage& message,
                                   std::span<const std::byte> bytes) {
  if (!is_wanted() || inner().leaves_out_event() || !to_.filter.shows_event(inner().depth(), false)) return;
  const Tracepoint* const tracepoint = plan_.tracepoints->find(message.address);
  values_.clear();
  plan_.tracepoints->add_values(*tracepoint, bytes, text_, values_);
  if (tracepoint->shows_cpu) values_.add({cpu_, std::uint32_t{message.depth}});
  to_.lane.instant(time_ns, message.label, values_);
}

void KernelStream::emit_switch_out(const KernelMessage& message) {
  const auto state = static_cast<ThreadState>(message.address);
  may_wait_ = state == ThreadState::Blocked;
  to_.slices.count_switch();
  to_.slices.end(message.time_ns, message.depth, state, static_cast<std::uint8_t>(message.value));
}

// Emits only the first wakeup of a waiting thread. A wakeup may be recorded twice, or for a running thread.
void KernelStream::emit_wakeup(const KernelMessage& message) {
  if (!std::exchange(may_wait_, false)) return;
  to_.slices.wakeup(
      message.time_ns,
      {.cpu = message.depth, .thread = plan_.queue->thread(), .waker = static_cast<ThreadId>(message.value)});
}

void KernelStream::emit_loss(std::uint64_t time_ns, const KernelMessage& message,
                             std::uint64_t known_until_ns) {
  inner().lose_kernel_events(known_until_ns);
  Arguments arguments;
  if (message.address != 0) arguments.add({count_, message.address});
  arguments.add({cpu_, std::uint32_t{message.depth}});
  to_.lane.instant(time_ns, records_lost_, arguments);
  to_.lane.buffer_full(time_ns);
}

}  // namespace convert::uftrace
