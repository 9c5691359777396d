// GDB trace files ("tfiles", saved by `tsave`, or read from the KGTP module): every tracepoint hit on the
// timeline.
#pragma once

#include <filesystem>

#include "converters/model/importer.h"
#include "converters/tfile/events/options.h"

namespace convert::tfile {

// A regular file that begins as trace files do, of whatever version; or what `tsave -ctf` makes, which
// import() refuses with advice.
bool recognizes(const std::filesystem::path& input);

// Reads the description and surveys all frames once; the source that it adds reads them again, forward, while
// the timeline runs. Memory does not grow with the number of frames. Throws InputError when the file can't be
// understood.
void import(const std::filesystem::path& input, ImportContext& context, const Options& options = {});

}  // namespace convert::tfile
