// Text for people: buffers, line breaks, characters that a terminal should not obey.
#pragma once

#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fxt {

using TextBuffer = fmt::memory_buffer;

template <typename... Values>
void append(TextBuffer& out, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
}

// `text` with control characters, line ends included, as "\x1b". Texts of inputs may hold any bytes.
std::string printable(std::string_view text);

// `text` broken at blanks into lines of at most `columns`, where its words allow it.
std::vector<std::string_view> wrapped_lines(std::string_view text, std::size_t columns);
// The same for 80 columns, as one text; all lines but the first are indented.
std::string wrapped(std::string_view text, std::size_t indent);

// The parts of `text` between empty lines.
std::vector<std::string_view> paragraphs_of(std::string_view text);

}  // namespace fxt
