#include "converters/tfile/events/recipe_builder.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <span>
#include <string_view>

#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/frames/frame_clock.h"

namespace convert::tfile {
namespace {

constexpr std::string_view kVariableCategory = "variable";

// A file may have any number of unknown variables, so only some of their names are interned.
constexpr std::size_t kMaxVariables = 65536;

bool is_printable(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) {
    const auto c = std::to_integer<unsigned char>(byte);
    return c >= 0x20 || c == '\t' || c == '\n' || c == 0;
  });
}

}  // namespace

VariableArguments::VariableArguments(const Description& description, Names& names) : names_(names) {
  const auto clock = StampReader(description).variable();
  for (const TraceVariable& known : description.variables) {
    const std::string name = "$" + known.name;
    variables_[known.number] = {.name = names_.intern(name),
                                .label = names_.intern_label(kVariableCategory, name),
                                .is_counter = known.number != clock};
  }
}

VariableArguments::Shown& VariableArguments::variable(std::uint64_t number) {
  const auto found = variables_.find(number);
  if (found != variables_.end()) return found->second;
  // Variables beyond the limit share one name.
  const bool is_too_many = variables_.size() >= kMaxVariables;
  const std::string name = is_too_many ? "$unknown" : fmt::format("$variable_{}", number);
  const Shown added{.name = names_.intern(name), .label = names_.intern_label(kVariableCategory, name)};
  return variables_.try_emplace(is_too_many ? ~std::uint64_t{0} : number, added).first->second;
}

void VariableArguments::collect(const Frame& frame) {
  in_frame_.clear();
  for (const Block& block : frame.blocks) {
    if (block.kind != Block::Kind::Variable) continue;
    Shown& shown = variable(block.address);
    if (shown.frame == frame.number) {
      shown.earlier.push_back(shown.latest->value);
    } else {
      shown.frame = frame.number;
      shown.earlier.clear();
      in_frame_.push_back(&shown);
    }
    shown.latest = &block;
  }
}

void VariableArguments::add(EmitRecipe& recipe, const Frame& frame) {
  collect(frame);
  for (const Shown* shown : in_frame_) {
    recipe.add_number(shown->name, ValueForm::Signed, shown->latest->bytes);
    // Which earlier values are shown depends on the values.
    if (!shown->earlier.empty()) recipe.set_for_one_frame();
    std::size_t count = 0;
    for (const std::int64_t earlier : shown->earlier) {
      constexpr std::size_t kMaxEarlier = 16;
      ++count;
      if (earlier == shown->latest->value || count > kMaxEarlier) continue;
      const std::string name = fmt::format("{} ({})", names_.text(shown->name), count);
      recipe.add_for_this_frame({names_.intern(name), earlier});
    }
  }
}

void VariableArguments::add_counters(EmitRecipe& recipe) const {
  for (const Shown* shown : in_frame_)
    if (shown->is_counter) recipe.add_counter(shown->label, shown->name, shown->latest->bytes);
}

RecipeBuilder::RecipeBuilder(const TraceFile& trace, const LocationTable& locations,
                             const ProgramSymbols* symbols, const ShownFrames& choice,
                             ImportContext& import_context)
    : locations_(locations),
      blobs_(import_context.options.blobs),
      code_names_(import_context.names, symbols),
      continued_(import_context.names, import_context.timeline.options().lanes.limits.arguments_per_record),
      plots_(choice.plotted, import_context.names),
      texts_(symbols, import_context.names, trace.format.order),
      values_(trace, symbols, texts_, import_context),
      variables_(trace.description, import_context.names),
      registers_(trace, choice.registers, import_context.names) {
  Names& names = import_context.names;
  own_names_ = {.frame = names.intern(argument_names::kFrame),
                .tracepoint = names.intern(argument_names::kTracepoint),
                .pc = names.intern(argument_names::kPc),
                .loc = names.intern(argument_names::kLoc),
                .inlined = names.intern(argument_names::kInlined),
                .time = names.intern(argument_names::kTime),
                .thread = names.intern(argument_names::kThread),
                .static_data = names.intern("static data")};
}

void RecipeBuilder::build(EmitRecipe& recipe, const Frame& frame, const FrameContext& context,
                          bool time_is_synthetic) {
  const ExpectedFrames* const location = location_of(frame, context);
  const CodeName& name = code_names_.of(frame, context, location != nullptr ? location->location : nullptr);
  const ExpectedBlocks* expected = nullptr;
  if (location != nullptr) expected = context.is_step ? &location->step : &location->hit;
  recipe.start(frame, own_names_.frame, name.label, context.opens_call, continued_, plots_, texts_);
  add_head(recipe, frame, context, name, time_is_synthetic);
  values_.add(recipe, frame, context, location, is_fast(frame, context));
  variables_.add(recipe, frame);
  add_static_data(recipe, frame);
  if (context.registers != nullptr)
    registers_.add(recipe, *context.registers, expected, is_fast(frame, context));
  if (blobs_ != Blobs::None) add_blobs(recipe, frame);
  variables_.add_counters(recipe);
  recipe.add_plots();
}

void RecipeBuilder::add_head(EmitRecipe& recipe, const Frame& frame, const FrameContext& context,
                             const CodeName& name, bool time_is_synthetic) {
  recipe.add({own_names_.tracepoint, std::int32_t{frame.tracepoint}});
  if (context.pc) recipe.add({own_names_.pc, Pointer{*context.pc}});
  if (!name.source.empty()) recipe.add({own_names_.loc, name.source});
  if (!name.inlined.empty()) recipe.add({own_names_.inlined, name.inlined});
  if (time_is_synthetic) recipe.add({own_names_.time, "synthetic"});
  if (context.is_guessed) recipe.add({own_names_.thread, "guessed"});
}

// The location whose actions a frame is compared with; null if the tracepoint is unknown.
const ExpectedFrames* RecipeBuilder::location_of(const Frame& frame, const FrameContext& context) const {
  if (context.location != nullptr) return context.location;
  // Any location of the tracepoint serves: blocks that do not match it get no name.
  const auto locations = locations_.of(frame.tracepoint);
  return locations.empty() ? nullptr : &locations.front();
}

bool RecipeBuilder::is_fast(const Frame& frame, const FrameContext& context) const {
  if (context.location != nullptr) return context.location->location->is_fast;
  return locations_.has_fast(frame.tracepoint);
}

void RecipeBuilder::add_static_data(EmitRecipe& recipe, const Frame& frame) {
  for (const Block& block : frame.blocks) {
    if (block.kind != Block::Kind::StaticData) continue;
    recipe.add_for_this_frame({own_names_.static_data, is_printable(block.bytes)
                                                           ? string_text(block.bytes)
                                                           : spelled_text(block.bytes, 0)});
  }
}

// Blocks at one address make one blob: the first block, then the tail of a longer one.
void RecipeBuilder::add_blobs(EmitRecipe& recipe, const Frame& frame) {
  by_address_.clear();
  bool has_registers = false;
  for (const Block& block : frame.blocks) {
    if (block.kind == Block::Kind::Memory && !block.bytes.empty()) by_address_.push_back(&block);
    if (block.kind == Block::Kind::StaticData && !is_printable(block.bytes))
      recipe.add_blob("/static", block.bytes);
    if (block.kind == Block::Kind::Registers && blobs_ == Blobs::All && !has_registers) {
      has_registers = true;
      recipe.add_blob("/registers", block.bytes);
    }
  }
  std::ranges::stable_sort(by_address_, {}, &Block::address);
  for (std::size_t i = 0; i < by_address_.size();) {
    const std::uint64_t address = by_address_[i]->address;
    std::size_t size = by_address_[i]->bytes.size();
    recipe.add_blob(fmt::format("/memory/{:#x}", address), by_address_[i]->bytes);
    for (++i; i < by_address_.size() && by_address_[i]->address == address; ++i) {
      const auto other = by_address_[i]->bytes;
      if (other.size() <= size) continue;
      recipe.add_to_blob(other.subspan(size));
      size = other.size();
    }
  }
}

}  // namespace convert::tfile
