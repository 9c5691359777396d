// --fit: finds the calls and other events that fit into a trace of a given size.
#pragma once

#include <memory>

#include "converters/app/conversion.h"
#include "converters/app/options.h"

namespace convert {

// Converts with exactly the shortest length whose calls fit. The sizes of all calls are known, except for a
// few: those whose start is written before their end is read, and those that a range of time cuts. If the
// trace becomes too large because of them, the inputs are converted again without some more calls.
std::unique_ptr<Conversion> fit(const ConvertOptions& options, Conversion::Offsets offsets_ns);

}  // namespace convert
