#include "fxt/tools/drawing/xml_text.h"

#include <cstddef>

#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

// Of well-formed UTF-8.
std::size_t size_of_first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

// Most of what UTF-8 needs three bytes for is of scripts with wide characters.
int columns_of_first(std::string_view text) {
  return size_of_first(text) < 3 || text.starts_with(kEllipsis) || text.starts_with(kReplacement) ? 1 : 2;
}

bool is_shown(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first >= 0x20 && first != 0x7f;
  if (first == 0xc2) return static_cast<unsigned char>(character[1]) >= 0xa0;  // no C1 control
  return character != "\xef\xbf\xbe" && character != "\xef\xbf\xbf";
}

std::string clean(std::string_view text) {
  const std::string valid = make_valid_utf8(text);
  std::string shown;
  for (std::string_view rest = valid; !rest.empty();) {
    const std::string_view character = rest.substr(0, size_of_first(rest));
    shown.append(is_shown(character) ? character : kReplacement);
    rest.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace

std::string in_xml(std::string_view text) {
  std::string escaped;
  for (const char c : clean(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

double columns_of(std::string_view text) {
  const std::string shown = clean(text);
  int columns = 0;
  for (std::string_view rest = shown; !rest.empty(); rest.remove_prefix(size_of_first(rest)))
    columns += columns_of_first(rest);
  return columns;
}

std::string fitted(std::string_view text, double columns) {
  if (columns < 3) return {};
  const std::string shown = clean(text);
  if (columns_of(shown) <= columns) return shown;
  std::string_view rest = shown;
  for (double room = columns - 1; columns_of_first(rest) <= room; rest.remove_prefix(size_of_first(rest)))
    room -= columns_of_first(rest);
  return shown.substr(0, shown.size() - rest.size()) + std::string(kEllipsis);
}

}  // namespace fxt::tools
