#include "converters/model/reading/text.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <system_error>
#include <utility>

#include "fxt/utf8.h"

namespace convert {

std::optional<std::uint64_t> c_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return whole_number(text.substr(2), 16);
  return whole_number(text, text.size() > 1 && text.starts_with('0') ? 8 : 10);
}

bool consume_prefix(std::string_view& text, std::string_view prefix) {
  const auto same = [](char a, char b) { return fxt::lower(a) == b; };
  if (!std::ranges::equal(text.substr(0, prefix.size()), prefix, same)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string spelled(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const auto [character, is_shown] = fxt::first_character(bytes);
    if (character == "\\")
      text += "\\\\";
    else if (character.size() == 1 && !is_shown)
      fmt::format_to(std::back_inserter(text), "\\{:03o}", static_cast<unsigned char>(character.front()));
    else
      text += character;
    bytes.remove_prefix(character.size());
  }
  return text;
}

std::string spelled_character(std::int64_t code) {
  constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r'", kLetters = "abtnvfr'";
  const char character = static_cast<char>(code);
  const std::size_t escape = kEscaped.find(character);
  return fmt::format(
      "'{}' ({})",
      escape != std::string_view::npos ? std::string{'\\', kLetters[escape]} : spelled({&character, 1}),
      code);
}

bool is_unclear(std::string_view text) {
  if (text.empty() || is_blank(text.front()) || is_blank(text.back())) return true;
  // std::from_chars() also reads "inf" and "nan", in upper or lower case, as doubles.
  static constexpr std::array<std::string_view, 8> kWords{"NULL", "null", "true", "false",
                                                          "inf",  "INF",  "nan",  "NAN"};
  // Most texts are neither a number nor one of these words. Quick checks exclude most of them: first a check
  // of the first character, and then a check of the third one.
  static constexpr auto kBegins = [] {
    std::array<bool, 256> begins{};
    for (const char c : std::string_view("0123456789+-.")) begins[static_cast<unsigned char>(c)] = true;
    for (const std::string_view word : kWords) begins[static_cast<unsigned char>(word.front())] = true;
    return begins;
  }();
  if (!kBegins[static_cast<unsigned char>(text.front())]) return false;
  const auto has_third = [&](std::string_view word) { return text.size() > 2 && text[2] == word[2]; };
  if (text.front() >= 'A' && std::ranges::none_of(kWords, has_third)) return false;
  if (std::ranges::find(kWords, text) != kWords.end()) return true;
  const bool has_sign = text.front() == '-' || text.front() == '+';
  const std::string_view number = text.substr(has_sign ? 1 : 0);
  if (number.starts_with("0x") || number.starts_with("0X"))
    return number.size() > 2 && std::ranges::all_of(number.substr(2), is_hex_digit);
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, value);
  return !number.starts_with('-') && rest == end && error != std::errc::invalid_argument;
}

std::string shown_string(std::string text) {
  if (!is_unclear(text)) return text;
  return '"' + std::move(text) + '"';
}

std::string format_seconds(std::uint64_t time_ns) {
  return fmt::format("{}.{:09} s", time_ns / kNsPerSecond, time_ns % kNsPerSecond);
}

}  // namespace convert
