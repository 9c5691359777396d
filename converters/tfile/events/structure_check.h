// Finds programs whose structures are not those of the traced program. They may have the same functions and
// lines, as a build with another order of two members has, so that only frames show it.
#pragma once

#include "converters/model/notes.h"
#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/module_set.h"

namespace convert::tfile {

// Looks at the first frames of the trace. Once a frame contradicts a structure, no value of that module is
// shown with a type.
void check_structures(const TraceFile& trace, const LocationTable& locations, ModuleSet& modules,
                      Notes& notes);

}  // namespace convert::tfile
