// What a recording says of itself: one instant whose arguments a viewer shows, and its text files as blobs.
#pragma once

#include <cstdint>
#include <filesystem>

#include "converters/model/importer.h"
#include "converters/model/lanes/lane.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/info.h"

namespace convert::uftrace {

// The instant `uftrace info` and the blobs `uftrace/<file>` at `time_ns` on `lane`, which must be empty so
// far.
void describe(const Directory& directory, const Info& info, std::uint64_t time_ns, Lane& lane,
              ImportContext& context);

}  // namespace convert::uftrace
