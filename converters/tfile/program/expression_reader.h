// Reads the words, numbers and operators of an expression from left to right. The
// evaluator, which derives from it, knows what they mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "converters/model/reading/text.h"

namespace convert::tfile {

struct BinaryOperator {
  std::string_view text;
  int precedence;
};
// Longer operators come before their beginnings. "@" makes an array.
inline constexpr std::array kBinaryOperators{
    BinaryOperator{"||", 1}, BinaryOperator{"&&", 2}, BinaryOperator{"==", 6}, BinaryOperator{"!=", 6},
    BinaryOperator{"<<", 8}, BinaryOperator{">>", 8}, BinaryOperator{"<=", 7}, BinaryOperator{">=", 7},
    BinaryOperator{"<", 7},  BinaryOperator{">", 7},  BinaryOperator{"|", 3},  BinaryOperator{"^", 4},
    BinaryOperator{"&", 5},  BinaryOperator{"@", 9},  BinaryOperator{"+", 10}, BinaryOperator{"-", 10},
    BinaryOperator{"*", 11}, BinaryOperator{"/", 11}, BinaryOperator{"%", 11},
};

class ExpressionReader {
 protected:
  explicit ExpressionReader(std::string_view text) : text_(text) {}

  bool is_at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  // The next operator, unless it binds less tightly than `lowest`; null if there is none.
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
  // "app::count", "Box<int, 3>::all"
  std::string qualified() {
    std::string name = word();
    while (!name.empty()) {
      if (const std::size_t end = end_of_template_arguments(); end != at_) {
        name += text_.substr(at_, end - at_);
        at_ = end;
      }
      if (!text_.substr(at_).starts_with("::")) break;
      at_ += 2;
      name += "::" + word();
    }
    return name;
  }
  // Template arguments are followed by "::"; otherwise "<" is an operator.
  std::size_t end_of_template_arguments() const {
    if (!text_.substr(at_).starts_with('<')) return at_;
    int depth = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      if (text_[i] == '<') ++depth;
      if (text_[i] == '>' && --depth == 0) return text_.substr(i + 1).starts_with("::") ? i + 1 : at_;
    }
    return at_;
  }
  // A number and its type.
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
    bool is_long = *value > 0x7fff'ffff, is_unsigned = false;
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
      at_ = before;  // "7q" is none
      return std::nullopt;
    }
    return std::pair(*value, is_long ? (is_unsigned ? "unsigned long" : "long")
                                     : std::string_view(is_unsigned ? "unsigned int" : "int"));
  }

  std::string_view text_;
  std::size_t at_ = 0;  // what comes next
};

}  // namespace convert::tfile
