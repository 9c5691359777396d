// What the kernel's files hold for one thread: its messages, in order of time.
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
  // Entry, Exit: of the function. Lost: how many events, 0 if that is not known. Event: the tracepoint's id.
  // SwitchOut: the ThreadState.
  std::uint64_t address = 0;
  // Entry: the caller's address. Exit: the return value. Event: the size in bytes. Switches: the thread's
  // priority. Wakeup: the waking thread as the timeline shows it, 0 if it is not known.
  std::uint64_t value = 0;
  LabelId label = {};              // of Entry
  std::uint16_t depth = kNoDepth;  // Entry, Exit: the kernel's own count; all others: the cpu
  Kind kind = Kind::Lost;
  bool has_value = false;
};
static_assert(sizeof(KernelMessage) == 32 && std::is_trivially_copyable_v<KernelMessage>);

// The payload of an Event follows its message, in the space of as many messages as it needs.
class KernelQueue : public MessageQueue<KernelMessage> {
 public:
  // The thread as the timeline shows it.
  void set_thread(ThreadId thread) { thread_ = thread; }
  ThreadId thread() const { return thread_; }

  // No message is later; kForever if that is not known.
  void set_last_ns(std::uint64_t time_ns) { last_ns_ = time_ns; }
  std::uint64_t last_ns() const { return last_ns_; }

  void stage_payload(std::span<const std::byte> bytes) {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), sizeof(KernelMessage)))) {
      KernelMessage part{};
      std::memcpy(static_cast<void*>(&part), bytes.data(), std::min(bytes.size(), sizeof(part)));
      stage(part);
    }
  }
  // Consumes the first message, an Event, and returns its payload, which is valid until the next deliver().
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
