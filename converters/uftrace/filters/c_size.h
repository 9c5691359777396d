// Sizes in bytes, as filters and triggers take them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convert::uftrace {

// What c_size() takes, for messages.
inline constexpr std::string_view kCSizeForm = "a size in bytes such as 128, 0x80, 4k or 1.5KiB";

// All of `text` as C writes a number, or a size with a unit, as fxt/quantity_text.h says.
std::optional<std::uint64_t> c_size(std::string_view text);

}  // namespace convert::uftrace
