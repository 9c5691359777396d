// Describes the recording. Viewers get the recording's name and other properties. The trace gets an instant
// with the values of `info`, and the recording's text files as blobs.
#pragma once

#include <cstdint>
#include <filesystem>

#include "converters/model/importer.h"
#include "converters/model/lanes/lane.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/sessions.h"

namespace convert::uftrace {

// Emits the instant `uftrace info` and the blobs `uftrace/<file>` at `time_ns`. `lane` must be empty.
void describe(const Directory& directory, const Info& info, std::uint64_t time_ns, Lane& lane,
              ImportContext& context);

TraceInfo trace_info_of(const Info& info, const Sessions& sessions);

}  // namespace convert::uftrace
