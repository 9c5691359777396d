#include "converters/uftrace/kernel/kernel_feeder.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "converters/uftrace/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kMinEvents = 64;  // a turn
// Bits of `prev_state` that say why a thread does not run.
constexpr std::uint64_t kSleepingStates = 0xff;
// Bits of `common_flags`: in a hardware or software interrupt, or a non-maskable one.
constexpr std::uint64_t kInterruptFlags = 0x08 | 0x10 | 0x40;
constexpr std::uint32_t kLastCpu = std::numeric_limits<std::uint16_t>::max();

// Most functions return an int: its upper half is not theirs. The kernel's own tracer looks at error codes
// the same way.
std::uint64_t return_value(std::uint64_t value, std::uint8_t size) {
  constexpr std::int32_t kLowestError = -4095;
  const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  const bool is_error = low < 0 && low >= kLowestError && value <= std::numeric_limits<std::uint32_t>::max();
  return size == sizeof(low) || is_error ? static_cast<std::uint64_t>(std::int64_t{low}) : value;
}

// The thread that an event of another one is told to; null if there is none.
KernelInbox* told_to(const Subjects& subjects, std::span<const std::byte> payload, std::endian order,
                     const KernelInboxes& inboxes) {
  for (const NumberPlace& place : {subjects.next_thread, subjects.thread}) {
    if (!place.is_there() || !place.fits(payload)) continue;
    const auto found = inboxes.find(static_cast<ThreadId>(place.load_from(payload, order)));
    if (found != inboxes.end()) return found->second;
  }
  return nullptr;
}

KernelReading reading_of(const KernelFiles& files, Notes* notes) {
  return {.pages = files.header.pages, .notes = notes};
}

}  // namespace

KernelFeeder::KernelFeeder(const KernelFiles& files, KernelInboxes inboxes, KernelSymbols symbols,
                           const Wanted& wanted, Notes& notes, ImportStats& stats)
    : events_(files.files, reading_of(files, &notes)),
      order_(files.header.pages.order),
      common_(files.header),
      graph_(files.header),
      inboxes_(std::move(inboxes)),
      symbols_(std::move(symbols)),
      wanted_(wanted),
      notes_(&notes),
      stats_(&stats) {
  stats_->bytes_total += events_.size();
}

bool KernelFeeder::pump(const Turn& turn) {
  const std::uint64_t before = bytes_read_;
  std::size_t left = std::max(turn.budget_bytes / sizeof(KernelMessage), kMinEvents);
  for (; left > 0 && !events_.at_end(); --left, events_.advance()) stage(events_.event(), events_.cpu());
  bytes_read_ = events_.bytes_read();
  stats_->add_read(bytes_read_ - before, 0);
  return !events_.at_end();
}

// The thread that the events before a loss are of, and the one behind it, ran meanwhile; who else did is not
// known.
void KernelFeeder::stage(const KernelEvent& event, std::uint32_t cpu) {
  if (event.kind == KernelEvent::Kind::Data) {
    stage_data(event, cpu);
    return;
  }
  Cpu& state = cpus_[cpu];
  state.is_behind_loss = true;
  state.lost = event.lost;
  notes_->add(
      kKernelEventsLost,
      [&] {
        return event.lost == 0 ? fmt::format("cpu {}: the kernel lost events", cpu)
                               : fmt::format("cpu {}: the kernel lost {} events", cpu, event.lost);
      },
      std::max<std::uint64_t>(event.lost, 1));
  if (state.thread != nullptr) stage_loss(state.thread, event.order_ns, event.lost, cpu);
}

void KernelFeeder::stage_loss(KernelInbox* inbox, std::uint64_t time_ns, std::uint64_t lost,
                              std::uint32_t cpu) {
  staged_.emplace_back(inbox, KernelMessage{.time_ns = time_ns,
                                            .address = lost,
                                            .depth = static_cast<std::uint16_t>(std::min(cpu, kLastCpu)),
                                            .kind = KernelMessage::Kind::Lost});
}

void KernelFeeder::stage_data(const KernelEvent& event, std::uint32_t cpu) {
  const auto payload = event.payload;
  if (!common_.fit(payload)) {
    notes_->add(kEventSkipped,
                [&] { return fmt::format("cpu {}: a kernel event of {} bytes", cpu, payload.size()); });
    return;
  }
  const auto thread =
      static_cast<ThreadId>(static_cast<std::uint32_t>(common_.thread.load_from(payload, order_)));
  KernelInbox* const inbox = inbox_of(thread);
  Cpu& state = cpus_[cpu];
  if (state.is_behind_loss && inbox != nullptr && inbox != state.thread)
    stage_loss(inbox, event.order_ns, state.lost, cpu);
  state.is_behind_loss = false;
  state.thread = inbox;

  const std::uint64_t id = common_.type.load_from(payload, order_);
  if (const GraphFormat* const format = graph_.find(id)) {
    // What the kernel did for others is left out.
    if (inbox != nullptr && format->fits(payload))
      stage_call(*format, event, inbox);
    else if (inbox != nullptr)
      skip(id, event, cpu);
    return;
  }
  const Tracepoint* const tracepoint =
      wanted_.tracepoints != nullptr ? wanted_.tracepoints->find(id) : nullptr;
  if (tracepoint == nullptr) {
    if (inbox != nullptr && wanted_.events) skip(id, event, cpu);
    return;
  }
  if (wanted_.events)
    stage_event(*tracepoint, event,
                inbox != nullptr ? inbox : told_to(tracepoint->subjects, payload, order_, inboxes_), cpu);
  if (wanted_.switches && tracepoint->previous_thread.is_there()) stage_switch(*tracepoint, event, cpu);
  if (wanted_.switches && tracepoint->woken_thread.is_there()) stage_wakeup(*tracepoint, event, inbox, cpu);
}

void KernelFeeder::skip(std::uint64_t id, const KernelEvent& event, std::uint32_t cpu) {
  notes_->add(kEventSkipped, [&] {
    return fmt::format("cpu {}: a kernel event of type {} and {} bytes", cpu, id, event.payload.size());
  });
}

void KernelFeeder::stage_call(const GraphFormat& format, const KernelEvent& event, KernelInbox* inbox) {
  const auto payload = event.payload;
  KernelMessage message{.time_ns = event.order_ns,
                        .address = format.function.load_from(payload, order_),
                        .kind = format.is_entry ? KernelMessage::Kind::Entry : KernelMessage::Kind::Exit};
  if (format.depth.is_there())
    message.depth = static_cast<std::uint16_t>(
        std::min<std::uint64_t>(format.depth.load_from(payload, order_), KernelMessage::kNoDepth));
  if (format.value.is_there() && format.value.fits(payload)) {
    message.has_value = true;
    message.value = format.value.load_from(payload, order_);
    if (!format.is_entry) message.value = return_value(message.value, format.value.size);
  }
  if (format.is_entry) message.label = symbols_.label(message.address);
  staged_.emplace_back(inbox, message);
}

void KernelFeeder::stage_event(const Tracepoint& tracepoint, const KernelEvent& event, KernelInbox* inbox,
                               std::uint32_t cpu) {
  if (inbox == nullptr) return;
  staged_.emplace_back(inbox, KernelMessage{.time_ns = event.order_ns,
                                            .address = tracepoint.id,
                                            .value = event.payload.size(),
                                            .label = tracepoint.label,
                                            .depth = static_cast<std::uint16_t>(std::min(cpu, kLastCpu)),
                                            .kind = KernelMessage::Kind::Event});
  put_bytes_of_event(event.payload, [&](const KernelMessage& part) { staged_.emplace_back(inbox, part); });
}

// A thread that would run on was preempted.
void KernelFeeder::stage_switch(const Tracepoint& tracepoint, const KernelEvent& event, std::uint32_t cpu) {
  const auto payload = event.payload;
  const auto stage_side = [&](const NumberPlace& place, KernelMessage::Kind kind) {
    if (!place.is_there() || !place.fits(payload)) return;
    KernelInbox* const inbox = inbox_of(static_cast<ThreadId>(place.load_from(payload, order_)));
    if (inbox == nullptr) return;
    staged_.emplace_back(inbox, KernelMessage{.time_ns = event.order_ns,
                                              .depth = static_cast<std::uint16_t>(std::min(cpu, kLastCpu)),
                                              .kind = kind});
  };
  const NumberPlace& state = tracepoint.previous_state;
  const bool runs_on =
      state.is_there() && state.fits(payload) && (state.load_from(payload, order_) & kSleepingStates) == 0;
  stage_side(tracepoint.previous_thread,
             runs_on ? KernelMessage::Kind::Preempted : KernelMessage::Kind::SwitchOut);
  stage_side(tracepoint.subjects.next_thread, KernelMessage::Kind::SwitchIn);
}

// An interrupt is no thread's work.
void KernelFeeder::stage_wakeup(const Tracepoint& tracepoint, const KernelEvent& event,
                                const KernelInbox* waker, std::uint32_t cpu) {
  const auto payload = event.payload;
  if (!tracepoint.woken_thread.fits(payload)) return;
  KernelInbox* const inbox =
      inbox_of(static_cast<ThreadId>(tracepoint.woken_thread.load_from(payload, order_)));
  if (inbox == nullptr) return;
  const bool is_interrupt =
      common_.flags.fits(payload) && (common_.flags.load_from(payload, order_) & kInterruptFlags) != 0;
  const bool has_waker = waker != nullptr && !is_interrupt;
  staged_.emplace_back(inbox,
                       KernelMessage{.time_ns = event.order_ns,
                                     .value = has_waker ? static_cast<std::uint64_t>(waker->thread()) : 0,
                                     .depth = static_cast<std::uint16_t>(std::min(cpu, kLastCpu)),
                                     .kind = KernelMessage::Kind::Wakeup});
}

KernelInbox* KernelFeeder::inbox_of(ThreadId thread) {
  if (thread != latest_) {
    const auto found = inboxes_.find(thread);
    latest_ = thread;
    latest_inbox_ = found == inboxes_.end() ? nullptr : found->second;
  }
  return latest_inbox_;
}

void KernelFeeder::deliver() {
  for (const auto& [inbox, message] : staged_) inbox->put(message);
  staged_.clear();
}

std::uint64_t KernelFeeder::frontier_ns() const {
  return events_.at_end() ? kForever : events_.event().order_ns;
}

std::size_t KernelFeeder::waiting_bytes() const {
  std::size_t sum = 0;
  for (const auto& [thread, inbox] : inboxes_) sum += inbox->waiting_bytes();
  return sum;
}

std::uint64_t first_kernel_ns(const KernelFiles& files, const KernelInboxes& inboxes) {
  const std::endian order = files.header.pages.order;
  const CommonFields common(files.header);
  std::map<std::uint64_t, Subjects> subjects;
  for (const EventFormat& format : files.header.formats) subjects.emplace(format.id, subjects_of(format));
  for (KernelMerge events(files.files, reading_of(files, nullptr)); !events.at_end(); events.advance()) {
    const KernelEvent& event = events.event();
    if (event.kind != KernelEvent::Kind::Data || !common.fit(event.payload)) continue;
    const std::uint64_t thread = common.thread.load_from(event.payload, order);
    if (inboxes.contains(static_cast<ThreadId>(thread))) return event.order_ns;
    const auto about = subjects.find(common.type.load_from(event.payload, order));
    if (about != subjects.end() && told_to(about->second, event.payload, order, inboxes) != nullptr)
      return event.order_ns;
  }
  return kForever;
}

}  // namespace convert::uftrace
