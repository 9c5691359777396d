// --fit: finds the calls and other events that fit into a trace of a given size.
#pragma once

#include <memory>

#include "converters/app/conversion.h"
#include "converters/app/options.h"

namespace convert {

// Shows all calls of at least some length: the shortest length with which the trace fits. The sizes of some
// calls are not known exactly: their start is written before their end is read, or the time range cuts them.
// If the trace becomes too large because of these calls, it is converted again with fewer calls.
std::unique_ptr<Conversion> fit(const ConvertOptions& options, Conversion::Offsets offsets_ns);

}  // namespace convert
