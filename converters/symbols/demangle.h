// Symbol names as people read them: C++ and Rust names, demangled.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "converters/model/names/names.h"

namespace convert {

// Returns `symbol` demangled, or unchanged if it is not mangled or not understood. Accepts any bytes.
//   Demangle::Simple  "std::vector::push_back", as uftrace shows it: no template arguments, parameters,
//                     return types or ABI tags; Rust's newer names have their generic arguments
//   Demangle::Full    "std::vector<int, std::allocator<int> >::push_back(int const&)"
//   Demangle::No      the symbol as it is
std::string demangle(std::string_view symbol, Demangle mode);

enum class Parameters : bool { Hidden, Shown };

// Everything that a symbol beginning with "_Z" or "_R" holds, as c++filt prints it. With hidden parameters:
// "std::vector<int, std::allocator<int> >::push_back", as debuggers name functions. Nothing if the symbol is
// not understood, or if the name would be longer than any string in the output can be.
std::optional<std::string> full_name(std::string_view symbol, Parameters parameters = Parameters::Shown);

// Names in uftrace's short form, for demangle(). Nothing if the symbol or the text is not understood.
// "std::vector::push_back" for a symbol that begins with "_Z". The older Rust mangling is built on that of
// C++:
// "_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$::drop" becomes "_<alloc::vec::Vec<T>>::drop".
std::optional<std::string> short_cpp_name(const std::string& symbol);
// "<alloc::vec::Vec<u8>>::drop" for the full name of a symbol in Rust's newer mangling ("v0", RFC 2603),
// which begins with "_R".
std::string short_rust_name(std::string_view full);

}  // namespace convert
