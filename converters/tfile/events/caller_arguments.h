// Shows the callers of a frame's code if the stack was collected: "parse < load < main".
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

#include "converters/model/importer.h"
#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/events/recipe_draft.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/unwinder.h"

namespace convert::tfile {

class CallerArguments {
 public:
  // `symbols` may be null.
  CallerArguments(const TraceFile& trace, const ProgramSymbols* symbols, FrameMemory& memory,
                  ImportContext& import_context);

  // Adds the argument for `frame`, which is in the FrameMemory and was recorded at `pc`.
  void add(RecipeDraft& draft, const Frame& frame, std::uint64_t pc, const ExpectedBlocks& expected);

 private:
  struct Function {
    std::string name;  // with functions that are inlined there: "inner < outer"
    bool is_main = false;
  };
  const Function& function_at(std::uint64_t address);

  const TraceFile& trace_;
  const ProgramSymbols* symbols_;
  NameId name_;
  Notes& notes_;
  FrameMemory& memory_;
  std::unordered_map<std::uint64_t, Function> functions_;  // by address
  std::set<std::int16_t> noted_;                           // tracepoints that have a note
};

}  // namespace convert::tfile
