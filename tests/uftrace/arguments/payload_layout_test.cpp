#include "converters/uftrace/arguments/payload_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/number_bytes.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Bytes = std::string;

// Returns the bytes that the hexadecimal digits describe. Blanks are ignored.
Bytes bytes(std::string_view hex) {
  Bytes result;
  std::string digits;
  std::ranges::copy_if(hex, std::back_inserter(digits), [](char c) { return c != ' '; });
  for (std::size_t i = 0; i < digits.size(); i += 2)
    result.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return result;
}

class OneSymbol : public SymbolNames {
 public:
  explicit OneSymbol(NameId name) : name_(name) {}
  std::optional<NameId> symbol_at(std::uint64_t address) override {
    return address == 0x1234 ? std::optional(name_) : std::nullopt;
  }

 private:
  NameId name_;
};

class PayloadLayoutTest : public testing::Test {
 protected:
  PayloadLayout layout_of(std::string_view items) {
    SpecProblems problems;
    return PayloadLayout(parse_spec_items(items, machine_, problems), {.order = order_,
                                                                       .names = names_,
                                                                       .enums = enums_,
                                                                       .module_enums = &module_enums_,
                                                                       .function = &function_});
  }
  static std::span<const std::byte> span(const Bytes& payload) { return std::as_bytes(std::span(payload)); }

  std::string shown(const Argument& argument) {
    switch (argument.kind) {
      case ArgumentKind::Null:
        return "null";
      case ArgumentKind::Int64:
        return fmt::format("{}", static_cast<std::int64_t>(argument.bits));
      case ArgumentKind::Uint64:
        return fmt::format("{}u", argument.bits);
      case ArgumentKind::Double:
        return fmt::format("{}f", std::bit_cast<double>(argument.bits));
      case ArgumentKind::Text:
        return fmt::format("\"{}\"", argument.text);
      case ArgumentKind::Pointer:
        return fmt::format("{:#x}", argument.bits);
      case ArgumentKind::Name:
        return std::string(names_.text(static_cast<NameId>(argument.bits)));
      default:
        return "?";
    }
  }
  // Returns a line for each value of the payload, such as "arg1 -1". The layout must give exactly the
  // payload's size.
  std::vector<std::string> values(std::string_view items, std::string_view hex) {
    const Bytes payload = bytes(hex);
    const PayloadLayout layout = layout_of(items);
    EXPECT_EQ(layout.size_of(span(payload + "xxxxxxxx")), payload.size());
    Arguments into;
    layout.add_values(span(payload), symbols_, into);
    std::vector<std::string> lines;
    for (const Argument& argument : into)
      lines.push_back(fmt::format("{} {}", names_.text(argument.name), shown(argument)));
    EXPECT_EQ(lines.size(), into.size());
    return lines;
  }

  static std::vector<Parameter> named(std::initializer_list<const char*> names) {
    std::vector<Parameter> parameters;
    for (const char* const name : names) parameters.push_back({name, std::nullopt});
    return parameters;
  }

  Machine machine_;
  std::endian order_ = std::endian::little;
  Names names_;
  EnumTypes enums_{{"color", EnumType({{"RED", 0}, {"GREEN", 5}, {"BLUE", 6}}, names_)},
                   {"size", EnumType({{"SMALL", 5}}, names_)}};
  EnumTypes module_enums_{{"size", EnumType({{"TINY", 5}}, names_)}};
  FunctionType function_;
  OneSymbol symbols_{names_.intern("ns::f")};
};

TEST_F(PayloadLayoutTest, SignedNumbersOfAllSizes) {
  EXPECT_THAT(values("arg1/i8,arg2/i16,arg3/i32,arg4/i64", "ff112233 fffe1122 ffffff7f feffffffffffffff"),
              ElementsAre("arg1 -1", "arg2 -257", "arg3 2147483647", "arg4 -2"));
  EXPECT_THAT(values("arg1/d8,arg2/d16,arg3/d32", "80ffffff d4feffff 90eefeff"),
              ElementsAre("arg1 -128", "arg2 -300", "arg3 -70000"));
  EXPECT_EQ(values("arg1/i64", "4179feffffffffff"), std::vector{std::string("arg1 -100031")});
}

TEST_F(PayloadLayoutTest, ArgumentsHaveTheNamesOfTheirParameters) {
  function_ = {.integers = named({"fd", "", "path", "p", "arg2", "loc", "late"}),
               .floats = named({"ratio", "same", "same"}),
               .integer_registers = 6};
  EXPECT_THAT(
      values("arg1/i32,arg2/i32,fparg1/32,arg5/i32,arg6/i32,arg7/i32,arg8/i32,retval/i32",
             "01000000 02000000 00002040 05000000 06000000 07000000 08000000 09000000"),
      ElementsAre("fd 1", "arg2 2", "ratio 2.5f", "arg5 5", "arg6 6", "late 7", "arg8 8", "retval 9"));
  EXPECT_THAT(values("arg4/p,arg3/t4:s", "34120000 00000000 01020304"),
              ElementsAre("p 0x1234", "p symbol ns::f", "path s{...}", "path bytes \"01020304\""));
  EXPECT_THAT(values("fparg2/32,fparg3/32", "00002040 00002040"), ElementsAre("fparg2 2.5f", "fparg3 2.5f"));
}

TEST_F(PayloadLayoutTest, AValueHasAParametersNameOnlyAtTheLocationOfTheParameter) {
  function_ = {.integers = named({"a", "b", "c", "d", "e", "f", "g", "h"}),
               .floats = named({"x"}),
               .integer_registers = 6};
  EXPECT_THAT(values("arg1/i32%rdi,arg2/i32%rax,arg6/i32%r9", "01000000 02000000 06000000"),
              ElementsAre("a 1", "arg2 2", "f 6"));
  EXPECT_THAT(values("arg1/i32%x0,arg8/i32%x7,fparg1/32%d0", "01000000 08000000 00002040"),
              ElementsAre("a 1", "h 8", "x 2.5f"));
  EXPECT_THAT(values("fparg1/32%xmm0", "00002040"), ElementsAre("x 2.5f"));
  EXPECT_THAT(values("fparg1/32%xmm1", "00002040"), ElementsAre("fparg1 2.5f"));
  EXPECT_THAT(values("arg7/i32%stack+1,arg8/i32%stack+1,arg1/i32%stack+1", "07000000 08000000 01000000"),
              ElementsAre("g 7", "arg8 8", "arg1 1"));
  EXPECT_THAT(values("arg8/i32%stack+2,arg6/i32%stack+0", "08000000 06000000"), ElementsAre("h 8", "arg6 6"));
}

TEST_F(PayloadLayoutTest, UnsignedNumbersOfAllSizes) {
  EXPECT_THAT(values("arg1/u8,arg2/x16,arg3/u32,arg4/o64", "ff112233 fffe1122 ffffffff feffffffffffffff"),
              ElementsAre("arg1 255u", "arg2 0xfeff", "arg3 0xffffffff", "arg4 18446744073709551614u"));
  EXPECT_EQ(values("arg1/o", "a100000000000000"), std::vector{std::string("arg1 161u")});
}

// As in uftrace, numbers above 100000 are hexadecimal.
TEST_F(PayloadLayoutTest, LargeNumbersAreHexadecimal) {
  EXPECT_THAT(
      values("arg1,arg2,arg3,arg4", "a086010000000000 a186010000000000 6079feffffffffff 5f79feffffffffff"),
      ElementsAre("arg1 100000", "arg2 0x186a1", "arg3 -100000", "arg4 0xfffffffffffe795f"));
  EXPECT_THAT(values("arg1/d32,arg2/d32,arg3/u32,arg4/u32", "6079feff 5f79feff a0860100 a1860100"),
              ElementsAre("arg1 -100000", "arg2 0xfffe795f", "arg3 100000u", "arg4 0x186a1"));
  EXPECT_THAT(values("arg1/x,arg2/e:color", "0000000000000000 ffffffffffffffff"),
              ElementsAre("arg1 0x0", "arg2 -1"));
  EXPECT_EQ(values("arg1/e:color", "00000000000000f0"), std::vector{std::string("arg1 0xf000000000000000")});
}

// uftrace prints the same values.
TEST_F(PayloadLayoutTest, ARegisterWithASmallNegativeIntIsNegative) {
  EXPECT_THAT(values("arg1,arg2,arg3,arg4,arg5,arg6",
                     "feffffff00000000 0100ffff00000000 0000ffff00000000 ffffff7f00000000 ffffffffffffffff"
                     " 0000000001000000"),
              ElementsAre("arg1 -2", "arg2 -65535", "arg3 0xffff0000", "arg4 0x7fffffff", "arg5 -1",
                          "arg6 0x100000000"));
}

TEST_F(PayloadLayoutTest, TheProgramProvidesTypesThatTheRecordingLacks) {
  using Kind = ScalarType::Kind;
  const auto has = [this](const ScalarType& type, std::string_view items, std::string_view hex) {
    function_ = {.integers = {{"", type}}, .floats = {{"", type}}, .result = type};
    return values(items, hex).front();
  };
  EXPECT_EQ(has({Kind::Signed, 4}, "retval", "0804fb02 11223344"), "retval 50005000");
  EXPECT_EQ(has({Kind::Signed, 4}, "arg1", "5f79feff 00000000"), "arg1 -100001");
  EXPECT_EQ(has({Kind::Unsigned, 4}, "arg1%rdi", "5f79feff 11223344"), "arg1 4294867295u");
  EXPECT_EQ(has({Kind::Unsigned, 1}, "retval", "01c505b3 00000000"), "retval 1u") << "a flag";
  EXPECT_EQ(has({Kind::Signed, 8}, "arg1/d64", "5f79feffffffffff"), "arg1 -100001");
  EXPECT_EQ(has({Kind::Signed, 1, false, true}, "arg1", "41aabbcc 00000000"), "arg1 \"'A' (65)\"");
  EXPECT_EQ(has({Kind::Unsigned, 8, true}, "retval", "0100000000000000"), "retval 0x1");
  EXPECT_THAT(values("arg1", "3412000000000000"), ElementsAre("arg1 0x1234", "arg1 symbol ns::f"));
  EXPECT_TRUE(layout_of("arg1").number(span(bytes("3412000000000000")), names_.intern("arg1")));
}

TEST_F(PayloadLayoutTest, TypesOfTheProgramAreUsedOnlyIfTheyAreCertain) {
  using Kind = ScalarType::Kind;
  const ScalarType wide{Kind::Signed, 8}, number{Kind::Signed, 4}, ratio{Kind::Float, 8};
  function_ = {.integers = {{"", number}, {"", wide}, {"", std::nullopt}}, .floats = {}, .result = ratio};
  constexpr std::string_view kLarge = "5f79feff 00000000";
  EXPECT_EQ(values("arg1/x", kLarge).front(), "arg1 0xfffe795f") << "the recording tells a type";
  EXPECT_EQ(values("arg1/u", kLarge).front(), "arg1 0xfffe795f");
  EXPECT_EQ(values("arg1%rsi", kLarge).front(), "arg1 0xfffe795f") << "of another register";
  EXPECT_EQ(values("arg2/d32", "5f79feff").front(), "arg2 0xfffe795f") << "half of it was recorded";
  EXPECT_EQ(values("arg3", kLarge).front(), "arg3 0xfffe795f");
  EXPECT_EQ(values("arg4", kLarge).front(), "arg4 0xfffe795f");
  EXPECT_EQ(values("retval", kLarge).front(), "retval 0xfffe795f") << "a float is in another register";
  order_ = std::endian::big;
  EXPECT_EQ(values("arg1", "00000000 fffe795f").front(), "arg1 0xfffe795f");
}

TEST_F(PayloadLayoutTest, ThirtyTwoBitPrograms) {
  machine_.word_size = 4;
  EXPECT_THAT(values("arg1,arg2/x,arg3/p,retval/e:none", "feffffff ffffffff 34120000 ffffffff"),
              ElementsAre("arg1 -2", "arg2 0xffffffff", "arg3 0x1234", "arg3 symbol ns::f", "retval -1"));
}

TEST_F(PayloadLayoutTest, Characters) {
  EXPECT_THAT(values("arg1/c,arg2/c,retval/c", "41000000 0a000000 e9ffffff"),
              ElementsAre("arg1 \"'A' (65)\"", "arg2 \"'\\n' (10)\"", "retval \"'\\351' (-23)\""));
  EXPECT_THAT(values("arg1/c,arg2/c,arg3/c", "00ffffff 27000000 ff000000"),
              ElementsAre("arg1 \"'\\000' (0)\"", "arg2 \"'\\'' (39)\"", "arg3 -1"));
}

TEST_F(PayloadLayoutTest, FloatsOfAllSizes) {
  EXPECT_THAT(values("fparg1/32,fparg2/64,fparg3/80,retval/f64",
                     "0000c03f 0000000000000440 00000000000000a0 0040ffff 00000000000008c0"),
              ElementsAre("fparg1 1.5f", "fparg2 2.5f", "fparg3 2.5f", "retval -3f"));
}

TEST_F(PayloadLayoutTest, LongDoubles) {
  const auto value = [&](std::string_view hex) { return values("retval/f80", hex).front(); };
  EXPECT_EQ(value("0000000000000080 ffbf0000"), "retval -1f");
  EXPECT_EQ(value("0000000000000080 ff7f0000"), "retval inff");
  EXPECT_EQ(value("0000000000000080 ffff0000"), "retval -inff");
  EXPECT_EQ(value("00000000000000c0 ff7f0000"), "retval nanf");
  EXPECT_EQ(value("0000000000000000 00800000"), "retval -0f");
  EXPECT_EQ(value("0000000000000080 01000000"), "retval \"3.36210314311209350626e-4932\"")
      << "no double is so small";
  EXPECT_EQ(value("ffffffffffffffff feff0000"), "retval \"-1.18973149535723176502e+4932\"");
  EXPECT_EQ(value("0000000000000000 ff3f0000"), "retval \"<invalid float value>\"");
  machine_.has_long_doubles = false;
  EXPECT_EQ(value("0000000000000440"), "retval 2.5f");
}

TEST_F(PayloadLayoutTest, TextsHaveTheirLength) {
  EXPECT_THAT(values("arg1/s,arg2/i32,arg3/S", "0500 68656c6c6f 77 07000000 0200 6162"),
              ElementsAre("arg1 \"hello\"", "arg2 7", "arg3 \"ab\""));
  EXPECT_THAT(values("retval/s", "0000 d655"), ElementsAre("retval \"\"\"\""));
  EXPECT_THAT(values("retval/s", "0400 4e554c4c 1122"), ElementsAre("retval \"\"NULL\"\""));
  EXPECT_THAT(values("arg1/s,arg2/s", "0300 612020 00 00 00 0200 3432"),
              ElementsAre("arg1 \"\"a  \"\"", "arg2 \"\"42\"\""));
  EXPECT_THAT(values("retval/s", "0700 61000a22c3a978 112233"),
              ElementsAre(std::string("retval \"a\0\n\"\xc3\xa9x\"", 16)));
}

TEST_F(PayloadLayoutTest, FourBytesOfOnesAreANullString) {
  EXPECT_THAT(values("retval/s", "0400 ffffffff 0000"), ElementsAre("retval null"));
  EXPECT_THAT(values("retval/s", "0500 ffffffffff 00"), ElementsAre("retval \"\xff\xff\xff\xff\xff\""));
}

TEST_F(PayloadLayoutTest, PointersHaveAnArgumentWithTheirSymbol) {
  EXPECT_THAT(values("arg1/p,arg2/p", "3412000000000000 0000000000000000"),
              ElementsAre("arg1 0x1234", "arg1 symbol ns::f", "arg2 0x0"));
}

TEST_F(PayloadLayoutTest, EnumsAreShownByName) {
  EXPECT_THAT(
      values("arg1/e:color,arg2/e:color,arg3/e:color,arg4/e:other",
             "0500000000000000 0b00000000000000 ffffffff00000000 ffffffff00000000"),
      ElementsAre("arg1 GREEN", "arg2 \"BLUE|GREEN\"", "arg3 \"BLUE|GREEN|RED+0xfffffff4\"", "arg4 -1"));
}

// Arguments need at most most_words(), even for a text with all enumerators and a remainder.
TEST_F(PayloadLayoutTest, TextsOfEnumsHaveTheReservedSize) {
  const PayloadLayout layout = layout_of("arg1/e:color");
  std::size_t most = 0;
  for (const std::uint64_t value : {5ULL, 11ULL, 12ULL, 0x7fff'ffff'ffff'ffffULL, ~0ULL}) {
    const std::string payload = number_bytes(value);
    Arguments into;
    layout.add_values(span(payload), symbols_, into);
    most = std::max(most, into.words().size());
    EXPECT_LE(into.words().size(), layout.most_words(payload.size())) << value;
  }
  EXPECT_EQ(most, 6u);
  EXPECT_LE(layout.most_words(8), 8u);
}

TEST_F(PayloadLayoutTest, EnumsOfTheModuleComeFirst) {
  EXPECT_THAT(values("arg1/e:size", "0500000000000000"), ElementsAre("arg1 TINY"));
}

TEST_F(PayloadLayoutTest, NumbersAreFoundByTheNameOfTheirArgument) {
  const Bytes payload = bytes("0500 68656c6c6f 77 feffffffffffffff 41000000 0500000000000000");
  const PayloadLayout layout = layout_of("arg1/s,arg2/i64,arg3/c,arg4/e:color");
  const auto number = [&](const char* name) {
    const auto found = layout.number(span(payload), names_.intern(name));
    return found ? static_cast<std::int64_t>(found->bits) : -1;
  };
  EXPECT_EQ(number("arg2"), -2);
  EXPECT_EQ(number("arg3"), 'A');
  EXPECT_EQ(number("arg4"), 5);
  EXPECT_EQ(number("arg1"), -1) << "a string is no number";
  EXPECT_EQ(number("arg5"), -1);
  EXPECT_TRUE(layout.has(names_.intern("arg4")));
  EXPECT_FALSE(layout.has(names_.intern("arg5")));
}

TEST_F(PayloadLayoutTest, OptionsReferToArgumentsByNumber) {
  function_.integers = named({"size"});
  const PayloadLayout layout = layout_of("arg1/i32");
  EXPECT_TRUE(layout.number(span(bytes("01000000 00000000")).first(4), names_.intern("arg1")));
  EXPECT_FALSE(layout.has(names_.intern("size")));
}

TEST_F(PayloadLayoutTest, StructsAreShownLikeInUftraceWithTheirBytes) {
  EXPECT_THAT(
      values("arg1/t6:small,arg2/t0:tag,arg3/t4,arg4/t1:<lambda(int)>", "0102030405fe1122 01000000 0a000000"),
      ElementsAre("arg1 small{...}", "arg1 bytes \"0102030405fe\"", "arg2 tag{}", "arg3 {...}",
                  "arg3 bytes \"01000000\"", "arg4 {...}", "arg4 bytes \"0a\""));
}

// The recording has an integer and a float. uftrace shows only the integer.
TEST_F(PayloadLayoutTest, ASecondReturnValueIsHidden) {
  EXPECT_THAT(values("retval/i32,retval/f64", "07000000 0000000000000440"), ElementsAre("retval 7"));
}

TEST_F(PayloadLayoutTest, ValuesMayBeBigEndian) {
  order_ = std::endian::big;
  EXPECT_THAT(values("arg1/i32,arg2/x64,fparg1/64,arg3/s,arg4/i16",
                     "fffffffe 0000000000000012 4004000000000000 0002 6162 fffe0000"),
              ElementsAre("arg1 -2", "arg2 0x12", "fparg1 2.5f", "arg3 \"ab\"", "arg4 -2"));
}

TEST_F(PayloadLayoutTest, NoValuesNeedNoBytes) { EXPECT_THAT(values("", ""), IsEmpty()); }

TEST_F(PayloadLayoutTest, ATruncatedPayloadHasNoSize) {
  const Bytes whole = bytes("01000000 0500 68656c6c6f 77 0200 6162 07000000");
  const PayloadLayout layout = layout_of("arg1/i32,arg2/s,arg3/s,arg4/i32");
  ASSERT_EQ(layout.size_of(span(whole)), whole.size());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(layout.size_of(span(whole.substr(0, size))), std::nullopt) << size;
    Arguments into;
    layout.add_values(span(whole.substr(0, size)), symbols_, into);
    EXPECT_TRUE(into.empty()) << size;
  }
  EXPECT_EQ(layout_of("arg1").size_of(span(whole.substr(0, 7))), std::nullopt);
}

TEST_F(PayloadLayoutTest, ALongListOfValuesIsCut) {
  std::string items;
  for (int i = 1; i <= 400; ++i) items += fmt::format("arg{}/t0,", i);
  EXPECT_EQ(values(items, "").size(), 256u);
  items.clear();
  std::string hex;
  for (int i = 1; i <= 127; ++i) items += fmt::format("arg{}/e:color,", i), hex += "ffffffff00000000";
  EXPECT_EQ(values(items, hex).size(), 127u);
}

}  // namespace
}  // namespace convert::uftrace
