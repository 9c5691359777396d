// Demangles symbol names of D.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "converters/symbols/demangle.h"

namespace convert {

// The name of a symbol of D, for example "app.Box!(int).put", followed by "(int)" if parameters are shown.
// Returns nothing if `symbol` is not from D, can't be parsed, or might become very long.
std::optional<std::string> full_d_name(std::string_view symbol, Parameters parameters);

}  // namespace convert
