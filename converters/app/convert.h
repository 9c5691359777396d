// One conversion: chooses the importers, runs the timeline into the output, and reports.
#pragma once

#include "converters/app/options.h"
#include "fxt/tools/program/program.h"

namespace convert {

// Throws InputError, OutputError or UsageError (input and output are the same).
fxt::tools::ExitCode run(const Options& options);

}  // namespace convert
