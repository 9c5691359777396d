// Text for people and programs: buffers, numbers, characters that a terminal or a document must not get,
// quoting for lines, JSON and XML, line breaks.
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
// Inline, so that short constant texts cost a few instructions.
inline void append_text(TextBuffer& out, std::string_view text) {
  const std::size_t size = out.size();
  out.resize(size + text.size());
  std::ranges::copy(text, out.data() + size);
}
// As append(), in a tenth of the time.
inline void append_number(TextBuffer& out, std::uint64_t number) {
  const fmt::format_int digits(number);
  append_text(out, {digits.data(), digits.size()});
}

// ---- Characters ----

// The first character of `text`, or its first byte where that begins none.
struct Character {
  std::string_view bytes;
  // False for control characters (C0, DEL, C1, those that reorder text), U+FFFE, U+FFFF, and what is not
  // UTF-8.
  bool is_shown;
};
Character first_character(std::string_view text);

// Inputs may hold any bytes: those that are not shown appear as "\x1b", byte by byte. Line ends, too.
std::string printable(std::string_view text);
void append_printable(TextBuffer& out, std::string_view text);
// The same in quotes, with \" \\ \n \r \t.
void append_quoted(TextBuffer& out, std::string_view text);
// A string of JSON, in which characters that are not shown are escaped. Each ill-formed part of `text`
// becomes U+FFFD.
void append_json_string(TextBuffer& out, std::string_view text);
// "\u009b": the escape of JSON for a character of UTF-8 that is not shown.
void append_json_escape(TextBuffer& out, std::string_view character);
// `text` with U+FFFD for each character that is not shown.
std::string shown(std::string_view text);
// shown(), escaped for XML and HTML.
std::string in_xml(std::string_view text);

// "1 record", "2 records"; `several` where that is not `one` with an s.
std::string counted(std::uint64_t count, std::string_view one, std::string_view several = {});

// The width of `text` in columns of a monospaced font, as it is shown: wide characters count two.
double columns_of(std::string_view text);
// shown(), cut to `columns` with an ellipsis. Empty if there is no room for three.
std::string fitted(std::string_view text, double columns);

// ---- Numbers ----

// Removes the number that `text` begins with, with a minus sign if the type is signed, and returns it.
// Nothing, and `text` unchanged, if there are no digits or the number is too large for its type.
template <std::integral Number = std::uint64_t>
std::optional<Number> consume_number(std::string_view& text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}
// All of `text` as a number.
template <std::integral Number = std::uint64_t>
std::optional<Number> whole_number(std::string_view text, int base = 10) {
  const auto number = consume_number<Number>(text, base);
  return text.empty() ? number : std::nullopt;
}

// ---- Lines ----

// `text` broken at blanks into lines of at most `columns`, where its words allow it.
std::vector<std::string_view> wrapped_lines(std::string_view text, std::size_t columns);
// The same for 80 columns, as one text; all lines but the first are indented.
std::string wrapped(std::string_view text, std::size_t indent);

// The parts of `text` between separators, empty ones, too: at least one.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator);

}  // namespace fxt
