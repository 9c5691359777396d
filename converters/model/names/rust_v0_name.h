// Rust symbol names in uftrace's short form, as the newer of two manglings has them ("v0", RFC 2603): it has
// a grammar of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace convert {

// "<alloc::vec::Vec<i32>>::fmt" for a symbol that begins with "_R". Nothing if it can't be understood.
// Like uftrace it does not understand names whose back references lead to types that are no paths.
std::optional<std::string> short_rust_name(std::string_view symbol);

// True if the symbol can be understood, back references to any type included, and does not become
// extremely long by its back references.
bool is_harmless_rust_name(std::string_view symbol);

}  // namespace convert
