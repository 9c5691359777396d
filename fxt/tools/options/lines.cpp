#include "fxt/tools/options/lines.h"

#include <fmt/format.h>

namespace fxt::tools {

std::string broken(std::string_view text, std::size_t indent) {
  constexpr std::size_t kColumns = 80;
  std::string lines;
  const std::size_t width = kColumns - indent;
  while (text.size() > width) {
    const std::size_t blank = text.rfind(' ', width);
    if (blank == std::string_view::npos) break;
    lines += fmt::format("{}\n{:{}}", text.substr(0, blank), "", indent);
    text.remove_prefix(blank + 1);
  }
  return lines.append(text);
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

}  // namespace fxt::tools
