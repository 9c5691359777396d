// The conditions that `if:` in a filter or trigger sets on an argument.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "converters/model/option.h"
#include "converters/model/reading/bits.h"
#include "converters/model/reading/text.h"
#include "converters/uftrace/filters/filter_item.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kForm =
    "if:argN OP VALUE (N is 1 to 6, OP one of == != > >= < <= &, VALUE a whole number from -2^63 to 2^63 - "
    "1)";
constexpr unsigned kMaxArgument = 6;

// Parses a number with an optional sign, from -2^63 to 2^63 - 1.
std::optional<std::int64_t> signed_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const auto number = c_number(text);
  const auto largest = std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (is_negative ? 1 : 0);
  if (!number || *number > largest) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? 0 - *number : *number);
}

// Longer operators must come before their prefixes: ">=" before ">".
constexpr std::array<std::pair<std::string_view, Condition::Op>, 7> kOps{{
    {"==", Condition::Op::Equal},
    {"!=", Condition::Op::NotEqual},
    {">=", Condition::Op::GreaterEqual},
    {"<=", Condition::Op::LessEqual},
    {">", Condition::Op::Greater},
    {"<", Condition::Op::Less},
    {"&", Condition::Op::And},
}};

template <typename Number>
bool compare(Condition::Op op, Number recorded, Number wanted) {
  switch (op) {
    case Condition::Op::Equal:
      return recorded == wanted;
    case Condition::Op::NotEqual:
      return recorded != wanted;
    case Condition::Op::Greater:
      return recorded > wanted;
    case Condition::Op::GreaterEqual:
      return recorded >= wanted;
    case Condition::Op::Less:
      return recorded < wanted;
    case Condition::Op::LessEqual:
      return recorded <= wanted;
    case Condition::Op::And:
      return (recorded & wanted) != 0;
  }
  return false;
}

bool parse_format(std::string_view format, Condition& condition) {
  constexpr std::string_view kSigned = "di", kUnsigned = "uxop", kAny = "ce";
  if (!format.empty() && kSigned.find(format.front()) != std::string_view::npos) {
    condition.is_signed = true;
  } else if (!format.empty() && kUnsigned.find(format.front()) != std::string_view::npos) {
    condition.is_signed = false;
  }
  if (!format.empty() && (condition.is_signed || kAny.find(format.front()) != std::string_view::npos))
    format.remove_prefix(1);
  if (format.empty()) return true;
  for (const auto& [name, bits] : {std::pair{"8", 8U}, {"16", 16U}, {"32", 32U}, {"64", 64U}})
    if (format == name) condition.bits = bits;
  return condition.bits != 0;
}

}  // namespace

bool Condition::holds(const Argument& number) const {
  const bool has_sign = is_signed.value_or(number.kind == ArgumentKind::Int64);
  const std::uint64_t recorded = extended(number.bits, bits, has_sign);
  if (has_sign) return compare(op, static_cast<std::int64_t>(recorded), value);
  // The recorded number is unsigned, so it is greater than any negative value.
  if (value < 0 && op != Op::And) return op == Op::NotEqual || op == Op::Greater || op == Op::GreaterEqual;
  return compare(op, recorded, static_cast<std::uint64_t>(value));
}

Condition parse_condition(std::string_view text) {
  const auto refuse = [&] {
    throw UsageError(fmt::format("a condition has the form {}, not 'if:{}'", kForm, text));
  };
  const std::size_t at = text.find_first_of("=!<>&");
  if (at == std::string_view::npos) refuse();
  std::string_view argument = trimmed(text.substr(0, at), " ");
  Condition condition;
  if (const std::size_t slash = argument.find('/'); slash != std::string_view::npos) {
    if (!parse_format(argument.substr(slash + 1), condition)) refuse();
    argument = argument.substr(0, slash);
  }
  const unsigned index =
      argument.starts_with("arg") ? whole_number<unsigned>(argument.substr(3)).value_or(0) : 0;
  if (index == 0 || index > kMaxArgument) refuse();
  const std::string_view rest = text.substr(at);
  const auto* const op =
      std::ranges::find_if(kOps, [&](const auto& known) { return rest.starts_with(known.first); });
  if (op == kOps.end()) refuse();
  const auto value = signed_number(trimmed(rest.substr(op->first.size()), " "));
  if (!value) refuse();
  condition.argument = fmt::format("arg{}", index);
  condition.op = op->second;
  condition.value = *value;
  return condition;
}

}  // namespace convert::uftrace
