// The program fxt-cut without its main(): its options and what it does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/support/program.h"
#include "fxt/tools/selection.h"

namespace fxt::tools {

struct CutterOptions {
  std::optional<std::string> text = {};  // help, version …: printed, and nothing else is done
  bool quiet = false, force = false;
  std::string input, output;  // "-" is standard input, standard output
  CutOptions cut = {};
  std::vector<std::uint64_t> threads = {};
  Selection events = {};  // by name and category
};

// Throws UsageError.
CutterOptions parse_cut_options(int argc, const char* const* argv);

// Failed: the input could not be read to its end; what was read has been written. Throws std::exception with
// a text for the user; complete pieces stay then.
ExitCode run(const CutterOptions& options);

}  // namespace fxt::tools
