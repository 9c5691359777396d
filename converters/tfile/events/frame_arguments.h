// Adds the arguments of one frame to its recipe, each name once. Also adds the memory that no argument shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converters/tfile/actions/replay.h"
#include "converters/tfile/events/recipe_draft.h"
#include "fxt/hash.h"

namespace convert::tfile {

class FrameArguments {
 public:
  FrameArguments(RecipeDraft& draft, FrameMemory& memory, NumberTexts& texts, Names& names);

  // Starts with the frame that is in the FrameMemory.
  void start();

  // Reserves a name for one argument. Returns false if the frame already has an argument with this name.
  bool claim_name(NameId name);

  // claim_name() must be called first. `bytes` have an unknown type and belong to a value of `size` bytes.
  void add_untyped(NameId name, const FrameBytes& bytes, std::uint64_t size);
  void add_pointer(NameId name, ValueForm form, std::uint64_t address);

  // These functions call claim_name() themselves. `bytes` are in the frame, and `value` was computed.
  void add_leaf(const Leaf& leaf, const FrameBytes& bytes);
  void add_leaf(const Leaf& leaf, std::span<const std::byte> value);
  void add_more(const ValueLayout& layout);  // adds an argument with the number of leaves not shown

  // Marks memory as used, because an argument shows it, or because the memory is a pointer that leads to a
  // shown value.
  void mark_used(std::uint64_t address, std::uint64_t size);
  void mark_used(const Replay::ActionResult& action);
  bool is_used(std::size_t block) const { return is_used_[block]; }
  // Adds one argument for each address that has unused blocks. The argument shows the first of these blocks.
  void add_unused();

 private:
  void add_value(const Leaf& leaf, std::span<const std::byte> value);
  void add_slice(const Leaf& leaf, std::span<const std::byte> bytes);
  void add_function_member(const Leaf& leaf, std::span<const std::byte> bytes);
  std::optional<NameId> memory_name(std::uint64_t address);

  RecipeDraft& draft_;
  FrameMemory& memory_;
  NumberTexts& texts_;
  Names& names_;
  NameId unnamed_memory_;                               // the name for memory whose own name is not interned
  fxt::SeededMap<std::uint64_t, NameId> memory_names_;  // by address

  // State of the current frame:
  std::vector<bool> is_used_;  // by block
  std::vector<NameId> claimed_names_;
  std::vector<HeldBlock> by_address_;
  std::string text_;  // the text of the current value
};

}  // namespace convert::tfile
