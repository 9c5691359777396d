// The names of arguments that the importer adds to calls.
#pragma once

#include <array>
#include <string_view>

namespace convert::uftrace {

inline constexpr std::string_view kReturnValue = "retval", kSourceLine = "loc", kCallSite = "callsite",
                                  kRepaired = "repaired", kRepairedEnd = "repaired_end";
// A parameter with one of these names is shown by its number, so that no call has two arguments with the same
// name.
inline constexpr std::array kReservedNames{kReturnValue, kSourceLine, kCallSite, kRepaired, kRepairedEnd};

// Arguments of switches: the CPU that the thread left, the state of the thread, and the next CPU of the
// thread.
inline constexpr std::string_view kCpu = "cpu", kState = "state", kNextCpu = "next_cpu";

}  // namespace convert::uftrace
