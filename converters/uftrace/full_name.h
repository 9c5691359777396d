// C++ and Rust symbol names with everything the mangling holds, as c++filt prints them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace convert::uftrace {

// "std::vector<int, std::allocator<int> >::push_back(int const&)" for a symbol that begins with "_Z" or "_R".
// Nothing if it can't be understood, or would be longer than any string of the output may be.
std::optional<std::string> full_name(std::string_view symbol);

}  // namespace convert::uftrace
