#include "converters/model/reading/text.h"

#include <fmt/format.h>
#include <iterator>

#include "fxt/support/text.h"
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

std::string format_seconds(std::uint64_t time_ns) {
  return fmt::format("{}.{:09} s", time_ns / kNsPerSecond, time_ns % kNsPerSecond);
}

}  // namespace convert
