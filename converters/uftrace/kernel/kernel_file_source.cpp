#include "converters/uftrace/kernel/kernel_file_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

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

KernelReading reading_of(const KernelFiles& files, Notes* notes) {
  return {.pages = files.header.pages, .notes = notes};
}

}  // namespace

KernelFileSource::KernelFileSource(const KernelFiles& files, KernelInboxes perf_queues, KernelSymbols symbols,
                                   const Wanted& wanted, Notes& notes, ImportStats& stats)
    : events_(files.files, reading_of(files, &notes)),
      order_(files.header.pages.order),
      common_(files.header),
      graph_(files.header),
      queues_(std::move(perf_queues)),
      symbols_(std::move(symbols)),
      wanted_(wanted),
      notes_(&notes),
      stats_(&stats),
      cpus_(files.files.size()) {
  stats_->bytes_total += events_.size();
}

std::uint64_t KernelFileSource::find_first_ns() {
  for (; !events_.at_end() && is_foreign(events_.event()); events_.advance())
    stage(events_.event(), cpu_at_hand());
  return watermark_ns();
}

bool KernelFileSource::pump(const PumpBudget& turn) {
  const std::uint64_t before = bytes_read_;
  std::size_t left = std::max(turn.lane_bytes / sizeof(KernelMessage), kMinEvents);
  for (; left > 0 && !events_.at_end(); --left, events_.advance()) stage(events_.event(), cpu_at_hand());
  bytes_read_ = events_.bytes_read();
  stats_->add_read(bytes_read_ - before, 0);
  return !events_.at_end();
}

KernelFileSource::Cpu& KernelFileSource::cpu_at_hand() {
  Cpu& cpu = cpus_[events_.source()];
  cpu.number = static_cast<std::uint16_t>(std::min(events_.cpu(), kLastCpu));
  return cpu;
}

// The thread that the events before a loss are of, and the one behind it, ran meanwhile; who else did is not
// known.
void KernelFileSource::stage(const KernelEvent& event, Cpu& cpu) {
  if (event.kind == KernelEvent::Kind::Data) {
    stage_data(event, cpu);
    return;
  }
  cpu.is_behind_loss = true;
  cpu.lost = event.lost;
  notes_->add(
      kKernelEventsLost,
      [&] {
        return event.lost == 0 ? fmt::format("cpu {}: the kernel lost events", cpu.number)
                               : fmt::format("cpu {}: the kernel lost {} events", cpu.number, event.lost);
      },
      std::max<std::uint64_t>(event.lost, 1));
  if (cpu.thread != nullptr) stage_loss(*cpu.thread, event.order_ns, cpu);
}

void KernelFileSource::stage_loss(KernelQueue& queue, std::uint64_t time_ns, const Cpu& cpu) {
  put(queue,
      {.time_ns = time_ns, .address = cpu.lost, .depth = cpu.number, .kind = KernelMessage::Kind::Lost});
}

void KernelFileSource::stage_data(const KernelEvent& event, Cpu& cpu) {
  const auto payload = event.payload;
  if (!common_.fit(payload)) {
    notes_->add(kEventSkipped, [&] {
      return fmt::format("cpu {}: a kernel event of {} bytes", cpu.number, payload.size());
    });
    return;
  }
  const auto thread =
      static_cast<ThreadId>(static_cast<std::uint32_t>(common_.thread.load_from(payload, order_)));
  if (thread != cpu.latest) {
    KernelQueue* const before = std::exchange(cpu.thread, inbox_of(thread));
    cpu.latest = thread;
    if (cpu.is_behind_loss && cpu.thread != nullptr && cpu.thread != before)
      stage_loss(*cpu.thread, event.order_ns, cpu);
  }
  cpu.is_behind_loss = false;

  // What the kernel did for others is left out.
  KernelQueue* const queue = cpu.thread;
  const std::uint64_t id = common_.type.load_from(payload, order_);
  if (const GraphFormat* const format = graph_.find(id)) {
    if (queue != nullptr && format->fits(payload))
      stage_call(*format, event, *queue);
    else if (queue != nullptr)
      skip(id, event, cpu);
    return;
  }
  const Tracepoint* const tracepoint = tracepoint_of(id);
  if (tracepoint == nullptr) {
    if (queue != nullptr && wanted_.events) skip(id, event, cpu);
    return;
  }
  if (wanted_.events) {
    KernelQueue* const about = queue != nullptr ? queue : told_to(*tracepoint, payload);
    if (about != nullptr) stage_event(*tracepoint, event, *about);
  }
  if (wanted_.switches && tracepoint->previous_thread.exists()) stage_switch(*tracepoint, event, cpu);
  if (wanted_.switches && tracepoint->woken_thread.exists()) stage_wakeup(*tracepoint, event, cpu);
}

void KernelFileSource::skip(std::uint64_t id, const KernelEvent& event, const Cpu& cpu) {
  notes_->add(kEventSkipped, [&] {
    return fmt::format("cpu {}: a kernel event of type {} and {} bytes", cpu.number, id,
                       event.payload.size());
  });
}

void KernelFileSource::stage_call(const GraphFormat& format, const KernelEvent& event, KernelQueue& queue) {
  const auto payload = event.payload;
  KernelMessage message{.time_ns = event.order_ns,
                        .address = format.function.load_from(payload, order_),
                        .kind = format.is_entry ? KernelMessage::Kind::Entry : KernelMessage::Kind::Exit};
  if (format.depth.exists())
    message.depth = static_cast<std::uint16_t>(
        std::min<std::uint64_t>(format.depth.load_from(payload, order_), KernelMessage::kNoDepth));
  if (format.value.fits(payload)) {
    message.has_value = true;
    message.value = format.value.load_from(payload, order_);
    if (!format.is_entry) message.value = return_value(message.value, format.value.size);
  }
  if (format.is_entry) message.label = symbols_.label(message.address);
  put(queue, message);
}

void KernelFileSource::stage_event(const Tracepoint& tracepoint, const KernelEvent& event,
                                   KernelQueue& queue) {
  put(queue, {.time_ns = event.order_ns,
              .address = tracepoint.id,
              .value = event.payload.size(),
              .label = tracepoint.label,
              .kind = KernelMessage::Kind::Event});
  put_bytes_of_event(event.payload, [&](const KernelMessage& part) { queue.stage(part); });
}

// A thread that would run on was preempted.
void KernelFileSource::stage_switch(const Tracepoint& tracepoint, const KernelEvent& event, const Cpu& cpu) {
  const auto payload = event.payload;
  const auto stage_side = [&](const IntegerField& place, KernelMessage::Kind kind) {
    if (!place.fits(payload)) return;
    KernelQueue* const queue = inbox_of(static_cast<ThreadId>(place.load_from(payload, order_)));
    if (queue != nullptr) put(*queue, {.time_ns = event.order_ns, .depth = cpu.number, .kind = kind});
  };
  const IntegerField& state = tracepoint.previous_state;
  const bool runs_on = state.fits(payload) && (state.load_from(payload, order_) & kSleepingStates) == 0;
  stage_side(tracepoint.previous_thread,
             runs_on ? KernelMessage::Kind::Preempted : KernelMessage::Kind::SwitchOut);
  stage_side(tracepoint.next_thread, KernelMessage::Kind::SwitchIn);
}

// An interrupt is no thread's work.
void KernelFileSource::stage_wakeup(const Tracepoint& tracepoint, const KernelEvent& event, const Cpu& cpu) {
  const auto payload = event.payload;
  if (!tracepoint.woken_thread.fits(payload)) return;
  KernelQueue* const queue =
      inbox_of(static_cast<ThreadId>(tracepoint.woken_thread.load_from(payload, order_)));
  if (queue == nullptr) return;
  const bool is_interrupt =
      common_.flags.fits(payload) && (common_.flags.load_from(payload, order_) & kInterruptFlags) != 0;
  const bool has_waker = cpu.thread != nullptr && !is_interrupt;
  put(*queue, {.time_ns = event.order_ns,
               .value = has_waker ? static_cast<std::uint64_t>(cpu.thread->thread()) : 0,
               .depth = cpu.number,
               .kind = KernelMessage::Kind::Wakeup});
}

// ---- Whose events are ----

// Null if the event is none, or not wanted.
const Tracepoint* KernelFileSource::tracepoint_of(std::uint64_t id) const {
  return wanted_.tracepoints != nullptr ? wanted_.tracepoints->find(id) : nullptr;
}

KernelQueue* KernelFileSource::inbox_of(ThreadId thread) const {
  const auto found = queues_.find(thread);
  return found == queues_.end() ? nullptr : found->second;
}

// The thread that an event of another one is told to; null if there is none.
KernelQueue* KernelFileSource::told_to(const Tracepoint& tracepoint,
                                       std::span<const std::byte> payload) const {
  for (const IntegerField& place : {tracepoint.next_thread, tracepoint.thread}) {
    if (!place.fits(payload)) continue;
    KernelQueue* const queue = inbox_of(static_cast<ThreadId>(place.load_from(payload, order_)));
    if (queue != nullptr) return queue;
  }
  return nullptr;
}

// No thread is told of it.
bool KernelFileSource::is_foreign(const KernelEvent& event) const {
  const auto payload = event.payload;
  if (event.kind != KernelEvent::Kind::Data || !common_.fit(payload)) return true;
  const auto thread =
      static_cast<ThreadId>(static_cast<std::uint32_t>(common_.thread.load_from(payload, order_)));
  if (inbox_of(thread) != nullptr) return false;
  const Tracepoint* const tracepoint = tracepoint_of(common_.type.load_from(payload, order_));
  return tracepoint == nullptr || told_to(*tracepoint, payload) == nullptr;
}

// ---- To the threads ----

void KernelFileSource::deliver() {
  for (KernelQueue* const queue : filled_) queue->deliver();
  filled_.clear();
}

std::uint64_t KernelFileSource::watermark_ns() const {
  return events_.at_end() ? kForever : events_.event().order_ns;
}

std::size_t KernelFileSource::waiting_bytes() const {
  std::size_t sum = 0;
  for (const auto& [thread, queue] : queues_) sum += queue->waiting_bytes();
  return sum;
}

}  // namespace convert::uftrace
