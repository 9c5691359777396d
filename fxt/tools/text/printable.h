// Texts of inputs may hold any bytes, and a terminal should not obey them.
#pragma once

#include <string>
#include <string_view>

namespace fxt::tools {

// Control characters as "\x1b", line ends, too; all else as it is.
std::string printable(std::string_view text);

}  // namespace fxt::tools
