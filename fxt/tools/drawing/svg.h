// A timeline as a picture, in SVG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fxt/tools/drawing/timeline.h"

namespace fxt::tools {

// The width of what lies beside the calls of a picture, in pixels.
inline constexpr std::uint64_t kMargins = 16;

// `width` in pixels, `foot` the lines below the calls.
std::string svg_of(const Timeline& timeline, std::uint64_t width, const std::vector<std::string>& foot);

}  // namespace fxt::tools
