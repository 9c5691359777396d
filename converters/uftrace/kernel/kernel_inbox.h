// What the kernel's files say of one thread, waiting for the thread's own records to come to the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <type_traits>
#include <vector>

#include "converters/model/event.h"

namespace convert::uftrace {

struct KernelMessage {
  enum class Kind : std::uint8_t { Entry, Exit, Lost, Event, SwitchIn, SwitchOut, Preempted, Wakeup };
  static constexpr std::uint16_t kNoDepth = 0xffff;

  std::uint64_t time_ns;
  std::uint64_t address = 0;  // of the function; of Lost how many events, 0 if the kernel can't tell; of
                              // Event the type
  std::uint64_t value = 0;    // of Entry the caller's address, of Exit what it returns, of Event the size, of
                              // Wakeup the waker as the timeline shows it; 0: not known
  LabelId label = {};         // of Entry
  std::uint16_t depth = kNoDepth;  // of Entry and Exit, as the kernel counts them; of all others the cpu
  Kind kind = Kind::Lost;
  bool has_value = false;
};
static_assert(sizeof(KernelMessage) == 32 && std::is_trivially_copyable_v<KernelMessage>);

// The bytes of an event travel behind its message, in as many more as they need.
template <typename Put>
void put_bytes_of_event(std::span<const std::byte> bytes, Put&& put) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), sizeof(KernelMessage)))) {
    KernelMessage part{};
    std::memcpy(static_cast<void*>(&part), bytes.data(), std::min(bytes.size(), sizeof(part)));
    put(part);
  }
}

// Filled between rounds, emptied by the thread's source in a round: never both at once.
class KernelInbox {
 public:
  // The thread, as the timeline shows it.
  void set_thread(ThreadId thread) { thread_ = thread; }
  ThreadId thread() const { return thread_; }

  void put(const KernelMessage& message) { messages_.push_back(message); }  // by time
  // The earliest one; null if there is none.
  const KernelMessage* first() const { return messages_.empty() ? nullptr : &messages_.front(); }
  void take_first() { messages_.pop_front(); }
  // The bytes of the first one, an Event, which lie behind it, into `bytes`; both are taken.
  void take_event(std::vector<std::byte>& bytes) {
    bytes.resize(messages_.front().value);
    take_first();
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(KernelMessage), take_first())
      std::memcpy(bytes.data() + at, &messages_.front(), std::min(sizeof(KernelMessage), bytes.size() - at));
  }
  std::size_t waiting_bytes() const { return messages_.size() * sizeof(KernelMessage); }

 private:
  std::deque<KernelMessage> messages_;
  ThreadId thread_{};
};

}  // namespace convert::uftrace
