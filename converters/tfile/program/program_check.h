// Finds out where a program or library was loaded, and whether it is the traced program. Both follow from the
// functions, lines and objects of the tracepoints.
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
  // The load bias. Nothing if no tracepoint shows it, or if several biases fit equally well.
  std::optional<std::uint64_t> bias;
  // The biases that fit equally well; empty if the bias is known.
  std::vector<std::uint64_t> equal_biases = {};
  std::size_t agreements = 0;            // locations and collected objects that fit the bias
  std::size_t contradictions = 0;        // locations and collected items that do not fit the program
  std::size_t weight = 0;                // how strongly the agreements confirm the bias
  std::string first_contradiction = {};  // "fib is at another address (tracepoint 2 at 0x401136)"
};

// Compares every location with the program. Uses the bias `given`, or else the program's fixed address, or
// else tries each bias that a location suggests. `locations` has the blocks that the frames of each location
// should have. A location outside of the program usually proves nothing, because it may be in a library. If
// `layout` is not null, also compares the places of local variables, whose addresses depend on registers.
std::vector<ProgramCheck> check_places(const Description& description, const LocationTable& locations,
                                       Program& program, std::optional<std::uint64_t> given = std::nullopt,
                                       const RegisterLayout* layout = nullptr,
                                       std::endian order = std::endian::little);
ProgramCheck best_of(std::span<const ProgramCheck> places);

// The function that the location `at` names, if this function is inlined at the address of `code` or contains
// the inlined code. Otherwise empty. Example: `trace outer` may stop in the code of `inner`, which is inlined
// into `outer`. The result is then `outer`.
std::string function_meant(const std::string& at, const CodeInfo& code);

}  // namespace convert::tfile
