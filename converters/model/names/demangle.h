// Symbol names as people read them: C++ and Rust names demangled the way uftrace shows them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace convert {

enum class Demangle : std::uint8_t { Simple, Full, No };

// `symbol` demangled; itself if it is not mangled or can't be understood. Never fails, whatever the bytes.
//   Demangle::Simple  "std::vector::push_back": no template arguments, parameters, return types, ABI tags
//   Demangle::Full    "std::vector<int, std::allocator<int> >::push_back(int const&)"
//   Demangle::No      the symbol as it is
std::string demangle(std::string_view symbol, Demangle mode);

}  // namespace convert
