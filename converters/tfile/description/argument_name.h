// The names of the arguments of a frame, and of those that show values of the program.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace convert::tfile {

// The names of the arguments that describe the frame itself. A record can't hold two arguments with the same
// name. Therefore, a variable of the program that is called "frame" is shown as "frame (program)".
namespace argument_names {
inline constexpr std::string_view kFrame = "frame", kTracepoint = "tracepoint", kPc = "pc", kLoc = "loc",
                                  kInlined = "inlined", kCallers = "callers", kTime = "time",
                                  kThread = "thread", kMemory = "mem";
}  // namespace argument_names

inline bool is_own_argument(std::string_view name) {
  using namespace argument_names;
  constexpr std::array kAll{kFrame, kTracepoint, kPc, kLoc, kInlined, kCallers, kTime, kThread, kMemory};
  return std::ranges::find(kAll, name) != kAll.end();
}

// The text of an item or value, changed as little as possible so that Perfetto can show it. Perfetto makes a
// tree from the dots and indexes in names. It shows no argument of an event if a node has both a value and
// parts, or if an index is not a small number. Therefore, `loc.x` becomes "loc (program).x", because each
// frame has an argument `loc`, and `a[i]` becomes "a(i)".
std::string argument_name(std::string_view text);

}  // namespace convert::tfile
