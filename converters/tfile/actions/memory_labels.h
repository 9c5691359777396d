// Finds out what each memory block of a frame is, by walking the actions of its location next to the blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/frames/frame_reader.h"

namespace convert::tfile {

// An item of the frame that has a name.
struct NamedMemory {
  NameId name{};
  std::span<const std::byte> bytes = {};  // the beginning, when it takes several blocks
  std::uint64_t size = 0;                 // of all of it
  bool is_string = false;
  const ValueLayout* layout = nullptr;      // of all of it; null: unknown
  std::optional<std::uint64_t> value = {};  // instead of bytes: computed from what the frame holds
};

class MemoryLabels {
 public:
  // `layout` may be null; borrowed.
  MemoryLabels(const RegisterLayout* layout, std::endian order)
      : layout_(layout), order_(order), address_mask_(address_mask(layout)) {}

  // `expected` may be null: then nothing has a name. The result borrows from the frame.
  void label(const Frame& frame, const Block* registers, const ExpectedBlocks* expected);

  const std::vector<NamedMemory>& named() const { return named_; }
  // Memory blocks (of all, in order) that belong to no item: words on the way to one, or unexplained.
  const std::vector<const Block*>& unnamed() const { return unnamed_; }

  // What the frame recorded at an address: at least `size` bytes, or nothing.
  std::span<const std::byte> memory_at(std::uint64_t address, std::uint64_t size) const;

  // Whether the result depends on what was recorded in variables and memory, not only on where.
  bool has_read_values() const { return has_read_values_; }

 private:
  class Frames;  // what an expression sees
  bool take_range(const MemoryAction& action, std::uint64_t address);
  void range(const MemoryAction& action, const Block* registers);
  const Block* next() const { return at_ < memory_.size() ? memory_[at_] : nullptr; }
  bool look_for(std::uint64_t address, std::uint64_t size);
  void skip_to(std::size_t at);

  const RegisterLayout* layout_;
  std::endian order_;
  std::uint64_t address_mask_;
  std::vector<const Block*> memory_;  // of the frame
  std::size_t at_ = 0;                // the first one without an explanation
  std::vector<NamedMemory> named_;
  std::vector<const Block*> unnamed_;
  bool has_read_values_ = false;
};

}  // namespace convert::tfile
