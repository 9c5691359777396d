#include "converters/model/outline.h"

#include <string_view>

namespace convert {
namespace {

constexpr std::size_t kIndent = 2;
constexpr auto kReplaceBadUtf8 = Outline::error_handler_t::replace;

std::string plain(const Outline& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump(-1, ' ', false, kReplaceBadUtf8);
}

void add_lines(std::string& text, const Outline& outline, std::size_t indent);

// `start` is what stands before the value: a name or a dash.
void add_entry(std::string& text, std::string_view start, const Outline& value, std::size_t indent) {
  text.append(indent, ' ');
  text += start;
  if (value.is_structured() && value.empty()) {
    text += value.is_array() ? " none\n" : "\n";
  } else if (value.is_structured()) {
    text += '\n';
    add_lines(text, value, indent + kIndent);
  } else {
    text += ' ' + plain(value) + '\n';
  }
}

void add_lines(std::string& text, const Outline& outline, std::size_t indent) {
  if (outline.is_object()) {
    for (const auto& [name, value] : outline.items()) add_entry(text, name + ":", value, indent);
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

}  // namespace convert
