#include "converters/uftrace/kernel/print_expression.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace convert::uftrace {
namespace {

void append(std::string& text, std::string_view part, std::string_view between, bool& is_first) {
  if (!is_first) text += between;
  is_first = false;
  text += part;
}

}  // namespace

bool PrintExpression::is_whole() const {
  switch (what) {
    case What::Nothing:
    case What::Number:
    case What::Text:
    case What::Field:
      return operands.empty();
    case What::Choice:
    case What::Flags:
      return operands.size() == 1;
    case What::Operation:
      return text == "?:" ? operands.size() == 3 : operands.size() == 1 || operands.size() == 2;
  }
  return false;
}

bool PrintExpression::gives_text() const {
  if (what == What::Text || what == What::Choice || what == What::Flags) return true;
  return what == What::Operation && text == "?:" && (operands[1].gives_text() || operands[2].gives_text());
}

bool PrintExpression::number_of(const EventBytes& event, std::uint64_t& result) const {
  switch (what) {
    case What::Number:
      result = number;
      return true;
    case What::Field:
      if (!place.fits(event.payload)) return false;
      result = place.load_from(event.payload, event.order);
      if (is_signed) result = static_cast<std::uint64_t>(sign_extended(result, place.size));
      return true;
    case What::Operation:
      return operate(event, result);
    case What::Choice:
    case What::Flags:
      return operands[0].number_of(event, result);
    case What::Nothing:
    case What::Text:
      return false;
  }
  return false;
}

bool PrintExpression::operate(const EventBytes& event, std::uint64_t& result) const {
  std::uint64_t a = 0, b = 0;
  if (!operands[0].number_of(event, a)) return false;
  if (text == "?:") return operands[a != 0 ? 1 : 2].number_of(event, result);
  if (operands.size() == 1) {
    if (text != "!" && text != "~" && text != "-" && text != "+") return false;
    result = text == "!" ? (a == 0 ? 1 : 0) : text == "~" ? ~a : text == "-" ? 0 - a : a;
    return true;
  }
  if (!operands[1].number_of(event, b)) return false;
  const auto truth = [&](bool is_true) {
    result = is_true ? 1 : 0;
    return true;
  };
  if (text == "==") return truth(a == b);
  if (text == "!=") return truth(a != b);
  if (text == "<") return truth(static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b));
  if (text == ">") return truth(static_cast<std::int64_t>(a) > static_cast<std::int64_t>(b));
  if (text == "<=") return truth(static_cast<std::int64_t>(a) <= static_cast<std::int64_t>(b));
  if (text == ">=") return truth(static_cast<std::int64_t>(a) >= static_cast<std::int64_t>(b));
  if (text == "&&") return truth(a != 0 && b != 0);
  if (text == "||") return truth(a != 0 || b != 0);
  constexpr std::uint64_t kBits = 64;
  if ((text == "/" || text == "%") && b == 0) return false;
  if (text == "&")
    result = a & b;
  else if (text == "|")
    result = a | b;
  else if (text == "^")
    result = a ^ b;
  else if (text == "+")
    result = a + b;
  else if (text == "-")
    result = a - b;
  else if (text == "*")
    result = a * b;
  else if (text == "/")
    result = a / b;
  else if (text == "%")
    result = a % b;
  else if (text == "<<")
    result = b < kBits ? a << b : 0;
  else if (text == ">>")
    result = b < kBits ? a >> b : 0;
  else
    return false;
  return true;
}

bool PrintExpression::append_text(const EventBytes& event, std::string& result) const {
  std::uint64_t value = 0;
  switch (what) {
    case What::Nothing:
      return false;
    case What::Text:
      result += text;
      return true;
    case What::Number:
    case What::Field:
      if (!number_of(event, value)) return false;
      fmt::format_to(std::back_inserter(result), "{}", static_cast<std::int64_t>(value));
      return true;
    case What::Operation:
      if (text != "?:") {
        if (!operate(event, value)) return false;
        fmt::format_to(std::back_inserter(result), "{}", static_cast<std::int64_t>(value));
        return true;
      }
      return operands[0].number_of(event, value) && operands[value != 0 ? 1 : 2].append_text(event, result);
    case What::Choice: {
      if (!operands[0].number_of(event, value)) return false;
      const auto found = std::ranges::find(names, value, &Name::value);
      if (found != names.end())
        result += found->text;
      else
        fmt::format_to(std::back_inserter(result), "{:#x}", value);
      return true;
    }
    case What::Flags: {
      if (!operands[0].number_of(event, value)) return false;
      bool is_first = true;
      const bool is_zero = value == 0;
      for (const Name& name : names) {
        const bool is_set = name.value == 0 ? is_zero && is_first : (value & name.value) == name.value;
        if (!is_set) continue;
        append(result, name.text, text, is_first);
        value &= ~name.value;
      }
      if (value != 0) append(result, fmt::format("{:#x}", value), text, is_first);
      return true;
    }
  }
  return false;
}

}  // namespace convert::uftrace
