// The contents of an input, as a tree of names and values. `--inspect` prints it as text or JSON.
#pragma once

#include <string>

#include "fxt/support/json_text.h"

namespace convert {

using Outline = fxt::Json;

// Returns the outline as text, with lines such as "name: value". Inner values are indented. List entries
// begin with a dash. A text of several lines is below its name. Control characters are escaped.
std::string text_of(const Outline& outline);
// Returns a text unchanged, a bool as "yes" or "no", and any other value as JSON in one line.
std::string plain(const Outline& value);

}  // namespace convert
