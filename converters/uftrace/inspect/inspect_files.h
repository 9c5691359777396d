// What the files beside the records hold, counted: info, symbols, debug information.
#pragma once

#include <vector>

#include "converters/model/notes.h"
#include "converters/model/outline.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/info.h"

namespace convert::uftrace {

// Everything that `info` says, its header apart.
Outline outline_of_info(const Info& info);
// Which arguments and return values were asked for, and how many functions the automatic lists name.
Outline outline_of_arguments(const Info& info);

// One entry for every .sym file, and kallsyms: its module, and its symbols counted. Files are read one after
// the other.
Outline outline_of_symbols(const Directory& directory, Notes& notes);
// One entry for every .dbg file: functions, source lines, argument lists and enums counted.
Outline outline_of_debug_files(const Directory& directory, Notes& notes);

}  // namespace convert::uftrace
