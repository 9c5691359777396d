// Shows the trace state variables of a frame: the last value of each as an argument and a counter, earlier
// values as further arguments.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/events/emit_recipe.h"
#include "converters/tfile/frames/frame_reader.h"

namespace convert::tfile {

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
  std::vector<Shown*> low_;       // the lowest numbers, found without hashing; null: unknown
  std::vector<Shown*> in_frame_;  // the variables of the current frame, in order of appearance
};

}  // namespace convert::tfile
