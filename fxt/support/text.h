// Text for people and programs: buffers, numbers, quoting, JSON, XML, line breaks, and escapes for characters
// that are unsafe in terminals and documents.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace fxt {

using TextBuffer = fmt::memory_buffer;

template <typename... Values>
void append(TextBuffer& out, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
}
// This function is inline so that short constant texts cost only a few instructions.
inline void append_text(TextBuffer& out, std::string_view text) {
  const std::size_t size = out.size();
  out.resize(size + text.size());
  std::ranges::copy(text, out.data() + size);
}
// Does the same as append(out, "{}", number), but is ten times as fast.
inline void append_number(TextBuffer& out, std::uint64_t number) {
  const fmt::format_int digits(number);
  append_text(out, {digits.data(), digits.size()});
}

// ---- Characters ----

// A character of a text, or a single byte if no valid character starts there.
struct Character {
  std::string_view bytes;
  // False for control characters (C0, DEL, C1, those that reorder text), for U+FFFE and U+FFFF, and for bytes
  // that are not UTF-8.
  bool is_shown;
};
Character first_character(std::string_view text);

// Makes text safe, because inputs may contain any bytes. Each byte of a character that is not shown becomes
// an escape such as "\x1b". Line ends are escaped as well.
std::string printable(std::string_view text);
void append_printable(TextBuffer& out, std::string_view text);
// Appends the text in quotes. Uses the escapes \" \\ \n \r \t, and otherwise those of append_printable().
void append_quoted(TextBuffer& out, std::string_view text);
// Appends a JSON string in which characters that are not shown are escaped. Each ill-formed part of `text`
// becomes U+FFFD.
void append_json_string(TextBuffer& out, std::string_view text);
// Appends the JSON escape of a UTF-8 character, such as "\u009b".
void append_json_escape(TextBuffer& out, std::string_view character);
// Returns `text` with U+FFFD for each character that is not shown.
std::string shown(std::string_view text);
// Returns shown(text), escaped for XML and HTML.
std::string in_xml(std::string_view text);

// Returns "1 record" or "2 records", for example. `several` is needed if the plural is not `one` with an s.
std::string counted(std::uint64_t count, std::string_view one, std::string_view several = {});

// The width of `text` in columns of a monospaced font. Wide characters count as two.
double columns_of(std::string_view text);
// Returns shown(text). If it is wider than `columns`, it is cut and ends with an ellipsis. The result is
// empty if `columns` is less than 3.
std::string fitted(std::string_view text, double columns);

// ---- Numbers ----

// Removes the number at the start of `text` and returns it. Signed types allow a minus sign. If there are no
// digits, or if the number is too large for its type, returns nothing and leaves `text` unchanged.
template <std::integral Number = std::uint64_t>
std::optional<Number> consume_number(std::string_view& text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}
template <std::integral Number = std::uint64_t>
std::optional<Number> whole_number(std::string_view text, int base = 10) {
  const auto number = consume_number<Number>(text, base);
  return text.empty() ? number : std::nullopt;
}

// ---- Lines ----

// Breaks `text` into lines of at most `columns`. If a word is longer than a line, all text from this word on
// becomes one line.
std::vector<std::string_view> wrapped_lines(std::string_view text, std::size_t columns);
// Wraps `text` to 80 columns and returns it as one text. All lines except the first are indented.
std::string wrapped(std::string_view text, std::size_t indent);

// Splits `text` at separators. Parts may be empty, and there is at least one part.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator);

}  // namespace fxt
