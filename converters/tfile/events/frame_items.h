// The collected items of one frame: their values by the program, and the proof that the tracepoint's actions
// recorded just those. What is not proven is not shown by an item's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/actions/alignment.h"
#include "converters/tfile/actions/replay.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/program/value.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

// The bytes that a value occupies from its storage on.
std::uint64_t bytes_of(const Value& value);

// Whether the program has the type of one.
bool is_described(const std::vector<ItemValue>& values);

class FrameItems {
 public:
  // Borrows all; `symbols` may be null.
  FrameItems(const TraceFile& trace, const ProgramSymbols* symbols, FrameMemory& memory)
      : trace_(trace), symbols_(symbols), memory_(memory) {}

  // Looks at a frame, which the memory already holds. `address` is that of its code, or of the location.
  // What follows is of this frame until the next start(), and borrows from `expected`. False if that exceeds
  // the budget, which is one of kFrameWork: the items are unknown then.
  bool start(std::int16_t tracepoint, std::uint64_t address, const FrameContext& context,
             const ExpectedBlocks& expected, fxt::Budget& work);

  // An item is one value, or the variables of $args or $locals; empty without the program.
  const std::vector<ItemValue>& values(std::size_t item) const { return values_[item]; }
  // Whether an item other than hidden variables has this name, or uses it.
  bool is_named(std::string_view name) const;
  EvaluationContext evaluation() { return {*scope_, memory_, trace_.description.variables}; }
  // Whether the actions recorded something else than what the program has as the item; or than others, and
  // the program does not describe this one.
  bool is_contradicted(std::size_t item) const { return is_contradicted_[item]; }
  // The same for an item of this text.
  bool is_contradicted(std::string_view text) const { return contradicted_texts_.contains(text); }

  // Whether the frame is a step in code that the program has. The actions were made for other code, where a
  // name may have meant something else.
  bool is_known_step() const { return is_elsewhere_ && scope_ != nullptr; }

  const std::vector<Replay::ActionResult>& actions() const { return replay_.actions(); }
  // The expressions among the actions, and the item that each recorded.
  const std::vector<const Replay::ActionResult*>& expressions() const { return expressions_; }
  std::optional<std::size_t> item_of(std::size_t expression) const { return item_of_[expression]; }
  // The bytes of memory if the actions account for them.
  std::span<const std::byte> recorded(std::uint64_t address, std::uint64_t size);

 private:
  void align(const ExpectedBlocks& expected);
  void allow(std::size_t item, std::size_t expression, const ExpectedBlocks& expected);
  bool fits(const ItemValue& item, bool is_string, const Replay::ActionResult& action,
            const ExpressionShape& shape);
  bool is_constant(const ItemValue& item);
  bool differs_from_bytecode(const Replay::ActionResult& action, const ItemValue& item);

  const TraceFile& trace_;
  const ProgramSymbols* symbols_;
  FrameMemory& memory_;
  Replay replay_;
  Alignment alignment_;
  std::set<std::pair<std::int16_t, std::string>> contradicted_;  // items of hits, by tracepoint

  // Of the current frame:
  const CodeScope* scope_ = nullptr;
  std::vector<std::vector<ItemValue>> values_;  // by item
  std::vector<const Replay::ActionResult*> expressions_;
  std::vector<std::optional<std::size_t>> item_of_;  // by expression
  std::vector<bool> is_contradicted_;                // by item
  std::set<std::string_view> contradicted_texts_;    // of those items
  bool is_elsewhere_ = false;  // at another address than that which the actions were made for
};

}  // namespace convert::tfile
