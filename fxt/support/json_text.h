// Trees of nlohmann-json as text.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace fxt {

// The members keep the order in which they were added.
using Json = nlohmann::ordered_json;

// JSON in one line; with `indent`, a line for each entry and member, so many columns further in than what
// holds it. Ill-formed text gets U+FFFD. Characters that a terminal must not get are escaped.
std::string json_text(const Json& json, int indent = -1);

}  // namespace fxt
