// Runs the actions of a tracepoint again on a frame, to find out which memory each action recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "converters/tfile/description/tracepoint.h"
#include "converters/tfile/frames/frame_memory.h"
#include "fxt/support/budget.h"

namespace convert::tfile {

// Limits the steps that are needed to evaluate values. A budget is shared by many values, for example by all
// recipes of a file. Each step takes one or two nanoseconds.
inline constexpr fxt::Limit kFrameWork{"steps to evaluate the values of a trace file", 1'000'000'000,
                                       256 * fxt::kKiB};

class Replay {
 public:
  struct RecordedMemory {
    std::size_t first_block = 0, blocks = 0;  // in the frame's memory
    std::uint64_t address = 0;
    std::uint64_t size = 0;  // of all blocks
    FrameBytes bytes = {};   // of the first block
    bool is_string = false;
    bool is_operand = false;  // true if this memory is not the value, but is read to find it
  };
  struct ActionResult {
    const TracepointAction* source = nullptr;
    std::vector<RecordedMemory> recordings = {};
    bool is_complete = false;                  // `recordings` has all that the action recorded
    std::optional<std::uint64_t> result = {};  // for an expression
  };

  // Runs the actions on a frame. Omits the expressions for which `is_needed` is false. If `is_needed` is
  // empty, omits none. The results point into `actions` and the frame. `work` is a budget of kFrameWork.
  // Returns false if the budget is exceeded; then the results are not complete.
  bool run(std::span<const TracepointAction> actions, const std::vector<bool>& is_needed, FrameMemory& frame,
           fxt::Budget& work);

  // Runs the actions with only registers, before frames are read. This shows which memory the expressions ask
  // for. The results of expressions that depend on memory are not complete. The recordings have no blocks.
  bool run_on_registers(std::span<const TracepointAction> actions, FrameMemory& registers, fxt::Budget& work);

  const std::vector<ActionResult>& actions() const { return actions_; }
  // True if a range or an expression has recorded the memory.
  bool has_recorded(std::uint64_t address, std::uint64_t size) const;
  // True if the memory is in an absolute range that an action names.
  bool is_in_a_range(std::uint64_t address, std::uint64_t size) const;

 private:
  class FrameTarget;
  class RegistersTarget;
  template <typename Target>
  bool run_all(std::span<const TracepointAction> actions, const std::vector<bool>& is_needed,
               FrameMemory& frame, fxt::Budget& work);
  void run_range(const TracepointAction& action);
  bool match_range(const TracepointAction& action, std::uint64_t address, ActionResult& result);
  RecordedMemory consume(std::uint64_t length);
  bool find_ahead(std::uint64_t address, std::uint64_t size);

  FrameMemory* memory_ = nullptr;
  std::size_t at_ = 0;  // the first block that no action explains yet
  std::vector<ActionResult> actions_;
};

}  // namespace convert::tfile
