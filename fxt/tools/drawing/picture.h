// What is drawn, however it came to be, lanes of rows of shapes on one axis: a timeline has a lane for each
// thread and its axis is time; a flame graph has one for each root, and its axis is how long calls took
// together. And the pictures of it: SVG, or a page around it that can be zoomed and searched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/tools/call_paths.h"
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
    enum class Kind : std::uint8_t { Thread, Operations, Cpu, Counter };

    std::string name = {};
    Kind kind = Kind::Thread;
    std::vector<Row> rows = {};
    std::vector<Value> values = {};  // of a counter's lane, which has no rows
  };
  // From an event of a flow to its next one.
  struct Arrow {
    struct End {
      std::size_t lane = 0, row = 0;
      std::uint64_t ns = 0;
    };
    End from, to;
    std::uint32_t name;
  };

  // An instant that concerns more than its thread, over all lanes from the first to the last.
  struct Line {
    std::size_t first_lane = 0, last_lane = 0;
    std::uint64_t ns = 0;
    std::uint32_t name = 0;
  };

  std::vector<Lane> lanes = {};
  std::vector<Arrow> arrows = {};
  std::vector<Line> lines = {};
  std::vector<CallName> names = {};       // of shapes, by their numbers
  std::vector<std::uint64_t> calls = {};  // by name: how many there are, drawn apart or merged
  std::vector<std::string> details = {};  // of shapes, by their numbers: what a tooltip tells besides
  std::uint64_t from_ns = 0, to_ns = 1;   // the first and the last of the axis
  std::uint64_t origin_ns = 0;            // what the axis counts from; times before it are negative
  bool is_flame = false;                  // the axis is no time
  std::vector<std::string> foot = {};     // what is drawn, and what is not: the lines below

  // As the axis counts. Times are below 2^63.
  std::int64_t since_origin(std::uint64_t ns) const { return static_cast<std::int64_t>(ns - origin_ns); }
};

// The width of both margins of a picture, in pixels.
inline constexpr std::uint64_t kMargins = 16;

// `width` in pixels.
std::string svg_of(const Drawing& drawing, std::uint64_t width);

// One file that loads nothing else: what `all` holds can be zoomed and searched. Where scripts are off it
// shows `svg` alone.
std::string page_of(std::string_view title, std::string_view svg, const Drawing& all);

// A lane for each root; calls lie below the calls around them, as wide as they took together.
Drawing flame_of(const CallPaths& paths, std::uint64_t columns);

// ---- Colours ----

// A name has the same hue in every picture. Each hue has two shades.
inline constexpr std::size_t kHues = 24;
std::size_t hue_of(std::string_view name);

// The colours of a row's calls, from left to right: none is like that of its left neighbour, if that has
// another name.
class RowColours {
 public:
  struct Colour {
    std::size_t hue, shade;
  };
  Colour next(std::uint32_t name, std::size_t hue);

 private:
  std::uint32_t name_ = ~0U;
  Colour last_{kHues, 0};
};

// "#8fb7e0"
std::string colour(std::size_t hue, std::size_t shade);

}  // namespace fxt::tools
