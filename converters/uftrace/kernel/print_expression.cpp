// Evaluates the expressions in print formats of kernel events, which define how fields are shown.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/uftrace/kernel/print_format.h"

namespace convert::uftrace {
namespace {

using Number = std::uint64_t;
using Result = std::optional<Number>;

void append_symbol(const std::vector<PrintExpression::Name>& names, Number value, std::string& result) {
  const auto found = std::ranges::find(names, value, &PrintExpression::Name::value);
  if (found != names.end())
    result += found->text;
  else
    fmt::format_to(std::back_inserter(result), "{:#x}", value);
}

// Appends the name of each flag whose bits are all set in `value`. Bits without a name are shown as a number.
// If a flag is 0, its name is appended only if `value` is 0.
void append_flags(const PrintExpression& flags, Number value, std::string& result) {
  bool is_first = true;
  const auto append = [&](std::string_view part) {
    if (!is_first) result += flags.text;
    is_first = false;
    result += part;
  };
  const bool is_zero = value == 0;
  for (const PrintExpression::Name& name : flags.names) {
    const bool is_set = name.value == 0 ? is_zero && is_first : (value & name.value) == name.value;
    if (!is_set) continue;
    append(name.text);
    value &= ~name.value;
  }
  if (value != 0) append(fmt::format("{:#x}", value));
}

}  // namespace

bool PrintExpression::has_text() const {
  if (kind == Kind::Conditional) return operands[1].has_text() || operands[2].has_text();
  return kind == Kind::Text || kind == Kind::Symbol || kind == Kind::Flags;
}

Result PrintExpression::value(const EventBytes& event) const {
  switch (kind) {
    case Kind::Unknown:
    case Kind::Text:
      return {};
    case Kind::Number:
      return number;
    case Kind::Field: {
      if (!field.fits(event.payload)) return {};
      const Number loaded = field.load_from(event.payload, event.order);
      return extended(loaded, 8 * field.size, is_signed);
    }
    case Kind::Symbol:
    case Kind::Flags:
      return operands[0].value(event);
    case Kind::Unary:
    case Kind::Binary:
    case Kind::Conditional:
      break;
  }
  const Result first = operands[0].value(event);
  if (!first) return {};
  if (kind == Kind::Unary) return unary(*first);
  if (kind == Kind::Conditional) return operands[*first != 0 ? 1 : 2].value(event);
  const Result second = operands[1].value(event);
  return second ? binary(*first, *second) : Result();
}

bool PrintExpression::append_text(const EventBytes& event, std::string& result) const {
  if (kind == Kind::Text) {
    result += text;
    return true;
  }
  const bool is_computed = kind != Kind::Conditional;
  const Result computed = is_computed ? value(event) : operands[0].value(event);
  if (!computed) return false;
  switch (kind) {
    case Kind::Conditional:
      return operands[*computed != 0 ? 1 : 2].append_text(event, result);
    case Kind::Symbol:
      append_symbol(names, *computed, result);
      return true;
    case Kind::Flags:
      append_flags(*this, *computed, result);
      return true;
    default:
      fmt::format_to(std::back_inserter(result), "{}", static_cast<std::int64_t>(*computed));
      return true;
  }
}

}  // namespace convert::uftrace
