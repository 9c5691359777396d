// How strings of the recorded program are shown.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// True if a text without quotes looks like another value: an empty value, null, a boolean or a number. A text
// that begins or ends with a blank is also unclear.
bool is_unclear(std::string_view text);
// If the text is unclear, returns it in double quotes, like uftrace. Otherwise, returns the text unchanged.
std::string shown_string(std::string text);

}  // namespace convert
