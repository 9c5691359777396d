// Whole numbers as C writes them: decimal, 0x hexadecimal, 0 octal; nothing else may stand there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convert::uftrace {

// Below 2^64.
std::optional<std::uint64_t> c_number(std::string_view text);

// With a sign, perhaps; from -2^63 to below 2^63.
std::optional<std::int64_t> signed_c_number(std::string_view text);

}  // namespace convert::uftrace
