#include "fxt/support/text.h"

#include <array>
#include <fmt/ranges.h>

#include "fxt/utf8.h"

namespace fxt {

namespace {

constexpr bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

// By byte: true if the byte is in the set. In a dump, searching the text once for each special character
// would take 20 % of the time.
using CharacterSet = std::array<bool, 256>;

// The printable ASCII characters, except some special ones.
constexpr CharacterSet plain_without(std::string_view special) {
  CharacterSet set{};
  for (std::size_t byte = 0; byte < set.size(); ++byte) {
    const auto c = static_cast<char>(byte);
    set[byte] = is_plain(c) && special.find(c) == std::string_view::npos;
  }
  return set;
}
constexpr CharacterSet kPlain = plain_without(""), kPlainInQuotes = plain_without("\"\\"),
                       kPlainInXml = plain_without("&<>\"");

// Appends the characters of `text`. Calls escape() for each character that is not in `plain`.
template <typename Escape>
void append_escaped(TextBuffer& out, std::string_view text, const CharacterSet& plain, Escape escape) {
  while (!text.empty()) {
    std::size_t size = 0;
    while (size < text.size() && plain[static_cast<unsigned char>(text[size])]) ++size;
    append_text(out, text.substr(0, size));
    text.remove_prefix(size);
    if (text.empty()) return;
    const Character character = first_character(text);
    escape(character);
    text.remove_prefix(character.bytes.size());
  }
}

void append_bytes(TextBuffer& out, std::string_view bytes) {
  for (const char byte : bytes) append(out, "\\x{:02x}", static_cast<unsigned char>(byte));
}

}  // namespace

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {text.substr(0, 1), is_plain(text[0])};
  const std::string_view bytes = text.substr(0, lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
  if (!is_valid_utf8(bytes)) return {text.substr(0, 1), false};
  const auto is_within = [bytes](std::string_view first, std::string_view last) {
    return bytes >= first && bytes <= last;
  };
  const bool is_c1 = is_within("\u0080", "\u009f");
  // U+2028 and U+2029 do not reorder text, but in JavaScript they end a line.
  const bool reorders = is_within("\u2028", "\u202e") || is_within("\u2066", "\u2069") ||
                        is_within("\u200e", "\u200f") || bytes == "\u061c";
  return {bytes, !is_c1 && !reorders && !is_within("\xef\xbf\xbe", "\xef\xbf\xbf")};
}

void append_printable(TextBuffer& out, std::string_view text) {
  append_escaped(out, text, kPlain, [&](const Character& character) {
    character.is_shown ? append_text(out, character.bytes) : append_bytes(out, character.bytes);
  });
}

std::string printable(std::string_view text) {
  TextBuffer out;
  append_printable(out, text);
  return fmt::to_string(out);
}

void append_quoted(TextBuffer& out, std::string_view text) {
  out.push_back('"');
  append_escaped(out, text, kPlainInQuotes, [&](const Character& character) {
    constexpr std::string_view kSpecial = "\"\\\n\r\t", kEscaped = "\"\\nrt";
    const std::size_t special = kSpecial.find(character.bytes.front());
    if (special != std::string_view::npos) {
      out.push_back('\\');
      out.push_back(kEscaped[special]);
    } else {
      character.is_shown ? append_text(out, character.bytes) : append_bytes(out, character.bytes);
    }
  });
  out.push_back('"');
}

void append_json_string(TextBuffer& out, std::string_view text) {
  const auto append_valid = [&](std::string_view valid) {
    append_escaped(out, valid, kPlainInQuotes, [&](const Character& character) {
      if (!character.is_shown)
        append_json_escape(out, character.bytes);
      else
        append(out, "{}{}", character.bytes.size() == 1 ? "\\" : "", character.bytes);
    });
  };
  out.push_back('"');
  is_valid_utf8(text) ? append_valid(text) : append_valid(make_valid_utf8(text));
  out.push_back('"');
}

void append_json_escape(TextBuffer& out, std::string_view character) {
  // The mask 0x3f removes the marker bits of all bytes, except one bit in the lead byte of three-byte
  // characters. The mask 0xffff removes this bit, because it ends up above bit 15.
  unsigned number = 0;
  for (const char byte : character) number = number << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  append(out, "\\u{:04x}",
         character.size() == 1 ? static_cast<unsigned char>(character[0]) : number & 0xffff);
}

std::string shown(std::string_view text) {
  TextBuffer out;
  append_escaped(out, make_valid_utf8(text), kPlain, [&](const Character& character) {
    append_text(out, character.is_shown ? character.bytes : kReplacement);
  });
  return fmt::to_string(out);
}

std::string in_xml(std::string_view text) {
  TextBuffer out;
  append_escaped(out, shown(text), kPlainInXml, [&](const Character& character) {
    const char first = character.bytes.front();
    append_text(out, first == '&'   ? "&amp;"
                     : first == '<' ? "&lt;"
                     : first == '>' ? "&gt;"
                     : first == '"' ? "&quot;"
                                    : character.bytes);
  });
  return fmt::to_string(out);
}

namespace {

// Most characters of three or more bytes are wide, such as Chinese characters.
double columns_of(const Character& character) {
  return character.bytes.size() < 3 || character.bytes == "\u2026" || character.bytes == kReplacement ? 1 : 2;
}

}  // namespace

std::string counted(std::uint64_t count, std::string_view one, std::string_view several) {
  if (count == 1) return fmt::format("1 {}", one);
  return several.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, several);
}

double columns_of(std::string_view text) {
  double columns = 0;
  const std::string all = shown(text);
  for (std::string_view rest = all; !rest.empty();) {
    const Character character = first_character(rest);
    columns += columns_of(character);
    rest.remove_prefix(character.bytes.size());
  }
  return columns;
}

std::string fitted(std::string_view text, double columns) {
  if (columns < 3) return {};
  std::string all = shown(text);
  if (columns_of(all) <= columns) return all;
  std::size_t size = 0;
  for (double room = columns - 1;;) {
    const Character character = first_character(std::string_view(all).substr(size));
    room -= columns_of(character);
    if (room < 0) break;
    size += character.bytes.size();
  }
  return all.substr(0, size) + "\u2026";
}

std::vector<std::string_view> wrapped_lines(std::string_view text, std::size_t columns) {
  std::vector<std::string_view> lines;
  while (text.size() > columns) {
    const std::size_t blank = text.rfind(' ', columns);
    if (blank == std::string_view::npos) break;
    lines.push_back(text.substr(0, blank));
    text.remove_prefix(blank + 1);
  }
  lines.push_back(text);
  return lines;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t kColumns = 80;
  const std::string line_end = "\n" + std::string(indent, ' ');
  return fmt::format("{}", fmt::join(wrapped_lines(text, kColumns - indent), line_end));
}

std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

}  // namespace fxt
