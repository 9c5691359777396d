// The program fxt-draw, without its main(): options, and the way from a trace to a picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fxt/support/program.h"
#include "fxt/tools/drawing/timeline.h"

namespace fxt::tools {

enum class PictureKind : std::uint8_t { Auto, Svg, Html };

struct DrawOptions {
  std::optional<std::string> text = {};  // to be printed instead of all else
  bool quiet = false, force = false;
  std::string input, output;  // "-" is standard input, standard output
  PictureKind kind = PictureKind::Auto;
  std::uint64_t width = 1000;  // in pixels
  TimelineOptions timeline = {};
};

// Throws std::exception with a text for the user.
DrawOptions parse_draw_options(int argc, const char* const* argv);

// Done, or Failed where the input could not be read to its end: what was read is drawn. Throws std::exception
// with a text for the user; nothing is written then.
ExitCode run(const DrawOptions& options);

}  // namespace fxt::tools
