// Demangles symbol names of C++, Rust and D.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "converters/model/names/names.h"

namespace convert {

// Returns `symbol` demangled, or unchanged if it is not mangled or can't be parsed. Accepts any bytes.
//   Demangle::Simple  "std::vector::push_back", as in uftrace: no template arguments, parameters,
//                     return types or ABI tags; newer Rust names have their generic arguments
//   Demangle::Full    "std::vector<int, std::allocator<int> >::push_back(int const&)"
//   Demangle::No      the symbol unchanged
std::string demangle(std::string_view symbol, Demangle mode);

enum class Parameters : bool { Hidden, Shown };

// The complete name of a symbol that begins with "_Z" or "_R", as c++filt prints it. With Parameters::Hidden,
// it is the name that debuggers show: "std::vector<int, std::allocator<int> >::push_back". Returns nothing if
// the symbol can't be parsed, or if the name would be too long for the output.
std::optional<std::string> full_name(std::string_view symbol, Parameters parameters = Parameters::Shown);

// The name of a symbol of D, for example "app.Box!(int).put", followed by "(int)" if parameters are shown.
// Returns nothing if `symbol` is not from D, can't be parsed, or might become very long.
std::optional<std::string> full_d_name(std::string_view symbol, Parameters parameters);

// Returns the name of a symbol that begins with "_Z", in uftrace's short form: "std::vector::push_back", for
// example. Returns nothing if the symbol can't be parsed. Symbols in the older Rust mangling also begin with
// "_Z". Their path "_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$::drop" becomes
// "_<alloc::vec::Vec<T>>::drop".
std::optional<std::string> short_cpp_name(const std::string& symbol);
// The short form of a demangled Rust name: "<alloc::vec::Vec<u8>>::drop". `full` is the result of full_name()
// for a symbol in Rust's newer mangling ("v0", RFC 2603), which begins with "_R".
std::string short_rust_name(std::string_view full);

}  // namespace convert
