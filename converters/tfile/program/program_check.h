// Where a program or library was loaded, and whether it is the one that was traced: both by what the
// tracepoints tell of functions, lines and objects.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/program/program.h"

namespace convert::tfile {

struct ProgramCheck {
  std::optional<std::uint64_t> bias;             // nothing when no tracepoint tells, or several fit alike
  std::vector<std::uint64_t> equal_biases = {};  // those that fit alike; empty when the bias is known
  std::size_t agreements = 0;      // tracepoints whose function, line or objects lie where they were recorded
  std::size_t contradictions = 0;  // tracepoints that can't lie in this program
  std::size_t weight = 0;          // how much confirms it
  std::string first_contradiction = {};  // "fib lies elsewhere (tracepoint 2 at 0x401136)"
};

// Compares every location, whose expected frames are in `locations`, with the program: at `given`, else at
// its fixed address, else at each bias that some location suggests. A location outside of the program neither
// agrees nor contradicts: it may be in a library. With the registers' `layout`, which may be null, the places
// of local variables are compared, too.
std::vector<ProgramCheck> check_places(const Description& description, const LocationTable& locations,
                                       Program& program, std::optional<std::uint64_t> given = std::nullopt,
                                       const RegisterLayout* layout = nullptr,
                                       std::endian order = std::endian::little);
// The place that is confirmed best.
ProgramCheck best_of(std::span<const ProgramCheck> places);

// Which of the functions at an address is meant by the location that the user wrote: `trace outer` in
// optimized code may stop where another function is inlined into `outer`. Empty: the location names none of
// them.
std::string function_meant(const std::string& at, const CodeInfo& code);

}  // namespace convert::tfile
