#include "converters/uftrace/kernel/kernel_file_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

// Bits of `prev_state`: for a thread that can't run, and for a thread that has exited.
constexpr std::uint64_t kSleepingStates = 0xff, kDeadStates = 0x10 | 0x20;
// Bits of `common_flags` for events in a hardware, a software, or a non-maskable interrupt.
constexpr std::uint64_t kInterruptFlags = 0x08 | 0x10 | 0x40;

// Extends the sign of a value of 4 bytes. A value of 8 bytes may be an int whose upper half is meaningless.
// Therefore, also extends the sign if the upper half is 0 and the lower half is an error code, from -4095 to
// -1.
std::uint64_t return_value(std::uint64_t value, std::uint8_t size) {
  constexpr std::int32_t kLowestError = -4095;
  const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  const bool is_error = low < 0 && low >= kLowestError && value <= std::numeric_limits<std::uint32_t>::max();
  return size == sizeof(low) || is_error ? static_cast<std::uint64_t>(std::int64_t{low}) : value;
}

// If the thread could still run, it was preempted. FXT calls its state Running.
ThreadState shown_state(std::uint64_t state) {
  if ((state & kDeadStates) != 0) return ThreadState::Dead;
  return (state & kSleepingStates) == 0 ? ThreadState::Running : ThreadState::Blocked;
}

// Limits a priority to the range 1 to 255. In Linux, -1 is the priority of a thread with a deadline, and 0 is
// the highest other priority. In FXT, 0 stands for an idle CPU.
std::uint64_t shown_priority(std::uint64_t value, std::uint8_t size) {
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(
      static_cast<std::int64_t>(extended(value, 8 * std::uint64_t{size}, true)), 1, 0xff));
}

}  // namespace

KernelFileSource::KernelFileSource(const KernelFiles& files, QueuesByThread<KernelQueue>& queues,
                                   Symbolizer& symbolizer, const Shown& shown, Notes& notes,
                                   ImportStats& stats)
    : CpuFileSource(files.files, {.pages = files.header.pages, .notes = &notes}, queues, stats),
      order_(files.header.pages.order),
      common_(files.header),
      graph_(graph_formats_of(files.header)),
      symbolizer_(symbolizer),
      labels_(symbolizer.cache_budget()),
      shown_(shown),
      notes_(notes),
      cpus_(files.files.size()) {}

std::uint64_t KernelFileSource::find_first_ns() {
  for (; !events().at_end() && is_for_no_thread(events().event()); events().advance())
    stage(events().event());
  return watermark_ns();
}

void KernelFileSource::stage(const KernelEvent& event) {
  Cpu& cpu = cpus_[events().file_index()];
  cpu.number = events().cpu();
  if (event.kind != KernelEvent::Kind::Data) return lose_events(event, cpu);
  const auto payload = event.payload;
  if (!common_.fit(payload)) return note_short(event, cpu);
  const ThreadId thread = thread_in(common_.thread, event);
  if (thread != cpu.thread) switch_to(thread, event, cpu);
  cpu.is_behind_loss = false;
  const std::uint64_t type = type_of(payload);
  const auto format = std::ranges::find(graph_, type, &GraphFormat::id);
  if (format == graph_.end()) return stage_other(type, event, cpu);
  if (cpu.queue == nullptr) return;
  if (format->fits(payload))
    stage_call(*format, event, *cpu.queue);
  else
    note_skipped(type, event, cpu);
}

void KernelFileSource::lose_events(const KernelEvent& event, Cpu& cpu) {
  cpu.is_behind_loss = true;
  cpu.lost = event.lost;
  notes_.add(
      kKernelEventsLost,
      [&] {
        return event.lost == 0 ? fmt::format("CPU {}: the kernel lost events", cpu.number)
                               : fmt::format("CPU {}: the kernel lost {} events", cpu.number, event.lost);
      },
      std::max<std::uint64_t>(event.lost, 1));
  if (cpu.queue != nullptr) stage_loss(*cpu.queue, event.order_ns, cpu);
}

// Adds a Lost message to the queue of a thread. Called for the thread that ran before the loss and for the
// thread that ran after it. Which threads ran in between is unknown.
void KernelFileSource::stage_loss(KernelQueue& queue, std::uint64_t time_ns, const Cpu& cpu) {
  put(queue,
      {.time_ns = time_ns, .address = cpu.lost, .depth = cpu.number, .kind = KernelMessage::Kind::Lost});
}

void KernelFileSource::switch_to(ThreadId thread, const KernelEvent& event, Cpu& cpu) {
  KernelQueue* const before = std::exchange(cpu.queue, find_queue(thread));
  cpu.thread = thread;
  if (cpu.is_behind_loss && cpu.queue != nullptr && cpu.queue != before)
    stage_loss(*cpu.queue, event.order_ns, cpu);
}

void KernelFileSource::stage_other(std::uint64_t type, const KernelEvent& event, const Cpu& cpu) {
  const Tracepoint* const tracepoint = find_tracepoint(type);
  if (tracepoint == nullptr) {
    if (cpu.queue != nullptr && shown_.events) note_skipped(type, event, cpu);
    return;
  }
  if (shown_.events) {
    KernelQueue* const receiver =
        cpu.queue != nullptr ? cpu.queue : find_subject(cpu.thread, *tracepoint, event);
    if (receiver != nullptr) stage_event(*tracepoint, event, cpu, *receiver);
  }
  if (shown_.switches && tracepoint->previous_thread.exists()) stage_switch(*tracepoint, event, cpu);
  if (shown_.switches && tracepoint->woken_thread.exists()) stage_wakeup(*tracepoint, event, cpu);
}

void KernelFileSource::note_short(const KernelEvent& event, const Cpu& cpu) {
  notes_.add(kEventSkipped, [&] {
    return fmt::format("CPU {}: a kernel event of {} bytes is too short", cpu.number, event.payload.size());
  });
}

void KernelFileSource::note_skipped(std::uint64_t type, const KernelEvent& event, const Cpu& cpu) {
  notes_.add(kEventSkipped, [&] {
    return fmt::format("CPU {}: a kernel event of type {} with {} bytes is unknown or too short", cpu.number,
                       type, event.payload.size());
  });
}

void KernelFileSource::stage_call(const GraphFormat& format, const KernelEvent& event, KernelQueue& queue) {
  const auto payload = event.payload;
  const std::uint64_t address = format.function.load_from(payload, order_);
  KernelMessage message{.time_ns = event.order_ns,
                        .address = address,
                        .label = labels_.get(address, [&] { return symbolizer_.kernel_label(address); }),
                        .kind = format.is_entry ? KernelMessage::Kind::Entry : KernelMessage::Kind::Exit};
  if (format.depth.exists())
    message.depth = static_cast<std::uint16_t>(
        std::min<std::uint64_t>(format.depth.load_from(payload, order_), KernelMessage::kNoDepth));
  if (format.value.fits(payload)) {
    message.has_value = true;
    message.value = format.value.load_from(payload, order_);
    if (!format.is_entry) message.value = return_value(message.value, format.value.size);
  }
  put(queue, message);
}

void KernelFileSource::stage_event(const Tracepoint& tracepoint, const KernelEvent& event, const Cpu& cpu,
                                   KernelQueue& queue) {
  put(queue, {.time_ns = event.order_ns,
              .address = tracepoint.id,
              .value = event.payload.size(),
              .label = tracepoint.label,
              .depth = cpu.number,
              .kind = KernelMessage::Kind::Event});
  queue.stage_payload(event.payload);
}

void KernelFileSource::stage_switch(const Tracepoint& tracepoint, const KernelEvent& event, const Cpu& cpu) {
  const auto payload = event.payload;
  const auto stage_side = [&](const IntegerField& thread, const IntegerField& priority,
                              KernelMessage message) {
    KernelQueue* const queue = thread.fits(payload) ? find_queue(thread_in(thread, event)) : nullptr;
    if (queue == nullptr) return;
    message.time_ns = event.order_ns;
    message.depth = cpu.number;
    message.value = priority.fits(payload)
                        ? shown_priority(priority.load_from(payload, order_), priority.size)
                        : kNormalPriority;
    put(*queue, message);
  };
  const IntegerField& state = tracepoint.previous_state;
  const ThreadState shown =
      state.fits(payload) ? shown_state(state.load_from(payload, order_)) : ThreadState::Blocked;
  stage_side(
      tracepoint.previous_thread, tracepoint.previous_priority,
      {.time_ns = 0, .address = static_cast<std::uint64_t>(shown), .kind = KernelMessage::Kind::SwitchOut});
  stage_side(tracepoint.next_thread, tracepoint.next_priority,
             {.time_ns = 0, .kind = KernelMessage::Kind::SwitchIn});
}

// A wakeup in an interrupt has no waking thread, because the interrupted thread did not cause the wakeup.
void KernelFileSource::stage_wakeup(const Tracepoint& tracepoint, const KernelEvent& event, const Cpu& cpu) {
  const auto payload = event.payload;
  if (!tracepoint.woken_thread.fits(payload)) return;
  KernelQueue* const queue = find_queue(thread_in(tracepoint.woken_thread, event));
  if (queue == nullptr) return;
  const bool is_interrupt =
      common_.flags.fits(payload) && (common_.flags.load_from(payload, order_) & kInterruptFlags) != 0;
  const bool has_waker = cpu.queue != nullptr && !is_interrupt;
  put(*queue, {.time_ns = event.order_ns,
               .value = has_waker ? static_cast<std::uint64_t>(cpu.queue->thread()) : 0,
               .depth = cpu.number,
               .kind = KernelMessage::Kind::Wakeup});
}

// ---- Which thread gets an event ----

// Returns null for an event that is not a tracepoint, or if no tracepoints are shown.
const Tracepoint* KernelFileSource::find_tracepoint(std::uint64_t type) const {
  return shown_.tracepoints != nullptr ? shown_.tracepoints->find(type) : nullptr;
}

// Returns the queue of the thread that an event is about. Null if there is none, or if the event happened in
// a thread that is left out.
KernelQueue* KernelFileSource::find_subject(ThreadId current, const Tracepoint& tracepoint,
                                            const KernelEvent& event) {
  if (std::ranges::binary_search(shown_.left_out, current)) return nullptr;
  for (const IntegerField& field : {tracepoint.next_thread, tracepoint.thread}) {
    if (!field.fits(event.payload)) continue;
    if (KernelQueue* const queue = find_queue(thread_in(field, event))) return queue;
  }
  return nullptr;
}

bool KernelFileSource::is_for_no_thread(const KernelEvent& event) {
  const auto payload = event.payload;
  if (event.kind != KernelEvent::Kind::Data || !common_.fit(payload)) return true;
  const ThreadId thread = thread_in(common_.thread, event);
  if (find_queue(thread) != nullptr) return false;
  const Tracepoint* const tracepoint = find_tracepoint(type_of(payload));
  return tracepoint == nullptr || find_subject(thread, *tracepoint, event) == nullptr;
}

}  // namespace convert::uftrace
