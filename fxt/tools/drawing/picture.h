// A timeline as a picture: SVG, or a page around it that can be zoomed and searched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/tools/drawing/timeline.h"

namespace fxt::tools {

// The width of both margins of a picture, in pixels.
inline constexpr std::uint64_t kMargins = 16;

// `width` in pixels; `foot`: the lines below the calls.
std::string svg_of(const DrawnTimeline& timeline, std::uint64_t width, const std::vector<std::string>& foot);

// One file that loads nothing else. Where scripts are off it shows the picture alone.
std::string page_of(std::string_view title, std::string_view svg);

}  // namespace fxt::tools
