// Shows what was collected as arguments. With the program, items are evaluated on what the frame holds, and
// shown if the tracepoint's actions prove that they recorded just that. Without it, blocks get the names of
// the items that can't be others', and no types.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converters/model/importer.h"
#include "converters/tfile/actions/alignment.h"
#include "converters/tfile/actions/replay.h"
#include "converters/tfile/events/emit_recipe.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/expression.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

class ValueArguments {
 public:
  // Borrows all; `symbols` may be null.
  ValueArguments(const TraceFile& trace, const ProgramSymbols* symbols, NumberTexts& texts,
                 ImportContext& import_context);

  // Adds the arguments of a frame. `location` has the actions that the frame is compared with; without it no
  // memory has a name. `is_fast`: the frame is that of a fast tracepoint.
  void add(EmitRecipe& recipe, const Frame& frame, const FrameContext& context,
           const ExpectedFrames* location, bool is_fast);

  // The items of a tracepoint that had no value of a known type in some frame, and the first one's reason.
  struct Lacking {
    std::size_t items = 0;
    std::string first = {};  // "`x`: its location is not understood"
  };
  const std::map<std::int16_t, Lacking>& lacking() const { return lacking_; }

 private:
  // What an item is in the current frame: one value, or the variables of $args or $locals.
  struct NamedValue {
    std::string_view text;
    NameId name{};
    Value value;
  };
  void add_items(EmitRecipe& recipe, const FrameContext& context, const ExpectedBlocks& expected);
  void keep_values_in_memory();
  EvaluationContext evaluation() { return {*scope_, memory_, trace_.description.variables}; }
  NameId name_of(std::string_view text);
  bool align(const ExpectedBlocks& expected);
  bool fits(const NamedValue& named, bool is_string, const Replay::Action& action,
            const ExpressionShape& shape);
  bool is_held(const Value& value);
  bool is_static(const NamedValue& named) const;

  void add_item(EmitRecipe& recipe, std::size_t index, const ExpectedBlocks& expected);
  bool add_value(EmitRecipe& recipe, const NamedValue& named, bool is_string);
  bool add_text_at(EmitRecipe& recipe, const NamedValue& named);
  bool add_in_memory(EmitRecipe& recipe, const NamedValue& named, std::uint64_t address);
  bool add_leaves(EmitRecipe& recipe, const NamedValue& named, std::span<const std::byte> bytes,
                  const std::vector<bool>& known);
  void add_leaf(EmitRecipe& recipe, const Leaf& leaf, std::span<const std::byte> bytes);
  void add_slice(EmitRecipe& recipe, const Leaf& leaf, std::span<const std::byte> bytes);
  bool add_constant(EmitRecipe& recipe, const NamedValue& named);
  void add_address(EmitRecipe& recipe, const NamedValue& named, std::uint64_t address);
  void add_target(EmitRecipe& recipe, const NamedValue& named, std::uint64_t address);
  void add_pointer(EmitRecipe& recipe, NameId name, ValueForm form, std::uint64_t address);
  void add_function_member(EmitRecipe& recipe, const Leaf& leaf, std::span<const std::byte> bytes);
  void add_recorded(EmitRecipe& recipe, std::size_t index, const ExpectedBlocks& expected);
  void add_untyped(EmitRecipe& recipe, NameId name, std::span<const std::byte> bytes, std::uint64_t size);
  void add_unexplained(EmitRecipe& recipe);
  void explain(std::uint64_t address, std::uint64_t size);
  void explain(const Replay::Action& action);
  bool claim_name(NameId name);
  std::optional<NameId> memory_name(std::uint64_t address);
  const ValueLayout& layout_of(const NamedValue& named);
  void note(const NoteKind& kind, std::string_view item, std::string_view problem);

  const TraceFile& trace_;
  const ProgramSymbols* symbols_;
  NumberTexts& texts_;
  Names& names_;
  Notes& notes_;
  NameId unnamed_memory_;  // the argument of memory whose own name is not interned
  FrameMemory memory_;
  Replay replay_;
  Alignment alignment_;
  std::unordered_map<std::uint64_t, NameId> memory_names_;  // by address
  std::map<std::string, NameId, std::less<>> value_names_;
  // By type, name, and place of a bit-field.
  std::map<std::tuple<const Type*, NameId, std::uint64_t, std::uint64_t>, ValueLayout> layouts_;
  std::set<std::tuple<const NoteKind*, std::int16_t, std::string>> noted_;
  std::map<std::int16_t, Lacking> lacking_;  // by tracepoint
  std::set<std::int16_t> contradicted_;      // tracepoints with a hit that the program contradicts

  // Of the current frame:
  const Frame* frame_ = nullptr;
  const CodeScope* scope_ = nullptr;
  std::vector<std::vector<NamedValue>> values_;      // by item
  std::vector<const Replay::Action*> expressions_;   // the replayed expressions
  std::vector<std::optional<std::size_t>> item_of_;  // by expression
  bool is_contradicted_ = false;
  bool is_elsewhere_ = false;       // at another address than that which the actions were made for
  std::vector<bool> is_explained_;  // by block: an argument shows it, or goes on from it
  std::vector<NameId> claimed_names_;
  std::vector<const Block*> by_address_;
  std::string text_;  // of the current value
};

}  // namespace convert::tfile
