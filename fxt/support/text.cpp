#include "fxt/support/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fxt {

std::string printable(std::string_view text) {
  constexpr unsigned char kFirstPrintable = 0x20, kDelete = 0x7f;
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kFirstPrintable || byte == kDelete)
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += c;
  }
  return shown;
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

std::vector<std::string_view> paragraphs_of(std::string_view text) {
  std::vector<std::string_view> paragraphs;
  for (;;) {
    const std::size_t end = text.find("\n\n");
    paragraphs.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return paragraphs;
    text.remove_prefix(end + 2);
  }
}

}  // namespace fxt
