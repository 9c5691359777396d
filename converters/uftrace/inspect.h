// Describes the contents of a uftrace recording for --inspect, for example to find out why a conversion has
// problems.
#pragma once

#include <bit>
#include <filesystem>
#include <vector>

#include "converters/model/notes.h"
#include "converters/model/outline.h"
#include "converters/uftrace/recording.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// Reads each file of the recording, and counts the records. Throws InputError if the directory can't be read,
// or if `info` has an unknown version.
Outline inspect(const std::filesystem::path& input, Notes& notes);

// ---- Sections about the files that do not contain records (inspect_files.cpp) ----

// Describes the kernel's files: pages, event formats, and an entry for each CPU. Adds notes about damage.
Outline outline_of_kernel(const Directory& directory, Notes& notes);

// Describes perf's files, with an entry for each CPU. Adds no notes about damage, because scan_perf() does.
Outline outline_of_perf(const std::vector<CpuFile>& files, std::endian order);

// Describes the lines of `info`, except the lines about arguments. The header is not included.
Outline outline_of_info(const Info& info);
// Describes which arguments and return values were recorded, and counts the functions for which uftrace knows
// them.
Outline outline_of_arguments(const Info& info);
// Returns an entry for each .sym file and for kallsyms, with the module and the number of symbols.
Outline outline_of_symbols(const Directory& directory, Notes& notes);
// Returns an entry for each .dbg file, with the number of lines of each kind. `debug` notes damaged lines.
Outline outline_of_debug_files(const Directory& directory, DebugFiles& debug);

}  // namespace convert::uftrace
