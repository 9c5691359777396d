#include "converters/tfile/events/frame_arguments.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/model/reading/text.h"
#include "converters/tfile/description/argument_name.h"

namespace convert::tfile {
namespace {

// Memory gets the name of its address, such as `mem.0x1000`. A file may have any number of addresses. At most
// this number of their names are interned.
constexpr std::size_t kMaxMemoryNames = 65536;
// A repeated name is recognized only if it is one of the frame's first kMaxDistinctItems names.
constexpr std::size_t kMaxDistinctItems = 256;

}  // namespace

FrameArguments::FrameArguments(RecipeDraft& draft, FrameMemory& memory, NumberTexts& texts, Names& names)
    : draft_(draft),
      memory_(memory),
      texts_(texts),
      names_(names),
      unnamed_memory_(names.intern(argument_names::kMemory)) {}

void FrameArguments::start() {
  is_used_.assign(memory_.memory().size(), false);
  claimed_names_.clear();
}

bool FrameArguments::claim_name(NameId name) {
  if (std::ranges::find(claimed_names_, name) != claimed_names_.end()) return false;
  if (claimed_names_.size() < kMaxDistinctItems) claimed_names_.push_back(name);
  return true;
}

void FrameArguments::add_untyped(NameId name, const FrameBytes& bytes, std::uint64_t size) {
  const ValueForm form = untyped_form(bytes.size(), size);
  if (is_number(form, size))
    draft_.add_number(name, form, bytes);
  else
    draft_.add({name, spelled_text(memory_.look_at(bytes), size)});
}

void FrameArguments::add_pointer(NameId name, ValueForm form, std::uint64_t address) {
  const auto text = has_pointee(form) ? texts_.pointer_text(form, address) : std::nullopt;
  const Argument number(name, Pointer{address});
  draft_.add(text ? Argument(name, *text) : number, number);
}

// If two items have the same leaf, the leaf is shown once.
void FrameArguments::add_leaf(const Leaf& leaf, const FrameBytes& bytes) {
  if (!claim_name(leaf.name)) return;
  if (is_plain_number(leaf) && bytes.is_in_frame())
    draft_.add_number(leaf.name, leaf.form, bytes);
  else
    add_value(leaf, memory_.look_at(bytes));
}

void FrameArguments::add_leaf(const Leaf& leaf, std::span<const std::byte> value) {
  if (claim_name(leaf.name)) add_value(leaf, value);
}

void FrameArguments::add_value(const Leaf& leaf, std::span<const std::byte> bytes) {
  if (has_pointee(leaf.form) && leaf.bit_size == 0)
    add_pointer(leaf.name, leaf.form, unsigned_bits(bytes, memory_.order()));
  else if (leaf.form == ValueForm::FunctionMember)
    add_function_member(leaf, bytes);
  else if (leaf.form == ValueForm::TextSlice)
    add_slice(leaf, bytes);
  else if (leaf.form == ValueForm::Text)
    draft_.add({leaf.name, shown_string(string_text(bytes))});
  else if (leaf.form == ValueForm::Bytes && leaf.bit_size == 0)
    draft_.add({leaf.name, spelled_text(bytes, leaf.size)});
  else if (leaf.form == ValueForm::Bool || leaf.form == ValueForm::Character)
    draft_.add(argument_of(leaf, bytes, memory_.order(), names_, text_),
               number_of(leaf, bytes, memory_.order()));
  else
    draft_.add(argument_of(leaf, bytes, memory_.order(), names_, text_));
}

// Adds the text of a TextSlice, which may be in the frame, or in the program's read-only data.
void FrameArguments::add_slice(const Leaf& leaf, std::span<const std::byte> bytes) {
  const std::uint64_t address = unsigned_bits(bytes.subspan(leaf.pointer_at, leaf.size / 2), memory_.order());
  const std::uint64_t length = unsigned_bits(bytes.subspan(leaf.length_at, leaf.size / 2), memory_.order());
  const auto text = memory_.read(address, length);
  if (text.size() < length) {
    draft_.add({leaf.name, fmt::format("{:#x} ({} bytes)", address, length)});
    return;
  }
  mark_used(address, length);
  draft_.add({leaf.name, shown_string(string_text(text))});
}

void FrameArguments::add_more(const ValueLayout& layout) {
  if (layout.more > 0 && claim_name(layout.more_name)) draft_.add({layout.more_name, layout.more});
}

// A pointer to a member function begins with the address of the function. If this number is odd, it is not an
// address, but the function's offset in the table of virtual functions, plus 1.
void FrameArguments::add_function_member(const Leaf& leaf, std::span<const std::byte> bytes) {
  const std::size_t half = bytes.size() / 2;
  const std::uint64_t function = unsigned_bits(bytes.first(half), memory_.order());
  const auto added = static_cast<std::int64_t>(signed_bits(bytes.subspan(half), memory_.order()));
  const bool is_virtual = function % 2 != 0;
  const std::int64_t key = function == 0 ? 0 : function_member_key(function, added);
  const auto known = std::ranges::find(leaf.enumerators, key, [](const auto& e) { return e.first; });
  if (known != leaf.enumerators.end() && (function == 0 || is_virtual)) {
    draft_.add({leaf.name, known->second});
    return;
  }
  const auto text = texts_.pointer_text(ValueForm::ObjectPointer, function);
  if (!is_virtual && added == 0) return add_pointer(leaf.name, ValueForm::ObjectPointer, function);
  draft_.add({leaf.name, fmt::format("{}{}",
                                     is_virtual ? fmt::format("&virtual table offset {}", function - 1)
                                     : text     ? std::string(names_.text(*text))
                                                : fmt::format("{:#x}", function),
                                     added != 0 ? fmt::format(", this adjustment {}", added) : "")});
}

void FrameArguments::mark_used(std::uint64_t address, std::uint64_t size) {
  address = memory_.masked(address);
  for (std::size_t i = 0; i < is_used_.size(); ++i) {
    const HeldBlock& block = memory_.memory()[i];
    const std::uint64_t begin = memory_.masked(block.address);
    if (begin < address + size && address < begin + block.bytes.size()) is_used_[i] = true;
  }
}

void FrameArguments::mark_used(const Replay::ActionResult& action) {
  for (const Replay::RecordedMemory& recording : action.recordings)
    for (std::size_t i = 0; i < recording.blocks; ++i) is_used_[recording.first_block + i] = true;
}

void FrameArguments::add_unused() {
  by_address_.clear();
  for (std::size_t i = 0; i < is_used_.size(); ++i)
    if (!is_used_[i]) by_address_.push_back(memory_.memory()[i]);
  std::ranges::stable_sort(by_address_, {}, &HeldBlock::address);
  const auto same = [](const HeldBlock& a, const HeldBlock& b) { return a.address == b.address; };
  by_address_.erase(std::unique(by_address_.begin(), by_address_.end(), same), by_address_.end());
  for (const HeldBlock& block : by_address_) {
    const auto name = memory_name(block.address);
    if (!name)
      draft_.add({unnamed_memory_,
                  fmt::format("{:#x}: {}", block.address, spelled_text(memory_.look_at(block.bytes), 0))});
    else
      add_untyped(*name, block.bytes, block.bytes.size());
  }
}

std::optional<NameId> FrameArguments::memory_name(std::uint64_t address) {
  if (const auto found = memory_names_.find(address); found != memory_names_.end()) return found->second;
  if (memory_names_.size() >= kMaxMemoryNames) return std::nullopt;
  return memory_names_.emplace(address, names_.intern(fmt::format("mem.{:#x}", address))).first->second;
}

}  // namespace convert::tfile
