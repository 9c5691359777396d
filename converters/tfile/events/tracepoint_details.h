// What the report says of each tracepoint: "tracepoint 3 at work (demo.c:63): 120 frames, 9 items, 1 without
// a typed value (`x`: its location is not understood), 1 block of memory without a name".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/events/emit_recipe.h"
#include "converters/tfile/events/value_arguments.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/threads/survey.h"

namespace convert::tfile {

class TracepointDetails {
 public:
  // Borrows `names`.
  explicit TracepointDetails(const Names& names) : names_(names) {}

  // Counts the memory without a name in the recipe of a frame. Some frames of each tracepoint are enough.
  void add(std::int16_t tracepoint, const EmitRecipe& recipe) {
    Counted& counted = counted_[tracepoint];
    if (counted.frames++ >= kCountedFrames) return;
    counted.unnamed =
        std::max(counted.unnamed,
                 recipe.count_arguments([&](NameId name) { return names_.text(name).starts_with("mem."); }));
  }

  // A line for each tracepoint that has frames. `symbols` may be null.
  std::vector<std::string> lines(const TraceFile& trace, const TraceSurvey& survey,
                                 const ProgramSymbols* symbols,
                                 const std::map<std::int16_t, ValueArguments::Lacking>& lacking) const;

 private:
  static constexpr std::size_t kCountedFrames = 256;

  struct Counted {
    std::size_t frames = 0, unnamed = 0;
  };
  const Names& names_;
  std::map<std::int16_t, Counted> counted_;
};

}  // namespace convert::tfile
