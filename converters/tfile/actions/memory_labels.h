// Finds the item of each memory block of a frame, by walking the location's actions along the blocks.
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

// A named item of a frame.
struct NamedMemory {
  NameId name{};
  std::span<const std::byte> bytes = {};  // of its first block
  std::uint64_t size = 0;                 // of the whole item, which may continue in further blocks
  bool is_string = false;
  const ValueLayout* layout = nullptr;      // null: unknown
  std::optional<std::uint64_t> value = {};  // a computed value, instead of bytes
};

class MemoryLabels {
 public:
  // Borrows `layout`, which may be null.
  MemoryLabels(const RegisterLayout* layout, std::endian order)
      : layout_(layout), order_(order), address_mask_(address_mask(layout)) {}

  // Without `expected` no block has a name. The result borrows from the frame.
  void label(const Frame& frame, const Block* registers, const ExpectedBlocks* expected);

  const std::vector<NamedMemory>& named() const { return named_; }
  // The memory blocks without an item, in order: pointers that an expression followed, or unexplained blocks.
  const std::vector<const Block*>& unnamed() const { return unnamed_; }

  // `size` bytes that the frame recorded at an address, or nothing.
  std::span<const std::byte> memory_at(std::uint64_t address, std::uint64_t size) const;

  // Whether the result depends on recorded values, and not only on addresses.
  bool has_read_values() const { return has_read_values_; }

 private:
  class FrameTarget;
  bool match_range(const MemoryAction& action, std::uint64_t address);
  void label_range(const MemoryAction& action, const Block* registers);
  const Block* next() const { return at_ < memory_.size() ? memory_[at_] : nullptr; }
  bool find_ahead(std::uint64_t address, std::uint64_t size);
  void skip_to(std::size_t at);

  const RegisterLayout* layout_;
  std::endian order_;
  std::uint64_t address_mask_;
  std::vector<const Block*> memory_;  // of the frame
  std::size_t at_ = 0;                // index of the first block without an explanation
  std::vector<NamedMemory> named_;
  std::vector<const Block*> unnamed_;
  bool has_read_values_ = false;
};

}  // namespace convert::tfile
