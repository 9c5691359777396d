#include "converters/tfile/events/value_arguments.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/tfile/actions/wanted_registers.h"
#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

using Kind = CollectItem::Kind;

// A file may have any number of addresses, so only some of their names are interned.
constexpr std::size_t kMaxMemoryNames = 65536;
// Repeated names are found among the first items only.
constexpr std::size_t kMaxDistinctItems = 256;
constexpr std::size_t kMaxLayouts = 65536, kMaxNoted = 4096;

bool is_text_pointer(const Type* type) {
  return type != nullptr && type->kind == Type::Kind::Pointer && type->target != nullptr &&
         type->target->is_character && type->target->size == 1;
}

std::uint64_t bytes_of(const Value& value) {
  return value.bit_size != 0 ? (value.bit_offset + value.bit_size + 7) / 8 : value.type->size;
}

// Whether an item of unknown type is text. Even with collect/s, an item of the size of a number is not.
bool is_text(bool is_collected_as_string, std::uint64_t size) {
  return is_collected_as_string && size != 1 && size != 2 && size != 4 && size != 8;
}

}  // namespace

ValueArguments::ValueArguments(const TraceFile& trace, const ProgramSymbols* symbols, NumberTexts& texts,
                               ImportContext& import_context)
    : trace_(trace),
      symbols_(symbols),
      texts_(texts),
      names_(import_context.names),
      notes_(import_context.timeline.new_notes()),
      unnamed_memory_(names_.intern(argument_names::kMemory)),
      memory_(trace.register_layout(), trace.format.order, [symbols](std::uint64_t address) {
        return symbols != nullptr ? symbols->constant_bytes(address) : std::span<const std::byte>();
      }) {}

void ValueArguments::add(EmitRecipe& recipe, const Frame& frame, const FrameContext& context,
                         const ExpectedFrames* location, bool is_fast) {
  frame_ = &frame;
  scope_ = nullptr;
  memory_.start(frame, context.registers, is_fast);
  is_explained_.assign(memory_.blocks().size(), false);
  claimed_names_.clear();
  if (location != nullptr) {
    // The actions were made for the location's address, which also serves where the frame has none.
    if (symbols_ != nullptr) scope_ = symbols_->scope_at(context.pc.value_or(location->location->address));
    add_items(recipe, context, context.is_step ? location->step : location->hit);
  }
  add_unexplained(recipe);
  if (memory_.has_read_values()) recipe.set_for_one_frame();
}

void ValueArguments::add_items(EmitRecipe& recipe, const FrameContext& context,
                               const ExpectedBlocks& expected) {
  replay_.run(expected.actions, expected.is_needed, memory_);
  expressions_.clear();
  for (const Replay::Action& action : replay_.actions())
    if (action.action->kind == TracepointAction::Kind::Expression) expressions_.push_back(&action);
  item_of_ = expected.item_of;
  values_.assign(expected.items.size(), {});
  is_contradicted_ = false;
  is_elsewhere_ = context.is_step && context.pc;
  if (scope_ != nullptr) {
    for (std::size_t i = 0; i < expected.items.size(); ++i)
      for (auto& [text, value] : evaluate_item(expected.items[i], evaluation()))
        values_[i].push_back({text, name_of(text), std::move(value)});
    if (!context.pc) keep_values_in_memory();
    // Elsewhere, the actions are no evidence.
    is_contradicted_ = is_elsewhere_ ? contradicted_.contains(frame_->tracepoint) : !align(expected);
    if (is_contradicted_) contradicted_.insert(frame_->tracepoint);
  }
  // A text (collect/s) is shown instead of the pointer to it, whichever was collected first.
  for (const bool are_strings : {true, false})
    for (std::size_t i = 0; i < expected.items.size(); ++i)
      if (expected.items[i].is_string == are_strings) add_item(recipe, i, expected);
  // Pointers on the way to what is shown.
  for (const Replay::Action* const action : expressions_)
    for (const Replay::Recording& recording : action->recordings)
      if (!recording.is_operand && recording.blocks > 0 && is_explained_[recording.first_block])
        explain(*action);
}

// ---- Evaluating ----

// A frame without a pc may be anywhere, where variables have other registers and constants.
void ValueArguments::keep_values_in_memory() {
  for (auto& values : values_)
    for (NamedValue& named : values)
      if (named.value.storage.kind == Storage::Kind::Bytes) named.value.type = nullptr;
}

NameId ValueArguments::name_of(std::string_view text) {
  const auto found = value_names_.find(text);
  if (found != value_names_.end()) return found->second;
  return value_names_.emplace(text, names_.intern(value_argument_name(text))).first->second;
}

// ---- The proof ----

// Whether the actions can have recorded the items where the program has them.
bool ValueArguments::align(const ExpectedBlocks& expected) {
  for (const auto& values : values_)
    for (const NamedValue& named : values)
      if (named.value.storage.reg != nullptr && !is_in_mask(expected.actions, *named.value.storage.reg))
        return false;
  alignment_.start(expected.items.size(), expressions_.size());
  for (std::size_t i = 0; i < expected.items.size(); ++i) {
    const ExpectedBlocks::Item& item = expected.items[i];
    if (item.kind == Kind::Variables) alignment_.allow_many(i);
    // A variable in memory has an expression, unless it is static.
    const bool is_in_frame = item.kind == Kind::Name && values_[i].front().value.type != nullptr &&
                             values_[i].front().value.storage.kind == Storage::Kind::Memory &&
                             values_[i].front().value.type->kind != Type::Kind::Function &&
                             !is_static(values_[i].front());
    if (may_have_no_expression(item) && !is_in_frame) alignment_.allow_none(i);
    for (std::size_t j = 0; j < expressions_.size(); ++j) {
      const ExpressionShape& shape = expected.shapes[j];
      std::string_view variable;
      if (shape.only_variable)
        for (const TraceVariable& known : trace_.description.variables)
          if (known.number == *shape.only_variable) variable = known.name;
      // The program tells better than the text whether an expression has an address.
      CollectItem as = item;
      if (as.kind == Kind::Value && values_[i].front().value.type != nullptr) as.kind = Kind::Expression;
      if (!may_record(shape, variable, as)) continue;
      const bool can_be_it =
          values_[i].empty() || std::ranges::any_of(values_[i], [&](const NamedValue& named) {
            return fits(named, item.is_string, *expressions_[j], shape);
          });
      if (can_be_it) alignment_.allow(i, j);
    }
  }
  if (!alignment_.solve()) return false;
  for (std::size_t j = 0; j < expressions_.size(); ++j) item_of_[j] = alignment_.item_of(j);
  return true;
}

// Whether an expression can have recorded a value. What is not known does not rule it out.
bool ValueArguments::fits(const NamedValue& named, bool is_string, const Replay::Action& action,
                          const ExpressionShape& shape) {
  const Value& value = named.value;
  if (value.type == nullptr || value.storage.kind == Storage::Kind::None || !action.is_complete) return true;
  const bool has_recorded_result = std::ranges::any_of(
      action.recordings, [](const Replay::Recording& recording) { return !recording.is_operand; });
  if (value.storage.kind == Storage::Kind::Bytes) {
    if (has_recorded_result) return is_string;
    const auto number = integer_of(value, memory_);
    const bool is_truth = named.text.find_first_of("!=<>&|") != std::string_view::npos;
    if (!number || !action.result || !shape.reads || is_truth) return true;
    const std::uint64_t size = std::min<std::uint64_t>(value.type->size, sizeof(std::uint64_t));
    return (*number ^ *action.result) << (64 - 8 * size) == 0;
  }
  if (value.bit_size != 0 || value.type->kind == Type::Kind::Function) return true;
  const std::uint64_t size = value.type->size;
  for (const Replay::Recording& recording : action.recordings) {
    const bool is_whole =
        recording.size == size || size == 0 || is_string || value.type->kind == Type::Kind::Reference;
    if (recording.address == value.storage.address && is_whole) return true;
  }
  return !is_held(value);
}

bool ValueArguments::is_held(const Value& value) {
  return value.type != nullptr && value.storage.kind == Storage::Kind::Memory && bytes_of(value) > 0 &&
         !memory_.bytes(value.storage.address, bytes_of(value)).empty();
}

bool ValueArguments::is_static(const NamedValue& named) const {
  return replay_.is_in_a_range(named.value.storage.address, bytes_of(named.value));
}

// ---- Showing ----

void ValueArguments::add_item(EmitRecipe& recipe, std::size_t index, const ExpectedBlocks& expected) {
  const ExpectedBlocks::Item& item = expected.items[index];
  const bool is_value = item.kind == Kind::Name || item.kind == Kind::Expression ||
                        item.kind == Kind::Value || item.kind == Kind::ReturnAddress;
  if (!is_value && item.kind != Kind::Variables) return;
  if (is_contradicted_) {
    note(kItemContradicted, item.text, "its actions recorded other memory than the program has it in");
    if (is_value) add_recorded(recipe, index, expected);
    return;
  }
  bool is_typed = false;
  for (const NamedValue& named : values_[index]) is_typed |= add_value(recipe, named, item.is_string);
  if (!is_typed && is_value) {
    if (symbols_ != nullptr && item.kind != Kind::ReturnAddress)
      note(kUntypedValues, item.text,
           "the program does not describe it: its numbers are shown by their size");
    add_recorded(recipe, index, expected);
    return;
  }
  for (std::size_t j = 0; j < expressions_.size(); ++j)
    if (item_of_[j] == index && item.kind != Kind::Variables && values_[index].size() == 1 &&
        values_[index].front().value.storage.kind == Storage::Kind::Bytes)
      explain(*expressions_[j]);
}

// False when the program does not tell what the value is.
bool ValueArguments::add_value(EmitRecipe& recipe, const NamedValue& named, bool is_string) {
  const Value& value = named.value;
  if (value.type == nullptr) return false;
  switch (value.storage.kind) {
    case Storage::Kind::None:
      note(value.storage.missing == Missing::OptimizedOut ? kOptimizedOut
           : value.storage.missing == Missing::NotRecorded || value.storage.missing == Missing::AtEntry
               ? kItemNotRecorded
               : kItemNotUnderstood,
           named.text, problem_of(value.storage.missing));
      return true;
    case Storage::Kind::Memory:
      if (value.type->kind == Type::Kind::Function) {
        add_address(recipe, named, value.storage.address);
        return true;
      }
      if (is_string && add_text_at(recipe, named)) return true;
      if (!add_in_memory(recipe, named, value.storage.address))
        note(kItemNotRecorded, named.text,
             bytes_of(value) == 0 ? std::string("the frame does not hold what tells its size")
                                  : fmt::format("the frame does not hold all of the {} bytes at {:#x}",
                                                bytes_of(value), value.storage.address));
      return true;
    case Storage::Kind::Bytes:
      break;
  }
  if (is_string && add_text_at(recipe, named)) return true;
  if (value.type->kind == Type::Kind::Reference) {
    const Value target = without_reference(value, evaluation());
    if (target.storage.kind == Storage::Kind::Memory) {
      const NamedValue named_target{named.text, named.name, target};
      if (!add_in_memory(recipe, named_target, target.storage.address) && !add_constant(recipe, named_target))
        add_target(recipe, named, target.storage.address);
    }
    return true;
  }
  if (!add_leaves(recipe, named, value.storage.bytes, value.storage.known))
    note(kOptimizedOut, named.text, problem_of(Missing::OptimizedOut));
  return true;
}

// The text that a pointer to characters points to, if it was collected by collect/s.
bool ValueArguments::add_text_at(EmitRecipe& recipe, const NamedValue& named) {
  const Value pointer = without_reference(named.value, evaluation());
  if (!is_text_pointer(pointer.type)) return false;
  const auto address = integer_of(pointer, memory_);
  if (!address || *address == 0) return false;  // the block of a null pointer holds anything
  const auto bytes = memory_.held_from(memory_.masked(*address));
  if (bytes.empty()) return false;
  if (claim_name(named.name)) recipe.add_own({named.name, string_text(bytes)});
  explain(memory_.masked(*address), 1);
  if (pointer.storage.kind == Storage::Kind::Memory) explain(pointer.storage.address, pointer.type->size);
  return true;
}

// Shows the parts of a value whose memory was recorded. False when there are none.
bool ValueArguments::add_in_memory(EmitRecipe& recipe, const NamedValue& named, std::uint64_t address) {
  const Type& type = *named.value.type;
  const auto recorded = [&](std::uint64_t from, std::uint64_t size) -> std::span<const std::byte> {
    if (!is_elsewhere_ && !replay_.has_recorded(memory_.masked(from), size)) return {};
    return memory_.bytes(from, size);
  };
  if (type.kind == Type::Kind::Reference) {
    const auto bytes = recorded(address, type.size);
    if (bytes.empty()) return false;
    explain(address, type.size);
    const NamedValue target{named.text, named.name, without_reference(named.value, evaluation())};
    if (target.value.type == nullptr) return false;
    if (target.value.storage.kind != Storage::Kind::Memory ||
        (!add_in_memory(recipe, target, target.value.storage.address) && !add_constant(recipe, target)))
      add_target(recipe, named, unsigned_bits(bytes.first(memory_.address_bytes()), memory_.order()));
    return true;
  }
  // GDB records the address of an array of unknown size, and none of its elements.
  if (type.size == 0 && type.kind == Type::Kind::Array && !type.first_attribute && !type.data_attribute) {
    add_address(recipe, named, address);
    return true;
  }
  if (type.size == 0 && type.members.empty()) return type.kind == Type::Kind::Struct;
  bool has_any = false;
  const ValueLayout& layout = layout_of(named);
  for (const Leaf& leaf : layout.leaves) {
    auto bytes = recorded(address + leaf.offset, leaf.size);
    if (bytes.empty() && leaf.form == ValueForm::Text) {  // its beginning
      const auto held = memory_.held_from(memory_.masked(address + leaf.offset));
      bytes = recorded(address + leaf.offset, std::min<std::uint64_t>(held.size(), leaf.size));
    }
    if (bytes.empty()) continue;
    has_any = true;
    explain(address + leaf.offset, leaf.size);
    add_leaf(recipe, leaf, bytes);
  }
  if (layout.leaves.empty()) {
    explain(address, type.size);
    return true;
  }
  if (has_any && layout.more > 0) {
    explain(address, type.size);
    if (claim_name(layout.more_name)) recipe.add({layout.more_name, layout.more});
  }
  return has_any;
}

// Shows a value that is in the program's read-only data, which the frame need not hold.
bool ValueArguments::add_constant(EmitRecipe& recipe, const NamedValue& named) {
  const auto bytes = symbols_->constant_bytes(named.value.storage.address);
  const std::uint64_t size = bytes_of(named.value);
  if (size == 0 && named.value.type->members.empty()) return false;  // a function, or an array of any size
  return !bytes.empty() && size <= bytes.size() &&
         add_leaves(recipe, named, size > 0 ? bytes.first(size) : bytes, {});
}

// Shows the parts of a value that is in registers or computed.
bool ValueArguments::add_leaves(EmitRecipe& recipe, const NamedValue& named, std::span<const std::byte> bytes,
                                const std::vector<bool>& known) {
  memory_.set_read_values();
  bool has_any = bytes.empty();
  const ValueLayout& layout = layout_of(named);
  for (const Leaf& leaf : layout.leaves) {
    if (leaf.offset + leaf.size > bytes.size()) continue;
    if (!known.empty()) {
      const auto first = known.begin() + static_cast<std::ptrdiff_t>(leaf.offset);
      if (std::find(first, first + static_cast<std::ptrdiff_t>(leaf.size), false) !=
          first + static_cast<std::ptrdiff_t>(leaf.size))
        continue;
    }
    has_any = true;
    add_leaf(recipe, leaf, bytes.subspan(leaf.offset, leaf.size));
  }
  if (has_any && layout.more > 0 && claim_name(layout.more_name)) recipe.add({layout.more_name, layout.more});
  return has_any;
}

// A leaf that two items have is shown once.
void ValueArguments::add_leaf(EmitRecipe& recipe, const Leaf& leaf, std::span<const std::byte> bytes) {
  if (!claim_name(leaf.name)) return;
  const std::span<const std::byte> frame = frame_->bytes;
  const bool is_in_frame = !std::less<>()(bytes.data(), frame.data()) &&
                           !std::less<>()(frame.data() + frame.size(), bytes.data() + bytes.size());
  if (is_plain_number(leaf) && is_in_frame)
    recipe.add_number(leaf.name, leaf.form, bytes);
  else if (has_pointee(leaf.form) && leaf.bit_size == 0)
    add_pointer(recipe, leaf.name, leaf.form, unsigned_bits(bytes, memory_.order()));
  else if (leaf.form == ValueForm::FunctionMember)
    add_function_member(recipe, leaf, bytes);
  else if (leaf.form == ValueForm::TextSlice)
    add_slice(recipe, leaf, bytes);
  else if (leaf.form == ValueForm::Text)
    recipe.add_own({leaf.name, string_text(bytes)});
  else if (leaf.form == ValueForm::Bytes && leaf.bit_size == 0)
    recipe.add_own({leaf.name, spelled_text(bytes, leaf.size)});
  else if (leaf.form == ValueForm::Bool || leaf.form == ValueForm::Character)
    recipe.add_own(argument_of(leaf, bytes, memory_.order(), names_, text_),
                   number_of(leaf, bytes, memory_.order()));
  else
    recipe.add_own(argument_of(leaf, bytes, memory_.order(), names_, text_));
}

// The text may be in the frame, or in the program's read-only data.
void ValueArguments::add_slice(EmitRecipe& recipe, const Leaf& leaf, std::span<const std::byte> bytes) {
  const std::uint64_t address = unsigned_bits(bytes.subspan(leaf.pointer_at, leaf.size / 2), memory_.order());
  const std::uint64_t length = unsigned_bits(bytes.subspan(leaf.length_at, leaf.size / 2), memory_.order());
  auto text = memory_.bytes(address, length);
  if (text.size() < length && symbols_ != nullptr) text = symbols_->constant_bytes(address);
  if (text.size() < length) {
    recipe.add_own({leaf.name, fmt::format("{:#x} ({} bytes)", address, length)});
    return;
  }
  explain(address, length);
  recipe.add_own({leaf.name, string_text(text.first(length))});
}

void ValueArguments::add_address(EmitRecipe& recipe, const NamedValue& named, std::uint64_t address) {
  if (!claim_name(named.name)) return;
  const bool is_function = named.value.type != nullptr && named.value.type->kind == Type::Kind::Function;
  add_pointer(recipe, named.name, is_function ? ValueForm::ObjectPointer : ValueForm::Pointer, address);
}

// A reference to what the frame does not hold: its address, if it is something that the program knows.
void ValueArguments::add_target(EmitRecipe& recipe, const NamedValue& named, std::uint64_t address) {
  if (named.value.type->is_implicit)
    note(kItemNotRecorded, named.text,
         fmt::format("the frame does not hold what it refers to, at {:#x}", address));
  else
    add_address(recipe, named, address);
}

void ValueArguments::add_pointer(EmitRecipe& recipe, NameId name, ValueForm form, std::uint64_t address) {
  const auto text = has_pointee(form) ? texts_.of(form, address) : std::nullopt;
  const Argument number(name, Pointer{address});
  recipe.add_own(text ? Argument(name, *text) : number, number);
}

// An odd "address" is the place in the table of virtual functions, and 1.
void ValueArguments::add_function_member(EmitRecipe& recipe, const Leaf& leaf,
                                         std::span<const std::byte> bytes) {
  const std::size_t half = bytes.size() / 2;
  const std::uint64_t function = unsigned_bits(bytes.first(half), memory_.order());
  const auto added = static_cast<std::int64_t>(signed_bits(bytes.subspan(half), memory_.order()));
  const bool is_virtual = function % 2 != 0;
  const std::int64_t key = function == 0 ? 0 : function_member_key(function, added);
  const auto known = std::ranges::find(leaf.enumerators, key, [](const auto& e) { return e.first; });
  if (known != leaf.enumerators.end() && (function == 0 || is_virtual)) {
    recipe.add_own({leaf.name, known->second});
    return;
  }
  const auto text = texts_.of(ValueForm::ObjectPointer, function);
  if (!is_virtual && added == 0) return add_pointer(recipe, leaf.name, ValueForm::ObjectPointer, function);
  recipe.add_own({leaf.name, fmt::format("{}{}",
                                         is_virtual ? fmt::format("&virtual table offset {}", function - 1)
                                         : text     ? std::string(names_.text(*text))
                                                    : fmt::format("{:#x}", function),
                                         added != 0 ? fmt::format(", this adjustment {}", added) : "")});
}

const ValueLayout& ValueArguments::layout_of(const NamedValue& named) {
  if (layouts_.size() >= kMaxLayouts) layouts_.clear();
  const Value& value = named.value;
  const auto [found, is_new] =
      layouts_.try_emplace({value.type, named.name, value.bit_offset, value.bit_size});
  if (!is_new) return found->second;
  found->second = value_layout(*value.type, std::string(named.text), names_);
  if (value.bit_size != 0)
    for (Leaf& leaf : found->second.leaves) {
      leaf.size = bytes_of(value);
      leaf.bit_offset = value.bit_offset;
      leaf.bit_size = value.bit_size;
    }
  return found->second;
}

// ---- Without types ----

// Shows what the actions recorded for an item, as far as it can't be another's.
void ValueArguments::add_recorded(EmitRecipe& recipe, std::size_t index, const ExpectedBlocks& expected) {
  const ExpectedBlocks::Item& item = expected.items[index];
  const auto& item_of = is_contradicted_ ? expected.item_of : item_of_;
  const auto add = [&](const Replay::Recording& recording) {
    explain(recording.address, recording.size);
    if (!claim_name(item.name)) return;
    if (item.kind == Kind::ReturnAddress)
      recipe.add_number(item.name, ValueForm::Pointer, recording.bytes);
    else if (recording.is_string || is_text(item.is_string, recording.bytes.size()))
      recipe.add_own({item.name, string_text(recording.bytes)});
    else
      add_untyped(recipe, item.name, recording.bytes, recording.size);
  };
  for (std::size_t j = 0; j < expressions_.size(); ++j) {
    if (item_of[j] != index) continue;
    const Replay::Action& action = *expressions_[j];
    bool has_result = false;
    // A text is shown instead of the pointer to it.
    for (const bool wants_string : {true, false})
      for (const Replay::Recording& recording : action.recordings) {
        if (recording.is_operand || recording.is_string != wants_string) continue;
        has_result = true;
        if (recording.size == 0 || (recording.is_string && recording.address == 0)) {
          add_address(recipe, {item.text, item.name, {}}, recording.address);
          explain(action);
        } else {
          add(recording);
        }
      }
    // GDB gets some constants wrong: "&main" is 0.
    const bool is_computed =
        expected.shapes[j].reads && (item.kind == Kind::Value || expected.shapes[j].records);
    if (!has_result && is_computed && action.result && claim_name(item.name)) {
      recipe.add_own({item.name, static_cast<std::int64_t>(*action.result)});
      explain(action);
    }
  }
  if (item.kind != Kind::Name && expected.range_item != index) return;
  const bool knows_object = symbols_ != nullptr && !is_contradicted_ && item.kind == Kind::Name;
  const auto object = knows_object ? symbols_->object(item.text) : std::nullopt;
  for (const Replay::Action& action : replay_.actions()) {
    if (action.action->kind != TracepointAction::Kind::Memory) continue;
    for (const Replay::Recording& recording : action.recordings) {
      if (!object) {
        if (expected.range_item == index) add(recording);
        continue;
      }
      const std::uint64_t offset = memory_.masked(object->address) - recording.address;
      if (object->size == 0 || offset >= recording.bytes.size() || recording.size - offset < object->size)
        continue;
      const auto here = recording.bytes.subspan(
          offset, std::min<std::uint64_t>(object->size, recording.bytes.size() - offset));
      add({.address = memory_.masked(object->address), .size = object->size, .bytes = here});
    }
  }
}

void ValueArguments::add_untyped(EmitRecipe& recipe, NameId name, std::span<const std::byte> bytes,
                                 std::uint64_t size) {
  const ValueForm form = untyped_form(bytes.size(), size);
  if (is_number(form, size))
    recipe.add_number(name, form, bytes);
  else
    recipe.add_own({name, spelled_text(bytes, size)});
}

// One argument per address. Of several blocks at an address, the first one is shown; the blob holds the rest.
void ValueArguments::add_unexplained(EmitRecipe& recipe) {
  by_address_.clear();
  for (std::size_t i = 0; i < is_explained_.size(); ++i)
    if (!is_explained_[i]) by_address_.push_back(memory_.blocks()[i]);
  std::ranges::stable_sort(by_address_, {}, &Block::address);
  const auto same = [](const Block* a, const Block* b) { return a->address == b->address; };
  by_address_.erase(std::unique(by_address_.begin(), by_address_.end(), same), by_address_.end());
  for (const Block* block : by_address_) {
    const auto name = memory_name(block->address);
    if (!name)
      recipe.add_own(
          {unnamed_memory_, fmt::format("{:#x}: {}", block->address, spelled_text(block->bytes, 0))});
    else
      add_untyped(recipe, *name, block->bytes, block->bytes.size());
  }
}

void ValueArguments::explain(std::uint64_t address, std::uint64_t size) {
  address = memory_.masked(address);
  for (std::size_t i = 0; i < is_explained_.size(); ++i) {
    const Block& block = *memory_.blocks()[i];
    const std::uint64_t begin = memory_.masked(block.address);
    if (begin < address + size && address < begin + block.bytes.size()) is_explained_[i] = true;
  }
}

void ValueArguments::explain(const Replay::Action& action) {
  for (const Replay::Recording& recording : action.recordings)
    for (std::size_t i = 0; i < recording.blocks; ++i) is_explained_[recording.first_block + i] = true;
}

// False if the frame already has an argument of this name.
bool ValueArguments::claim_name(NameId name) {
  if (std::ranges::find(claimed_names_, name) != claimed_names_.end()) return false;
  if (claimed_names_.size() < kMaxDistinctItems) claimed_names_.push_back(name);
  return true;
}

std::optional<NameId> ValueArguments::memory_name(std::uint64_t address) {
  if (const auto found = memory_names_.find(address); found != memory_names_.end()) return found->second;
  if (memory_names_.size() >= kMaxMemoryNames) return std::nullopt;
  return memory_names_.emplace(address, names_.intern(fmt::format("mem.{:#x}", address))).first->second;
}

// Each item of a tracepoint is noted once.
void ValueArguments::note(const NoteKind& kind, std::string_view item, std::string_view problem) {
  if (noted_.size() >= kMaxNoted || !noted_.emplace(&kind, frame_->tracepoint, std::string(item)).second)
    return;
  Lacking& lacking = lacking_[frame_->tracepoint];
  if (lacking.items++ == 0)
    lacking.first = fmt::format("`{}`: {}", item, problem.substr(0, problem.find(": ")));
  notes_.add(
      kind, Location::file(trace_.path),
      fmt::format("tracepoint {}, frame {}: `{}`: {}", frame_->tracepoint, frame_->number, item, problem));
}

}  // namespace convert::tfile
