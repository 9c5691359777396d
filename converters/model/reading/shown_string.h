// Strings of the recorded program, as they are shown.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// True if a text that is shown without quotes could be mistaken for another value: for nothing, null, a
// boolean or a number. A text with a blank at an end is also unclear.
bool is_unclear(std::string_view text);
// The text in double quotes if it is unclear, as in uftrace. Otherwise, the text itself.
std::string shown_string(std::string text);

}  // namespace convert
