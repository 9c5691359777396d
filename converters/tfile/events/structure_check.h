// Finds programs whose structures differ from the structures of the traced program. Only frames show the
// difference: a build with two members in another order has the same functions and lines.
#pragma once

#include "converters/model/notes.h"
#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/module_set.h"

namespace convert::tfile {

// Examines the first frames of the trace. If a frame contradicts a structure of a program, only the functions
// and the lines of this program are used, and a note is added.
void check_structures(const TraceFile& trace, const LocationTable& locations, ModuleSet& modules,
                      Notes& notes);

}  // namespace convert::tfile
