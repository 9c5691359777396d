// Builds the recipe of a frame: its instant or call, its values as arguments and counters, its memory as
// blobs. The names are an interface: scripts and queries rely on them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "converters/model/importer.h"
#include "converters/tfile/events/code_names.h"
#include "converters/tfile/events/emit_recipe.h"
#include "converters/tfile/events/register_arguments.h"
#include "converters/tfile/events/value_arguments.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

// What is shown of frames.
struct ShownFrames {
  RegisterChoice registers = RegisterChoice::Auto;
  std::vector<std::string> plotted = {};  // see Plots
};

// Shows the trace state variables of a frame: the last value of each as an argument and a counter, earlier
// values as further arguments.
class VariableArguments {
 public:
  // Borrows `names`.
  VariableArguments(const Description& description, Names& names);

  // Adds the arguments. Borrows the frame until the next call, for add_counters().
  void add(EmitRecipe& recipe, const Frame& frame);
  void add_counters(EmitRecipe& recipe) const;

 private:
  struct Shown {
    NameId name{};
    LabelId label{};
    bool is_counter = true;
    std::uint64_t frame = ~std::uint64_t{0};  // the number of the frame that the following belong to
    const Block* latest = nullptr;
    std::vector<std::int64_t> earlier = {};
  };

  Shown& variable(std::uint64_t number);
  void collect(const Frame& frame);

  Names& names_;
  std::unordered_map<std::uint64_t, Shown> variables_;
  std::vector<Shown*> in_frame_;  // the variables of the current frame, in order of appearance
};

class RecipeBuilder {
 public:
  // Borrows all but the choices; `symbols` may be null.
  RecipeBuilder(const TraceFile& trace, const LocationTable& locations, const ProgramSymbols* symbols,
                const ShownFrames& choice, ImportContext& import_context);

  // Builds the recipe of `frame`. It opens the call of a hit with steps, but the caller ends calls.
  void build(EmitRecipe& recipe, const Frame& frame, const FrameContext& context, bool time_is_synthetic);

  const Plots& plots() const { return plots_; }
  const ValueArguments& values() const { return values_; }

 private:
  void add_head(EmitRecipe& recipe, const Frame& frame, const FrameContext& context, const CodeName& name,
                bool time_is_synthetic);
  void add_static_data(EmitRecipe& recipe, const Frame& frame);
  void add_blobs(EmitRecipe& recipe, const Frame& frame);
  const ExpectedFrames* location_of(const Frame& frame, const FrameContext& context) const;
  bool is_fast(const Frame& frame, const FrameContext& context) const;

  struct OwnNames {
    NameId frame, tracepoint, pc, loc, inlined, time, thread, static_data;
  };

  const LocationTable& locations_;
  const Blobs blobs_;
  OwnNames own_names_;
  CodeNames code_names_;
  ContinuedLabels continued_;
  Plots plots_;
  NumberTexts texts_;
  ValueArguments values_;
  VariableArguments variables_;
  RegisterArguments registers_;
  std::vector<const Block*> by_address_;  // memory blocks of the current frame
};

}  // namespace convert::tfile
