// What --inspect shows of the files beside the records.
#pragma once

#include "converters/model/notes.h"
#include "converters/model/outline.h"
#include "converters/uftrace/recording.h"

namespace convert::uftrace {

// All lines of `info`; its header is shown elsewhere.
Outline outline_of_info(const Info& info);
// Which arguments and return values were recorded, and how many functions the automatic lists contain.
Outline outline_of_arguments(const Info& info);
// One entry for each .sym file and for kallsyms: the module, and the number of its symbols.
Outline outline_of_symbols(const Directory& directory, Notes& notes);
// One entry for each .dbg file: the number of its lines of each kind.
Outline outline_of_debug_files(const Directory& directory, DebugFiles& debug, Notes& notes);

}  // namespace convert::uftrace
