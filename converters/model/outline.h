// The contents of an input, as a tree of names and values: for `--inspect`, as text or JSON.
#pragma once

#include <string>

#include "fxt/support/json_text.h"

namespace convert {

using Outline = fxt::Json;

// Text for people: one "name: value" per line, inner values indented, list entries after a dash, texts of
// several lines below their name. Control characters are escaped.
std::string text_of(const Outline& outline);
// Returns a text unchanged, "yes" or "no" for a bool, and other values as JSON in one line.
std::string plain(const Outline& value);

}  // namespace convert
