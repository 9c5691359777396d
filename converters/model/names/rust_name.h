// Rust symbol names in uftrace's short form, as the older of two manglings has them: it is C++'s with a hash
// at the end and escapes in the names.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// True for the last part of a path, 'h' and 16 hexadecimal digits, which says nothing to
// people.
bool is_rust_hash(std::string_view name);

// "_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$" -> "_<alloc::vec::Vec<T>>".
// The trait is left out, as uftrace does.
std::string without_rust_escapes(std::string_view name);

}  // namespace convert
