// The names of arguments that describe a frame, and of arguments that show values of the program.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace convert::tfile {

// The names of the arguments that describe the frame itself. A record can't hold two arguments with the same
// name. Therefore, a variable of the program that is called "frame" is shown as "frame (program)".
namespace argument_names {
inline constexpr std::string_view kFrame = "frame", kTracepoint = "tracepoint", kPc = "pc", kLoc = "loc",
                                  kInlined = "inlined", kCallers = "callers", kTime = "time",
                                  kThread = "thread", kMemory = "mem";
inline constexpr std::array kAll{kFrame, kTracepoint, kPc, kLoc, kInlined, kCallers, kTime, kThread, kMemory};
}  // namespace argument_names

inline bool is_own_argument(std::string_view name) {
  return std::ranges::find(argument_names::kAll, name) != argument_names::kAll.end();
}

// True if the indexes in the text are small numbers. Perfetto makes an array from indexes, and allocates all
// elements up to the largest index.
inline bool has_only_small_indexes(std::string_view text) {
  constexpr std::size_t kMaxDigits = 3;
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    const std::size_t end = text.find(']', at);
    if (end == std::string_view::npos) return false;
    const std::string_view index = text.substr(at + 1, end - at - 1);
    if (index.empty() || index.size() > kMaxDigits ||
        index.find_first_not_of("0123456789") != std::string_view::npos)
      return false;
  }
  return true;
}

// The text of an item or value, changed so that Perfetto can show it. Perfetto makes a tree from the dots and
// indexes in names. It shows no argument of an event if a node has both a value and parts, or if an index is
// not a small number. Therefore, `a[i]` becomes "a(i)". Each frame has an argument `loc`, so `loc.x` becomes
// "loc (program).x".
inline std::string argument_name(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(".["), text.size());
  std::string name(text.substr(0, end));
  if (is_own_argument(name)) name += " (program)";
  name += text.substr(end);
  if (has_only_small_indexes(text)) return name;
  std::ranges::replace(name, '[', '(');
  std::ranges::replace(name, ']', ')');
  return name;
}

}  // namespace convert::tfile
