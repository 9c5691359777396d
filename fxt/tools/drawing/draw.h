// The program fxt-draw without its main(): its options and what it does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fxt/support/program.h"
#include "fxt/tools/call_paths.h"
#include "fxt/tools/drawing/timeline.h"

namespace fxt::tools {

enum class PictureKind : std::uint8_t { Auto, Svg, Html };

struct DrawOptions {
  std::optional<std::string> text = {};  // help, version …: printed, and nothing else is done
  bool quiet = false, force = false;
  std::string input, output;  // "-" is standard input, standard output
  PictureKind kind = PictureKind::Auto;
  std::uint64_t width = 1000;                 // in pixels
  std::optional<CallPaths::Root> flame = {};  // a flame graph, not a timeline
  TimelineOptions timeline = {};
};

// Throws std::exception with a text for the user.
DrawOptions parse_draw_options(int argc, const char* const* argv);

// Failed: the input could not be read to its end; what was read is drawn. Throws std::exception with a text
// for the user; nothing is written then.
ExitCode run(const DrawOptions& options);

}  // namespace fxt::tools
