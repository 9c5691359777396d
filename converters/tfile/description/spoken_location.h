// Locations of tracepoints, as people say them.
#pragma once

#include <string>

namespace convert::tfile {

// The function or place that an `at` text names: "-function fib" is "fib", "-source a.c -line 3" is "a.c:3".
std::string spoken_location(const std::string& at);

}  // namespace convert::tfile
