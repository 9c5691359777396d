// Builds and stores the recipes of frames. A recipe emits the events of the frame for which it was built.
// Some recipes also fit other frames.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "converters/tfile/events/recipe.h"
#include "converters/tfile/events/recipe_builder.h"
#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/threads/frame_classifier.h"
#include "converters/tfile/threads/survey.h"

namespace convert::tfile {

// Everything that is known about a trace file before its events are emitted.
struct TraceRecording {
  TraceFile trace;
  std::unique_ptr<ProgramSymbols> symbols;  // may be null
  LocationTable locations;                  // points into the trace
  TraceSurvey survey;
};

// "tracepoint 3 at work (demo.c:63)", or "tracepoint 3" if the trace file does not describe the tracepoint.
// `symbols` may be null.
std::string tracepoint_name(std::int16_t number, const LocationTable& locations,
                            const ProgramSymbols* symbols);

// Counts the facts for the line of the report about a tracepoint: "tracepoint 3 at work (demo.c:63): 120
// frames, 9 items, 1 without a typed value (`x`: its location is not understood), 1 block of memory without a
// name".
class TracepointDetails {
 public:
  explicit TracepointDetails(const Names& names) : names_(names) {}

  // Counts the blocks of memory without a name in the recipe of a frame. Not all frames of a tracepoint need
  // to be added.
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

// Stores recipes. A recipe was made for one frame, but may also fit other frames.
class RecipeCache {
 public:
  struct Known {
    Recipe recipe;
    std::int16_t tracepoint;
    Lane* lane;  // the lane of all frames of the recipe's pattern; null without a pattern
  };

  // All frames of a pattern have the same recipe. Patterns are numbered in the order in which they are added.
  bool has_patterns() const { return !of_pattern_.empty(); }
  Known& of_pattern(std::size_t pattern) { return known_[of_pattern_[pattern]]; }
  void add_pattern(const Recipe& recipe, std::int16_t tracepoint, Lane& lane) {
    of_pattern_.push_back(known_.size());
    known_.push_back({.recipe = recipe, .tracepoint = tracepoint, .lane = &lane});
  }

  // Finds a recipe for a frame that has registers, and therefore no pattern. Compares the tracepoint, the
  // blocks and the context. Null if no recipe is known.
  Recipe* find(const Frame& frame, const FrameContext& context, const FrameTime& time);
  // Stores the recipe if it can serve other frames. Only a few recipes are stored for each tracepoint.
  void add(const Recipe& recipe, const Frame& frame, const FrameContext& context, const FrameTime& time);

 private:
  static constexpr std::size_t kMaxOfTracepoint = 8;

  // The properties that all frames of a recipe share.
  struct Likeness {
    std::size_t known;
    std::vector<Block> blocks;
    FrameContext context;
    bool is_synthetic;

    bool fits(const Frame& frame, const FrameContext& other, const FrameTime& time) const;
  };

  std::vector<Known> known_;
  std::vector<std::size_t> of_pattern_;                 // indices in known_
  std::map<std::int16_t, std::vector<Likeness>> like_;  // by tracepoint
};

inline bool RecipeCache::Likeness::fits(const Frame& frame, const FrameContext& other,
                                        const FrameTime& time) const {
  const auto is_alike = [](const Block& a, const Block& b) {
    return a.kind == b.kind && a.address == b.address && a.bytes.size() == b.bytes.size();
  };
  return context.track == other.track && context.pc == other.pc && context.location == other.location &&
         context.is_guessed == other.is_guessed && is_synthetic == time.is_synthetic && !frame.is_partial &&
         std::ranges::equal(blocks, frame.blocks, is_alike);
}

inline Recipe* RecipeCache::find(const Frame& frame, const FrameContext& context, const FrameTime& time) {
  for (const Likeness& like : like_[frame.tracepoint])
    if (like.fits(frame, context, time)) return &known_[like.known].recipe;
  return nullptr;
}

inline void RecipeCache::add(const Recipe& recipe, const Frame& frame, const FrameContext& context,
                             const FrameTime& time) {
  auto& others = like_[frame.tracepoint];
  if (!recipe.is_reusable() || others.size() >= kMaxOfTracepoint || frame.is_partial) return;
  others.push_back({known_.size(), frame.blocks, context, time.is_synthetic});
  known_.push_back({.recipe = recipe, .tracepoint = frame.tracepoint, .lane = nullptr});
}

class FrameRecipes {
 public:
  FrameRecipes(const TraceRecording& recording, const ShownFrames& choice, ImportContext& import_context);

  // Returns the recipe of a frame. The result is valid until the next recipe_of(). If `can_repeat` is true,
  // frames of the tracepoint may share a recipe.
  Recipe& recipe_of(const Frame& frame, const FrameContext& context, const FrameTime& time, bool can_repeat);
  RecipeCache& cache() { return cache_; }

  // The lines of the report about each tracepoint.
  std::vector<std::string> details() const;
  // The items of --plot for which there is no counter, with the reason.
  std::vector<std::string> not_plotted() const { return builder_.plots().missing(); }

 private:
  const TraceRecording& recording_;
  RecipeBuilder builder_;
  TracepointDetails details_;
  Recipe latest_;
  RecipeCache cache_;
};

}  // namespace convert::tfile
