// The events from the kernel's files for one thread, as messages in the order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "converters/model/lanes/event.h"
#include "converters/uftrace/cpus/cpu_files.h"

namespace convert::uftrace {

struct KernelMessage {
  enum class Kind : std::uint8_t { Entry, Exit, Lost, Event, SwitchIn, SwitchOut, Wakeup };
  static constexpr std::uint16_t kNoDepth = 0xffff;

  std::uint64_t time_ns;
  // Entry, Exit: the address of the function. Lost: the number of lost events, 0 if unknown. Event: the id of
  // the tracepoint. SwitchOut: the ThreadState.
  std::uint64_t address = 0;
  // Entry: the address of the caller. Exit: the return value. Event: the size of the payload in bytes.
  // Switches: the priority of the thread. Wakeup: the timeline's id of the waking thread, 0 if unknown.
  std::uint64_t value = 0;
  LabelId label = {};              // for Entry, Exit and Event
  std::uint16_t depth = kNoDepth;  // Entry, Exit: the depth counted by the kernel; others: the CPU
  Kind kind = Kind::Lost;
  bool has_value = false;
};
static_assert(sizeof(KernelMessage) == 32 && std::is_trivially_copyable_v<KernelMessage>);

// A queue in which the payload of an Event follows the Event's message. The payload takes the space of one or
// more messages.
class KernelQueue : public MessageQueue<KernelMessage> {
 public:
  void set_thread(ThreadId thread) { thread_ = thread; }
  ThreadId thread() const { return thread_; }

  // Sets the time of the last message; kForever if the time is unknown.
  void set_last_ns(std::uint64_t time_ns) { last_ns_ = time_ns; }
  std::uint64_t last_ns() const { return last_ns_; }

  void stage_payload(std::span<const std::byte> bytes) {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), sizeof(KernelMessage)))) {
      KernelMessage part{};
      std::memcpy(static_cast<void*>(&part), bytes.data(), std::min(bytes.size(), sizeof(part)));
      stage(part);
    }
  }
  // Removes the first message, which must be an Event. Returns the Event's payload, which is valid until the
  // next deliver().
  std::span<const std::byte> pop_event() {
    const std::size_t size = first()->value;
    const std::size_t parts = (size + sizeof(KernelMessage) - 1) / sizeof(KernelMessage);
    const std::span<const KernelMessage> payload(first() + 1, parts);
    pop_front(1 + parts);
    return std::as_bytes(payload).first(size);
  }

 private:
  ThreadId thread_{};
  std::uint64_t last_ns_ = kForever;
};

}  // namespace convert::uftrace
