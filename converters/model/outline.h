// The contents of an input, as a tree of names and values. `--inspect` prints it as text or JSON.
#pragma once

#include <string>

#include "fxt/support/json_text.h"

namespace convert {

using Outline = fxt::Json;

// Returns the outline as text, with lines such as "name: value". Inner values are indented, list entries
// begin with a dash, and texts of several lines are below their name. Control characters are escaped.
std::string text_of(const Outline& outline);
// Returns a text unchanged, "yes" or "no" for a bool, and other values as JSON in one line.
std::string plain(const Outline& value);

}  // namespace convert
