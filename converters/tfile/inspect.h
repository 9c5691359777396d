// What a trace file holds, without converting it: target, tracepoints with their actions disassembled,
// variables, frames, threads, times and damage.
#pragma once

#include <filesystem>

#include "converters/model/notes.h"
#include "converters/model/outline.h"

namespace convert::tfile {

// Reads the whole file once. Throws InputError as import() does; `notes` takes what is odd.
Outline inspect(const std::filesystem::path& input, Notes& notes);

}  // namespace convert::tfile
