#include "converters/tfile/program/item_proof.h"

#include <algorithm>
#include <string_view>

#include "converters/model/reading/text.h"
#include "converters/tfile/actions/wanted_registers.h"

namespace convert::tfile {

using Kind = CollectItem::Kind;

std::uint64_t bytes_of(const Value& value) {
  return value.bit_size != 0 ? (value.bit_offset + value.bit_size + 7) / 8 : value.type->size;
}

bool is_described(const std::vector<ItemValue>& values) {
  return std::ranges::any_of(values, [](const ItemValue& item) { return item.value.type != nullptr; });
}

// The work on a frame that its counts multiply to, besides running its expressions: all items are evaluated,
// compared with all expressions, and looked for in all blocks.
bool ItemProof::take_work(fxt::Budget& work) const {
  constexpr std::uint64_t kWorkPerItem = 500, kWorkPerLeaf = 2, kWorkPerMatch = 16;
  const std::uint64_t items = expected_->items.size(), expressions = expected_->shapes.size();
  const std::uint64_t per_leaf = kWorkPerLeaf * (memory_.memory().size() + expected_->actions.size());
  const std::uint64_t matches = items * expressions;
  const std::uint64_t searches = items * expected_->actions.size();
  return work.take(items * (kWorkPerItem + variables_.size() / 4 + ValueLayout::kMaxLeaves * per_leaf / 16) +
                   searches / 8 + (matches < Alignment::kMaxCells ? matches * kWorkPerMatch : 0));
}

bool ItemProof::start(const ExpectedBlocks& expected, const CodeScope* scope, fxt::Budget& work) {
  expected_ = &expected;
  if (!take_work(work) || !replay_.run(expected.actions, expected.is_needed, memory_, work)) return false;
  evaluate_items(scope);
  return !work.is_exceeded();
}

bool ItemProof::start_on_registers(const ExpectedBlocks& expected, const CodeScope& scope,
                                   fxt::Budget& work) {
  expected_ = &expected;
  if (!take_work(work) || !replay_.run_on_registers(expected.actions, memory_, work)) return false;
  evaluate_items(&scope);
  return !work.is_exceeded();
}

void ItemProof::evaluate_items(const CodeScope* scope) {
  scope_ = scope;
  expressions_.clear();
  for (const Replay::ActionResult& action : replay_.actions())
    if (action.source->kind == TracepointAction::Kind::Expression) expressions_.push_back(&action);
  item_of_ = expected_->item_of;
  values_.assign(expected_->items.size(), {});
  is_contradicted_.assign(expected_->items.size(), false);
  if (scope == nullptr) return;
  for (std::size_t i = 0; i < values_.size(); ++i)
    values_[i] = evaluate_item(expected_->items[i], evaluation());
  // Where only types are known, casts of registers and addresses have values, and nothing else has.
  if (!scope->has_types_only) return;
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (expected_->items[i].kind == Kind::ReturnAddress) values_[i].clear();
  if (std::ranges::any_of(values_, is_described)) return;
  scope_ = nullptr;
  values_.assign(values_.size(), {});
}

void ItemProof::prove() {
  const bool is_possible = match_.match(*expected_, this);
  for (std::size_t j = 0; j < expressions_.size(); ++j) item_of_[j] = match_.item_of(j);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    // GDB asks for the register that holds an item. Of $args it may have asked for those of another function.
    const bool is_in_other_register = expected_->items[i].kind != Kind::Variables &&
                                      std::ranges::any_of(values_[i], [&](const ItemValue& item) {
                                        const Register* const reg = item.value.storage.reg;
                                        return reg != nullptr && !is_in_mask(expected_->actions, *reg);
                                      });
    is_contradicted_[i] = !is_possible || is_in_other_register || match_.can_be_misfit(i) ||
                          (match_.has_misfits() && !is_described(values_[i]));
  }
}

ItemProof::Found ItemProof::find(std::size_t item) const {
  if (values_[item].size() != 1) return Found::Unknown;
  const Value& value = values_[item].front().value;
  if (value.type == nullptr || value.type->size == 0 || value.type->kind == Type::Kind::Function ||
      value.bit_size != 0 || value.storage.kind != Storage::Kind::Memory)
    return Found::Unknown;
  const std::uint64_t address = value.storage.address;
  bool may_be_any = false, begins = false;
  for (std::size_t j = 0; j < expressions_.size(); ++j) {
    const Replay::ActionResult& asked = *expressions_[j];
    // Of variables of some compilers, GDB makes code that loses the upper bits of the address.
    const bool is_certain = asked.is_complete && !expected_->shapes[j].cuts_numbers;
    if (is_certain && std::ranges::count(asked.recordings, address, &Replay::RecordedMemory::address) != 0)
      return Found::Yes;
    may_be_any |= !is_certain;
  }
  if (replay_.is_in_a_range(address, value.type->size)) return Found::Yes;
  for (const TracepointAction& action : expected_->actions) {
    if (action.kind != TracepointAction::Kind::Memory) continue;
    may_be_any |= action.base != -1;
    begins |= address - memory_.masked(static_cast<std::uint64_t>(action.offset)) < action.length;
  }
  return may_be_any && !begins ? Found::Unknown : Found::No;
}

std::size_t ItemProof::constants() const {
  return static_cast<std::size_t>(std::ranges::count_if(expected_->shapes, [](const ExpressionShape& shape) {
    return shape.blocks.empty() && !shape.only_variable;
  }));
}

std::optional<bool> ItemProof::has_expression(std::size_t item) {
  const CollectItem& collected = expected_->items[item];
  const auto& values = values_[item];
  // Ada's "package.name", which is not understood, may be a static variable.
  const bool has_ranges = replay_.actions().size() > expressions_.size();
  const bool is_unknown = !values.empty() && values.front().value.type == nullptr;
  if (has_ranges && is_unknown &&
      std::ranges::all_of(collected.text, [](char c) { return c == '.' || is_word_character(c); }))
    return false;
  if (collected.kind != Kind::Name) return std::nullopt;
  // A variable in memory has an expression, unless it is static.
  const Value& named = values.front().value;
  const bool is_in_frame = named.type != nullptr && named.storage.kind == Storage::Kind::Memory &&
                           named.type->kind != Type::Kind::Function &&
                           !replay_.is_in_a_range(named.storage.address, bytes_of(named));
  return is_in_frame ? std::optional(true) : std::nullopt;
}

bool ItemProof::fits(std::size_t item, std::size_t expression) {
  const auto& values = values_[item];
  return values.empty() || std::ranges::any_of(values, [&](const ItemValue& value) {
           return fits(value, expected_->items[item].is_string, *expressions_[expression],
                       expected_->shapes[expression]);
         });
}

// Whether an expression can have recorded a value. What is not known does not rule it out.
bool ItemProof::fits(const ItemValue& item, bool is_string, const Replay::ActionResult& action,
                     const ExpressionShape& shape) {
  const Value& value = item.value;
  if (value.type == nullptr || value.storage.kind == Storage::Kind::None || !action.is_complete) return true;
  const bool has_recorded_result = std::ranges::any_of(
      action.recordings, [](const Replay::RecordedMemory& recording) { return !recording.is_operand; });
  if (value.storage.kind == Storage::Kind::Bytes) {
    if (has_recorded_result) return is_string;
    const auto number = integer_of(value, memory_);
    const bool is_truth = item.text.find_first_of("!=<>&|") != std::string_view::npos;
    if (!number || !action.result || is_truth || value.type->kind == Type::Kind::Float) return true;
    // GDB may take a variable for its first value, but not a constant for another one.
    const bool is_traced_size = value.traced_size != 0 && value.traced_size == *action.result;
    if (is_traced_size || (!shape.reads && !is_constant(item))) return true;
    // The bytecode calculates as C does, in other languages, too: at least 4 bytes agree.
    const std::uint64_t size = std::min<std::uint64_t>(value.type->size, sizeof(std::uint32_t));
    return (*number ^ *action.result) << (64 - 8 * size) == 0 || differs_from_bytecode(action, item);
  }
  // GDB took a variable for a constant, as it does with some of anonymous namespaces.
  const bool is_constant = !shape.reads && action.recordings.empty();
  if (is_constant || value.bit_size != 0 || value.type->kind == Type::Kind::Function) return true;
  const std::uint64_t size = value.type->size;
  for (const Replay::RecordedMemory& recording : action.recordings) {
    const bool is_traced_size = value.traced_size != 0 && recording.size == value.traced_size;
    const bool is_whole = recording.size == size || is_traced_size || size == 0 || is_string ||
                          value.type->kind == Type::Kind::Reference;
    if (recording.address == value.storage.address && is_whole) return true;
  }
  const bool is_held = size > 0 && !memory_.bytes(value.storage.address, size).empty();
  return !is_held;
}

// Whether nothing in the frame changes the value.
bool ItemProof::is_constant(const ItemValue& item) {
  FrameMemory nothing(memory_.layout(), memory_.order());
  return evaluate(item.text, {.scope = *scope_, .frame = nothing}).storage.kind == Storage::Kind::Bytes;
}

// Whether an item has another value in GDB than in GDB's bytecode, which makes no truth of a number that is
// cast to bool, and calculates with the address of what a reference refers to. The bytecode must have
// recorded what the item is calculated from.
bool ItemProof::differs_from_bytecode(const Replay::ActionResult& action, const ItemValue& item) {
  memory_.list_reads();
  evaluate(item.text, evaluation());
  const FrameMemory::Ranges reads = memory_.taken_reads();
  const auto holds = [](const Replay::RecordedMemory& operand) {
    return [&](const auto& read) { return operand.address - read.first < read.second; };
  };
  const bool are_read = std::ranges::all_of(
      action.recordings, [&](const auto& operand) { return std::ranges::any_of(reads, holds(operand)); });
  const bool follows_reference = std::ranges::any_of(reads, [&](const auto& read) {
    return std::ranges::none_of(action.recordings, [&](const auto& operand) { return holds(operand)(read); });
  });
  return !action.recordings.empty() && are_read &&
         (item.value.type->kind == Type::Kind::Bool || follows_reference);
}

}  // namespace convert::tfile
