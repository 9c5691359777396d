// Finds programs whose structures differ from the traced program's. For example, a build with two members in
// another order has the same functions and lines, so only frames show the difference.
#pragma once

#include "converters/model/notes.h"
#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/module_set.h"

namespace convert::tfile {

// Looks at the first frames of the trace. Once a frame contradicts a structure, no value of the module with
// this structure is shown with a type.
void check_structures(const TraceFile& trace, const LocationTable& locations, ModuleSet& modules,
                      Notes& notes);

}  // namespace convert::tfile
