// What an input holds, as a tree of names and values: for `--inspect`, as text or JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "converters/model/outline_fwd.h"

namespace convert {

// For people: one "name: value" a line, what lies inside indented, list entries after a dash, texts of
// several lines below their name. Control characters are spelled out.
std::string text_of(const Outline& outline);

// Indented JSON with a line end; bytes that are not UTF-8 are replaced.
std::string json_of(const Outline& outline);
std::string line_of(const Outline& outline);  // the same in one line

}  // namespace convert
