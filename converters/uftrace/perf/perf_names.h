// The names that threads gave themselves, from the COMM records of perf-cpu<N>.dat (uftrace.md, section 13).
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "converters/model/event.h"
#include "converters/model/notes.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// The last name of every thread that has one, over all files. Damage ends a file, with a note, and so
// does what can't be read.
std::map<ThreadId, std::string> read_perf_names(const std::vector<CpuFile>& files, std::endian order,
                                                Notes& notes);

}  // namespace convert::uftrace
