// Symbol names as people read them: C++ and Rust names, demangled.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "converters/model/names/names.h"

namespace convert {

// Returns `symbol` demangled, or unchanged if it is not mangled or not understood. Accepts any bytes.
//   Demangle::Simple  "std::vector::push_back", as uftrace shows it: no template arguments, parameters,
//                     return types or ABI tags
//   Demangle::Full    "std::vector<int, std::allocator<int> >::push_back(int const&)"
//   Demangle::No      the symbol as it is
std::string demangle(std::string_view symbol, Demangle mode);

enum class Parameters : bool { Hidden, Shown };

// Everything that a symbol beginning with "_Z" or "_R" holds, as c++filt prints it. With hidden parameters:
// "std::vector<int, std::allocator<int> >::push_back", as debuggers name functions. Nothing if the symbol is
// not understood, or if the name would be longer than any string in the output can be.
std::optional<std::string> full_name(std::string_view symbol, Parameters parameters = Parameters::Shown);

}  // namespace convert
