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

namespace {

// The memory that an action records, if its address is fixed: a range, or the bytecode "const64 ADDRESS;
// const8 SIZE; trace; end". Size 0 for all other actions.
DataObject fixed_range_of(const TracepointAction& action) {
  if (action.kind == TracepointAction::Kind::Memory && action.base == -1)
    return {static_cast<std::uint64_t>(action.offset), action.length};
  constexpr std::size_t kLongest = 20;  // bytes
  if (action.kind != TracepointAction::Kind::Expression || action.code.size() > kLongest) return {};
  const auto code = instructions_of(action.code);
  const auto is_constant = [](const Instruction& instruction) {
    return instruction.opcode >= Opcode::Const8 && instruction.opcode <= Opcode::Const64;
  };
  const bool is_range = code.size() == 4 && is_constant(code[0]) && is_constant(code[1]) &&
                        code[2].opcode == Opcode::Trace && code[3].opcode == Opcode::End;
  return is_range ? DataObject{code[0].operand, code[1].operand} : DataObject{};
}

}  // namespace

std::vector<std::uint64_t> biases_at_ranges(const DataObject& object,
                                            std::span<const TracepointAction> actions) {
  std::vector<std::uint64_t> biases;
  for (const TracepointAction& action : actions) {
    const auto [address, size] = fixed_range_of(action);
    if (size != 0 && size == object.size && address >= object.address &&
        (address - object.address) % kPage == 0)
      biases.push_back(address - object.address);
  }
  return biases;
}

// Estimates the work for one frame, and takes it from the budget. Each item is evaluated, compared with all
// expressions, and searched in all blocks. The estimate does not include the work to run the expressions.
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
  has_frame_ = true;
  if (!take_work(work) || !replay_.run(expected.actions, expected.is_needed, memory_, work)) return false;
  evaluate_items(scope);
  return !work.is_exceeded();
}

bool ItemProof::start_on_registers(const ExpectedBlocks& expected, const CodeScope& scope,
                                   fxt::Budget& work) {
  expected_ = &expected;
  has_frame_ = false;
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
  is_confirmed_.assign(expected_->items.size(), false);
  if (scope == nullptr) return;
  for (std::size_t i = 0; i < values_.size(); ++i)
    values_[i] = evaluate_item(expected_->items[i], evaluation());
  // If only types are known, items such as `(long) $rax` have values, but most items have none.
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
    // If a register holds an item, the actions should record this register. This is not required for $args,
    // because GDB may have recorded the registers of another function.
    const bool is_in_other_register = expected_->items[i].kind != Kind::Variables &&
                                      std::ranges::any_of(values_[i], [&](const ItemValue& item) {
                                        const Register* const reg = item.value.storage.reg;
                                        return reg != nullptr && !is_in_mask(expected_->actions, *reg);
                                      });
    is_contradicted_[i] = !is_possible || is_in_other_register || match_.can_be_misfit(i) ||
                          (match_.has_misfits() && !is_described(values_[i]));
  }
}

void ItemProof::prove_in_any_order() {
  std::vector<std::size_t> elsewhere;  // items that no expression and no range recorded
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const CollectItem& item = expected_->items[i];
    if (item.kind != Kind::Name || item.is_string || values_[i].empty()) continue;
    const Fit fit = fit_of_actions(values_[i].front());
    is_confirmed_[i] = fit == Fit::Yes;
    if (fit == Fit::No) elsewhere.push_back(i);
  }
  // If GDB knows an item as a constant, it writes an expression that records nothing. Therefore, each such
  // expression may explain one of the items in `elsewhere`.
  const auto constants =
      std::ranges::count_if(expected_->shapes, [](const auto& shape) { return shape.blocks.empty(); });
  if (elsewhere.size() <= static_cast<std::size_t>(constants)) return;
  for (const std::size_t item : elsewhere) is_contradicted_[item] = true;
}

// Decides whether one of the expressions and ranges recorded the value.
ItemProof::Fit ItemProof::fit_of_actions(const ItemValue& item) {
  const Value& value = item.value;
  const bool has_place =
      value.type != nullptr && value.type->size > 0 && value.storage.kind == Storage::Kind::Memory;
  if (!has_place) return Fit::Possible;
  const std::uint64_t address = value.storage.address;
  Fit fit = Fit::No;
  for (std::size_t j = 0; j < expressions_.size(); ++j) fit = std::max(fit, fit_of(item, false, j));
  if (fit == Fit::Yes || replay_.is_in_a_range(address, value.type->size)) return Fit::Yes;
  bool is_cut = false;  // a range contains only the beginning of the value
  for (const TracepointAction& action : expected_->actions) {
    if (action.kind != TracepointAction::Kind::Memory) continue;
    if (action.base != -1) fit = Fit::Possible;
    is_cut |= address - memory_.masked(static_cast<std::uint64_t>(action.offset)) < action.length;
  }
  return is_cut ? Fit::No : fit;
}

std::optional<bool> ItemProof::has_expression(std::size_t item) {
  const CollectItem& collected = expected_->items[item];
  const auto& values = values_[item];
  // The parser does not understand items such as Ada's "package.name". Such an item may be a static variable,
  // which GDB records as a range, without an expression.
  const bool has_ranges = replay_.actions().size() > expressions_.size();
  const bool is_unknown = !values.empty() && values.front().value.type == nullptr;
  if (has_ranges && is_unknown &&
      std::ranges::all_of(collected.text, [](char c) { return c == '.' || is_word_character(c); }))
    return false;
  if (collected.kind != Kind::Name) return std::nullopt;
  // GDB uses an expression to record a variable that is in memory, unless the variable is static.
  const Value& named = values.front().value;
  const bool is_in_frame = named.type != nullptr && named.storage.kind == Storage::Kind::Memory &&
                           named.type->kind != Type::Kind::Function &&
                           !replay_.is_in_a_range(named.storage.address, bytes_of(named));
  return is_in_frame ? std::optional(true) : std::nullopt;
}

bool ItemProof::fits(std::size_t item, std::size_t expression) {
  const auto& values = values_[item];
  return values.empty() || std::ranges::any_of(values, [&](const ItemValue& value) {
           return fit_of(value, expected_->items[item].is_string, expression) != Fit::No;
         });
}

// Decides whether an expression recorded a value. If a fact is unknown, the result is Possible.
ItemProof::Fit ItemProof::fit_of(const ItemValue& item, bool is_string, std::size_t expression) {
  const Value& value = item.value;
  const Replay::ActionResult& action = *expressions_[expression];
  const ExpressionShape& shape = expected_->shapes[expression];
  // If the program was built with some compilers, GDB writes bytecode that loses the upper bits of a
  // variable's address. In this case, only a frame shows which memory was really recorded.
  const bool is_certain = action.is_complete && (has_frame_ || !shape.cuts_numbers);
  if (value.type == nullptr || value.storage.kind == Storage::Kind::None || !is_certain) return Fit::Possible;
  if (value.storage.kind == Storage::Kind::Bytes)
    return may_be_result(item, is_string, action, shape.reads) ? Fit::Possible : Fit::No;
  if (value.bit_size != 0 || value.type->kind == Type::Kind::Function) return Fit::Possible;
  const std::uint64_t size = value.type->size;
  for (const Replay::RecordedMemory& recording : action.recordings) {
    const bool is_traced_size = value.traced_size != 0 && recording.size == value.traced_size;
    const bool is_whole = recording.size == size || is_traced_size || size == 0 || is_string ||
                          value.type->kind == Type::Kind::Reference;
    if (recording.address == value.storage.address && (is_whole || !has_frame_)) return Fit::Yes;
  }
  if (!has_frame_) return Fit::No;
  // GDB may have replaced the variable by a constant. It does so for some variables in anonymous namespaces.
  if (!shape.reads && action.recordings.empty()) return Fit::Possible;
  const bool is_held = size > 0 && !memory_.bytes(value.storage.address, size).empty();
  return is_held ? Fit::No : Fit::Possible;
}

bool ItemProof::has_other_structure(std::size_t item) {
  const CollectItem& collected = expected_->items[item];
  if (collected.kind != Kind::Expression || collected.is_string || values_[item].size() != 1) return false;
  const ItemValue& own = values_[item].front();
  const Value& value = own.value;
  const bool has_place = value.type != nullptr && value.type->size > 0 && value.bit_size == 0 &&
                         value.traced_size == 0 && value.storage.kind == Storage::Kind::Memory &&
                         value.type->kind != Type::Kind::Function &&
                         value.type->kind != Type::Kind::Reference;
  if (!has_place) return false;
  for (std::size_t j = 0; j < expressions_.size(); ++j) {
    const Replay::ActionResult& action = *expressions_[j];
    if (item_of_[j] != item || !action.is_complete) continue;
    const Replay::RecordedMemory* recorded = nullptr;
    std::size_t results = 0;
    for (const Replay::RecordedMemory& recording : action.recordings) {
      if (recording.is_operand) continue;
      recorded = &recording;
      ++results;
    }
    if (results != 1 || recorded->is_string) continue;
    const std::uint64_t address = memory_.masked(value.storage.address);
    const std::uint64_t distance =
        std::max(address, recorded->address) - std::min(address, recorded->address);
    const bool is_elsewhere = recorded->size == value.type->size && distance != 0 && distance < kPage;
    const bool has_other_size =
        recorded->size != value.type->size && distance == 0 && value.type->kind == Type::Kind::Struct;
    if ((is_elsewhere || has_other_size) && reads_the_same(action, own)) return true;
  }
  return false;
}

// True if the expression read at least one pointer, and the evaluation of the item reads all of the pointers
// that the expression read.
bool ItemProof::reads_the_same(const Replay::ActionResult& action, const ItemValue& item) {
  memory_.list_reads();
  evaluate(item.text, evaluation());
  const FrameMemory::Ranges reads = memory_.taken_reads();
  std::size_t operands = 0;
  for (const Replay::RecordedMemory& operand : action.recordings) {
    if (!operand.is_operand) continue;
    ++operands;
    if (std::ranges::find(reads, operand.address, &FrameMemory::Ranges::value_type::first) == reads.end())
      return false;
  }
  return operands > 0;
}

// True if a value that has no address can be the result of an expression.
bool ItemProof::may_be_result(const ItemValue& item, bool is_string, const Replay::ActionResult& action,
                              bool reads) {
  const Value& value = item.value;
  const bool has_recorded_result = std::ranges::any_of(
      action.recordings, [](const Replay::RecordedMemory& recording) { return !recording.is_operand; });
  if (has_recorded_result) return is_string;
  const auto number = integer_of(value, memory_);
  const bool is_truth = item.text.find_first_of("!=<>&|") != std::string_view::npos;
  if (!number || !action.result || is_truth || value.type->kind == Type::Kind::Float) return true;
  // If the expression reads nothing, GDB may have replaced a variable by its initial value, which may differ
  // from the value in the frame.
  const bool is_traced_size = value.traced_size != 0 && value.traced_size == *action.result;
  if (is_traced_size || (!reads && !is_constant(item))) return true;
  // The bytecode calculates as in C, even for other languages. Therefore, only the lower 4 bytes of the two
  // numbers have to agree.
  const std::uint64_t size = std::min<std::uint64_t>(value.type->size, sizeof(std::uint32_t));
  return (*number ^ *action.result) << (64 - 8 * size) == 0 || differs_from_bytecode(action, item);
}

// True if the value does not depend on the frame.
bool ItemProof::is_constant(const ItemValue& item) {
  FrameMemory nothing(memory_.layout(), memory_.order());
  return evaluate(item.text, {.scope = *scope_, .frame = nothing}).storage.kind == Storage::Kind::Bytes;
}

// True if GDB and its bytecode may give different values for the item. For a cast to bool, the bytecode does
// not convert the number. For a reference, the bytecode calculates with the address of the object. Always
// false if the bytecode did not record the operands of the item.
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
