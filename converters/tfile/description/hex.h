// The hexadecimal numbers and texts that description lines are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/reading/text.h"

namespace convert::tfile {

// The whole of `digits` as a number without "0x"; nothing when it is empty, has other characters, or needs
// more than 64 bits.
inline std::optional<std::uint64_t> hex_number(std::string_view digits) { return whole_number(digits, 16); }

// Two digits a byte; nothing when the count is odd or a character is no digit.
std::optional<std::vector<std::byte>> hex_bytes(std::string_view digits);
std::optional<std::string> hex_text(std::string_view digits);

// Two more digits at the end of `text`.
void add_hex_byte(std::string& text, std::byte byte);
// "0a ff", at most `limit` bytes, then "…".
std::string spelled_bytes(std::span<const std::byte> bytes, std::size_t limit);

// Takes the text before the next `separator` off `rest`, and the separator; all of it when there is none.
std::string_view take_field(std::string_view& rest, char separator);

}  // namespace convert::tfile
