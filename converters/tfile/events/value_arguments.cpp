#include "converters/tfile/events/value_arguments.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>

#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

// A file may have any number of addresses, so only some of their names are interned.
constexpr std::size_t kMaxMemoryNames = 65536;

// Repeated names are found among the first items only.
constexpr std::size_t kMaxDistinctItems = 256;

}  // namespace

ValueArguments::ValueArguments(const TraceFile& trace, Names& names)
    : names_(names),
      order_(trace.format.order),
      address_bytes_(trace.layout ? trace.layout->address_bytes() : sizeof(std::uint64_t)),
      unnamed_memory_(names.intern(argument_names::kMemory)),
      labels_(trace.register_layout(), trace.format.order) {}

void ValueArguments::add(EmitRecipe& recipe, const Frame& frame, const Block* registers,
                         const ExpectedBlocks* expected) {
  labels_.label(frame, registers, expected);
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
  if (expected != nullptr) add_variables(recipe, *expected, registers);
  if (!labels_.unnamed().empty()) add_unnamed(recipe);
}

void ValueArguments::add_variables(EmitRecipe& recipe, const ExpectedBlocks& expected,
                                   const Block* registers) {
  using Storage = RegisterVariable::Storage;
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
                 order_ == std::endian::little ? bytes.first(layout.size) : bytes.last(layout.size));
    }
  }
}

FrameValues ValueArguments::values_in(const Block* registers) const {
  return {.of_register = [this, registers](const Register& reg) -> std::optional<std::uint64_t> {
            if (registers == nullptr) return std::nullopt;
            const auto bytes = bytes_of(reg, registers->bytes);
            return bytes.empty() ? std::nullopt : std::optional(unsigned_bits(bytes, order_));
          },
          .in_memory = [this](std::uint64_t address, std::size_t size) -> std::optional<std::uint64_t> {
            const auto bytes = labels_.memory_at(address, size);
            return bytes.empty() ? std::nullopt : std::optional(unsigned_bits(bytes, order_));
          },
          .address_bytes = address_bytes_};
}

// Shows the leaves of a value in pieces, as far as the frame holds their bytes.
void ValueArguments::add_pieces(EmitRecipe& recipe, const ResolvedVariable& variable,
                                const Block* registers) {
  using Storage = RegisterVariable::Storage;
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
        store(number.data(), *computed_value, order_);
        bytes = number;
      }
    }
    const bool is_known = bytes.size() >= size && piece.storage != Storage::Nowhere;
    if (is_known) {
      const auto lowest = order_ == std::endian::little ? bytes.first(size) : bytes.last(size);
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
          argument_of(leaf, std::span(value).subspan(leaf.offset, leaf.size), order_, names_, text_));
  }
}

void ValueArguments::add_named(EmitRecipe& recipe, const NamedMemory& item) {
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
void ValueArguments::add_reference(EmitRecipe& recipe, NameId name, const ValueLayout& layout,
                                   std::span<const std::byte> bytes) {
  recipe.set_for_one_frame();
  const auto target = labels_.memory_at(unsigned_bits(bytes, order_), layout.size);
  if (target.empty()) {
    recipe.add_number(name, ValueForm::Pointer, bytes);
    return;
  }
  // The value has the name of the reference.
  std::erase(claimed_names_, name);
  add_leaves(recipe, layout, target);
}

void ValueArguments::add_untyped(EmitRecipe& recipe, const NamedMemory& item) {
  const ValueForm form = untyped_form(item.bytes.size(), item.size);
  if (is_number(form, item.size))
    recipe.add_number(item.name, form, item.bytes);
  else
    recipe.add_own({item.name, spelled_text(item.bytes, item.size)});
}

// Shows the leaves whose bytes were recorded. A leaf that two items have is shown once.
void ValueArguments::add_leaves(EmitRecipe& recipe, const ValueLayout& layout,
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
      recipe.add_own(argument_of(leaf, recorded, order_, names_, text_));
  }
  if (layout.more > 0) recipe.add({layout.more_name, layout.more});
}

// False if the frame already has an argument of this name, or will have a text of it: a collected text
// (collect/s) is shown instead of the pointer to it, whichever comes first.
bool ValueArguments::claim_name(NameId name, bool is_text) {
  if (!is_text && std::ranges::find(names_of_texts_, name) != names_of_texts_.end()) return false;
  if (std::ranges::find(claimed_names_, name) != claimed_names_.end()) return false;
  if (claimed_names_.size() < kMaxDistinctItems) claimed_names_.push_back(name);
  return true;
}

// One argument per address. Of several blocks at an address, the first one is shown; the blob holds the rest.
void ValueArguments::add_unnamed(EmitRecipe& recipe) {
  by_address_.assign(labels_.unnamed().begin(), labels_.unnamed().end());
  std::ranges::stable_sort(by_address_, {}, &Block::address);
  const auto same = [](const Block* a, const Block* b) { return a->address == b->address; };
  by_address_.erase(std::unique(by_address_.begin(), by_address_.end(), same), by_address_.end());
  for (const Block* block : by_address_) {
    const auto name = memory_name(block->address);
    if (!name)
      recipe.add_own(
          {unnamed_memory_, fmt::format("{:#x}: {}", block->address, spelled_text(block->bytes, 0))});
    else
      add_untyped(recipe, {.name = *name, .bytes = block->bytes, .size = block->bytes.size()});
  }
}

std::optional<NameId> ValueArguments::memory_name(std::uint64_t address) {
  if (const auto found = memory_names_.find(address); found != memory_names_.end()) return found->second;
  if (memory_names_.size() >= kMaxMemoryNames) return std::nullopt;
  return memory_names_.emplace(address, names_.intern(fmt::format("mem.{:#x}", address))).first->second;
}

}  // namespace convert::tfile
