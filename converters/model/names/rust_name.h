// Rust symbol names in uftrace's short form. There are two manglings: the older one is C++'s with a hash at
// the end and escapes in the names; the newer one ("v0", RFC 2603) has a grammar of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace convert {

// Older mangling: true for the last part of a path, 'h' and 16 hexadecimal digits, which says nothing to
// people.
bool is_rust_hash(std::string_view name);

// Older mangling: "_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$" -> "_<alloc::vec::Vec<T>>".
// The trait is left out, as uftrace does.
std::string without_rust_escapes(std::string_view name);

// v0: "<alloc::vec::Vec<i32>>::fmt" for a symbol that begins with "_R". Nothing if it can't be understood.
// Like uftrace it does not understand names whose back references lead to types that are no paths.
std::optional<std::string> short_rust_name(std::string_view symbol);

// v0: true if the symbol can be understood, back references to any type included, and does not become
// extremely long by its back references.
bool is_harmless_rust_name(std::string_view symbol);

}  // namespace convert
