// What an input holds, as a tree of names and values: for `--inspect`, as text or JSON.
#pragma once

#include <string>

#include "fxt/support/json_text.h"

namespace convert {

using Outline = fxt::Json;

// For people: one "name: value" a line, what lies inside indented, list entries after a dash, texts of
// several lines below their name. Control characters are spelled out.
std::string text_of(const Outline& outline);
// A text as it is, "yes" or "no", otherwise JSON in one line.
std::string plain(const Outline& value);

}  // namespace convert
