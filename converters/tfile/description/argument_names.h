// The names of the arguments that describe a frame itself. A record can't hold two arguments of one name, so
// a variable of the program that is called "frame" is shown as "frame (program)".
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace convert::tfile {

namespace argument_names {
inline constexpr std::string_view kFrame = "frame", kTracepoint = "tracepoint", kPc = "pc", kLoc = "loc",
                                  kInlined = "inlined", kTime = "time", kThread = "thread", kMemory = "mem";
}  // namespace argument_names

inline std::string value_argument_name(std::string_view name) {
  using namespace argument_names;
  constexpr std::array kAll{kFrame, kTracepoint, kPc, kLoc, kInlined, kTime, kThread, kMemory};
  const bool is_reserved = std::ranges::find(kAll, name) != kAll.end();
  return std::string(name) + (is_reserved ? " (program)" : "");
}

}  // namespace convert::tfile
