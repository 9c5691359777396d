#include "converters/tfile/description/collect_items.h"

#include <algorithm>

#include "converters/model/reading/text.h"

namespace convert::tfile {

std::size_t end_of_template_arguments(std::string_view text, std::size_t at, bool is_type) {
  if (at == 0 || at >= text.size() || text[at] != '<' || !is_word_character(text[at - 1])) return at;
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && --depth == 0) return is_type || text.substr(i + 1).starts_with("::") ? i + 1 : at;
  }
  return at;
}

std::optional<std::string_view> quoted_at(std::string_view text, std::size_t at) {
  const bool is_escaped = text.substr(at + 1).starts_with('\\');
  const std::size_t end = text.find('\'', at + (is_escaped ? 3 : 2));
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(at + 1, end - at - 1);
}

namespace {

// Splits a list at the commas that are outside of brackets and quotes.
std::vector<std::string_view> split_items(std::string_view list) {
  std::vector<std::string_view> items;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (const std::size_t end = end_of_template_arguments(list, i); end != i) {
      i = end - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      items.push_back(trimmed(list.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  items.push_back(trimmed(list.substr(std::min(begin, list.size()))));
  std::erase(items, std::string_view{});
  return items;
}

// True if the text is a name, such as "count", "app::count", "'app::count'" or "'main.c'::count".
bool is_plain_name(std::string_view text) {
  if (text.starts_with("::")) text.remove_prefix(2);
  if (text.starts_with('\'')) {
    const auto quoted = quoted_at(text, 0);
    if (!quoted) return false;
    text.remove_prefix(quoted->size() + 2);
    if (text.empty()) return !is_quoted_character(*quoted);
    if (!text.starts_with("::")) return false;
    text.remove_prefix(2);
  }
  while (true) {
    const auto* const end = std::ranges::find_if_not(text, is_word_character);
    const auto size = static_cast<std::size_t>(end - text.begin());
    if (size == 0 || is_digit(text.front())) return false;
    text.remove_prefix(end_of_template_arguments(text, size));
    if (text.empty()) return true;
    if (!text.starts_with("::")) return false;
    text.remove_prefix(2);
  }
}

// The offset after the bracket that closes the bracket at `at`. The end of the text if it is not closed.
std::size_t end_of_brackets(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if ((text[at] == ')' || text[at] == ']') && --depth == 0) return at + 1;
  }
  return at;
}

// True if an operator outside of all brackets computes a value that has no address.
bool is_value(std::string_view text) {
  bool wants_operand = true, is_dereferenced = false, is_after_bracket = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::string_view rest = text.substr(at);
    if (c == ' ' || c == '\t') {
      ++at;
    } else if (c == '(' || c == '[') {
      const std::size_t end = end_of_brackets(text, at);
      is_after_bracket = wants_operand;
      const bool is_cast = wants_operand && text.substr(at, end - at).ends_with("*)");
      if (is_cast && !is_dereferenced) return true;
      wants_operand = is_cast;
      at = end;
    } else if (is_word_character(c) || c == '$' || c == '\'') {
      if (is_after_bracket && !is_dereferenced) return true;  // a cast
      if (const auto quoted = c == '\'' ? quoted_at(text, at) : std::nullopt) at += quoted->size() + 2;
      while (at < text.size() && (is_word_character(text[at]) || text[at] == '$' || text[at] == '\'')) ++at;
      at = end_of_template_arguments(text, at);
      is_after_bracket = wants_operand = false;
    } else if (!wants_operand && (c == '.' || rest.starts_with("->") || rest.starts_with("::"))) {
      at += c == '.' ? 1 : 2;
      is_after_bracket = false;
    } else if (wants_operand && (c == '*' || (is_dereferenced && c == '&'))) {  // "*&x" is x
      is_dereferenced = true;
      ++at;
    } else {
      return c != '@' && c != '"';
    }
  }
  return false;
}

CollectItem::Kind kind_of(std::string_view text, const IsName& is_variable, const IsName& is_register) {
  using Kind = CollectItem::Kind;
  // Removes outer brackets, because GDB records "(count)" like "count".
  while (text.starts_with('(') && text.ends_with(')') && end_of_brackets(text, 0) == text.size())
    text = trimmed(text.substr(1, text.size() - 2));
  if (is_plain_name(text)) return Kind::Name;
  if (!text.starts_with('$') || !std::ranges::all_of(text.substr(1), is_word_character))
    return is_value(text) ? Kind::Value : Kind::Expression;
  const std::string_view name = text.substr(1);
  if (name.starts_with("reg")) return Kind::Registers;
  if (name == "_ret") return Kind::ReturnAddress;
  if (name.starts_with("arg") || name.starts_with("loc")) return Kind::Variables;
  if (name == "_sdata") return Kind::StaticData;
  if (is_variable(name)) return Kind::Variable;
  return is_register(name) ? Kind::Registers : Kind::Expression;
}

}  // namespace

CollectItems collect_items(const std::vector<std::string>& commands, const IsName& is_variable,
                           const IsName& is_register) {
  CollectItems items;
  std::vector<CollectItem>* current = &items.hit;
  for (const std::string& command : commands) {
    std::string_view rest = trimmed(command);
    const std::size_t word_end = static_cast<std::size_t>(
        std::ranges::find_if(rest, [](char c) { return c == ' ' || c == '\t' || c == '/'; }) - rest.begin());
    const std::string_view word = rest.substr(0, word_end);
    rest.remove_prefix(word_end);
    if (word == "while-stepping" || word == "stepping" || word == "ws") {
      current = &items.step;
    } else if (word == "end") {
      current = &items.hit;
    } else if (word == "teval") {
      for (const std::string_view text : split_items(rest))
        current->push_back({.kind = CollectItem::Kind::Evaluate, .text = std::string(text)});
    } else if (word == "collect") {
      bool is_string = false;
      rest = trimmed(rest);
      if (rest.starts_with("/")) {  // "/s", "/s8"
        const auto* const end = std::ranges::find_if_not(rest.substr(1), is_word_character);
        const std::string_view option = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
        is_string = option.starts_with("/s");
        rest.remove_prefix(option.size());
      }
      for (const std::string_view text : split_items(rest))
        current->push_back({.kind = kind_of(text, is_variable, is_register),
                            .text = std::string(text),
                            .is_string = is_string});
    }
  }
  return items;
}

}  // namespace convert::tfile
