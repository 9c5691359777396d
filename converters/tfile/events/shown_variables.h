// Trace state variables as they are shown: the last value of a frame as an argument and as a counter, earlier
// ones as arguments of their own.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/events/frame_plan.h"
#include "converters/tfile/frames/frame_reader.h"

namespace convert::tfile {

class ShownVariables {
 public:
  // Borrows the names.
  ShownVariables(const Description& description, Names& names);

  // The last value of a variable is its value after the actions. Borrows the frame until the next one.
  void add(FramePlan& plan, const Frame& frame);
  void add_counters(FramePlan& plan) const;

 private:
  struct Shown {
    NameId name{};
    LabelId label{};
    bool is_counter = true;
    // Of the frame at hand:
    std::uint64_t frame = ~std::uint64_t{0};
    const Block* latest = nullptr;
    std::vector<std::int64_t> earlier = {};
  };

  Shown& variable(std::uint64_t number);
  void collect(const Frame& frame);

  Names& names_;
  std::unordered_map<std::uint64_t, Shown> variables_;
  std::vector<Shown*> low_;       // the usual numbers, found without hashing; null: not there
  std::vector<Shown*> in_frame_;  // of the frame at hand, in order of appearance
};

}  // namespace convert::tfile
