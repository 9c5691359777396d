#include "converters/model/outline.h"

#include <algorithm>
#include <string_view>

#include "fxt/support/text.h"

namespace convert {
namespace {

constexpr std::size_t kIndent = 2;
constexpr auto kReplaceBadUtf8 = Outline::error_handler_t::replace;

std::string plain(const Outline& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump(-1, ' ', false, kReplaceBadUtf8);
}

// A text of several lines, below its name.
void add_text(std::string& text, std::string_view lines, std::size_t indent) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    text.append(indent, ' ');
    text += fxt::printable(line) + '\n';
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
}

void add_lines(std::string& text, const Outline& outline, std::size_t indent);

// `start` is the text before the value: a name or a dash.
void add_entry(std::string& text, std::string_view start, const Outline& value, std::size_t indent) {
  text.append(indent, ' ');
  text += start;
  if (value.is_structured() && value.empty()) {
    text += " none\n";
  } else if (value.is_structured()) {
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
  if (outline.is_object()) {
    for (const auto& [name, value] : outline.items())
      add_entry(text, fxt::printable(name) + ":", value, indent);
    return;
  }
  for (const Outline& entry : outline) {
    if (!entry.is_object() || entry.empty()) {
      add_entry(text, "-", entry, indent);
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

std::string json_of(const Outline& outline) { return outline.dump(2, ' ', false, kReplaceBadUtf8) + '\n'; }
std::string line_of(const Outline& outline) { return outline.dump(-1, ' ', false, kReplaceBadUtf8) + '\n'; }

}  // namespace convert
