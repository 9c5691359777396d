// One conversion: chooses the importers, runs the timeline into the output, and reports.
#pragma once

#include "converters/app/options.h"

namespace convert {

// The exit codes of the program.
enum class ExitCode : int { Done = 0, Failed = 1, WrongUsage = 2, DoneWithNotes = 3 };

// Throws InputError, OutputError or UsageError (input and output are the same).
ExitCode run(const Options& options);

}  // namespace convert
