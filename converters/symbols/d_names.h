// Names of D.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "converters/symbols/demangle.h"

namespace convert {

// The name of a symbol of D, which begins with "_D": "app.Box!(int).put", followed by "(int)" if parameters
// are shown. Returns nothing if it is not such a symbol, can't be parsed, or might become very long.
std::optional<std::string> full_d_name(std::string_view symbol, Parameters parameters);

}  // namespace convert
