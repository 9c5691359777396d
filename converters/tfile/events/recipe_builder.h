// Builds the recipe of a frame: its instant or call, its values as arguments and counters, its memory as
// blobs. The names are an interface: scripts and queries rely on them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "converters/model/importer.h"
#include "converters/tfile/actions/memory_labels.h"
#include "converters/tfile/events/code_names.h"
#include "converters/tfile/events/emit_recipe.h"
#include "converters/tfile/events/shown_variables.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

// Which registers of a frame become arguments. Auto: those that the tracepoint's actions name, and the
// general ones where the actions collect $regs.
enum class RegisterChoice : std::uint8_t { Auto, None, General, All };

class RecipeBuilder {
 public:
  // Borrows all but `choice`; `symbols` may be null.
  RecipeBuilder(const TraceFile& trace, const LocationTable& locations, const ProgramSymbols* symbols,
                RegisterChoice choice, ImportContext& import_context);

  // Builds the recipe of `frame`. It opens the call of a hit with steps, but the caller ends calls.
  void build(EmitRecipe& recipe, const Frame& frame, const FrameContext& context, bool time_is_synthetic);

 private:
  struct ShownRegister {
    const Register* reg;
    NameId name;
    bool is_in_fast_frames;  // fast tracepoints record only these; the others are zero bytes there
    bool is_by_name_only;    // shown only where the tracepoint's actions name it
  };
  void add_head(EmitRecipe& recipe, const Frame& frame, const FrameContext& context, const CodeName& name,
                bool time_is_synthetic);
  void add_memory(EmitRecipe& recipe, const Frame& frame, const FrameContext& context);
  void add_named(EmitRecipe& recipe, const NamedMemory& item);
  void add_reference(EmitRecipe& recipe, NameId name, const ValueLayout& layout,
                     std::span<const std::byte> bytes);
  void add_untyped(EmitRecipe& recipe, const NamedMemory& item);
  void add_register_variables(EmitRecipe& recipe, const ExpectedBlocks& expected, const Block* registers);
  void add_pieces(EmitRecipe& recipe, const ResolvedVariable& variable, const Block* registers);
  FrameValues values_in(const Block* registers) const;
  void add_leaves(EmitRecipe& recipe, const ValueLayout& layout, std::span<const std::byte> bytes);
  bool claim_name(NameId name, bool is_text = false);
  void add_unnamed(EmitRecipe& recipe);
  void add_static_data(EmitRecipe& recipe, const Frame& frame);
  const ExpectedBlocks* expected_blocks(const Frame& frame, const FrameContext& context) const;
  bool is_shown(const ShownRegister& shown, const ExpectedBlocks* expected) const;
  void add_registers(EmitRecipe& recipe, const Frame& frame, const FrameContext& context);
  void add_blobs(EmitRecipe& recipe, const Frame& frame);
  std::optional<NameId> memory_name(std::uint64_t address);

  const TraceFile& trace_;
  const LocationTable& locations_;
  Names& names_;
  const Blobs blobs_;
  const RegisterChoice choice_;
  CodeNames code_names_;
  ContinuedLabels continued_;
  MemoryLabels labels_;
  ShownVariables variables_;

  NameId frame_, tracepoint_, pc_, loc_, inlined_, time_, thread_, static_data_, memory_;
  std::vector<ShownRegister> registers_;
  std::unordered_map<std::uint64_t, NameId> memory_names_;

  // Of the current frame:
  std::vector<NameId> claimed_names_, names_of_texts_;
  std::vector<const Block*> by_address_;
  std::string text_;  // of the current value
};

}  // namespace convert::tfile
