// What formats compute from fields, operator by operator.
#include "converters/uftrace/kernel/print_expression.h"

#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convert::uftrace {
namespace {

using What = PrintExpression::What;

constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};

PrintExpression number(std::uint64_t value) { return {.what = What::Number, .number = value}; }
PrintExpression text(std::string_view text) { return {.what = What::Text, .text = std::string(text)}; }
PrintExpression operation(std::string_view sign, std::vector<PrintExpression> operands) {
  return {.what = What::Operation, .text = std::string(sign), .operands = std::move(operands)};
}
PrintExpression words(What what, std::uint64_t value, std::vector<PrintExpression::Name> names) {
  return {.what = what, .text = "|", .names = std::move(names), .operands = {number(value)}};
}

std::optional<std::uint64_t> value_of(const PrintExpression& expression, const EventBytes& event = {}) {
  std::uint64_t value = 0;
  if (!expression.number_of(event, value)) return std::nullopt;
  return value;
}

std::optional<std::string> text_of(const PrintExpression& expression) {
  std::string text;
  if (!expression.append_text({}, text)) return std::nullopt;
  return text;
}

TEST(PrintExpression, Operators) {
  struct Case {
    std::string_view sign;
    std::uint64_t a, b;
    std::optional<std::uint64_t> result;
  };
  const std::array cases{
      Case{"==", 5, 5, 1},
      Case{"==", 5, 6, 0},
      Case{"!=", 5, 5, 0},
      Case{"!=", 5, 6, 1},
      Case{"<", kMinusOne, 1, 1},
      Case{"<", 1, 1, 0},
      Case{">", 1, kMinusOne, 1},
      Case{">", 1, 1, 0},
      Case{"<=", 1, 1, 1},
      Case{"<=", kMinusOne, 1, 1},
      Case{"<=", 2, 1, 0},
      Case{">=", 1, 1, 1},
      Case{">=", 1, kMinusOne, 1},
      Case{">=", 1, 2, 0},
      Case{"&&", 1, 0, 0},
      Case{"&&", 0, 1, 0},
      Case{"&&", 2, 4, 1},
      Case{"||", 1, 0, 1},
      Case{"||", 0, 1, 1},
      Case{"||", 0, 0, 0},
      Case{"&", 12, 10, 8},
      Case{"|", 12, 10, 14},
      Case{"^", 12, 10, 6},
      Case{"+", 7, 3, 10},
      Case{"-", 7, 3, 4},
      Case{"*", 7, 3, 21},
      Case{"/", 7, 3, 2},
      Case{"%", 7, 3, 1},
      Case{"/", 7, 0, {}},
      Case{"%", 7, 0, {}},
      Case{"<<", 1, 63, std::uint64_t{1} << 63},
      Case{"<<", 1, 64, 0},
      Case{">>", kMinusOne, 63, 1},
      Case{">>", kMinusOne, 64, 0},
      Case{"??", 1, 1, {}},
  };
  for (const auto& [sign, a, b, result] : cases)
    EXPECT_EQ(value_of(operation(sign, {number(a), number(b)})), result) << a << ' ' << sign << ' ' << b;
}

TEST(PrintExpression, OperatorsOfOneNumber) {
  EXPECT_EQ(value_of(operation("!", {number(0)})), 1);
  EXPECT_EQ(value_of(operation("!", {number(7)})), 0);
  EXPECT_EQ(value_of(operation("~", {number(0)})), kMinusOne);
  EXPECT_EQ(value_of(operation("-", {number(1)})), kMinusOne);
  EXPECT_EQ(value_of(operation("+", {number(7)})), 7);
  EXPECT_EQ(value_of(operation("*", {number(7)})), std::nullopt);
}

TEST(PrintExpression, OneOfTwo) {
  const auto chosen = [](std::uint64_t condition) {
    return operation("?:", {number(condition), text("yes"), number(9)});
  };
  EXPECT_EQ(text_of(chosen(2)), "yes");
  EXPECT_EQ(text_of(chosen(0)), "9");
  EXPECT_EQ(value_of(chosen(0)), 9);
  EXPECT_EQ(value_of(chosen(2)), std::nullopt) << "a text is no number";
  EXPECT_TRUE(chosen(0).gives_text());
  EXPECT_TRUE(operation("?:", {number(1), number(2), text("")}).gives_text());
  EXPECT_FALSE(operation("?:", {number(1), number(2), number(3)}).gives_text());
}

TEST(PrintExpression, FieldsOfAnySize) {
  const std::array<std::byte, 8> payload{std::byte{0xfe}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  const EventBytes event{.payload = payload, .order = std::endian::little};
  const auto field = [](std::uint32_t offset, unsigned size, bool is_signed) {
    return PrintExpression{.what = What::Field,
                           .place = {.offset = offset, .size = static_cast<std::uint8_t>(size)},
                           .is_signed = is_signed};
  };
  EXPECT_EQ(value_of(field(0, 1, false), event), 0xfe);
  EXPECT_EQ(value_of(field(0, 2, false), event), 0xfffe);
  EXPECT_EQ(value_of(field(0, 4, false), event), 0xffff'fffe);
  for (const unsigned size : {1U, 2U, 4U}) EXPECT_EQ(value_of(field(0, size, true), event), kMinusOne - 1);
  EXPECT_EQ(value_of(field(0, 8, true), event), 0xffff'fffe);
  EXPECT_EQ(value_of(field(4, 4, true), event), 0);
  EXPECT_EQ(value_of(field(5, 4, true), event), std::nullopt) << "not all of it is there";
  EXPECT_EQ(value_of(field(0, 0, true), event), std::nullopt);
}

TEST(PrintExpression, NamesOfNumbers) {
  EXPECT_EQ(text_of(words(What::Choice, 2, {{1, "one"}, {2, "two"}})), "two");
  EXPECT_EQ(text_of(words(What::Choice, 10, {{1, "one"}})), "0xa");
  EXPECT_EQ(text_of(words(What::Flags, 7, {{1, "A"}, {6, "B"}})), "A|B");
  EXPECT_EQ(text_of(words(What::Flags, 5, {{1, "A"}, {6, "B"}})), "A|0x4") << "all bits of one must be set";
  EXPECT_EQ(text_of(words(What::Flags, 0, {{1, "A"}, {0, "none"}, {0, "nothing"}})), "none");
  EXPECT_EQ(text_of(words(What::Flags, 1, {{1, "A"}, {0, "none"}})), "A");
  EXPECT_EQ(text_of(words(What::Flags, 0, {{1, "A"}})), "");
  EXPECT_EQ(value_of(words(What::Flags, 5, {{1, "A"}})), 5);
  EXPECT_EQ(text_of(operation("-", {number(2), number(5)})), "-3");
  EXPECT_EQ(text_of(PrintExpression{}), std::nullopt);
}

TEST(PrintExpression, IsWholeWithAllOperands) {
  EXPECT_TRUE(number(1).is_whole());
  EXPECT_FALSE((PrintExpression{.what = What::Number, .operands = {number(1)}}).is_whole());
  EXPECT_FALSE((PrintExpression{.what = What::Flags}).is_whole());
  EXPECT_TRUE(words(What::Choice, 1, {}).is_whole());
  EXPECT_FALSE(operation("-", {}).is_whole());
  EXPECT_TRUE(operation("-", {number(1)}).is_whole());
  EXPECT_TRUE(operation("-", {number(1), number(2)}).is_whole());
  EXPECT_FALSE(operation("-", {number(1), number(2), number(3)}).is_whole());
  EXPECT_FALSE(operation("?:", {number(1), number(2)}).is_whole());
  EXPECT_TRUE(operation("?:", {number(1), number(2), number(3)}).is_whole());
}

}  // namespace
}  // namespace convert::uftrace
