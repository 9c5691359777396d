// C++ symbol names in short form: only the names out of libiberty's tree of a symbol.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace convert {

// "std::vector::push_back" for a symbol that begins with "_Z" (Itanium C++ ABI, "Mangling"; also the older
// Rust mangling, which is built on it). Nothing if it can't be understood. What follows the mangled name
// (".part.0", "@GLIBC") is cut. Symbols that is_harmless_cpp_name() refuses are not understood.
std::optional<std::string> short_cpp_name(std::string_view symbol);

// False for symbols with which libiberty would need much time or stack: those of more than 8192 bytes, and
// conversion operators with deeply nested template parameters.
bool is_harmless_cpp_name(std::string_view symbol);

}  // namespace convert
