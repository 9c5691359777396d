// A drawing as a picture: SVG, or a page around it that can be zoomed and searched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fxt/tools/call_paths.h"
#include "fxt/tools/drawing/drawing.h"

namespace fxt::tools {

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

// Category of what a thread does off the cpu: hatched.
inline constexpr std::string_view kOffCpu = "sched";

}  // namespace fxt::tools
