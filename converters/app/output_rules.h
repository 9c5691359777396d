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

// By its first word, decompressed.
bool is_fxt(const std::string& path);

// A file may take the place of nothing, of an empty one, or of an FXT trace, plain or compressed. Throws
// UsageError for any other. Devices and the like are written to, not replaced.
void check_replaceable(const std::string& output);

}  // namespace convert
