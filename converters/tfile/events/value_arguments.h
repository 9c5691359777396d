// Shows the memory of a frame, and variables that are stored in its registers, as arguments.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/actions/memory_labels.h"
#include "converters/tfile/events/emit_recipe.h"
#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

class ValueArguments {
 public:
  // Borrows both.
  ValueArguments(const TraceFile& trace, Names& names);

  // Adds the arguments of a frame. Without `expected` no memory has a name.
  void add(EmitRecipe& recipe, const Frame& frame, const Block* registers, const ExpectedBlocks* expected);

 private:
  void add_named(EmitRecipe& recipe, const NamedMemory& item);
  void add_reference(EmitRecipe& recipe, NameId name, const ValueLayout& layout,
                     std::span<const std::byte> bytes);
  void add_untyped(EmitRecipe& recipe, const NamedMemory& item);
  void add_variables(EmitRecipe& recipe, const ExpectedBlocks& expected, const Block* registers);
  void add_pieces(EmitRecipe& recipe, const ResolvedVariable& variable, const Block* registers);
  FrameValues values_in(const Block* registers) const;
  void add_leaves(EmitRecipe& recipe, const ValueLayout& layout, std::span<const std::byte> bytes);
  bool claim_name(NameId name, bool is_text = false);
  void add_unnamed(EmitRecipe& recipe);
  std::optional<NameId> memory_name(std::uint64_t address);

  Names& names_;
  std::endian order_;
  std::size_t address_bytes_;
  NameId unnamed_memory_;  // the argument of memory whose own name is not interned
  MemoryLabels labels_;
  std::unordered_map<std::uint64_t, NameId> memory_names_;  // by address

  // Of the current frame:
  std::vector<NameId> claimed_names_, names_of_texts_;
  std::vector<const Block*> by_address_;
  std::string text_;  // of the current value
};

}  // namespace convert::tfile
