#include "converters/tfile/events/value_arguments.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <variant>

#include "converters/model/notes.h"
#include "converters/model/reading/text.h"
#include "converters/tfile/description/argument_name.h"
#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

using Kind = CollectItem::Kind;

constexpr std::size_t kMaxLayouts = 65536, kMaxNoted = 4096;

bool is_text_pointer(const Type* type) {
  return type != nullptr && type->kind == Type::Kind::Pointer && type->target != nullptr &&
         type->target->size == 1 && (type->target->is_character || type->target->is_byte);
}

const NoteKind& note_kind_of(Missing missing) {
  switch (missing) {
    case Missing::OptimizedOut:
      return kOptimizedOut;
    case Missing::NotRecorded:
    case Missing::AtEntry:
    case Missing::OtherFrame:
      return kItemNotRecorded;
    default:
      return kItemNotUnderstood;
  }
}

// An item of unknown type is shown as text if it was collected with collect/s, unless it has the size of a
// number.
bool is_shown_as_text(bool is_collected_as_string, std::uint64_t size) {
  return is_collected_as_string && size != 1 && size != 2 && size != 4 && size != 8;
}

}  // namespace

ValueArguments::ValueArguments(const TraceFile& trace, const ProgramSymbols* symbols, RecipeDraft& draft,
                               FrameMemory& memory, NumberTexts& texts, ImportContext& import_context)
    : trace_(trace),
      symbols_(symbols),
      names_(import_context.names),
      notes_(import_context.timeline.new_notes()),
      draft_(draft),
      memory_(memory),
      items_(trace, symbols, memory),
      arguments_(draft, memory, texts, names_),
      work_(kFrameWork, trace.file->size()) {
  memory_.set_work(work_);
}

void ValueArguments::add(std::uint64_t number, std::int16_t tracepoint, const FrameContext& context,
                         const ExpectedFrames* location) {
  number_ = number;
  tracepoint_ = tracepoint;
  arguments_.start();
  if (location != nullptr && start_items(context, *location)) {
    const ExpectedBlocks& expected = context.is_step ? location->step : location->hit;
    add_items(expected);
    add_globals(context.pc.value_or(location->location->address), expected);
  }
  arguments_.add_unused();
}

// Returns false if the names of the frame's values are unknown: if there are neither items nor a program, or
// if the budget of work is exceeded.
bool ValueArguments::start_items(const FrameContext& context, const ExpectedFrames& location) {
  const ExpectedBlocks& expected = context.is_step ? location.step : location.hit;
  if (expected.items.empty() && symbols_ == nullptr) return false;
  const bool was_exceeded = work_.is_exceeded();
  // If the frame has no address, the address of the location is used. The actions were made for this address.
  const std::uint64_t address = context.pc.value_or(location.location->address);
  if (items_.start(tracepoint_, address, context, expected, work_)) return true;
  if (!was_exceeded)
    note_over_limit(notes_, Location::file(trace_.path), work_,
                    fmt::format("from frame {} on, values have no names", number_));
  return false;
}

void ValueArguments::add_items(const ExpectedBlocks& expected) {
  // If several items have the same name, only the first of them is shown. Therefore, items of collect/s are
  // added first.
  for (const bool are_strings : {true, false})
    for (std::size_t i = 0; i < expected.items.size(); ++i)
      if (expected.items[i].is_string == are_strings) add_item(i, expected);
  // Also marks the pointers that lead to the shown values as used.
  for (const Replay::ActionResult* const action : items_.expressions())
    for (const Replay::RecordedMemory& recording : action->recordings)
      if (!recording.is_operand && recording.blocks > 0 && arguments_.is_used(recording.first_block))
        arguments_.mark_used(*action);
}

// ---- With types ----

void ValueArguments::add_item(std::size_t index, const ExpectedBlocks& expected) {
  const ExpectedBlocks::Item& item = expected.items[index];
  const bool is_value = item.kind == Kind::Name || item.kind == Kind::Expression ||
                        item.kind == Kind::Value || item.kind == Kind::ReturnAddress;
  if (!is_value && item.kind != Kind::Variables) return;
  if (items_.is_contradicted(index)) {
    note(kItemContradicted, item.text,
         is_described(items_.values(index))
             ? "the recorded memory or registers do not match the item's location in the program"
             : "the program does not describe the item, and another item of the tracepoint does not match "
               "the program");
    return;
  }
  const auto& values = items_.values(index);
  bool is_typed = false;
  for (const ItemValue& value : values) {
    // If a visible variable of this name was also collected, the name belongs to that variable.
    if (value.is_hidden && items_.is_named(value.text)) continue;
    if (item.kind == Kind::Variables && items_.is_contradicted(value.text)) continue;
    // If the program does not show the place of the return address, add_recorded() shows what GDB recorded.
    if (item.kind == Kind::ReturnAddress && value.value.storage.kind == Storage::Kind::None) continue;
    is_typed |= add_value(value, pointer_form(item, expected));
  }
  if (!is_typed && is_value) {
    if (items_.is_known_step()) {
      note(kItemNotRecorded, item.text, "the program does not describe the item at the address of the step");
      return;
    }
    if (symbols_ != nullptr && item.kind != Kind::ReturnAddress)
      note(kUntypedValues, item.text,
           items_.is_understood(item.text)
               ? "the program does not describe the item, so it is shown as numbers"
               : "expressions of this form are not supported, so the item is shown as numbers");
    add_recorded(index, expected);
    return;
  }
  if (item.kind == Kind::Variables || values.size() != 1 ||
      values.front().value.storage.kind != Storage::Kind::Bytes)
    return;
  for (std::size_t j = 0; j < items_.expressions().size(); ++j)
    if (items_.item_of(j) == index) arguments_.mark_used(*items_.expressions()[j]);
}

// For `collect /s x, x`, GDB shows the address and the text.
ValueArguments::PointerForm ValueArguments::pointer_form(const ExpectedBlocks::Item& item,
                                                         const ExpectedBlocks& expected) const {
  if (!item.is_string) return PointerForm::Address;
  const bool is_also_collected = std::ranges::any_of(expected.items, [&](const ExpectedBlocks::Item& other) {
    return !other.is_string && other.text == item.text && other.kind == item.kind;
  });
  return is_also_collected ? PointerForm::AddressAndText : PointerForm::Text;
}

// Returns false if the program does not describe the value.
bool ValueArguments::add_value(const ItemValue& item, PointerForm form) {
  const Value& value = item.value;
  const Missing missing = value.storage.missing;
  if (value.type == nullptr) return false;
  if (value.storage.kind == Storage::Kind::None) {
    note(note_kind_of(missing), item.text, problem_of(missing));
    return true;
  }
  const bool is_in_memory = value.storage.kind == Storage::Kind::Memory;
  if (is_in_memory && value.type->kind == Type::Kind::Function) {
    add_address(item, value.storage.address);
    return true;
  }
  if (form != PointerForm::Address && add_text_at(item, form)) return true;
  if (is_in_memory) {
    if (!add_in_memory(item))
      note(kItemNotRecorded, item.text,
           bytes_of(value) == 0 ? std::string("the frame does not have the data that give the item's size")
                                : fmt::format("the frame does not have all of the {} bytes at {:#x}",
                                              bytes_of(value), value.storage.address));
  } else if (value.type->kind == Type::Kind::Reference) {
    const ItemValue target{item.text, without_reference(value, items_.evaluation())};
    if (target.value.storage.kind == Storage::Kind::Memory)
      add_target(item, target, target.value.storage.address);
  } else if (!add_leaves(item, value.storage.bytes, value.storage.known)) {
    note(kOptimizedOut, item.text, problem_of(Missing::OptimizedOut));
  }
  return true;
}

// Shows the text that a pointer to characters points to, if collect/s collected it.
bool ValueArguments::add_text_at(const ItemValue& item, PointerForm form) {
  const Value pointer = without_reference(item.value, items_.evaluation());
  if (!is_text_pointer(pointer.type)) return false;
  const auto address = integer_of(pointer, memory_);
  if (!address) return false;
  // For a null pointer, gdbserver also writes a block, with arbitrary contents.
  const bool is_null = *address == 0;
  if (is_null && form == PointerForm::AddressAndText) return false;
  const auto bytes = memory_.text(*address);
  if (bytes.empty() && !is_null) return false;
  const NameId name = name_of(item.text);
  if (arguments_.claim_name(name)) {
    std::string text = is_null ? "" : c_string_text(memory_.look_at(bytes));
    text = form == PointerForm::AddressAndText ? fmt::format("{:#x} \"{}\"", *address, text)
                                               : shown_string(std::move(text));
    draft_.add(is_null ? Argument(name, std::monostate{}) : Argument(name, text));
  }
  arguments_.mark_used(*address, 1);
  if (pointer.storage.kind == Storage::Kind::Memory)
    arguments_.mark_used(pointer.storage.address, pointer.type->size);
  return true;
}

// Shows the parts of a value whose memory was recorded. Returns false if no part was recorded.
bool ValueArguments::add_in_memory(const ItemValue& item) {
  const Type& type = *item.value.type;
  const std::uint64_t address = item.value.storage.address;
  if (type.kind == Type::Kind::Reference) {
    const auto bytes = items_.recorded(address, type.size);
    if (bytes.empty()) return false;
    arguments_.mark_used(address, type.size);
    const ItemValue target{item.text, without_reference(item.value, items_.evaluation())};
    if (target.value.type == nullptr) return false;
    add_target(item, target,
               unsigned_bits(memory_.look_at(bytes.first(memory_.address_bytes())), memory_.order()));
    return true;
  }
  // GDB records the address of an array of unknown size, but none of its elements.
  if (type.size == 0 && type.kind == Type::Kind::Array && !type.first_attribute && !type.data_attribute) {
    add_address(item, address);
    return true;
  }
  if (type.size == 0 && type.kind == Type::Kind::Pointer) {  // nullptr_t, which has one value
    add_address(item, 0);
    arguments_.mark_used(address, memory_.address_bytes());
    return true;
  }
  if (type.size == 0 && type.members.empty()) return type.kind == Type::Kind::Struct;
  bool has_any = false;
  const ValueLayout& layout = layout_of(item);
  for (const Leaf& leaf : layout.leaves) {
    auto bytes = items_.recorded(address + leaf.offset, leaf.size);
    if (bytes.empty() && leaf.form == ValueForm::Text)  // the frame may have only the beginning of the text
      bytes = items_.recorded(address + leaf.offset, memory_.text(address + leaf.offset, leaf.size).size());
    if (bytes.empty()) continue;
    has_any = true;
    arguments_.mark_used(address + leaf.offset, leaf.size);
    arguments_.add_leaf(leaf, bytes);
  }
  if (layout.leaves.empty() || (has_any && layout.more > 0)) arguments_.mark_used(address, type.size);
  if (has_any) arguments_.add_more(layout);
  return has_any || layout.leaves.empty();
}

// Shows a value from the program's read-only data. The frame need not contain it.
bool ValueArguments::add_constant(const ItemValue& item) {
  const auto bytes = symbols_->constant_bytes(item.value.storage.address);
  const std::uint64_t size = bytes_of(item.value);
  if (size == 0 && item.value.type->members.empty()) return false;  // a function, or an array of unknown size
  return !bytes.empty() && size <= bytes.size() && add_leaves(item, size > 0 ? bytes.first(size) : bytes, {});
}

// Shows the parts of a value that is in registers or computed.
bool ValueArguments::add_leaves(const ItemValue& item, std::span<const std::byte> bytes,
                                const std::vector<bool>& known) {
  bool has_any = bytes.empty();
  const ValueLayout& layout = layout_of(item);
  const auto is_known = [&known](const Leaf& leaf) {
    if (known.empty()) return true;
    const auto first = known.begin() + static_cast<std::ptrdiff_t>(leaf.offset);
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(leaf.size), std::identity{});
  };
  for (const Leaf& leaf : layout.leaves) {
    // Sizes in damaged DWARF may overflow.
    if (leaf.offset > bytes.size() || leaf.size > bytes.size() - leaf.offset || !is_known(leaf)) continue;
    has_any = true;
    arguments_.add_leaf(leaf, bytes.subspan(leaf.offset, leaf.size));
  }
  if (has_any) arguments_.add_more(layout);
  return has_any;
}

// Shows the address of a function, or of an array of unknown size.
void ValueArguments::add_address(const ItemValue& item, std::uint64_t address) {
  const NameId name = name_of(item.text);
  if (!arguments_.claim_name(name)) return;
  const bool is_function = item.value.type != nullptr && item.value.type->kind == Type::Kind::Function;
  arguments_.add_pointer(name, is_function ? ValueForm::ObjectPointer : ValueForm::Pointer, address);
}

// Shows the target of a reference. `address` is the target's address. If the target's contents are
// unknown, shows this address, or adds a note if the reference is implicit (Ada).
void ValueArguments::add_target(const ItemValue& item, const ItemValue& target, std::uint64_t address) {
  const bool is_in_memory = target.value.storage.kind == Storage::Kind::Memory;
  if (is_in_memory && (add_in_memory(target) || add_constant(target))) return;
  if (item.value.type->is_implicit)
    note(kItemNotRecorded, item.text,
         fmt::format("the frame does not have the data to which the item refers, at {:#x}", address));
  else
    add_address(target, address);
}

const ValueLayout& ValueArguments::layout_of(const ItemValue& item) {
  if (layouts_.size() >= kMaxLayouts) layouts_.clear();
  const Value& value = item.value;
  const auto [found, is_new] =
      layouts_.try_emplace({value.type, name_of(item.text), value.bit_offset, value.bit_size});
  if (!is_new) return found->second;
  return found->second =
             value_layout(*value.type, std::string(item.text), names_, value.bit_offset, value.bit_size);
}

NameId ValueArguments::name_of(std::string_view text) {
  const auto found = value_names_.find(text);
  if (found != value_names_.end()) return found->second;
  return value_names_.emplace(text, names_.intern(argument_name(text))).first->second;
}

// ---- Without types ----

// Shows the memory that the actions recorded for an item, if it can't belong to another item.
void ValueArguments::add_recorded(std::size_t index, const ExpectedBlocks& expected) {
  const ExpectedBlocks::Item& item = expected.items[index];
  const auto add = [&](const Replay::RecordedMemory& recording) {
    arguments_.mark_used(recording.address, recording.size);
    if (!arguments_.claim_name(item.name)) return;
    if (item.kind == Kind::ReturnAddress)
      draft_.add_number(item.name, ValueForm::Pointer, recording.bytes);
    else if (recording.is_string)
      draft_.add({item.name, shown_string(c_string_text(memory_.look_at(recording.bytes)))});
    else if (is_shown_as_text(item.is_string, recording.bytes.size()))
      draft_.add({item.name, shown_string(string_text(memory_.look_at(recording.bytes)))});
    else
      arguments_.add_untyped(item.name, recording.bytes, recording.size);
  };
  for (std::size_t j = 0; j < items_.expressions().size(); ++j) {
    if (items_.item_of(j) != index) continue;
    const Replay::ActionResult& action = *items_.expressions()[j];
    bool has_result = false;
    // Texts come first, so that the text is shown instead of the pointer to the text.
    for (const bool wants_string : {true, false})
      for (const Replay::RecordedMemory& recording : action.recordings) {
        if (recording.is_operand || recording.is_string != wants_string) continue;
        has_result = true;
        if (recording.is_string && recording.address == 0) {
          if (arguments_.claim_name(item.name)) draft_.add({item.name, std::monostate{}});
          arguments_.mark_used(action);
        } else if (recording.size == 0) {
          add_address({item.text, {}}, recording.address);
          arguments_.mark_used(action);
        } else {
          add(recording);
        }
      }
    // Constants are left out, because GDB gets some of them wrong: for "&main", it records 0.
    const bool is_computed =
        expected.shapes[j].reads && (item.kind == Kind::Value || !expected.shapes[j].blocks.empty());
    if (!has_result && is_computed && action.result && arguments_.claim_name(item.name)) {
      draft_.add({item.name, static_cast<std::int64_t>(*action.result)});
      arguments_.mark_used(action);
    }
  }
  if (item.kind != Kind::Name && expected.range_item != index) return;
  const bool knows_object = symbols_ != nullptr && item.kind == Kind::Name;
  const auto object = knows_object ? symbols_->object(item.text) : std::nullopt;
  for (const Replay::ActionResult& action : items_.actions()) {
    if (action.source->kind != TracepointAction::Kind::Memory) continue;
    for (const Replay::RecordedMemory& recording : action.recordings) {
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

// Shows memory that is exactly one global variable of the program, even if no item names it: GDB does not
// write the items of `default-collect` into the file. `address` is the address of the frame's code. If the
// actions contradict an item's place in the program, this may be the wrong program, and nothing is shown.
void ValueArguments::add_globals(std::uint64_t address, const ExpectedBlocks& expected) {
  for (std::size_t i = 0; i < expected.items.size(); ++i)
    if (expected.items[i].kind != Kind::Variable && items_.is_contradicted(i)) return;
  const CodeScope* const scope = symbols_ != nullptr ? symbols_->scope_at(address) : nullptr;
  if (scope == nullptr) return;
  for (std::size_t i = 0; i < memory_.memory().size(); ++i) {
    const HeldBlock& block = memory_.memory()[i];
    if (arguments_.is_used(i)) continue;
    const std::string name = symbols_->symbol_at(memory_.masked(block.address));
    if (name.empty() || !work_.take(name.size())) continue;
    const ItemValue item{name, evaluate(name, {*scope, memory_, trace_.description.variables})};
    const Value& value = item.value;
    if (value.type != nullptr && value.type->kind != Type::Kind::Reference &&
        value.storage.kind == Storage::Kind::Memory && value.bit_size == 0 &&
        memory_.masked(value.storage.address) == memory_.masked(block.address) &&
        bytes_of(value) == block.bytes.size())
      add_value(item, PointerForm::Address);
  }
}

// Adds a note about an item, but each kind of note only once for each item of a tracepoint.
void ValueArguments::note(const NoteKind& kind, std::string_view item, std::string_view problem) {
  if (noted_.size() >= kMaxNoted || !noted_.emplace(&kind, tracepoint_, std::string(item)).second) return;
  Lacking& lacking = lacking_[tracepoint_];
  if (lacking.items++ == 0)
    lacking.first = fmt::format("`{}`: {}", item, problem.substr(0, problem.find(": ")));
  notes_.add(kind, Location::file(trace_.path),
             fmt::format("tracepoint {}, frame {}: `{}`: {}", tracepoint_, number_, item, problem));
}

}  // namespace convert::tfile
