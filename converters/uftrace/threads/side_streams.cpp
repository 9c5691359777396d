#include "converters/uftrace/threads/side_streams.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

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
  others_ = &switches_;
  others_due_ = switches_.next();
  const auto compare = [this](SideStream& stream, const Due& due) {
    if (due >= others_due_) return;
    others_ = &stream;
    others_due_ = due;
  };
  compare(task_events_, task_events_.next());
  compare(messages_, messages_.next());
  choose_first();
}

void SideStreams::choose_first() {
  first_ = &kernel_;
  first_due_ = kernel_.next();
  if (others_due_ >= first_due_) return;
  first_ = others_;
  first_due_ = others_due_;
}

void SideStreams::emit_first() {
  // An exec would end them at once.
  if (first_ != &task_events_ || !task_events_.is_exec_next()) calls_.begin_inherited(first_due_.time_ns);
  // Calls of the kernel come by the million, and leave the other streams as they are.
  const bool is_kernel_call = first_ == &kernel_ && kernel_.is_call_next();
  first_->emit_next();
  if (is_kernel_call)
    choose_first();
  else
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

// ---- Execs and loads of libraries ----

TaskEventStream::TaskEventStream(std::list<ImageChange> events, Lane& lane, CallFilter& filter,
                                 StackRepair& calls, Names& names)
    : events_(std::move(events)),
      lane_(lane),
      filter_(filter),
      calls_(calls),
      names_(names),
      dlopen_(names.intern_label("event", "dlopen")),
      path_(names.intern("path")) {}

Due TaskEventStream::next() const {
  return events_.empty() ? Due{} : Due{events_.front().time_ns, Precedence::ExecOrLoad};
}

bool TaskEventStream::has_exec() const {
  return std::ranges::any_of(events_,
                             [](const ImageChange& event) { return event.what == ImageChange::What::Exec; });
}

bool TaskEventStream::drop_impossible(const ThreadFacts& facts, RecordNotes& notes) {
  const std::uint64_t time_ns = events_.front().time_ns;
  const std::uint64_t from_ns = lane_.last_ns() != 0 ? lane_.last_ns() : facts.begun_ns;
  if (from_ns == 0 || !leaps_too_far(from_ns, time_ns, facts.elapsed_ns)) return false;
  notes.add(kBadTime, fmt::format("task.txt's time of {} ns is impossible", time_ns));
  events_.pop_front();
  return true;
}

void TaskEventStream::emit_next() {
  const ImageChange event = std::move(events_.front());
  events_.pop_front();
  calls_.make_room_for_event(event.time_ns);
  const std::uint64_t time_ns = std::max(event.time_ns, lane_.last_ns());
  const bool is_exec = event.what == ImageChange::What::Exec;
  const bool is_wanted = filter_.shows_program() && !calls_.inner().leaves_out_event();
  if (is_exec) calls_.exec(time_ns);
  if (is_wanted && filter_.shows_event(calls_.depth(), false))
    lane_.instant(time_ns, is_exec ? names_.intern_label("event", "exec " + event.path) : dlopen_,
                  {{path_, event.path}});
  calls_.resume(time_ns);
}

// ---- Messages ----

MessageStream::MessageStream(std::list<ExternMessage> messages, Lane& lane, CallFilter& filter,
                             StackRepair& calls, Names& names)
    : messages_(std::move(messages)),
      lane_(lane),
      filter_(filter),
      calls_(calls),
      names_(names),
      message_(names.intern("message")) {}

Due MessageStream::next() const {
  return messages_.empty() ? Due{} : Due{messages_.front().time_ns, Precedence::Message};
}

// A message is not the thread's own: it does not prove that the thread ran.
void MessageStream::emit_next() {
  const ExternMessage message = std::move(messages_.front());
  messages_.pop_front();
  if (!calls_.inner().leaves_out_event() && filter_.shows_event(calls_.depth(), false))
    lane_.instant(std::max(message.time_ns, lane_.last_ns()),
                  names_.intern_label("event", "external-data: " + message.text), {{message_, message.text}});
}

// ---- Switches ----

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

// ---- The kernel ----

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
