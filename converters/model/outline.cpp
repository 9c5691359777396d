#include "converters/model/outline.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

#include "fxt/support/text.h"

namespace convert {
namespace {

constexpr std::size_t kIndent = 2;

// Adds the lines of a value. The caller has already added the name or the dash of the value to `text`.
void add_text(std::string& text, std::string_view lines, std::size_t indent) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    text.append(indent, ' ');
    text += fxt::printable(line) + '\n';
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
}

void add_lines(std::string& text, const Outline& outline, std::size_t indent);

void add_entry(std::string& text, std::string_view start, const Outline& value, std::size_t indent) {
  text.append(indent, ' ');
  text += start;
  const bool is_list = value.is_array() || value.is_object();
  if (is_list && value.empty()) {
    text += " none\n";
  } else if (is_list) {
    text += '\n';
    add_lines(text, value, indent + kIndent);
  } else if (const std::string shown = plain(value); shown.find('\n') != std::string::npos) {
    text += '\n';
    add_text(text, shown, indent + kIndent);
  } else {
    text += ' ' + fxt::printable(shown) + '\n';
  }
}

void add_lines(std::string& text, const Outline& outline, std::size_t indent) {
  for (const auto& [name, entry] : outline.items()) {
    if (outline.is_object() || !entry.is_object() || entry.empty()) {
      add_entry(text, outline.is_object() ? fxt::printable(name) + ":" : "-", entry, indent);
      continue;
    }
    // An object in a list begins on the line of its dash.
    std::string lines;
    add_lines(lines, entry, indent + kIndent);
    lines[indent] = '-';
    text += lines;
  }
}

}  // namespace

std::string text_of(const Outline& outline) {
  std::string text;
  add_lines(text, outline, 0);
  return text;
}

std::string plain(const Outline& value) {
  if (const auto* const text = value.get_ptr<const std::string*>()) return *text;
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return fxt::json_text(value);
}

}  // namespace convert
