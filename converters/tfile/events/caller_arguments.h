// Shows the callers of a frame if the stack was collected: as the argument "parse < load < main", and as
// calls around the frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "converters/model/importer.h"
#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/events/recipe_draft.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/tail_calls.h"
#include "converters/tfile/program/unwinder.h"
#include "fxt/hash.h"

namespace convert::tfile {

class CallerArguments {
 public:
  // `symbols` may be null.
  CallerArguments(const TraceFile& trace, const ProgramSymbols* symbols, FrameMemory& memory,
                  ImportContext& import_context);

  void add(RecipeDraft& draft, const Frame& frame, std::uint64_t pc, const ExpectedBlocks& expected,
           LabelId label);

 private:
  struct Function {
    std::string name;  // all functions at an address, with the inlined ones: "inner < outer"
    bool is_main = false;
    std::vector<LabelId> calls = {};  // the labels of the functions in `name`, innermost first
  };
  const Function& function_at(std::uint64_t address);
  // Each of `functions` is inlined into the next one.
  Function described(const std::vector<std::string>& functions);
  void add_calls(std::span<const LabelId> calls, std::optional<std::uint64_t> frame_address);

  const TraceFile& trace_;
  const ProgramSymbols* symbols_;
  Names& names_;
  NameId name_;
  Function signal_;  // the system's code that calls signal handlers
  Notes& notes_;
  FrameMemory& memory_;
  std::optional<TailCalls> tail_calls_;                // empty if symbols are missing
  fxt::SeededMap<std::uint64_t, Function> functions_;  // by address
  std::set<std::int16_t> noted_;                       // tracepoints that have a note
  std::vector<CallerCall> calls_;                      // around the current frame
};

}  // namespace convert::tfile
