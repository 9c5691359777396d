#include "converters/tfile/events/recipe_builder.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>

#include "converters/tfile/description/argument_names.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

// A file may have any number of addresses, so only some of their names are interned.
constexpr std::size_t kMaxMemoryNames = 65536;

// Repeated names are found among the first items only.
constexpr std::size_t kMaxDistinctItems = 256;

// Whether fast tracepoints record the register (fact sheet, section 5): on amd64 rax…r15, rip and eflags.
bool is_in_fast_frames(const Register& reg, const RegisterLayout& layout) {
  if (layout.architecture().starts_with("i386:x")) return reg.number <= 17;
  return reg.is_general && !reg.name.starts_with("orig_");
}

bool is_text(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) {
    const auto c = std::to_integer<unsigned char>(byte);
    return c >= 0x20 || c == '\t' || c == '\n' || c == 0;
  });
}

}  // namespace

RecipeBuilder::RecipeBuilder(const TraceFile& trace, const LocationTable& locations,
                             const ProgramSymbols* symbols, RegisterChoice choice,
                             ImportContext& import_context)
    : trace_(trace),
      locations_(locations),
      names_(import_context.names),
      blobs_(import_context.options.blobs),
      choice_(choice),
      code_names_(import_context.names, locations, symbols),
      continued_(import_context.names, import_context.timeline.limits().arguments_per_record),
      labels_(trace.register_layout(), trace.format.order),
      variables_(trace.description, import_context.names) {
  frame_ = names_.intern(argument_names::kFrame);
  tracepoint_ = names_.intern(argument_names::kTracepoint);
  pc_ = names_.intern(argument_names::kPc);
  loc_ = names_.intern(argument_names::kLoc);
  inlined_ = names_.intern(argument_names::kInlined);
  time_ = names_.intern(argument_names::kTime);
  thread_ = names_.intern(argument_names::kThread);
  static_data_ = names_.intern("static data");
  memory_ = names_.intern(argument_names::kMemory);
  if (trace.layout && choice != RegisterChoice::None) {
    for (const Register& reg : trace.layout->registers()) {
      if (reg.name.empty() || (choice == RegisterChoice::General && !reg.is_general)) continue;
      registers_.push_back({.reg = &reg,
                            .name = names_.intern("reg." + reg.name),
                            .is_in_fast_frames = is_in_fast_frames(reg, *trace.layout),
                            .is_by_name_only = choice == RegisterChoice::Auto && !reg.is_general});
    }
  }
}

void RecipeBuilder::build(EmitRecipe& recipe, const Frame& frame, const FrameContext& context,
                          bool time_is_synthetic) {
  const CodeName& name = code_names_.of(frame, context);
  recipe.start(frame, frame_, name.label, context.opens_call, continued_);
  add_head(recipe, frame, context, name, time_is_synthetic);
  add_memory(recipe, frame, context);
  variables_.add(recipe, frame);
  add_static_data(recipe, frame);
  add_registers(recipe, frame, context);
  if (blobs_ != Blobs::None) add_blobs(recipe, frame);
  variables_.add_counters(recipe);
}

void RecipeBuilder::add_head(EmitRecipe& recipe, const Frame& frame, const FrameContext& context,
                             const CodeName& name, bool time_is_synthetic) {
  recipe.add({tracepoint_, std::int32_t{frame.tracepoint}});
  if (context.pc) recipe.add({pc_, Pointer{*context.pc}});
  if (!name.source.empty()) recipe.add({loc_, name.source});
  if (!name.inlined.empty()) recipe.add({inlined_, name.inlined});
  if (time_is_synthetic) recipe.add({time_, "synthetic"});
  if (context.is_guessed) recipe.add({thread_, "guessed"});
}

// Null if the tracepoint is unknown.
const ExpectedBlocks* RecipeBuilder::expected_blocks(const Frame& frame, const FrameContext& context) const {
  const ExpectedFrames* expected = context.location;
  if (expected == nullptr) {
    // Any location of the tracepoint serves: blocks that do not match it get no name.
    const auto locations = locations_.of(frame.tracepoint);
    if (locations.empty()) return nullptr;
    expected = &locations.front();
  }
  return context.is_step ? &expected->step : &expected->hit;
}

void RecipeBuilder::add_memory(EmitRecipe& recipe, const Frame& frame, const FrameContext& context) {
  const ExpectedBlocks* const expected = expected_blocks(frame, context);
  labels_.label(frame, context.registers, expected);
  if (labels_.has_read_values()) recipe.set_for_one_frame();
  claimed_names_.clear();
  names_of_texts_.clear();
  for (const NamedMemory& item : labels_.named())
    if (item.is_string && names_of_texts_.size() < kMaxDistinctItems) names_of_texts_.push_back(item.name);
  for (const NamedMemory& item : labels_.named()) {
    // An item that was collected twice is shown once; the blobs hold both values.
    const bool has_leaves =
        item.layout != nullptr && !item.is_string && !item.value && !item.layout->is_reference;
    if (has_leaves || claim_name(item.name, item.is_string)) add_named(recipe, item);
  }
  if (expected != nullptr) add_register_variables(recipe, *expected, context.registers);
  if (!labels_.unnamed().empty()) add_unnamed(recipe);
}

void RecipeBuilder::add_register_variables(EmitRecipe& recipe, const ExpectedBlocks& expected,
                                           const Block* registers) {
  using Storage = RegisterVariable::Storage;
  const std::endian order = trace_.format.order;
  for (const ResolvedVariable& variable : expected.variables) {
    if (variable.storage == Storage::Pieces) {
      add_pieces(recipe, variable, registers);
      continue;
    }
    const ValueLayout& layout = *variable.layout;
    if (variable.storage == Storage::Computed) {
      if (layout.is_reference || layout.leaves.size() != 1) continue;
      const auto value = computed(variable.steps, values_in(registers));
      if (value && claim_name(variable.name))
        recipe.add_own(argument_of(layout.leaves.front(), *value, names_, text_));
      continue;
    }
    std::span<const std::byte> bytes;
    if (registers != nullptr) bytes = bytes_of(*variable.reg, registers->bytes);
    if (bytes.empty()) continue;
    if (layout.is_reference) {
      if (claim_name(variable.name)) add_reference(recipe, variable.name, layout, bytes);
    } else if (layout.size <= bytes.size()) {
      // The value occupies the lowest bytes of the register.
      add_leaves(recipe, layout,
                 order == std::endian::little ? bytes.first(layout.size) : bytes.last(layout.size));
    }
  }
}

FrameValues RecipeBuilder::values_in(const Block* registers) const {
  const std::endian order = trace_.format.order;
  return {
      .of_register = [registers, order](const Register& reg) -> std::optional<std::uint64_t> {
        if (registers == nullptr) return std::nullopt;
        const auto bytes = bytes_of(reg, registers->bytes);
        return bytes.empty() ? std::nullopt : std::optional(unsigned_bits(bytes, order));
      },
      .in_memory = [this, order](std::uint64_t address, std::size_t size) -> std::optional<std::uint64_t> {
        const auto bytes = labels_.memory_at(address, size);
        return bytes.empty() ? std::nullopt : std::optional(unsigned_bits(bytes, order));
      },
      .address_bytes = trace_.layout ? trace_.layout->address_bytes() : sizeof(std::uint64_t)};
}

// Shows the leaves of a value in pieces, as far as the frame holds their bytes.
void RecipeBuilder::add_pieces(EmitRecipe& recipe, const ResolvedVariable& variable, const Block* registers) {
  using Storage = RegisterVariable::Storage;
  const std::endian order = trace_.format.order;
  std::vector<std::byte> value;
  std::vector<bool> is_recorded;
  for (const ResolvedVariable::Piece& piece : variable.pieces) {
    const std::uint64_t size = std::min(piece.size, variable.layout->size - value.size());
    std::span<const std::byte> bytes;
    if (piece.reg != nullptr && registers != nullptr) bytes = bytes_of(*piece.reg, registers->bytes);
    std::array<std::byte, sizeof(std::uint64_t)> number;
    if (piece.storage == Storage::Computed) {
      const auto computed_value = computed(piece.steps, values_in(registers));
      if (computed_value) {
        store(number.data(), *computed_value, order);
        bytes = number;
      }
    }
    const bool is_known = bytes.size() >= size && piece.storage != Storage::Nowhere;
    if (is_known) {
      const auto lowest = order == std::endian::little ? bytes.first(size) : bytes.last(size);
      value.insert(value.end(), lowest.begin(), lowest.end());
    } else {
      value.resize(value.size() + size);
    }
    is_recorded.resize(value.size(), is_known);
  }
  for (const Leaf& leaf : variable.layout->leaves) {
    if (leaf.size > value.size() || leaf.offset > value.size() - leaf.size) continue;
    const auto first = is_recorded.begin() + static_cast<std::ptrdiff_t>(leaf.offset);
    if (!std::all_of(first, first + static_cast<std::ptrdiff_t>(leaf.size), std::identity{})) continue;
    if (claim_name(leaf.name))
      recipe.add_own(
          argument_of(leaf, std::span(value).subspan(leaf.offset, leaf.size), order, names_, text_));
  }
}

void RecipeBuilder::add_named(EmitRecipe& recipe, const NamedMemory& item) {
  if (item.is_string) {
    recipe.add_own({item.name, string_text(item.bytes)});
  } else if (item.value) {
    const bool is_typed =
        item.layout != nullptr && item.layout->leaves.size() == 1 && !item.layout->is_reference;
    recipe.add_own(is_typed ? argument_of(item.layout->leaves.front(), *item.value, names_, text_)
                            : Argument(item.name, static_cast<std::int64_t>(*item.value)));
  } else if (item.layout == nullptr) {
    add_untyped(recipe, item);
  } else if (!item.layout->is_reference) {
    add_leaves(recipe, *item.layout, item.bytes);
  } else {
    add_reference(recipe, item.name, *item.layout, item.bytes);
  }
}

// Shows the value that a reference refers to if the frame recorded it, else its address.
void RecipeBuilder::add_reference(EmitRecipe& recipe, NameId name, const ValueLayout& layout,
                                  std::span<const std::byte> bytes) {
  recipe.set_for_one_frame();
  const auto target = labels_.memory_at(unsigned_bits(bytes, trace_.format.order), layout.size);
  if (target.empty()) {
    recipe.add_number(name, ValueForm::Pointer, bytes);
    return;
  }
  // The value has the name of the reference.
  std::erase(claimed_names_, name);
  add_leaves(recipe, layout, target);
}

void RecipeBuilder::add_untyped(EmitRecipe& recipe, const NamedMemory& item) {
  const ValueForm form = untyped_form(item.bytes.size(), item.size);
  if (is_number(form, item.size))
    recipe.add_number(item.name, form, item.bytes);
  else
    recipe.add_own({item.name, spelled_text(item.bytes, item.size)});
}

// Shows the leaves whose bytes were recorded. A leaf that two items have is shown once.
void RecipeBuilder::add_leaves(EmitRecipe& recipe, const ValueLayout& layout,
                               std::span<const std::byte> bytes) {
  for (const Leaf& leaf : layout.leaves) {
    if (leaf.offset > bytes.size() ||
        (bytes.size() - leaf.offset < leaf.size && leaf.form != ValueForm::Text))
      continue;
    if (!claim_name(leaf.name)) continue;
    const auto recorded =
        bytes.subspan(leaf.offset, std::min<std::size_t>(leaf.size, bytes.size() - leaf.offset));
    if (is_plain_number(leaf))
      recipe.add_number(leaf.name, leaf.form, recorded);
    else if (leaf.form == ValueForm::Text)
      recipe.add_own({leaf.name, string_text(recorded)});
    else if (leaf.form == ValueForm::Bytes && leaf.bit_size == 0)
      recipe.add_own({leaf.name, spelled_text(recorded, leaf.size)});
    else
      recipe.add_own(argument_of(leaf, recorded, trace_.format.order, names_, text_));
  }
  if (layout.more > 0) recipe.add({layout.more_name, layout.more});
}

// False if the frame already has an argument of this name, or will have a text of it: a collected text
// (collect/s) is shown instead of the pointer to it, whichever comes first.
bool RecipeBuilder::claim_name(NameId name, bool is_text) {
  if (!is_text && std::ranges::find(names_of_texts_, name) != names_of_texts_.end()) return false;
  if (std::ranges::find(claimed_names_, name) != claimed_names_.end()) return false;
  if (claimed_names_.size() < kMaxDistinctItems) claimed_names_.push_back(name);
  return true;
}

// One argument per address. Of several blocks at an address, the first one is shown; the blob holds the rest.
void RecipeBuilder::add_unnamed(EmitRecipe& recipe) {
  by_address_.assign(labels_.unnamed().begin(), labels_.unnamed().end());
  std::ranges::stable_sort(by_address_, {}, &Block::address);
  const auto same = [](const Block* a, const Block* b) { return a->address == b->address; };
  by_address_.erase(std::unique(by_address_.begin(), by_address_.end(), same), by_address_.end());
  for (const Block* block : by_address_) {
    const auto name = memory_name(block->address);
    if (!name)
      recipe.add_own({memory_, fmt::format("{:#x}: {}", block->address, spelled_text(block->bytes, 0))});
    else
      add_untyped(recipe, {.name = *name, .bytes = block->bytes, .size = block->bytes.size()});
  }
}

std::optional<NameId> RecipeBuilder::memory_name(std::uint64_t address) {
  if (const auto found = memory_names_.find(address); found != memory_names_.end()) return found->second;
  if (memory_names_.size() >= kMaxMemoryNames) return std::nullopt;
  return memory_names_.emplace(address, names_.intern(fmt::format("mem.{:#x}", address))).first->second;
}

void RecipeBuilder::add_static_data(EmitRecipe& recipe, const Frame& frame) {
  for (const Block& block : frame.blocks) {
    if (block.kind != Block::Kind::StaticData) continue;
    recipe.add_own(
        {static_data_, is_text(block.bytes) ? string_text(block.bytes) : spelled_text(block.bytes, 0)});
  }
}

bool RecipeBuilder::is_shown(const ShownRegister& shown, const ExpectedBlocks* expected) const {
  if (choice_ != RegisterChoice::Auto) return true;
  const bool collects_all = expected == nullptr || expected->wanted.all;
  if (collects_all && !shown.is_by_name_only) return true;
  return expected != nullptr &&
         std::ranges::find(expected->wanted.named, shown.reg) != expected->wanted.named.end();
}

void RecipeBuilder::add_registers(EmitRecipe& recipe, const Frame& frame, const FrameContext& context) {
  if (context.registers == nullptr) return;
  const auto locations = locations_.of(frame.tracepoint);
  const bool is_fast =
      context.location != nullptr
          ? context.location->location->is_fast
          : std::ranges::any_of(locations, [](const auto& l) { return l.location->is_fast; });
  const ExpectedBlocks* const expected = expected_blocks(frame, context);
  for (const ShownRegister& shown : registers_) {
    if ((is_fast && !shown.is_in_fast_frames) || !is_shown(shown, expected)) continue;
    const auto bytes = bytes_of(*shown.reg, context.registers->bytes);
    if (bytes.empty()) continue;
    if (is_number(shown.reg->form, shown.reg->size))
      recipe.add_number(shown.name, shown.reg->form, bytes);
    else
      recipe.add_own({shown.name, register_text(*shown.reg, bytes, trace_.format.order)});
  }
}

// Blocks at one address make one blob: the first block, then the tail of a longer one.
void RecipeBuilder::add_blobs(EmitRecipe& recipe, const Frame& frame) {
  by_address_.clear();
  bool has_registers = false;
  for (const Block& block : frame.blocks) {
    if (block.kind == Block::Kind::Memory && !block.bytes.empty()) by_address_.push_back(&block);
    if (block.kind == Block::Kind::StaticData && !is_text(block.bytes))
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
