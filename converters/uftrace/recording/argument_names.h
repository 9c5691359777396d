// The names of arguments that the importer adds to calls.
#pragma once

#include <array>
#include <string_view>

namespace convert::uftrace {

inline constexpr std::string_view kReturnValue = "retval", kSourceLine = "loc", kCallSite = "callsite",
                                  kRepaired = "repaired", kRepairedEnd = "repaired_end";
// A parameter with one of these names is shown as `arg1`, `arg2` … Otherwise, a call could have two arguments
// with the same name.
inline constexpr std::array kReservedNames{kReturnValue, kSourceLine, kCallSite, kRepaired, kRepairedEnd};

// Arguments of `linux:schedule` calls: the CPU that the thread left, the state of the thread, and its next
// CPU.
inline constexpr std::string_view kCpu = "cpu", kState = "state", kNextCpu = "next_cpu";

}  // namespace convert::uftrace
