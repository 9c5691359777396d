// One event on its way through the model. The lane fills it in, the merge sorts it, and the sink writes it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "converters/model/lanes/argument.h"
#include "converters/model/lanes/event.h"
#include "fxt/field.h"

namespace convert {

enum class EventKind : std::uint8_t {
  Open,      // a call whose end is not known yet; nothing after it can be sealed
  Complete,  // a call with begin and end
  Begin,     // the begin of a call that is written as a pair
  End,       // the end of a call that is written as a pair
  Instant,
  Counter,
  FlowBegin,
  FlowEnd,
  ContextSwitch,
  Wakeup,
  Blob,
  BufferFull,  // the recorder's buffer was full, and records were lost
  Retracted,   // a call that was dropped; it never leaves the lane
};

// The first word of an argument block: the number of its arguments, and the number of words after this one.
struct ArgumentBlockHeader {
  using Count = fxt::Field<0, 31>;
  using Words = fxt::Field<32, 63>;
};

struct PendingEvent {
  std::uint64_t time_ns;
  std::uint64_t last_word;     // end_ns() or id()
  const std::uint64_t* block;  // the arguments, after an ArgumentBlockHeader; null without arguments
  LabelId label;
  EventKind kind;

  void complete(std::uint64_t ended_ns) {
    last_word = ended_ns;
    kind = EventKind::Complete;
  }
  std::uint64_t end_ns() const { return last_word; }  // for a Complete
  std::uint64_t id() const { return last_word; }      // for a counter or flow
  // The number of arguments of a call, instant, counter or flow.
  std::size_t argument_count() const {
    return block == nullptr ? 0 : ArgumentBlockHeader::Count::get(*block);
  }
  ArgumentRow arguments() const { return ArgumentRow(words()); }
  // The name of a Blob.
  std::string_view text() const { return (*arguments().begin()).text; }
  // The bytes of a Blob.
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span((*++arguments().begin()).text)); }
  ContextSwitch context_switch() const { return value<ContextSwitch>(); }
  Wakeup wakeup() const { return value<Wakeup>(); }

 private:
  // A value that is stored in the block in the same form as in memory.
  template <typename T>
  T value() const {
    T value;
    std::memcpy(static_cast<void*>(&value), block + 1, sizeof value);
    return value;
  }
  std::span<const std::uint64_t> words() const {
    if (block == nullptr) return {};
    return {block + 1, ArgumentBlockHeader::Words::get(*block)};
  }
};
static_assert(sizeof(PendingEvent) == 32);

}  // namespace convert
