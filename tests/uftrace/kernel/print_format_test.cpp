// Tests reading a `print fmt`: which fields have texts, and which expressions give these texts.
#include "converters/uftrace/kernel/print_format.h"

#include <array>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include "tests/uftrace/kernel/kernel_bytes.h"

namespace convert::uftrace {
namespace {

using testing::IsEmpty;

// Describes an event with the fields `a` (u64), `b` (signed, 8 bytes), `small` (signed, 1 byte) and `text`.
EventFormat format_of(std::string_view print) {
  return {.system = "app",
          .name = "event",
          .id = 50,
          .fields = parse_fields(field("u64 a", 0, 8) + field("long b", 8, 8, true) +
                                 field("s8 small", 16, 1, true) + field("char text[8]", 17, 8)),
          .print_format = std::string(print)};
}

struct Event {
  std::uint64_t a = 0;
  std::int64_t b = 0;
  std::int8_t small = 0;
};

// Returns the text of the field `a`, or nullopt if the field is shown as a number.
std::optional<std::string> text_of(std::string_view print, const Event& event = {}) {
  const auto fields = printed_fields(format_of(print));
  const auto found = fields.find("a");
  if (found == fields.end() || found->second.parts.empty()) return std::nullopt;
  const std::string bytes = Numbers().put(event.a).put(event.b).put(event.small).text();
  std::string text;
  for (const PrintExpression& part : found->second.parts)
    if (!part.append_text({std::as_bytes(std::span(bytes)), std::endian::little}, text)) return std::nullopt;
  return text;
}

// Returns the value of a C expression as text.
std::optional<std::string> value_of(std::string_view expression, const Event& event = {}) {
  return text_of(fmt::format(R"("a=%s", {} ? {} : "")", 1, expression), event);
}
// Returns "true" or "false".
std::optional<std::string> truth_of(std::string_view condition, const Event& event = {}) {
  return text_of(fmt::format(R"("a=%s", {} ? "true" : "false")", condition), event);
}

struct Operation {
  std::string_view expression;
  std::uint64_t a;
  std::int64_t b;
  std::optional<std::string> result;
};

TEST(PrintFormat, ComputesOperators) {
  constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};
  const std::array operations{
      Operation{"REC->a == REC->b", 5, 5, "1"},
      Operation{"REC->a == REC->b", 5, 6, "0"},
      Operation{"REC->a != REC->b", 5, 5, "0"},
      Operation{"REC->a != REC->b", 5, 6, "1"},
      Operation{"REC->a < REC->b", kMinusOne, 1, "1"},
      Operation{"REC->a < REC->b", 1, 1, "0"},
      Operation{"REC->a > REC->b", 1, -1, "1"},
      Operation{"REC->a > REC->b", 1, 1, "0"},
      Operation{"REC->a <= REC->b", 1, 1, "1"},
      Operation{"REC->a <= REC->b", kMinusOne, 1, "1"},
      Operation{"REC->a <= REC->b", 2, 1, "0"},
      Operation{"REC->a >= REC->b", 1, 1, "1"},
      Operation{"REC->a >= REC->b", 1, -1, "1"},
      Operation{"REC->a >= REC->b", 1, 2, "0"},
      Operation{"REC->a && REC->b", 1, 0, "0"},
      Operation{"REC->a && REC->b", 0, 1, "0"},
      Operation{"REC->a && REC->b", 2, 4, "1"},
      Operation{"REC->a || REC->b", 1, 0, "1"},
      Operation{"REC->a || REC->b", 0, 1, "1"},
      Operation{"REC->a || REC->b", 0, 0, "0"},
      Operation{"REC->a & REC->b", 12, 10, "8"},
      Operation{"REC->a | REC->b", 12, 10, "14"},
      Operation{"REC->a ^ REC->b", 12, 10, "6"},
      Operation{"REC->a + REC->b", 7, 3, "10"},
      Operation{"REC->a - REC->b", 7, 3, "4"},
      Operation{"REC->a * REC->b", 7, 3, "21"},
      Operation{"REC->a / REC->b", 7, 3, "2"},
      Operation{"REC->a % REC->b", 7, 3, "1"},
      Operation{"REC->a / REC->b", 7, 0, {}},
      Operation{"REC->a % REC->b", 7, 0, {}},
      Operation{"REC->a << REC->b", 1, 62, "4611686018427387904"},
      Operation{"REC->a << REC->b", 1, 64, "0"},
      Operation{"REC->a >> REC->b", kMinusOne, 63, "1"},
      Operation{"REC->a >> REC->b", kMinusOne, 64, "0"},
      Operation{"!REC->a", 0, 0, "1"},
      Operation{"!REC->a", 7, 0, "0"},
      Operation{"~REC->a", 0, 0, "-1"},
      Operation{"-REC->a", 1, 0, "-1"},
      Operation{"+REC->a", 7, 0, "7"},
  };
  for (const auto& [expression, a, b, result] : operations)
    EXPECT_EQ(value_of(expression, {a, b}), result) << a << ' ' << expression << ' ' << b;
}

TEST(PrintFormat, OperatorsBindAsInC) {
  EXPECT_EQ(value_of("1 + 2 * 3"), "7");
  EXPECT_EQ(value_of("(1 + 2) * 3"), "9");
  EXPECT_EQ(value_of("REC->a - 2 - 3", {.a = 10}), "5");
  EXPECT_EQ(value_of("REC->a | 1 << 4 & 0xff", {.a = 3}), "19");
  EXPECT_EQ(value_of("REC->a & 1 == 1", {.a = 2}), "0");
  EXPECT_EQ(value_of("-REC->a + 1", {.a = 3}), "-2");
  EXPECT_EQ(value_of("!REC->a == 1", {.a = 0}), "1");
  EXPECT_EQ(truth_of("REC->a == 1 || REC->a == 2 && REC->b", {.a = 1}), "true");
  EXPECT_EQ(truth_of("REC->a ^ 3 | 4 && 0", {.a = 1}), "false");
  EXPECT_EQ(text_of(R"("a=%s", REC->a ? REC->b ? "x" : "y" : "z")", {.a = 1}), "y");
  EXPECT_EQ(text_of(R"("a=%s", REC->a ? "x" : REC->b ? "y" : "z")", {.b = 1}), "y");
}

TEST(PrintFormat, NumbersAreWrittenAsInC) {
  EXPECT_EQ(value_of("0x1fUL + 010 + 1u + 2ll"), "42");
  EXPECT_EQ(value_of("0xffffffffffffffff"), "-1");
  EXPECT_EQ(value_of("1x"), std::nullopt);
  EXPECT_EQ(value_of("99999999999999999999"), std::nullopt);
}

TEST(PrintFormat, FieldsHaveTheirSizesAndSigns) {
  EXPECT_EQ(value_of("REC->small", {.small = -3}), "-3");
  EXPECT_EQ(value_of("REC->b", {.b = -3}), "-3");
  EXPECT_EQ(value_of("REC->text"), std::nullopt) << "no integer";
  EXPECT_EQ(value_of("REC->other"), std::nullopt) << "not in the format";
  EXPECT_EQ(value_of("REC->text[1]"), std::nullopt);
}

TEST(PrintFormat, AFieldOutsideThePayloadHasNoText) {
  EventFormat format = format_of(R"("a=%s", __print_symbolic(REC->a, { 0, "zero" }))");
  const auto fields = printed_fields(format);
  std::string text;
  EXPECT_FALSE(fields.at("a").parts.at(0).append_text({{}, std::endian::little}, text));
}

TEST(PrintFormat, CastsAreIgnored) {
  EXPECT_EQ(value_of("(unsigned long)REC->a + (u8)1", {.a = 300}), "301");
  EXPECT_EQ(value_of("(void *)(REC->a)", {.a = 7}), "7");
  EXPECT_EQ(value_of("(u32)~REC->a", {.a = 0}), "-1");
  EXPECT_EQ(value_of("(REC->a) + 1", {.a = 7}), "8");
}

TEST(PrintFormat, PrintSymbolicGivesNamesOfValues) {
  constexpr std::string_view kPrint =
      R"("a=%s", __print_symbolic(REC->a, { 0, "zero" }, { 1 << 2 | 1, "five" }, { -1, "none" }))";
  EXPECT_EQ(text_of(kPrint), "zero");
  EXPECT_EQ(text_of(kPrint, {.a = 5}), "five");
  EXPECT_EQ(text_of(kPrint, {.a = ~std::uint64_t{0}}), "none");
  EXPECT_EQ(text_of(kPrint, {.a = 10}), "0xa");
  EXPECT_EQ(text_of(R"("a=%s", __print_symbolic(REC->a, { KNOWN, "known" }, { 2, "two" }))", {.a = 2}), "two")
      << "an enumerator without a value costs its own name only";
}

TEST(PrintFormat, PrintFlagsGivesNamesOfBits) {
  constexpr std::string_view kPrint = R"("a=%s", __print_flags(REC->a, "|", { 1, "A" }, { 6UL, "B" }))";
  EXPECT_EQ(text_of(kPrint, {.a = 7}), "A|B");
  EXPECT_EQ(text_of(kPrint, {.a = 5}), "A|0x4") << "all bits of a name must be set";
  EXPECT_EQ(text_of(kPrint), "");
  constexpr std::string_view kNone =
      R"("a=%s", __print_flags(REC->a, "", { 1, "A" }, { 0, "none" }, { 0, "nothing" }))";
  EXPECT_EQ(text_of(kNone), "none");
  EXPECT_EQ(text_of(kNone, {.a = 3}), "A0x2");
}

// Two conversions without a label between them are joined into one text, for example in sched_switch.
TEST(PrintFormat, ConversionsWithoutALabelBetweenThemAreJoined) {
  constexpr std::string_view kPrint =
      R"("a=%s%s b=%ld", (REC->a & 0xff) ? __print_flags(REC->a & 0xff, "|", { 1, "S" }, { 2, "D" }) : "R", )"
      R"(REC->a & 0x100 ? "+" : "", REC->b)";
  EXPECT_EQ(text_of(kPrint), "R");
  EXPECT_EQ(text_of(kPrint, {.a = 3}), "S|D");
  EXPECT_EQ(text_of(kPrint, {.a = 0x101}), "S+");
}

TEST(PrintFormat, ATextBelongsToTheFieldOfItsLabel) {
  EXPECT_EQ(text_of(R"("b=%d, a: %s", REC->b, REC->b ? "yes" : "no")"), "no");
  EXPECT_EQ(text_of(R"("mode=%s", REC->a ? "yes" : "no")"), "no") << "or to the only one that it is made of";
  EXPECT_EQ(text_of(R"("mode=%s", REC->a + REC->b ? "yes" : "no")"), std::nullopt);
  EXPECT_EQ(text_of(R"("%d%% %*d a=%s", REC->b, 5, REC->b, "text")"), "text") << "a '*' is an argument, too";
  EXPECT_EQ(text_of(R"("b=%d " "a=%s", REC->b, "one" " two")"), "one two");
  EXPECT_EQ(text_of(R"("a=%d", REC->a ? "yes" : "no")"), std::nullopt) << "only %s shows text";
  EXPECT_EQ(text_of(R"("a=%s", REC->a)"), std::nullopt);
}

TEST(PrintFormat, PointersAreMarked) {
  const auto fields =
      printed_fields(format_of(R"("a=%pS b=%px small=%p", (void *)REC->a, REC->b, __get_str(text))"));
  EXPECT_TRUE(fields.at("a").is_symbol);
  EXPECT_FALSE(fields.at("b").is_symbol);
  EXPECT_TRUE(fields.at("b").is_pointer);
  EXPECT_EQ(fields.size(), 2);
}

TEST(PrintFormat, UnknownFunctionsAffectOnlyTheirArgument) {
  EXPECT_EQ(text_of(R"p("%s %s a=%s", __get_str(text), __print_array(f(")"), 1, (2)), "text")p"), "text");
}

TEST(PrintFormat, InvalidFormatsAreIgnored) {
  for (const std::string_view print : {"",
                                       "a=%s",
                                       R"("a=%s)",
                                       R"("a=%s", )",
                                       R"("a=%s", ()",
                                       R"("a=%s", (1)",
                                       R"("a=%s", f()",
                                       R"("a=%s", 1 +)",
                                       R"("a=%s", 1 ? "x")",
                                       R"("a=%s", 1 ? "x" : )",
                                       R"("a=%s", REC)",
                                       R"("a=%s", REC->)",
                                       R"("a=%s", REC->a[)",
                                       R"("a=%s", REC->a->b)",
                                       R"("a=%s", "x)",
                                       R"("a=%s", "x\)",
                                       R"("a=%s", 'x')",
                                       R"("a=%s", __print_flags)",
                                       R"("a=%s", __print_flags(REC->a, { 1, "A" }))",
                                       R"("a=%s", __print_symbolic(REC->a))",
                                       R"("a=%s", __print_symbolic(REC->a, { 1, "A" })",
                                       R"("a=%s", __print_symbolic(REC->a, { 1, A }))",
                                       R"("a=%s", __print_flags(REC->b, nonsense((({ })"})
    EXPECT_EQ(text_of(print), std::nullopt) << print;
  for (std::string text = R"("a=%s%d", __print_flags(REC->a, "|", { (1), "A" }), (u8)~f("x") ? -1 : 2)";
       !text.empty(); text.pop_back())
    printed_fields(format_of(text));
}

TEST(PrintFormat, DeepOrLongTextsAreRejected) {
  const auto repeated = [](std::string_view part) {
    std::string text = R"("a=%s", )";
    for (int i = 0; i < 10'000; ++i) text += part;
    return text + R"(1 ? "x" : "y")";
  };
  for (const std::string_view part : {"(", "-", "(u8)", "REC->a +", "REC->a ? 1 : ", "1 ? REC->a :", "f("})
    EXPECT_THAT(printed_fields(format_of(repeated(part))), IsEmpty()) << part;
  EXPECT_EQ(text_of(repeated("1 + ")), "x") << "constants are computed at once";
  EXPECT_THAT(printed_fields(format_of(R"("a=%s", "x" )" + std::string(70'000, ' '))), IsEmpty());
}

}  // namespace
}  // namespace convert::uftrace
