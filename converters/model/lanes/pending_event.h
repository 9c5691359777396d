// One waiting event of a lane: what the pairing fills in, the merge orders and the sink writes out.
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
  Open,      // a call whose end is not known yet: nothing behind it can be written
  Complete,  // a call with begin and end
  Begin,     // the begin of a call that is written as a pair
  End,       // its end
  Instant,
  Counter,
  FlowBegin,
  FlowStep,
  FlowEnd,
  ContextSwitch,
  Wakeup,
  Log,
  Blob,
  BufferFull,  // FXT's provider event: records were lost here
  Retracted,   // a call that is not to be seen after all; never leaves the lane
};

// The words that belong to one slot, in its lane's memory: their number, and how many arguments they are.
struct ArgumentBlockHeader {
  using Count = fxt::Field<0, 31>;
  using Words = fxt::Field<32, 63>;
};

struct PendingEvent {
  std::uint64_t time_ns;
  std::uint64_t end_ns;        // of a Complete; the id of a counter or flow
  const std::uint64_t* block;  // what belongs to it, a ArgumentBlockHeader first; null: nothing
  LabelId label;
  EventKind kind;

  // Of calls, instants, counters and flows.
  std::size_t argument_count() const {
    return block == nullptr ? 0 : ArgumentBlockHeader::Count::get(*block);
  }
  ArgumentRow arguments() const { return ArgumentRow(words()); }
  // Of a Log; of a Blob: its name.
  std::string_view text() const { return (*arguments().begin()).text; }
  // Of a Blob.
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span((*++arguments().begin()).text)); }
  ContextSwitch context_switch() const { return value<ContextSwitch>(); }
  Wakeup wakeup() const { return value<Wakeup>(); }

 private:
  // As it lies in memory.
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
