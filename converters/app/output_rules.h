// Which file a conversion writes, and which ones it must not harm.
#pragma once

#include <string>
#include <vector>

#include "converters/app/importers.h"

namespace convert {

// Where an input goes that is given alone: "run/uftrace.data/" to "run/uftrace.data.fxt".
std::string output_for(const std::string& input);

// Throws UsageError for an OUTPUT that is an input or lies inside of one, or that is a recording itself: the
// last name on a command line may be a forgotten output's.
void check_output(const std::string& output, const std::vector<std::string>& inputs,
                  const Importers& importers);

}  // namespace convert
