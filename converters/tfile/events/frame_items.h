// The collected items of one frame, as they are shown. An item of a hit is not shown with its name if the
// actions of the tracepoint contradict the item (see ItemProof). For an item of a step, earlier hits decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/expression.h"
#include "converters/tfile/program/item_proof.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

class FrameItems {
 public:
  // `symbols` may be null.
  FrameItems(const TraceFile& trace, const ProgramSymbols* symbols, FrameMemory& memory)
      : symbols_(symbols), memory_(memory), proof_(trace.description.variables, memory) {}

  // Examines the frame that is in the FrameMemory. `address` is the address of the frame's code. If the
  // frame has no pc, it is the address of the tracepoint's location. The results are valid until the next
  // start(), and point into `expected`. `work` is a budget of kFrameWork. Returns false if the budget is
  // exceeded; then the items are unknown.
  bool start(std::int16_t tracepoint, std::uint64_t address, const FrameContext& context,
             const ExpectedBlocks& expected, fxt::Budget& work);

  // The values of an item: one value, or the variables of $args or $locals. Empty without the program.
  const std::vector<ItemValue>& values(std::size_t item) const { return proof_.values(item); }
  // True if an item has this name or contains it as a word. Hidden variables do not count.
  bool is_named(std::string_view name) const;
  // True if the parser understands the expression. Without the program, true for every expression.
  bool is_understood(std::string_view expression) const {
    return !has_scope_ || tfile::is_understood(expression, *proof_.scope());
  }
  EvaluationContext evaluation() { return proof_.evaluation(); }
  // True if the actions of the tracepoint contradict the item (see ItemProof). For a step with a pc, true if
  // the actions contradicted the item in an earlier hit.
  bool is_contradicted(std::size_t item) const { return is_contradicted_[item]; }
  // True if the actions contradict an item with this text.
  bool is_contradicted(std::string_view text) const { return contradicted_texts_.contains(text); }

  // True if the frame is a step in code that the program describes. There, a name may mean another variable
  // than in the code of the tracepoint, for which the actions were made.
  bool is_known_step() const { return is_elsewhere_ && has_scope_ && !proof_.scope()->has_types_only; }

  const std::vector<Replay::ActionResult>& actions() const { return proof_.actions(); }
  // The expressions among the actions, and the item that each recorded.
  const std::vector<const Replay::ActionResult*>& expressions() const { return proof_.expressions(); }
  std::optional<std::size_t> item_of(std::size_t expression) const { return proof_.item_of(expression); }
  // The bytes of the frame's memory at `address`. Empty if the frame lacks them, or if no action recorded
  // them. For steps with a pc, the actions do not matter, because they were made for another address.
  FrameBytes recorded(std::uint64_t address, std::uint64_t size);

 private:
  const ProgramSymbols* symbols_;
  FrameMemory& memory_;
  ItemProof proof_;
  std::set<std::pair<std::int16_t, std::string>> contradicted_;  // items of hits, by tracepoint

  // State of the current frame:
  bool has_scope_ = false;
  std::vector<bool> is_contradicted_;              // by item
  std::set<std::string_view> contradicted_texts_;  // texts of these items
  bool is_elsewhere_ = false;                      // the actions were made for another address
};

}  // namespace convert::tfile
