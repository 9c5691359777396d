// What the kernel's files say of one thread, waiting for the thread's own records to come to the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "converters/model/lanes/event.h"

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

// The feeder stages messages at any time, and delivers them between rounds; the thread's source takes them in
// a round.
class KernelQueue {
 public:
  // The thread, as the timeline shows it.
  void set_thread(ThreadId thread) { thread_ = thread; }
  ThreadId thread() const { return thread_; }

  bool has_staged() const { return !staged_.empty(); }
  void stage(const KernelMessage& message) { staged_.push_back(message); }  // by time
  void deliver() {
    if (first_ >= messages_.size() - first_) {  // so that each is moved once at most
      messages_.erase(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    if (messages_.empty())
      messages_.swap(staged_);
    else
      messages_.insert(messages_.end(), staged_.begin(), staged_.end());
    staged_.clear();
  }

  // The earliest one; null if there is none.
  const KernelMessage* first() const { return first_ == messages_.size() ? nullptr : &messages_[first_]; }
  void take_first() { ++first_; }
  // The bytes of the first one, an Event, which lie behind it; both are taken. Valid until the next
  // deliver().
  std::span<const std::byte> take_event() {
    const std::size_t size = messages_[first_].value;
    const KernelMessage* const bytes = messages_.data() + first_ + 1;
    first_ += 1 + (size + sizeof(KernelMessage) - 1) / sizeof(KernelMessage);
    return std::as_bytes(std::span(bytes, messages_.data() + first_)).first(size);
  }
  std::size_t waiting_bytes() const { return (messages_.size() - first_) * sizeof(KernelMessage); }

 private:
  std::vector<KernelMessage> messages_, staged_;
  std::size_t first_ = 0;  // of the messages, that was not taken
  ThreadId thread_{};
};

}  // namespace convert::uftrace
