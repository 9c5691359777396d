// What a stream's other end is, and what its user wants to see there.
#pragma once

#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace fxt::tools {

// A terminal that obeys escape sequences.
inline bool is_terminal(int stream) {
  const char* const kind = std::getenv("TERM");
  return ::isatty(stream) == 1 && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

// By https://no-color.org: set to anything, it asks for none.
inline bool wants_color() {
  const char* const no = std::getenv("NO_COLOR");
  return no == nullptr || *no == '\0';
}

}  // namespace fxt::tools
