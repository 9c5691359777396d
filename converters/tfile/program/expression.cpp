#include "converters/tfile/program/expression.h"

#include <algorithm>
#include <array>

#include "converters/model/reading/text.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxDepth = 64;

class Parser {
 public:
  Parser(std::string_view text, const ExpressionScope& scope, TypeTable& types)
      : text_(text), scope_(scope), types_(types) {}

  const Type* parse() {
    const Type* type = sum();
    skip_blanks();
    return at_ == text_.size() ? type : nullptr;
  }

 private:
  // All binary operators have the same precedence here: the type of the result hardly depends on it.
  const Type* sum() {
    if (++depth_ > kMaxDepth) return nullptr;
    const Type* left = repeated();
    for (;;) {
      const std::string_view found = binary_operator();
      if (found.empty() || left == nullptr) break;
      left = combined(found, left, repeated());
    }
    --depth_;
    return left;
  }

  std::string_view binary_operator() {
    static constexpr std::array<std::string_view, 18> kOperators{
        "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^"};
    for (const std::string_view candidate : kOperators)
      if (consume(candidate)) return candidate;
    return {};
  }

  const Type* combined(std::string_view operation, const Type* left, const Type* right) {
    left = decayed(left);
    right = decayed(right);
    if (left == nullptr || right == nullptr) return nullptr;
    static constexpr std::array<std::string_view, 8> kTruths{"==", "!=", "<=", ">=", "&&", "||", "<", ">"};
    if (std::ranges::find(kTruths, operation) != kTruths.end()) return basic("int");
    const bool left_points = left->kind == Type::Kind::Pointer,
               right_points = right->kind == Type::Kind::Pointer;
    if (left_points && right_points) return basic("long");
    if (left_points) return left;
    if (right_points) return right;
    if (left->kind == Type::Kind::Float || right->kind == Type::Kind::Float)
      return left->kind != Type::Kind::Float || (right->kind == Type::Kind::Float && right->size > left->size)
                 ? right
                 : left;
    left = number_of(left);
    right = number_of(right);
    if (operation == "<<" || operation == ">>" || left->size > right->size) return left;
    return right->size > left->size || right->kind == Type::Kind::Unsigned ? right : left;
  }

  const Type* promoted(const Type* type) { return type->size < 4 ? basic("int") : type; }

  // Arithmetic on an enumeration gives an integer. In GDB it is unsigned unless an enumerator is negative.
  const Type* number_of(const Type* type) {
    if (type->kind != Type::Kind::Enum) return promoted(type);
    const auto is_negative = [](const auto& enumerator) { return enumerator.first < 0; };
    const bool is_signed = std::ranges::any_of(type->enumerators, is_negative);
    return types_.add({.kind = is_signed ? Type::Kind::Signed : Type::Kind::Unsigned,
                       .size = std::max<std::uint64_t>(type->size, 4)});
  }

  // "a[2]@3"
  const Type* repeated() {
    const Type* element = unary();
    if (element == nullptr || !consume("@")) return element;
    const auto count = number();
    element = value_of(element);
    if (element == nullptr || !count || *count == 0 || *count > ~std::uint32_t{0}) return nullptr;
    return types_.add(
        {.kind = Type::Kind::Array, .size = *count * element->size, .target = element, .count = *count});
  }

  const Type* unary() {
    if (++depth_ > kMaxDepth) return nullptr;
    const Type* type = nullptr;
    if (consume("*")) {
      type = decayed(unary());
      type = type != nullptr && type->kind == Type::Kind::Pointer ? type->target : nullptr;
    } else if (!starts_with("&&") && consume("&")) {
      type = value_of(unary());
      if (type != nullptr) type = pointer_to(type);
    } else if (consume("!")) {
      type = unary() != nullptr ? basic("int") : nullptr;
    } else if (consume("-") || consume("~") || consume("+")) {
      type = value_of(unary());
      if (type != nullptr && type->kind != Type::Kind::Float) type = promoted(type);
    } else if (const std::size_t before = at_; consume("(")) {
      const Type* const named = type_name();
      if (named != nullptr && consume(")")) {
        type = unary() != nullptr ? named : nullptr;
      } else {
        at_ = before;
        type = postfix();
      }
    } else {
      type = postfix();
    }
    --depth_;
    return type;
  }

  const Type* postfix() {
    const Type* type = primary();
    while (type != nullptr) {
      if (consume("[")) {
        if (sum() == nullptr || !consume("]")) return nullptr;
        type = decayed(type);
        type = type != nullptr && type->kind == Type::Kind::Pointer ? type->target : nullptr;
      } else if (consume("->")) {
        type = decayed(type);
        type = type != nullptr && type->kind == Type::Kind::Pointer ? member(type->target) : nullptr;
      } else if (consume(".")) {
        type = member(value_of(type));
      } else {
        break;
      }
    }
    return type;
  }

  const Type* primary() {
    skip_blanks();
    if (consume("(")) {
      const Type* type = sum();
      return consume(")") ? type : nullptr;
    }
    if (consume("$")) {  // a register or a trace state variable
      return word().empty() ? nullptr : basic("long");
    }
    if (number()) return basic("int");
    if (starts_with("'")) {
      const std::size_t end = text_.find('\'', at_ + 2);
      if (end == std::string_view::npos) return nullptr;
      at_ = end + 1;
      return basic("char");
    }
    const std::string name = qualified();
    if (name.empty()) return nullptr;
    if (const Type* const variable = scope_.variable(name)) return variable;
    if (const Type* const self = name != "this" ? decayed(scope_.variable("this")) : nullptr;
        self != nullptr && self->kind == Type::Kind::Pointer && self->target != nullptr)
      return member_of(*self->target, name, 0);
    return nullptr;
  }

  const Type* member(const Type* of) {
    const std::string name = qualified();
    return of == nullptr || name.empty() ? nullptr : member_of(*of, name, 0);
  }

  static const Type* member_of(const Type& type, const std::string& name, std::size_t depth) {
    if (type.kind != Type::Kind::Struct || depth > kMaxDepth) return nullptr;
    for (const Type::Member& member : type.members)
      if (member.name == name) return member.type;
    for (const Type::Member& member : type.members)
      if (member.name.empty() && member.type != nullptr)
        if (const Type* const found = member_of(*member.type, name, depth + 1)) return found;
    return nullptr;
  }

  // "struct item *", "unsigned char", "app::Base **"; consumes nothing when there is no type.
  const Type* type_name() {
    const std::size_t before = at_;
    std::string words;
    bool is_tagged = false;
    for (;;) {
      const std::size_t word_begin = at_;
      const std::string next = qualified();
      if (next.empty()) break;
      if (next == "struct" || next == "union" || next == "enum" || next == "class") {
        is_tagged = true;
        continue;
      }
      if (next == "const" || next == "volatile") continue;
      if (!words.empty() && types_.basic(words, scope_.pointer_size) == nullptr) {
        at_ = word_begin;
        break;
      }
      words += words.empty() ? next : " " + next;
    }
    const Type* type = nullptr;
    const bool is_void = words == "void";
    if (!words.empty() && !is_tagged) type = types_.basic(words, scope_.pointer_size);
    if (type == nullptr && !words.empty() && !is_void && (is_tagged || scope_.variable(words) == nullptr))
      type = scope_.type(words);
    std::size_t pointers = 0;
    for (;;) {
      if (consume("*"))
        ++pointers;
      else if (!consume("const") && !consume("volatile"))
        break;
    }
    if (type == nullptr && (!is_void || pointers == 0)) {
      at_ = before;
      return nullptr;
    }
    for (std::size_t i = 0; i < pointers; ++i) type = pointer_to(type);
    return type;
  }

  static const Type* value_of(const Type* type) {
    return type != nullptr && type->kind == Type::Kind::Reference ? type->target : type;
  }
  const Type* decayed(const Type* type) {
    type = value_of(type);
    return type != nullptr && type->kind == Type::Kind::Array && type->target != nullptr
               ? pointer_to(type->target)
               : type;
  }
  const Type* pointer_to(const Type* target) {
    return types_.add({.kind = Type::Kind::Pointer, .size = scope_.pointer_size, .target = target});
  }
  const Type* basic(std::string_view words) { return types_.basic(words, scope_.pointer_size); }

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
  std::string qualified() {
    std::string name = word();
    while (!name.empty() && text_.substr(at_).starts_with("::")) {
      at_ += 2;
      name += "::" + word();
    }
    return name;
  }
  std::optional<std::uint64_t> number() {
    skip_blanks();
    std::string_view rest = text_.substr(at_);
    const bool is_hex = rest.starts_with("0x");
    if (is_hex) rest.remove_prefix(2);
    const auto value = consume_number(rest, is_hex ? 16 : 10);
    if (!value) return std::nullopt;
    at_ = text_.size() - rest.size();
    while (at_ < text_.size() &&
           (text_[at_] == 'u' || text_[at_] == 'U' || text_[at_] == 'l' || text_[at_] == 'L'))
      ++at_;
    return value;
  }

  std::string_view text_;
  const ExpressionScope& scope_;
  TypeTable& types_;
  std::size_t at_ = 0, depth_ = 0;
};

}  // namespace

const Type* type_of_expression(std::string_view expression, const ExpressionScope& scope, TypeTable& types) {
  return Parser(expression, scope, types).parse();
}

}  // namespace convert::tfile
