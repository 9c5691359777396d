// Splits text into numbers, words, and items between separators; writes bytes and times as text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fxt/support/text.h"

namespace convert {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
// A character of an identifier.
constexpr bool is_word_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

using fxt::consume_number;
using fxt::whole_number;

// All of `text` as a number in the spelling of C: decimal, 0x hexadecimal, 0 octal; below 2^64.
std::optional<std::uint64_t> c_number(std::string_view text);

// Removes `prefix`, which is in lower case, from the start of `text`, in any case. False if `text` does not
// begin with it.
bool consume_prefix(std::string_view& text, std::string_view prefix);
// `text` without blanks at either end.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");
// `bytes` in GDB's spelling: octal numbers for bytes that are not a printable character of UTF-8, and two
// backslashes for one: "caf\\351".
std::string spelled(std::string_view bytes);
// A character in a debugger's spelling: "'A' (65)", "'\\n' (10)", "'\\351' (-23)". `code` is that of a char,
// signed or not.
std::string spelled_character(std::int64_t code);
inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
// "1061.400468580 s"
std::string format_seconds(std::uint64_t time_ns);
// Calls `visit` with each part between separators that is not empty.
template <typename Visit>
void split(std::string_view text, char separator, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end != 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace convert
