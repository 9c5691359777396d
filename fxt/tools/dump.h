// The program fxt-dump without its main(): its options and what it does.
//
// A finding of --check is one line,
//
//   FILE:+0xOFFSET: error W15 complete: PROBLEM: EFFECT
//
// or, with --json, an object {"offset":…,"rule":"W15","severity":"error","record":"complete","problem":"…",
// "effect":"…"}.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fxt/support/program.h"
#include "fxt/tools/selection.h"
#include "fxt/tools/statistics.h"

namespace fxt::tools {

enum class DumpMode : std::uint8_t { Lines, Stats, Tree, Folded, Check, Rules };

struct DumpOptions {
  std::optional<std::string> text;  // help, version …: printed, and nothing else is done
  DumpMode mode = DumpMode::Lines;
  std::string file;   // "-" is standard input
  std::string other;  // with Stats: to be compared with; empty: none
  bool json = false;
  bool offsets = false;
  bool all_findings = false;
  bool color = false;
  CallOrder order = CallOrder::Total;
  TimeUnit unit = TimeUnit::Auto;
  Selection selection;
};

// Throws UsageError. `colored`: the default of --color.
DumpOptions parse_options(int argc, const char* const* argv, bool colored);

// Failed: the check found something, or the file could not be read to its end.
ExitCode run(DumpOptions options);

}  // namespace fxt::tools
