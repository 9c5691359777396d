// What is drawn, however it came to be: lanes of rows of shapes on one axis. A timeline has a lane for each
// thread and its axis is time; a flame graph has one for each root, and its axis is how long calls took
// together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fxt/tools/calls.h"
#include "fxt/tools/drawing/rows.h"

namespace fxt::tools {

struct Drawing {
  // A value of a counter, from this time on.
  struct Value {
    std::uint64_t ns;
    double value;
  };
  struct Lane {
    std::string name = {};
    std::vector<Row> rows = {};
    std::vector<Value> values = {};  // of a counter's lane, which has no rows
  };
  // Where a flow goes on: from a row of a lane to another.
  struct Arrow {
    struct End {
      std::size_t lane = 0, row = 0;
      std::uint64_t ns = 0;
    };
    End from, to;
    std::uint32_t name;
  };

  std::vector<Lane> lanes = {};
  std::vector<Arrow> arrows = {};
  std::vector<CallNames::Name> names = {};  // of shapes, by their numbers
  std::vector<std::uint64_t> calls = {};    // by name: how many there are, drawn apart or merged
  std::vector<std::string> details = {};    // of shapes, by their numbers: what a tooltip tells besides
  std::uint64_t from_ns = 0, to_ns = 1;     // the first and the last of the axis
  std::uint64_t origin_ns = 0;              // what the axis counts from
  bool is_flame = false;                    // the axis is no time
  std::vector<std::string> foot = {};       // what is drawn, and what is not: the lines below
};

}  // namespace fxt::tools
