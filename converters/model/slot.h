// One waiting event of a lane, 24 bytes: what the pairing fills in and the sink writes out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converters/model/event.h"
#include "fxt/field.h"

namespace convert {

enum class SlotKind : std::uint8_t {
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
  Log,
  Blob,
  BufferFull,  // FXT's provider event: records were lost here
  Formed,      // all records of a filled-in form
};

// Index of an event's Details in its lane; 0 = it has none.
enum class DetailsId : std::uint32_t { None = 0 };

struct Slot {
  std::uint64_t time_ns;
  std::uint64_t end_ns;  // of a Complete; the id of a Counter or flow; where the fields of a Formed lie
  LabelId label;
  std::uint32_t tag;  // Kind and DetailsIndex, or FormIndex, below

  using Kind = fxt::Field<0, 3>;
  using DetailsIndex = fxt::Field<4, 31>;
  using FormIndex = fxt::Field<4, 31>;  // of a Formed

  static std::uint32_t tag_of(SlotKind kind, DetailsId details) {
    return static_cast<std::uint32_t>(Kind::put(static_cast<std::uint64_t>(kind)) |
                                      DetailsIndex::put(static_cast<std::uint64_t>(details)));
  }
  static std::uint32_t tag_of(FormId form) {
    return static_cast<std::uint32_t>(Kind::put(static_cast<std::uint64_t>(SlotKind::Formed)) |
                                      FormIndex::put(static_cast<std::uint64_t>(form)));
  }
  SlotKind kind() const { return static_cast<SlotKind>(Kind::get(tag)); }
  DetailsId details() const { return static_cast<DetailsId>(DetailsIndex::get(tag)); }
  FormId form() const { return static_cast<FormId>(FormIndex::get(tag)); }
};
static_assert(sizeof(Slot) == 24);

// What only some events have. Kept beside the slots, so that plain calls stay small.
struct Details {
  Arguments arguments;
  std::string text;              // of a Log; name of a Blob
  std::vector<std::byte> bytes;  // of a Blob
  ContextSwitch context_switch{};
};

// Slots in fixed chunks with stable addresses, shared by all lanes and reused while still warm in the cache.
class SlotPool {
 public:
  static constexpr std::size_t kSlotsPerChunk = 128;  // 3 KiB: small enough for 10,000 lanes
  using Chunk = std::unique_ptr<Slot[]>;

  Chunk take() {
    if (free_.empty()) return std::make_unique_for_overwrite<Slot[]>(kSlotsPerChunk);
    Chunk chunk = std::move(free_.back());
    free_.pop_back();
    return chunk;
  }
  void give_back(Chunk chunk) { free_.push_back(std::move(chunk)); }

 private:
  std::vector<Chunk> free_;
};

}  // namespace convert
