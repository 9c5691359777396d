// The names of arguments that the importer gives to calls of the program. A parameter that is called so keeps
// its number, so that no call has two arguments of one name.
#pragma once

#include <array>
#include <string_view>

namespace convert::uftrace {

inline constexpr std::string_view kReturnValue = "retval", kSourceLine = "loc", kCallSite = "callsite",
                                  kRepaired = "repaired", kRepairedEnd = "repaired_end";
inline constexpr std::array kReservedNames{kReturnValue, kSourceLine, kCallSite, kRepaired, kRepairedEnd};

}  // namespace convert::uftrace
