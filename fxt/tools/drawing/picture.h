// A drawing consists of tracks with rows of shapes on one axis. In a timeline, each thread has a track and
// the axis is time. In a flame graph, each root has a track, and the axis is the total time of calls. A
// drawing is shown as SVG, or as a page that can be zoomed and searched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/tools/call_paths.h"
#include "fxt/tools/calls.h"
#include "fxt/tools/drawing/details.h"
#include "fxt/tools/drawing/rows.h"

namespace fxt::tools {

struct Drawing {
  // The value of a counter from this time on.
  struct Value {
    std::uint64_t ns;
    double value;
  };
  struct Lane {
    enum class Kind : std::uint8_t { Thread, Operations, Cpu, Counter };

    std::string name = {};
    Kind kind = Kind::Thread;
    std::vector<Row> rows = {};
    std::vector<Value> values = {};  // only in the track of a counter, which has no rows
  };
  // Connects an event of a flow with the flow's next event.
  struct Arrow {
    struct End {
      std::size_t lane = 0, row = 0;
      std::uint64_t ns = 0;
    };
    End from, to;
    std::uint32_t name;
  };

  // An instant that concerns more than its thread. It is drawn across the tracks from the first to the last.
  struct Line {
    std::size_t first_lane = 0, last_lane = 0;
    std::uint64_t ns = 0;
    std::uint32_t name = 0;
  };

  std::vector<Lane> lanes = {};
  std::vector<Arrow> arrows = {};
  std::vector<Line> lines = {};
  std::vector<CallName> names = {};             // names of shapes, by index
  std::vector<std::uint64_t> calls = {};        // by name index: number of calls, including merged calls
  std::shared_ptr<const Details> details = {};  // details of shapes; tooltips show them
  std::uint64_t from_ns = 0, to_ns = 1;         // start and end of the axis
  std::uint64_t origin_ns = 0;                  // zero of the axis; earlier times are negative
  bool is_flame = false;                        // if true, the axis is not time
  std::vector<std::string> foot = {};           // the report, in lines below the picture

  // Converts a time to the axis. Times are below 2^63.
  std::int64_t since_origin(std::uint64_t ns) const { return static_cast<std::int64_t>(ns - origin_ns); }
};

// The width of both margins of a picture, in pixels.
inline constexpr std::uint64_t kMargins = 16;

// `width` is in pixels. A picture that is not `complete` has no tooltips of calls, and no details of
// instants.
std::string svg_of(const Drawing& drawing, std::uint64_t width, bool complete = true);

// Returns a page that loads no other files. The content of `all` can be zoomed and searched. If scripts are
// disabled, the page shows only `svg`.
std::string page_of(std::string_view title, std::string_view svg, const Drawing& all);

// Makes a track for each root. Inner calls are below the calls around them. Widths are total times.
Drawing flame_of(const CallPaths& paths, std::uint64_t columns);

// ---- Colors ----

// The hue of a name is the same in every picture. Each hue has two shades.
inline constexpr std::size_t kHues = 24, kShades = 2;
std::size_t hue_of(std::string_view name);

struct Color {
  std::size_t hue, shade;
  friend bool operator==(const Color&, const Color&) = default;
};
// The color of each name in the drawing. Names with similar hues have different shades if they are neighbors
// in a row, as far as two shades allow it.
std::vector<Color> colors_of(const Drawing& drawing);

// Returns "#8fb7e0", for example.
std::string text_of(Color color);

}  // namespace fxt::tools
