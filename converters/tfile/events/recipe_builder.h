// Builds the recipe of a frame: an instant or a call, arguments and counters for the values, and blobs for
// the memory. Scripts and queries rely on the names of the arguments and counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "converters/model/importer.h"
#include "converters/tfile/events/caller_arguments.h"
#include "converters/tfile/events/code_names.h"
#include "converters/tfile/events/recipe_draft.h"
#include "converters/tfile/events/register_arguments.h"
#include "converters/tfile/events/value_arguments.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/frame_classifier.h"
#include "fxt/hash.h"

namespace convert::tfile {

struct ShownFrames {
  RegisterChoice registers = RegisterChoice::Auto;
  std::vector<std::string> plotted = {};
};

// Shows the trace state variables of a frame. The last value of a variable becomes an argument and a counter.
// Its earlier values become further arguments.
class VariableArguments {
 public:
  VariableArguments(const Description& description, Names& names);

  // Adds the arguments of the frame in `memory`. add_counters() must be called afterwards for the same
  // frame.
  void add(RecipeDraft& draft, FrameMemory& memory);
  void add_counters(RecipeDraft& draft) const;

 private:
  struct Shown {
    NameId name{};
    bool is_counter = true;
    std::vector<FrameBytes> held = {};  // values of the variable in the current frame, the latest last
  };

  Shown& variable(std::uint64_t number);
  void collect(const std::vector<HeldBlock>& blocks);

  Names& names_;
  LabelId label_;  // the label of all counters
  fxt::SeededMap<std::uint64_t, Shown> variables_;
  std::vector<Shown*> in_frame_;  // the variables of the current frame, in order of appearance
};

class RecipeBuilder {
 public:
  // `symbols` may be null.
  RecipeBuilder(const TraceFile& trace, const LocationTable& locations, const ProgramSymbols* symbols,
                const ShownFrames& choice, ImportContext& import_context);

  // Builds the recipe of `frame`. If `context.opens_call` is true, the recipe opens a call, and TraceSource
  // must end this call.
  void build(Recipe& recipe, const Frame& frame, const FrameContext& context, bool time_is_synthetic);

  const Plots& plots() const { return plots_; }
  const ValueArguments& values() const { return values_; }

 private:
  void add_head(std::int16_t tracepoint, const FrameContext& context, const CodeName& name,
                bool time_is_synthetic);
  void add_static_data();
  void add_blobs();
  const ExpectedFrames* location_of(std::int16_t tracepoint, const FrameContext& context) const;
  bool is_fast(std::int16_t tracepoint, const FrameContext& context) const;

  struct OwnNames {
    NameId tracepoint, pc, loc, inlined, time, thread, static_data;
  };

  const LocationTable& locations_;
  const Blobs blobs_;
  OwnNames own_names_;
  CodeNames code_names_;
  ContinuedLabels continued_;
  Plots plots_;
  WholeNames wholes_;
  NumberTexts texts_;
  FrameMemory memory_;
  RecipeDraft draft_;
  CallerArguments callers_;
  ValueArguments values_;
  VariableArguments variables_;
  RegisterArguments registers_;
  std::vector<HeldBlock> by_address_;  // memory blocks of the current frame
};

}  // namespace convert::tfile
