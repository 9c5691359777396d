// fxt-dump --check and --rules.
//
// A finding is one line,
//
//   FILE:+0xOFFSET: error W15 complete: PROBLEM: EFFECT
//
// or, with --json, an object {"offset":…,"rule":"W15","severity":"error","record":"complete","problem":"…",
// "effect":"…"}.
#pragma once

#include "fxt/support/program.h"
#include "fxt/tools/dump.h"
#include "fxt/tools/program/entry_source.h"

namespace fxt::tools {

// Checks what can be read. Failed: it breaks rules.
ExitCode check(const DumpOptions& options, EntrySource& source, StandardOutput& out);

ExitCode print_rules(StandardOutput& out);

}  // namespace fxt::tools
