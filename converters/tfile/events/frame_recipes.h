// The recipes of frames, each built once for all frames that it fits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converters/tfile/events/recipe_builder.h"
#include "converters/tfile/events/recipe_cache.h"
#include "converters/tfile/threads/survey.h"

namespace convert::tfile {

// Everything that is known about a trace file before its events are emitted.
struct TraceRecording {
  TraceFile trace;
  std::unique_ptr<ProgramSymbols> symbols;  // may be null
  LocationTable locations;                  // points into the trace
  TraceSurvey survey;
};

// "tracepoint 3 at work (demo.c:63)", or "tracepoint 3" if the file does not describe it. `symbols` may be
// null.
std::string tracepoint_name(std::int16_t number, const LocationTable& locations,
                            const ProgramSymbols* symbols);

// Counts the facts of the report on each tracepoint: "tracepoint 3 at work (demo.c:63): 120 frames, 9 items,
// 1 without a typed value (`x`: its location is not understood), 1 block of memory without a name".
class TracepointDetails {
 public:
  explicit TracepointDetails(const Names& names) : names_(names) {}

  // Counts the memory without a name in the recipe of a frame. Some frames of each tracepoint are enough.
  void add(std::int16_t tracepoint, const Recipe& recipe) {
    Counted& counted = counted_[tracepoint];
    if (counted.frames++ >= kCountedFrames) return;
    counted.unnamed =
        std::max(counted.unnamed,
                 recipe.count_arguments([&](NameId name) { return names_.text(name).starts_with("mem."); }));
  }

  // A line for each tracepoint that has frames. `symbols` may be null.
  std::vector<std::string> lines(const LocationTable& locations, const TraceSurvey& survey,
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

class FrameRecipes {
 public:
  FrameRecipes(const TraceRecording& recording, const ShownFrames& choice, ImportContext& import_context);

  // Returns the recipe of a frame, which is valid until the next call. If `can_repeat`, the recipe may serve
  // other frames of the tracepoint.
  Recipe& recipe_of(const Frame& frame, const FrameContext& context, const FrameTime& time, bool can_repeat);
  RecipeCache& cache() { return cache_; }

  // The lines of the report about each tracepoint, and about plotted items that have no number.
  std::vector<std::string> details() const;
  std::vector<std::string> not_plotted() const { return builder_.plots().missing(); }

 private:
  const TraceRecording& recording_;
  RecipeBuilder builder_;
  TracepointDetails details_;
  Recipe latest_;
  RecipeCache cache_;
};

}  // namespace convert::tfile
