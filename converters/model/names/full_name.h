// C++ and Rust symbol names with everything the mangling holds, as c++filt prints them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace convert {

enum class Parameters : bool { Hidden, Shown };

// "std::vector<int, std::allocator<int> >::push_back(int const&)" for a symbol that begins with "_Z" or "_R";
// with hidden parameters, "std::vector<int, std::allocator<int> >::push_back", as debuggers name functions.
// Nothing if it can't be understood, or would be longer than any string of the output may be.
std::optional<std::string> full_name(std::string_view symbol, Parameters parameters = Parameters::Shown);

}  // namespace convert
