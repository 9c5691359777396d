#include "converters/model/reading/shown_string.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "converters/model/reading/text.h"

namespace convert {

bool is_unclear(std::string_view text) {
  if (text.empty() || is_blank(text.front()) || is_blank(text.back())) return true;
  // Words and numbers that are unclear begin with one of these characters. Most other texts do not.
  constexpr auto kBegins = [] {
    std::array<bool, 256> begins{};
    for (const char c : std::string_view("0123456789+-.NntfiI")) begins[static_cast<unsigned char>(c)] = true;
    return begins;
  }();
  if (!kBegins[static_cast<unsigned char>(text.front())]) return false;
  constexpr std::array<std::string_view, 4> kWords{"NULL", "null", "true", "false"};
  if (std::ranges::find(kWords, text) != kWords.end()) return true;
  const bool has_sign = text.front() == '-' || text.front() == '+';
  const std::string_view number = text.substr(has_sign ? 1 : 0);
  if (number.starts_with("0x") || number.starts_with("0X"))
    return number.size() > 2 && std::ranges::all_of(number.substr(2), is_hex_digit);
  double value = 0;  // "inf" and "nan" are also values
  const char* const end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, value);
  return !number.starts_with('-') && rest == end && error != std::errc::invalid_argument;
}

std::string shown_string(std::string text) {
  if (!is_unclear(text)) return text;
  return '"' + std::move(text) + '"';
}

}  // namespace convert
