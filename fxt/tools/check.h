// fxt-dump --check and --rules.
//
// A finding is one line,
//
//   FILE:+0xOFFSET: error W15 complete: PROBLEM: EFFECT
//
// or, with --json, an object {"offset":…,"rule":"W15","severity":"error","record":"complete","problem":"…",
// "effect":"…"}.
#pragma once

#include "fxt/reader.h"
#include "fxt/tools/dump.h"
#include "fxt/tools/standard_output.h"

namespace fxt::tools {

// Returns 0 if the file keeps all rules, else 1.
int check(const DumpOptions& options, Reader& reader, StandardOutput& out);

int print_rules(StandardOutput& out);

}  // namespace fxt::tools
