// Outline by name only, for headers that must not bring all of JSON with them.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace convert {

// Objects keep the order in which they were filled.
using Outline = nlohmann::ordered_json;

}  // namespace convert
