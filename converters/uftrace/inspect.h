// What a uftrace recording holds, for people who look at it before they convert it, or wonder what is wrong
// with it.
#pragma once

#include <bit>
#include <filesystem>
#include <vector>

#include "converters/model/notes.h"
#include "converters/model/outline.h"
#include "converters/uftrace/recording.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// Reads every file of the recording once; of the record files only counts are kept. Throws InputError when
// `info` or the directory can't be understood at all.
Outline inspect(const std::filesystem::path& input, Notes& notes);

// ---- Its sections about the files beside the records (inspect_files.cpp) ----

// The kernel's ring buffers: pages, formats, and a list by cpu. Notes damage.
Outline outline_of_kernel(const Directory& directory, Notes& notes);

// Perf's files: a list by cpu. Does not note damage: scan_perf() does.
Outline outline_of_perf(const std::vector<CpuFile>& files, std::endian order);

// All lines of `info`; its header is shown elsewhere.
Outline outline_of_info(const Info& info);
// Which arguments and return values were recorded, and how many functions the automatic lists contain.
Outline outline_of_arguments(const Info& info);
// One entry for each .sym file and for kallsyms: the module, and the number of its symbols.
Outline outline_of_symbols(const Directory& directory, Notes& notes);
// One entry for each .dbg file: the number of its lines of each kind. `debug` notes damage.
Outline outline_of_debug_files(const Directory& directory, DebugFiles& debug);

}  // namespace convert::uftrace
