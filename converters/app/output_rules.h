// The name of the output file of a conversion, and the files that the output must not overwrite.
#pragma once

#include <string>

#include "converters/app/options.h"

namespace convert {

// The output if only the input is given: "run/uftrace.data/" goes to "run/uftrace.data.fxt".
std::string output_for(const std::string& input, const fxt::tools::TraceFormat& format);

// Throws UsageError if the output is an input or a recording, if it is inside an input, or if its name has
// the suffix of another format. Throws std::runtime_error if this can't be checked.
void check_output(const ConvertOptions& options);

}  // namespace convert
