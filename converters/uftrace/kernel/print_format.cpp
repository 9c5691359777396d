#include "converters/uftrace/kernel/print_format.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "converters/model/reading/text.h"

namespace convert::uftrace {
namespace {

using Kind = PrintExpression::Kind;

// These limits exist because a recording may contain any text. The formats of real kernels do not exceed
// them.
constexpr std::size_t kMaxFormat = std::size_t{64} << 10;
constexpr int kMaxNesting = 100;
constexpr int kMaxOperations = 1000;
constexpr std::size_t kMaxParts = 64;

// ---- Operators ----

using Number = std::uint64_t;
using Result = std::optional<Number>;

struct UnaryOperator {
  char sign;
  Number (*apply)(Number);
};
struct BinaryOperator {
  std::string_view sign;
  int precedence;  // an operator with a higher precedence binds more tightly
  Result (*apply)(Number, Number);
};

constexpr Number kBits = 64;

std::int64_t as_signed(Number number) { return static_cast<std::int64_t>(number); }
Result truth(bool is_true) { return is_true ? 1 : 0; }

constexpr std::array kUnary{
    UnaryOperator{'!', [](Number a) { return Number{a == 0 ? 1U : 0U}; }},
    UnaryOperator{'~', [](Number a) { return ~a; }},
    UnaryOperator{'-', [](Number a) { return 0 - a; }},
    UnaryOperator{'+', [](Number a) { return a; }},
};

// In the order of matching: "<=" must come before "<".
constexpr std::array kBinary{
    BinaryOperator{"||", 1, [](Number a, Number b) { return truth(a != 0 || b != 0); }},
    BinaryOperator{"&&", 2, [](Number a, Number b) { return truth(a != 0 && b != 0); }},
    BinaryOperator{"==", 6, [](Number a, Number b) { return truth(a == b); }},
    BinaryOperator{"!=", 6, [](Number a, Number b) { return truth(a != b); }},
    BinaryOperator{"<<", 8, [](Number a, Number b) { return Result(b < kBits ? a << b : 0); }},
    BinaryOperator{">>", 8, [](Number a, Number b) { return Result(b < kBits ? a >> b : 0); }},
    BinaryOperator{"<=", 7, [](Number a, Number b) { return truth(as_signed(a) <= as_signed(b)); }},
    BinaryOperator{">=", 7, [](Number a, Number b) { return truth(as_signed(a) >= as_signed(b)); }},
    BinaryOperator{"<", 7, [](Number a, Number b) { return truth(as_signed(a) < as_signed(b)); }},
    BinaryOperator{">", 7, [](Number a, Number b) { return truth(as_signed(a) > as_signed(b)); }},
    BinaryOperator{"|", 3, [](Number a, Number b) { return Result(a | b); }},
    BinaryOperator{"^", 4, [](Number a, Number b) { return Result(a ^ b); }},
    BinaryOperator{"&", 5, [](Number a, Number b) { return Result(a & b); }},
    BinaryOperator{"+", 9, [](Number a, Number b) { return Result(a + b); }},
    BinaryOperator{"-", 9, [](Number a, Number b) { return Result(a - b); }},
    BinaryOperator{"*", 10, [](Number a, Number b) { return Result(a * b); }},
    BinaryOperator{"/", 10, [](Number a, Number b) { return b != 0 ? Result(a / b) : Result(); }},
    BinaryOperator{"%", 10, [](Number a, Number b) { return b != 0 ? Result(a % b) : Result(); }},
};

const auto* find_operator(const auto& operators, std::string_view text) {
  const auto found = std::ranges::find_if(
      operators, [text](const auto& candidate) { return text.starts_with(candidate.sign); });
  return found == operators.end() ? nullptr : &*found;
}

// ---- Arguments: C expressions ----

// Parses a format string and its arguments. Throws std::invalid_argument if the text is not as expected.
class PrintParser {
 public:
  PrintParser(const EventFormat& format, std::string_view text) : format_(format), rest_(text) {
    skip_blanks();
  }

  // Parses consecutive string literals. Escapes are not converted.
  std::string strings() {
    if (!rest_.starts_with('"')) throw std::invalid_argument("no string");
    std::string text;
    while (rest_.starts_with('"')) {
      std::size_t end = 1;
      while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2U : 1U;
      if (end >= rest_.size()) throw std::invalid_argument("half a string");
      text += rest_.substr(1, end - 1);
      consume(end + 1);
    }
    return text;
  }

  struct Argument {
    PrintExpression expression;
    std::set<std::string> fields;
  };
  std::optional<Argument> next_argument() {
    if (!consume_if(",")) return std::nullopt;
    fields_.clear();
    PrintExpression expression = conditional();
    return Argument{std::move(expression), std::move(fields_)};
  }

 private:
  // ---- Grammar, the loosest operator first ----

  PrintExpression conditional() {
    if (++nesting_ > kMaxNesting) throw std::invalid_argument("nested too deep");
    PrintExpression result = binary(0);
    if (consume_if("?")) {
      PrintExpression yes = conditional();
      expect(":");
      PrintExpression no = conditional();
      result = operation({.kind = Kind::Conditional}, std::move(result), std::move(yes), std::move(no));
    }
    --nesting_;
    return result;
  }

  // Parses operands that are joined by operators with a higher precedence than `precedence`.
  PrintExpression binary(int precedence) {
    PrintExpression left = unary();
    for (;;) {
      const BinaryOperator* const found = find_operator(kBinary, rest_);
      if (found == nullptr || found->precedence <= precedence) return left;
      consume(found->sign.size());
      left = operation({.kind = Kind::Binary, .binary = found->apply}, std::move(left),
                       binary(found->precedence));
    }
  }

  // Skips casts. In the print formats of real kernels, no cast changes a value that is shown as a name.
  PrintExpression unary() {
    if (++nesting_ > kMaxNesting) throw std::invalid_argument("nested too deep");
    const UnaryOperator* const found = find_operator(kUnary, rest_);
    if (found != nullptr) consume(1);
    const bool is_cast = found == nullptr && consume_cast();
    PrintExpression result = found != nullptr
                                 ? operation({.kind = Kind::Unary, .unary = found->apply}, unary())
                             : is_cast ? unary()
                                       : primary();
    --nesting_;
    return result;
  }

  PrintExpression primary() {
    if (consume_if("(")) {
      PrintExpression inner = conditional();
      expect(")");
      return inner;
    }
    if (rest_.starts_with('"')) return {.kind = Kind::Text, .text = strings()};
    const std::string_view word = consume_word();
    if (is_digit(word.front())) return {.kind = Kind::Number, .number = number(word)};
    if (word == "REC") return field();
    if (!rest_.starts_with('(')) return {};  // an enumerator; the format lacks its value
    if (word == "__print_flags" || word == "__print_flags_u64") return named_values(Kind::Flags);
    if (word == "__print_symbolic" || word == "__print_symbolic_u64") return named_values(Kind::Symbol);
    skip_parentheses();
    return {};
  }

  static std::uint64_t number(std::string_view word) {
    const auto value = c_number(word.substr(0, word.find_last_not_of("uUlL") + 1));
    return value ? *value : throw std::invalid_argument("not a number");
  }

  PrintExpression field() {
    expect("->");
    const std::string name(consume_word());
    fields_.insert(name);
    if (consume_if("[")) {
      conditional();
      expect("]");
      return {};
    }
    const EventField* const found = format_.find(name);
    if (found == nullptr) return {};
    return {.kind = Kind::Field, .field = format_.integer(name), .is_signed = found->is_signed};
  }

  // Parses "(<value>, "<separator>", { <value>, "<name>" }, ...)". A Symbol has no separator.
  PrintExpression named_values(Kind kind) {
    expect("(");
    PrintExpression result{.kind = kind};
    result.operands.push_back(conditional());
    expect(",");
    if (kind == Kind::Flags) {
      result.text = strings();
      expect(",");
    }
    do {
      expect("{");
      const PrintExpression value = conditional();
      expect(",");
      std::string name = strings();
      expect("}");
      if (value.kind == Kind::Number) result.names.push_back({value.number, std::move(name)});
    } while (consume_if(","));
    expect(")");
    return result;
  }

  // Makes an expression. If all operands are constant numbers, computes the result now.
  template <typename... Operands>
  PrintExpression operation(PrintExpression result, Operands... operands) {
    const bool is_constant = ((operands.kind == Kind::Number) && ...);
    (result.operands.push_back(std::move(operands)), ...);
    if (is_constant) {
      const auto value = result.value({});
      return value ? PrintExpression{.kind = Kind::Number, .number = *value} : PrintExpression{};
    }
    if (++operations_ > kMaxOperations) throw std::invalid_argument("too many operations");
    return result;
  }

  // ---- Characters ----

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size())); }
  void consume(std::size_t count) {
    rest_.remove_prefix(count);
    skip_blanks();
  }
  bool consume_if(std::string_view sign) {
    if (!rest_.starts_with(sign)) return false;
    consume(sign.size());
    return true;
  }
  void expect(std::string_view sign) {
    if (!consume_if(sign)) throw std::invalid_argument("something else");
  }
  static std::size_t word_size(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_word_character) - text.begin());
  }
  std::string_view consume_word() {
    const std::string_view word = rest_.substr(0, word_size(rest_));
    if (word.empty()) throw std::invalid_argument("no word");
    consume(word.size());
    return word;
  }

  // Skips a cast such as "(unsigned long)" or "(void *)". A cast has only words and stars, and an operand
  // follows it.
  bool consume_cast() {
    if (!rest_.starts_with('(')) return false;
    const std::size_t end =
        rest_.find_first_not_of("_ *0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 1);
    const bool is_type = end != std::string_view::npos && rest_[end] == ')' && end > 1 && !is_digit(rest_[1]);
    if (!is_type) return false;
    const std::string_view behind = trimmed(rest_.substr(end + 1));
    const bool has_operand = !behind.empty() && (is_word_character(behind[0]) || behind[0] == '(' ||
                                                 behind[0] == '~' || behind[0] == '!' || behind[0] == '"');
    if (has_operand) consume(end + 1);
    return has_operand;
  }

  void skip_parentheses() {
    std::size_t open = 0;
    do {
      if (rest_.empty()) throw std::invalid_argument("no end");
      if (rest_.starts_with('"')) {
        strings();
        continue;
      }
      if (rest_.starts_with('(')) ++open;
      if (rest_.starts_with(')')) --open;
      consume(1);
    } while (open > 0);
  }

  const EventFormat& format_;
  std::string_view rest_;  // the text that is left; does not begin with a blank
  std::set<std::string> fields_;
  int nesting_ = 0, operations_ = 0;
};

// ---- Conversions: "%s", "%-5d" ----

struct Conversion {
  std::string_view before;    // the text between the previous conversion and this one
  std::size_t arguments = 1;  // one more for each '*'
  char kind = 0;
  char behind = 0;
};

// Parses the next conversion in `text`. Removes the conversion and everything before it from `text`.
std::optional<Conversion> next_conversion(std::string_view& text) {
  const std::string_view all = text;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (all[at] != '%') continue;
    if (at + 1 < all.size() && all[at + 1] == '%') {
      ++at;
      continue;
    }
    Conversion found{.before = all.substr(0, at)};
    const std::size_t end = all.find_first_not_of("-+ #0123456789.*hlLzjt", at + 1);
    if (end == std::string_view::npos) return std::nullopt;
    found.arguments += static_cast<std::size_t>(std::ranges::count(all.substr(at, end - at), '*'));
    found.kind = all[end];
    found.behind = end + 1 < all.size() ? all[end + 1] : '\0';
    text = all.substr(end + 1);
    return found;
  }
  return std::nullopt;
}

// Returns "name" for "..., name=".
std::string_view name_before(std::string_view text) {
  text = trimmed(text, " ");
  if (!text.ends_with('=') && !text.ends_with(':')) return {};
  text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Finds the field that each conversion shows. For "name=%s", this is the field `name`. A conversion directly
// after another conversion shows the same field. If the event has no such field, and the conversion's
// argument has exactly one field, the conversion shows that field.
std::map<std::string, PrintedField> parse(const EventFormat& format) {
  PrintParser parser(format, format.print_format);
  const std::string text = parser.strings();
  std::vector<PrintParser::Argument> arguments;
  while (auto argument = parser.next_argument()) arguments.push_back(std::move(*argument));

  std::map<std::string, PrintedField> fields;
  std::string_view rest = text;
  std::string latest;
  std::size_t next = 0, parts = 0;
  while (const auto conversion = next_conversion(rest)) {
    next += conversion->arguments;
    if (next > arguments.size()) break;
    auto& [expression, used] = arguments[next - 1];
    std::string field(name_before(conversion->before));
    if (conversion->before.empty() && !latest.empty()) field = latest;
    if (format.find(field) == nullptr) field = used.size() == 1 ? *used.begin() : std::string();
    latest = field;
    if (!field.empty() && conversion->kind == 's' && expression.has_text()) {
      if (++parts > kMaxParts) throw std::invalid_argument("too many parts");
      fields[field].parts.push_back(std::move(expression));
    } else if (conversion->kind == 'p' && used.size() == 1) {
      const bool is_symbol = std::string_view("sSfFB").find(conversion->behind) != std::string_view::npos;
      PrintedField& printed = fields[*used.begin()];
      (is_symbol ? printed.is_symbol : printed.is_pointer) = true;
    }
  }
  return fields;
}

}  // namespace

std::map<std::string, PrintedField> printed_fields(const EventFormat& format) {
  if (format.print_format.size() > kMaxFormat) return {};
  try {
    return parse(format);
  } catch (const std::invalid_argument&) {
    return {};
  }
}

}  // namespace convert::uftrace
