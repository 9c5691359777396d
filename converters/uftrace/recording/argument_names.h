// The names of arguments that the importer gives to calls.
#pragma once

#include <array>
#include <string_view>

namespace convert::uftrace {

inline constexpr std::string_view kReturnValue = "retval", kSourceLine = "loc", kCallSite = "callsite",
                                  kRepaired = "repaired", kRepairedEnd = "repaired_end";
// A parameter of a function that is called so keeps its number: no call has two arguments of one name.
inline constexpr std::array kReservedNames{kReturnValue, kSourceLine, kCallSite, kRepaired, kRepairedEnd};

// Of switches: the CPU that the thread left, what it was then, and the CPU that it came to next.
inline constexpr std::string_view kCpu = "cpu", kState = "state", kNextCpu = "next_cpu";

}  // namespace convert::uftrace
