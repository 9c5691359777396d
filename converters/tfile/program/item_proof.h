// Evaluates the items of a tracepoint in the program, and tries to prove that the tracepoint's actions
// recorded the evaluated values. For the proof, the actions run on a frame, or on registers that all have
// different values. An item is contradicted if the actions recorded something else. Such an item is not shown
// with its name. A program with contradicted items is not the traced program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "converters/tfile/actions/item_match.h"
#include "converters/tfile/actions/replay.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/program/value.h"

namespace convert::tfile {

// The number of bytes from the start of a value's storage to its end.
std::uint64_t bytes_of(const Value& value);

// True if the program has a type for at least one of the values.
bool is_described(const std::vector<ItemValue>& values);

// Programs are loaded at multiples of a page.
inline constexpr std::uint64_t kPage = 4096;
// The load biases with which the object has exactly the address and the size of a memory range that one of
// the actions collects.
std::vector<std::uint64_t> biases_at_ranges(const DataObject& object,
                                            std::span<const TracepointAction> actions);

class ItemProof : private ItemMatch::Evidence {
 public:
  ItemProof(std::span<const TraceVariable> variables, FrameMemory& memory)
      : variables_(variables), memory_(memory) {}

  // Evaluates the items in `scope` on the frame in `memory_`, and runs the actions again. If `scope` is null,
  // items have no values. The results are valid until the next call, and point into `expected`. Returns false
  // if `work`, a budget of kFrameWork, is exceeded. In this case, the results must not be used.
  bool start(const ExpectedBlocks& expected, const CodeScope* scope, fxt::Budget& work);
  // Like start(), but for a FrameMemory that has only registers.
  bool start_on_registers(const ExpectedBlocks& expected, const CodeScope& scope, fxt::Budget& work);
  // Finds out for which items the actions may have recorded the item's place or value in the program. Assumes
  // that the expressions are in the order of the items. Must be called after start(), and only for a frame at
  // the address of the actions, because other frames prove nothing.
  void prove();
  // Like prove(), but must be called after start_on_registers(). Decides only about items that name one
  // variable in memory. Ignores the order of expressions and ranges, and the recorded sizes.
  void prove_in_any_order();

  // The values of an item: one value, or the variables of $args or $locals. Empty without the program.
  std::vector<std::vector<ItemValue>>& values() { return values_; }
  const std::vector<std::vector<ItemValue>>& values() const { return values_; }
  const std::vector<ItemValue>& values(std::size_t item) const { return values_[item]; }
  const CodeScope* scope() const { return scope_; }
  EvaluationContext evaluation() { return {*scope_, memory_, variables_}; }

  const std::vector<Replay::ActionResult>& actions() const { return replay_.actions(); }
  // The expressions among the actions, and the item that each of them recorded.
  const std::vector<const Replay::ActionResult*>& expressions() const { return expressions_; }
  std::optional<std::size_t> item_of(std::size_t expression) const { return item_of_[expression]; }
  // True if the actions did not record the item at its place in the program. Also true if the program does
  // not describe the item, and the actions contradict other items.
  bool is_contradicted(std::size_t item) const { return is_contradicted_[item]; }
  // True if the frame shows that a structure differs between the traced program and this one. This is so if
  // the item's expression read only pointers that the item's evaluation in this program also reads, but
  // recorded another place or size. Needs prove().
  bool has_other_structure(std::size_t item);
  // True if the actions record the item at its place in the program. Needs prove_in_any_order().
  bool is_confirmed(std::size_t item) const { return is_confirmed_[item]; }
  bool has_recorded(std::uint64_t address, std::uint64_t size) const {
    return replay_.has_recorded(memory_.masked(address), size);
  }

 private:
  bool take_work(fxt::Budget& work) const;
  void evaluate_items(const CodeScope* scope);
  std::optional<bool> has_expression(std::size_t item) override;
  bool fits(std::size_t item, std::size_t expression) override;
  // Whether an action recorded a value at the value's place in the program.
  enum class Fit : std::uint8_t { No, Possible, Yes };
  Fit fit_of(const ItemValue& item, bool is_string, std::size_t expression);
  bool may_be_result(const ItemValue& item, bool is_string, const Replay::ActionResult& action, bool reads);
  Fit fit_of_actions(const ItemValue& item);
  bool is_constant(const ItemValue& item);
  bool reads_the_same(const Replay::ActionResult& action, const ItemValue& item);
  bool differs_from_bytecode(const Replay::ActionResult& action, const ItemValue& item);

  std::span<const TraceVariable> variables_;
  FrameMemory& memory_;
  Replay replay_;
  ItemMatch match_;

  // State of the current frame:
  const ExpectedBlocks* expected_ = nullptr;
  bool has_frame_ = false;  // false if there are only registers
  const CodeScope* scope_ = nullptr;
  std::vector<std::vector<ItemValue>> values_;
  std::vector<const Replay::ActionResult*> expressions_;
  std::vector<std::optional<std::size_t>> item_of_;   // by expression
  std::vector<bool> is_contradicted_, is_confirmed_;  // by item
};

}  // namespace convert::tfile
