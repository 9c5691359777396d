#include "converters/model/reading/text.h"

#include "fxt/lower.h"

namespace convert {

std::optional<std::uint64_t> c_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return whole_number(text.substr(2), 16);
  return whole_number(text, text.size() > 1 && text.starts_with('0') ? 8 : 10);
}

bool consume_prefix(std::string_view& text, std::string_view prefix) {
  const auto same = [](char a, char b) { return fxt::lower(a) == b; };
  if (!std::ranges::equal(text.substr(0, prefix.size()), prefix, same)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

}  // namespace convert
