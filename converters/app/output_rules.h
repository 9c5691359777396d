// Which file a conversion writes, and which files it must not overwrite.
#pragma once

#include <string>
#include <vector>

#include "converters/app/importers.h"

namespace convert {

// The output of an input that is given alone: "run/uftrace.data/" goes to "run/uftrace.data.fxt".
std::string output_for(const std::string& input);

// Throws UsageError if the output is an input, lies inside one, or is itself a recording: a user who forgets
// the output gives an input as the last path.
void check_output(const std::string& output, const std::vector<std::string>& inputs,
                  const Importers& importers);

}  // namespace convert
