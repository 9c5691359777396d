// C++ symbol names in short form, read straight from the mangling: the names alone, without walking through
// the types. One pass without going back, so that hostile names cost no more than their length.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace convert::uftrace {

// "std::vector::push_back" for a symbol that begins with "_Z" (Itanium C++ ABI, "Mangling"; also the older
// Rust mangling, which is built on it). Nothing if it can't be understood. What follows the mangled name
// (".part.0", "@GLIBC") is cut.
std::optional<std::string> short_cpp_name(std::string_view symbol);

}  // namespace convert::uftrace
