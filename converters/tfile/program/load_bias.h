// Finds out where a position-independent program was loaded, from the addresses of the tracepoints.
#pragma once

#include <cstdint>
#include <optional>

#include "converters/tfile/description/description.h"
#include "converters/tfile/program/program.h"

namespace convert::tfile {

// The bias that most locations agree on (fact sheet, section 11); nothing when no location fits.
std::optional<std::uint64_t> find_load_bias(const Description& description, const Program& program);

// Whether the program may be the traced one. False when locations name functions or lines, but the program
// has none of them at the location's address; without a bias, none of them at all.
bool may_be_traced(const Description& description, const Program& program, std::optional<std::uint64_t> bias);

}  // namespace convert::tfile
