// The front door of the uftrace room: a recording directory onto the timeline.
#pragma once

#include <filesystem>

#include "converters/model/importer.h"
#include "converters/uftrace/options.h"

namespace convert::uftrace {

// True for a directory that holds an `info` file of uftrace, a list of tasks, or record files.
bool recognizes(const std::filesystem::path& input);

// Reads info, tasks, maps and forks, and adds a lane and a source for every thread. Throws InputError if the
// directory can't be listed, or its info is of a version that we do not know.
void import(const std::filesystem::path& input, ImportContext& context, const Options& options = {});

}  // namespace convert::uftrace
