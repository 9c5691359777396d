// Where a position-independent program was loaded: the trace file does not say, but its tracepoints do.
#pragma once

#include <cstdint>
#include <optional>

#include "converters/tfile/description/description.h"
#include "converters/tfile/program/program.h"

namespace convert::tfile {

// The bias that most locations agree on (fact sheet, section 11); nothing when none fits any.
std::optional<std::uint64_t> find_load_bias(const Description& description, const Program& program);

}  // namespace convert::tfile
