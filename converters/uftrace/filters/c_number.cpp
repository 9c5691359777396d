#include "converters/uftrace/filters/c_number.h"

#include <charconv>
#include <limits>

#include "fxt/quantity_text.h"

namespace convert::uftrace {

std::optional<std::uint64_t> c_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.starts_with('0')) {
    base = 8;
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> c_size(std::string_view text) {
  if (const auto number = c_number(text)) return number;
  const bool has_unit = !text.empty() && (text.back() < '0' || text.back() > '9');
  return has_unit ? fxt::parse_size(text) : std::nullopt;
}

std::optional<std::int64_t> signed_c_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const auto number = c_number(text);
  const auto largest = std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (is_negative ? 1 : 0);
  if (!number || *number > largest) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? 0 - *number : *number);
}

}  // namespace convert::uftrace
