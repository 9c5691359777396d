// The program fxt-dump, without its main(): options and what they ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fxt/support/program.h"
#include "fxt/tools/calls/call_statistics.h"
#include "fxt/tools/program/selection.h"

namespace fxt::tools {

enum class DumpMode : std::uint8_t { Lines, Stats, Tree, Check, Rules };

struct DumpOptions {
  std::optional<std::string> text;  // to be printed instead of all else
  DumpMode mode = DumpMode::Lines;
  std::string file;  // "-" is standard input
  bool json = false;
  bool offsets = false;
  bool all_findings = false;
  bool color = false;
  CallOrder order = CallOrder::Total;
  Selection selection;
};

// Throws UsageError. `colored`: lines are, where nothing is said of it.
DumpOptions parse_options(int argc, const char* const* argv, bool colored);

// Failed: the check found something, or the file could not be read to its end.
ExitCode run(DumpOptions options);

}  // namespace fxt::tools
