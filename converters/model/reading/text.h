// Splits text into numbers, words, and items between separators. Writes strings, bytes and times as text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fxt/support/text.h"

namespace convert {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
// True if identifiers may contain the character.
constexpr bool is_word_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

using fxt::consume_number;
using fxt::whole_number;

// Parses all of `text` as a C number below 2^64. The number is decimal, hexadecimal (0x) or octal (0).
std::optional<std::uint64_t> c_number(std::string_view text);

// Removes `prefix` from the start of `text`, and returns true if `text` starts with it. `prefix` must be in
// lower case. The case of letters in `text` does not matter.
bool consume_prefix(std::string_view& text, std::string_view prefix);
// Returns `text` without the blanks at its start and end.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");
// Returns the bytes as GDB prints them. ASCII control characters and bytes that are not UTF-8 become octal
// numbers, as in "caf\\351". A backslash becomes two backslashes.
std::string spelled(std::string_view bytes);
// Returns a character as a debugger prints it: "'A' (65)", "'\\n' (10)", "'\\351' (-23)". `code` is the value
// of a signed or unsigned char.
std::string spelled_character(std::int64_t code);
// True if a string of the recorded program needs quotes, because it would otherwise look like an empty value,
// null, a boolean or a number. Also true for a string that begins or ends with a blank.
bool is_unclear(std::string_view text);
// If the text is unclear, returns it in double quotes, like uftrace. Otherwise, returns the text unchanged.
std::string shown_string(std::string text);
inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
// Returns, for example, "1061.400468580 s".
std::string format_seconds(std::uint64_t time_ns);
// Calls `visit` with each part between separators, except for empty parts.
template <typename Visit>
void split(std::string_view text, char separator, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end != 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace convert
