// Parses C expressions.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <dwarf.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/program/debug_info.h"
#include "converters/tfile/program/expression.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxParseDepth = 64, kMaxOperators = 512;

struct BinaryOperator {
  std::string_view text;
  int precedence;
};
// If an operator begins with another one, the longer operator comes first: "<<" before "<". "@" makes an
// array.
constexpr std::array kBinaryOperators{
    BinaryOperator{"||", 1}, BinaryOperator{"&&", 2}, BinaryOperator{"==", 6}, BinaryOperator{"!=", 6},
    BinaryOperator{"<<", 8}, BinaryOperator{">>", 8}, BinaryOperator{"<=", 7}, BinaryOperator{">=", 7},
    BinaryOperator{"<", 7},  BinaryOperator{">", 7},  BinaryOperator{"|", 3},  BinaryOperator{"^", 4},
    BinaryOperator{"&", 5},  BinaryOperator{"@", 9},  BinaryOperator{"+", 10}, BinaryOperator{"-", 10},
    BinaryOperator{"*", 11}, BinaryOperator{"/", 11}, BinaryOperator{"%", 11},
};

class Parser {
  using Kind = Expression::Kind;

 public:
  Parser(std::string_view text, const CodeScope& scope)
      : text_(text),
        scope_(scope),
        types_(scope.info->types()),
        is_pascal_(scope.unit.addr != nullptr && language_of(scope.unit) == DW_LANG_Pascal83) {}

  Expression parse() {
    Expression expression = binary(1);
    return is_at_end() ? expression : Expression{};
  }

 private:
  // ---- Operators ----

  Expression binary(int lowest) {
    if (++depth_ > kMaxParseDepth) return {};
    Expression left = unary();
    while (const BinaryOperator* const found = consume_operator(lowest)) {
      Expression right = binary(found->precedence + 1);
      left = expression_of(Kind::Binary, std::string(found->text), std::move(left), std::move(right));
    }
    --depth_;
    return left;
  }

  // Limits the number of operators, because a very deep tree would overflow the stack.
  template <typename... Operands>
  Expression expression_of(Kind kind, std::string text, Operands&&... operands) {
    if (++operators_ > kMaxOperators) return {};
    Expression expression{.kind = kind, .text = std::move(text)};
    (expression.operands.push_back(std::forward<Operands>(operands)), ...);
    return expression;
  }
  Expression typed(Kind kind, const Type* type, Expression operand) {
    Expression expression = expression_of(kind, {}, std::move(operand));
    expression.type = type;
    return expression;
  }

  Expression unary() {
    if (++depth_ > kMaxParseDepth) return {};
    Expression expression = prefixed();
    --depth_;
    return expression;
  }

  Expression prefixed() {
    for (const std::string_view operation : {"*", "&", "!", "-", "~", "+"})
      if (!starts_with("&&") && consume(operation))
        return expression_of(Kind::Prefix, std::string(operation), unary());
    if (consume("sizeof")) return size_of();
    if (consume("{")) {
      const Type* const type = type_name();
      if (type == nullptr || !consume("}")) return {};
      return typed(Kind::At, type, unary());
    }
    if (const std::size_t before = at_; consume("(")) {
      const Type* const type = type_name();
      if (type != nullptr && consume(")")) {
        skip_blanks();
        if (at_ < text_.size() &&
            std::string_view(")]@,+/%|^=<>?").find(text_[at_]) == std::string_view::npos)
          return typed(Kind::Cast, type, unary());
      }
      at_ = before;
    }
    return postfix();
  }

  Expression size_of() {
    const std::size_t before = at_;
    if (consume("(")) {
      const Type* const type = type_name();
      if (type != nullptr && consume(")")) return {.kind = Kind::SizeOf, .type = type};
    }
    at_ = before;
    return expression_of(Kind::SizeOf, {}, unary());
  }

  Expression postfix() {
    Expression expression = primary();
    while (expression.kind != Kind::Invalid) {
      if (consume("[")) {
        Expression index = binary(1);
        if (!consume("]")) return {};
        expression = expression_of(Kind::Index, {}, std::move(expression), std::move(index));
      } else if (consume("->")) {
        expression = expression_of(Kind::PointerMember, qualified(), std::move(expression));
      } else if (consume(".")) {
        expression = expression_of(Kind::Member, qualified(), std::move(expression));
      } else if (is_pascal_ && consume("^")) {
        expression = expression_of(Kind::Prefix, "*", std::move(expression));
      } else {
        break;
      }
    }
    return expression;
  }

  Expression primary() {
    skip_blanks();
    if (consume("(")) {
      Expression expression = binary(1);
      return consume(")") ? expression : Expression{};
    }
    if (starts_with("$")) {
      ++at_;
      return {.kind = Kind::Special, .text = word()};
    }
    if (const auto found = number_text())
      return {.kind = Kind::Number, .number = found->first, .type = types_.basic(found->second)};
    const bool is_global = consume("::");
    Expression name = starts_with("'") ? quoted() : Expression{.kind = Kind::Name, .text = qualified()};
    if (name.kind != Kind::Name) return is_global ? Expression{} : name;
    if (name.text.empty()) return {};
    if (is_global) name.text.insert(0, "::");
    return name;
  }

  // Parses a character, "'app::count'", or "'file.c'::name".
  Expression quoted() {
    const auto inside = quoted_at(text_, at_);
    if (!inside) return {};
    at_ += inside->size() + 2;
    if (consume("::")) return {.kind = Kind::NameOfFile, .text = qualified(), .file = std::string(*inside)};
    if (!is_quoted_character(*inside)) return {.kind = Kind::Name, .text = std::string(*inside)};
    if (inside->size() != 1) return {};
    return {.kind = Kind::Number,
            .number = static_cast<unsigned char>(inside->front()),
            .type = types_.basic("char")};
  }

  // ---- Types ----

  // Parses a type, such as "struct item *", "unsigned char", "app::Base **" or "char (*)[8]". If the next
  // words are not a type, consumes nothing, and returns null.
  const Type* type_name() {
    const std::size_t before = at_;
    const Type* type = type_specifier();
    if (type == nullptr && !(is_void_ && starts_with("*"))) {
      at_ = before;
      return nullptr;
    }
    const auto pointers = [&] {
      for (;;) {
        if (consume("*"))
          type = types_.pointer_to(type);
        else if (!consume("const") && !consume("volatile") && !consume("__restrict"))
          break;
      }
    };
    pointers();
    if (const std::size_t inner = at_; type != nullptr && consume("(")) {
      std::size_t stars = 0;
      while (consume("*")) ++stars;
      if (stars == 0 || !consume(")") || !consume("[")) {
        at_ = inner;
        return type;
      }
      const auto count = number_text();
      if (!count || !consume("]")) return nullptr;
      type = types_.array_of(type, count->first);
      for (std::size_t i = 0; i < stars; ++i) type = types_.pointer_to(type);
    } else if (type != nullptr && type->size > 0 && consume("[")) {
      const auto count = number_text();
      if (!count || !consume("]")) return nullptr;
      type = types_.array_of(type, count->first);
    }
    return type;
  }

  const Type* type_specifier() {
    std::string words;
    bool is_tagged = false;
    is_void_ = false;
    for (;;) {
      const std::size_t word_begin = at_;
      const std::string next = qualified(true);
      if (next.empty()) break;
      if (next == "struct" || next == "union" || next == "enum" || next == "class") {
        is_tagged = true;
        continue;
      }
      if (next == "const" || next == "volatile") continue;
      if (!words.empty() && types_.basic(words) == nullptr) {
        at_ = word_begin;
        break;
      }
      words += words.empty() ? next : " " + next;
    }
    is_void_ = words == "void";
    if (words.empty() || is_void_) return nullptr;
    return find_type(words, is_tagged);
  }

  const Type* find_type(const std::string& name, bool is_tagged) {
    if (!is_tagged)
      if (const Type* const basic = types_.basic(name)) return basic;
    const FoundName* const found = look_up(scope_, name, is_tagged ? Wanted::Tagged : Wanted::Any);
    const bool is_type = found != nullptr && (kind_of(found->die) & (kTypedef | kTagged)) != 0;
    return is_type ? found->info->types().read(found->die) : nullptr;
  }

  // ---- Words ----

  bool is_at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  // Consumes the next operator if it binds at least as tightly as `lowest`. Otherwise returns null.
  const BinaryOperator* consume_operator(int lowest) {
    skip_blanks();
    for (const BinaryOperator& candidate : kBinaryOperators) {
      if (!text_.substr(at_).starts_with(candidate.text)) continue;
      if (candidate.precedence < lowest) return nullptr;
      at_ += candidate.text.size();
      return &candidate;
    }
    return nullptr;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool starts_with(std::string_view part) {
    skip_blanks();
    return text_.substr(at_).starts_with(part);
  }
  bool consume(std::string_view part) {
    if (!starts_with(part)) return false;
    if (is_word_character(part.front()) && at_ + part.size() < text_.size() &&
        is_word_character(text_[at_ + part.size()]))
      return false;
    at_ += part.size();
    return true;
  }
  std::string word() {
    skip_blanks();
    const std::size_t begin = at_;
    if (at_ < text_.size() && is_digit(text_[at_])) return {};
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  // Consumes a name such as "app::count" or "Box<int, 3>::all".
  std::string qualified(bool is_type = false) {
    std::string name = word();
    while (!name.empty()) {
      const std::size_t end = end_of_template_arguments(text_, at_, is_type);
      name += text_.substr(at_, end - at_);
      at_ = end;
      if (!text_.substr(at_).starts_with("::")) break;
      at_ += 2;
      name += "::" + word();
    }
    return name;
  }
  // Consumes a number, and returns it with its type.
  std::optional<std::pair<std::uint64_t, std::string_view>> number_text() {
    skip_blanks();
    const std::size_t before = at_;
    std::string_view rest = text_.substr(at_);
    const bool is_hex = rest.starts_with("0x") || rest.starts_with("0X");
    const bool is_octal = !is_hex && rest.size() > 1 && rest[0] == '0' && is_digit(rest[1]);
    if (is_hex) rest.remove_prefix(2);
    const auto value = consume_number(rest, is_hex ? 16 : is_octal ? 8 : 10);
    if (!value || rest.starts_with('.')) return std::nullopt;
    at_ = text_.size() - rest.size();
    // A number without a suffix has the first of these types that can hold it: `int`, `unsigned int` (not for
    // decimal numbers), `long`, `unsigned long`.
    bool is_long = false, is_unsigned = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == 'u' || c == 'U')
        is_unsigned = true;
      else if (c == 'l' || c == 'L')
        is_long = true;
      else
        break;
    }
    if (at_ < text_.size() && is_word_character(text_[at_])) {
      at_ = before;  // "7q" is not a number
      return std::nullopt;
    }
    is_long |= *value > (is_unsigned || is_hex || is_octal ? 0xffff'ffff : 0x7fff'ffff);
    is_unsigned |= *value > (is_long ? 0x7fff'ffff'ffff'ffff : 0x7fff'ffff);
    return std::pair(*value, is_long ? (is_unsigned ? "unsigned long" : "long")
                                     : std::string_view(is_unsigned ? "unsigned int" : "int"));
  }

  std::string_view text_;
  const CodeScope& scope_;
  TypeTable& types_;
  const bool is_pascal_;  // in Pascal, p^ is the target of p
  std::size_t at_ = 0;    // position of the next token
  std::size_t depth_ = 0, operators_ = 0;
  bool is_void_ = false;  // whether the latest type was void
};

}  // namespace

Expression parse_expression(std::string_view text, const CodeScope& scope) {
  return Parser(text, scope).parse();
}

bool is_understood(std::string_view text, const CodeScope& scope) {
  const auto is_valid = [](const auto& self, const Expression& expression) -> bool {
    return expression.kind != Expression::Kind::Invalid &&
           std::ranges::all_of(expression.operands,
                               [&](const Expression& operand) { return self(self, operand); });
  };
  return is_valid(is_valid, parse_expression(text, scope));
}

}  // namespace convert::tfile
