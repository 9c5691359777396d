#include "converters/tfile/events/frame_items.h"

#include <algorithm>

#include "converters/model/reading/text.h"
#include "converters/tfile/actions/wanted_registers.h"

namespace convert::tfile {

using Kind = CollectItem::Kind;

namespace {

// Whether a name is one of the words of an expression.
bool mentions(std::string_view expression, std::string_view name) {
  for (std::size_t at = expression.find(name); at != std::string_view::npos;
       at = expression.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_word_character(expression[at - 1]);
    if (begins && (end == expression.size() || !is_word_character(expression[end]))) return true;
  }
  return false;
}

// The work on a frame that its counts multiply to, besides running its expressions: all items are evaluated,
// compared with all expressions, and looked for in all blocks.
std::uint64_t work_on(const ExpectedBlocks& expected, std::size_t blocks, std::size_t variables) {
  constexpr std::uint64_t kWorkPerItem = 500, kWorkPerLeaf = 2, kWorkPerMatch = 16;
  const std::uint64_t items = expected.items.size(), expressions = expected.shapes.size();
  const std::uint64_t per_leaf = kWorkPerLeaf * (blocks + expected.actions.size());
  const std::uint64_t matches = items * expressions;
  const std::uint64_t searches = items * expected.actions.size();
  return items * (kWorkPerItem + variables / 4 + ValueLayout::kMaxLeaves * per_leaf / 16) + searches / 8 +
         (matches < Alignment::kMaxCells ? matches * kWorkPerMatch : 0);
}

}  // namespace

std::uint64_t bytes_of(const Value& value) {
  return value.bit_size != 0 ? (value.bit_offset + value.bit_size + 7) / 8 : value.type->size;
}

bool is_described(const std::vector<ItemValue>& values) {
  return std::ranges::any_of(values, [](const ItemValue& item) { return item.value.type != nullptr; });
}

bool FrameItems::start(std::int16_t tracepoint, std::uint64_t address, const FrameContext& context,
                       const ExpectedBlocks& expected, fxt::Budget& work) {
  if (!work.take(work_on(expected, memory_.blocks().size(), trace_.description.variables.size())) ||
      !replay_.run(expected.actions, expected.is_needed, memory_, work))
    return false;
  scope_ = symbols_ != nullptr ? symbols_->scope_at(address) : nullptr;
  expressions_.clear();
  for (const Replay::ActionResult& action : replay_.actions())
    if (action.source->kind == TracepointAction::Kind::Expression) expressions_.push_back(&action);
  item_of_ = expected.item_of;
  values_.assign(expected.items.size(), {});
  is_contradicted_.assign(expected.items.size(), false);
  contradicted_texts_.clear();
  is_elsewhere_ = context.is_step && context.pc;
  if (scope_ == nullptr) return true;
  for (std::size_t i = 0; i < expected.items.size(); ++i)
    values_[i] = evaluate_item(expected.items[i], evaluation());
  if (work.is_exceeded()) return false;
  // A frame without a pc may be anywhere, where variables have other registers and constants.
  if (!context.pc)
    for (auto& values : values_)
      for (ItemValue& item : values)
        if (item.value.storage.kind == Storage::Kind::Bytes) item.value.type = nullptr;
  // Elsewhere, the actions are no evidence.
  if (!is_elsewhere_) align(expected);
  for (std::size_t i = 0; i < expected.items.size(); ++i) {
    const std::string& text = expected.items[i].text;
    if (is_elsewhere_)
      is_contradicted_[i] = !contradicted_.empty() && contradicted_.contains({tracepoint, text});
    else if (is_contradicted_[i])
      contradicted_.emplace(tracepoint, text);
    if (is_contradicted_[i]) contradicted_texts_.insert(text);
  }
  return true;
}

bool FrameItems::is_named(std::string_view name) const {
  return std::ranges::any_of(values_, [name](const auto& values) {
    return std::ranges::any_of(
        values, [name](const ItemValue& item) { return !item.is_hidden && mentions(item.text, name); });
  });
}

std::span<const std::byte> FrameItems::recorded(std::uint64_t address, std::uint64_t size) {
  if (!is_elsewhere_ && !replay_.has_recorded(memory_.masked(address), size)) return {};
  return memory_.bytes(address, size);
}

// Finds out which items the actions can have recorded where the program has them.
void FrameItems::align(const ExpectedBlocks& expected) {
  const bool is_small = alignment_.start(expected.items.size(), expressions_.size());
  const bool has_ranges = replay_.actions().size() > expressions_.size();
  for (std::size_t i = 0; i < expected.items.size(); ++i) {
    const ExpectedBlocks::Item& item = expected.items[i];
    if (item.kind == Kind::Variables) alignment_.allow_many(i);
    // A variable in memory has an expression, unless it is static.
    const Value* const named = item.kind == Kind::Name ? &values_[i].front().value : nullptr;
    const bool is_in_frame = named != nullptr && named->type != nullptr &&
                             named->storage.kind == Storage::Kind::Memory &&
                             named->type->kind != Type::Kind::Function &&
                             !replay_.is_in_a_range(named->storage.address, bytes_of(*named));
    // Ada's "package.name", which is not understood, may be a static variable.
    const bool is_unknown = !values_[i].empty() && values_[i].front().value.type == nullptr;
    const bool may_be_static = has_ranges && is_unknown && std::ranges::all_of(item.text, [](char c) {
                                 return c == '.' || is_word_character(c);
                               });
    if ((may_have_no_expression(item) && !is_in_frame) || may_be_static) alignment_.allow_none(i);
    if (!is_small) continue;
    for (std::size_t j = 0; j < expressions_.size(); ++j) allow(i, j, expected);
  }
  const bool is_possible = alignment_.solve();
  for (std::size_t j = 0; j < expressions_.size(); ++j) item_of_[j] = alignment_.item_of(j);
  for (std::size_t i = 0; i < expected.items.size(); ++i) {
    // GDB asks for the register that holds an item. Of $args it may have asked for those of another function.
    const bool is_in_other_register = expected.items[i].kind != Kind::Variables &&
                                      std::ranges::any_of(values_[i], [&](const ItemValue& item) {
                                        const Register* const reg = item.value.storage.reg;
                                        return reg != nullptr && !is_in_mask(expected.actions, *reg);
                                      });
    is_contradicted_[i] = !is_possible || is_in_other_register || alignment_.can_be_misfit(i) ||
                          (alignment_.has_misfits() && !is_described(values_[i]));
  }
}

// Whether an expression can have recorded an item, where the program has it or elsewhere.
void FrameItems::allow(std::size_t item, std::size_t expression, const ExpectedBlocks& expected) {
  const ExpressionShape& shape = expected.shapes[expression];
  const auto& values = values_[item];
  // The text does not tell for sure that an expression has no address: it may be in another language than C.
  CollectItem as = expected.items[item];
  if (as.kind == Kind::Value) as.kind = Kind::Expression;
  if (!may_record(shape, expected.variables[expression], as)) return;
  const bool fits_one = values.empty() || std::ranges::any_of(values, [&](const ItemValue& value) {
                          return fits(value, as.is_string, *expressions_[expression], shape);
                        });
  alignment_.allow(item, expression, !fits_one);
}

// Whether an expression can have recorded a value. What is not known does not rule it out.
bool FrameItems::fits(const ItemValue& item, bool is_string, const Replay::ActionResult& action,
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
bool FrameItems::is_constant(const ItemValue& item) {
  FrameMemory nothing(memory_.layout(), memory_.order());
  return evaluate(item.text, {.scope = *scope_, .frame = nothing}).storage.kind == Storage::Kind::Bytes;
}

// Whether an item has another value in GDB than in GDB's bytecode, which makes no truth of a number that is
// cast to bool, and calculates with the address of what a reference refers to. The bytecode must have
// recorded what the item is calculated from.
bool FrameItems::differs_from_bytecode(const Replay::ActionResult& action, const ItemValue& item) {
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
