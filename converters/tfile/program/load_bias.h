// Where a position-independent program was loaded: the trace file does not say, but its tracepoints do.
#pragma once

#include <cstdint>
#include <optional>

#include "converters/tfile/description/description.h"
#include "converters/tfile/program/program.h"

namespace convert::tfile {

// The bias that most locations agree on (fact sheet, section 11); nothing when none fits any.
std::optional<std::uint64_t> find_load_bias(const Description& description, const Program& program);

// Whether the program may be the one that was traced: false when tracepoints are named by functions or lines,
// and not one of those is where it should be; without a bias, not one is there at all.
bool may_be_traced(const Description& description, const Program& program, std::optional<std::uint64_t> bias);

}  // namespace convert::tfile
