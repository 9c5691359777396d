// What the kernel's files say of one thread, waiting for the thread's own records to come to the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "converters/model/event.h"

namespace convert::uftrace {

struct KernelMessage {
  enum class Kind : std::uint8_t { Entry, Exit, Lost };
  static constexpr std::uint16_t kNoDepth = 0xffff;

  std::uint64_t time_ns;
  std::uint64_t address = 0;       // of the function; of Lost how many events, 0 if the kernel can't tell
  std::uint64_t value = 0;         // of Entry the caller's address, of Exit what it returns
  LabelId label = {};              // of Entry
  std::uint16_t depth = kNoDepth;  // of kernel calls, as the kernel counts them; of Lost the cpu
  Kind kind = Kind::Lost;
  bool has_value = false;
};
static_assert(sizeof(KernelMessage) == 32);

// Filled between rounds, emptied by the thread's source in a round: never both at once.
class KernelInbox {
 public:
  void put(const KernelMessage& message) { messages_.push_back(message); }  // by time
  // The earliest one; null if there is none.
  const KernelMessage* first() const { return messages_.empty() ? nullptr : &messages_.front(); }
  void take_first() { messages_.pop_front(); }
  std::size_t waiting_bytes() const { return messages_.size() * sizeof(KernelMessage); }

 private:
  std::deque<KernelMessage> messages_;
};

}  // namespace convert::uftrace
