// Which file a conversion writes, and which files it must not overwrite.
#pragma once

#include <string>

#include "converters/app/options.h"

namespace convert {

// The output of an input that is given alone: "run/uftrace.data/" goes to "run/uftrace.data.fxt".
std::string output_for(const std::string& input, const fxt::tools::TraceFormat& format);

// Throws UsageError if the output is an input, lies inside one, has a name that promises another format, or
// is itself a recording: a user who forgets the output gives an input as the last path. Throws
// std::runtime_error if that can't be found out.
void check_output(const ConvertOptions& options);

}  // namespace convert
