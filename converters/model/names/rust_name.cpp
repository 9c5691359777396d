#include "converters/model/names/rust_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "converters/model/reading/text.h"

namespace convert {
namespace {

constexpr std::size_t kHashSize = 17;

// What stands between two '$' in the older mangling.
constexpr std::array kEscapes{std::pair{std::string_view("SP"), '@'}, std::pair{std::string_view("BP"), '*'},
                              std::pair{std::string_view("RF"), '&'}, std::pair{std::string_view("LT"), '<'},
                              std::pair{std::string_view("GT"), '>'}, std::pair{std::string_view("LP"), '('},
                              std::pair{std::string_view("RP"), ')'}, std::pair{std::string_view("C"), ','}};

std::optional<char> unescape(std::string_view code) {
  const auto* const found = std::ranges::find(kEscapes, code, [](const auto& e) { return e.first; });
  if (found != kEscapes.end()) return found->second;
  if (!code.starts_with('u')) return std::nullopt;
  const auto value = whole_number<unsigned>(code.substr(1), 16);
  constexpr unsigned kFirstPrintable = 0x20;
  constexpr unsigned kLastPrintable = 0x7e;
  if (!value || *value < kFirstPrintable || *value > kLastPrintable) return std::nullopt;
  return static_cast<char>(*value);
}

void append_with_colons(std::string& text, std::string_view part) {
  for (std::size_t dots; (dots = part.find("..")) != std::string_view::npos; part.remove_prefix(dots + 2)) {
    text += part.substr(0, dots);
    text += "::";
  }
  text += part;
}

}  // namespace

bool is_rust_hash(std::string_view name) {
  return name.size() == kHashSize && name.starts_with('h') &&
         std::ranges::all_of(name.substr(1), is_hex_digit);
}

std::string without_rust_escapes(std::string_view name) {
  constexpr std::string_view kAs = "$u20$as$u20$";
  std::string text;
  while (true) {
    const std::size_t dollar = name.find('$');
    if (dollar == std::string_view::npos) break;
    const std::string_view escape = name.substr(dollar);
    if (escape.starts_with(kAs)) {
      append_with_colons(text, name.substr(0, dollar));
      return text + '>';
    }
    const std::size_t end = escape.find('$', 1);
    const auto character = end != std::string_view::npos ? unescape(escape.substr(1, end - 1)) : std::nullopt;
    if (!character) break;
    append_with_colons(text, name.substr(0, dollar));
    text += *character;
    name = escape.substr(end + 1);
  }
  text += name;
  return text;
}

}  // namespace convert
