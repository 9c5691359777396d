// What a uftrace recording holds, for people who look at it before they convert it, or wonder what is wrong
// with it.
#pragma once

#include <filesystem>

#include "converters/model/notes.h"
#include "converters/model/outline.h"

namespace convert::uftrace {

// Reads every file of the recording once; of the record files only counts are kept. Throws InputError when
// `info` or the directory can't be understood at all.
Outline inspect(const std::filesystem::path& input, Notes& notes);

}  // namespace convert::uftrace
