// Numbers of filters: whole ones as C writes them, decimal, 0x hexadecimal, 0 octal; sizes may have a unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convert::uftrace {

// Below 2^64.
std::optional<std::uint64_t> c_number(std::string_view text);

// What c_size() takes, for messages.
inline constexpr std::string_view kCSizeForm = "a size in bytes such as 128, 0x80, 4k or 1.5KiB";

// The same, or a size with a unit, as fxt/quantity_text.h says.
std::optional<std::uint64_t> c_size(std::string_view text);

// With a sign, perhaps; from -2^63 to below 2^63.
std::optional<std::int64_t> signed_c_number(std::string_view text);

}  // namespace convert::uftrace
