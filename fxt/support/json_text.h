// Trees of nlohmann-json as text.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace fxt {

// Members keep the order in which they were added.
using Json = nlohmann::ordered_json;

// Returns JSON in one line. With `indent`, each entry and member has its own line, which is indented by
// `indent` more columns than the line of its parent. Ill-formed text becomes U+FFFD. Characters that are
// unsafe for terminals are escaped.
std::string json_text(const Json& json, int indent = -1);

}  // namespace fxt
