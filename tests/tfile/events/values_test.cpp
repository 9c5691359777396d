// Tests how registers and memory become values of arguments.
#include "converters/tfile/events/values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/events/number_texts.h"

namespace convert::tfile {
namespace {

constexpr std::array kRegisterBytes{std::byte{0xfe}, std::byte{0xff}, std::byte{0xff}, std::byte{0x40}};

TEST(ValueForms, AreNumbersOfUpToEightBytes) {
  for (const ValueForm form : {ValueForm::Signed, ValueForm::Unsigned, ValueForm::Pointer}) {
    EXPECT_TRUE(is_number(form, 1));
    EXPECT_TRUE(is_number(form, 3));
    EXPECT_TRUE(is_number(form, 8));
    EXPECT_FALSE(is_number(form, 9));
  }
  EXPECT_TRUE(is_number(ValueForm::Float, 4));
  EXPECT_TRUE(is_number(ValueForm::Float, 8));
  EXPECT_FALSE(is_number(ValueForm::Float, 2));
  EXPECT_FALSE(is_number(ValueForm::Float, 16));
  for (const ValueForm form : {ValueForm::Flags, ValueForm::Enum, ValueForm::Complex, ValueForm::Text,
                               ValueForm::Utf16, ValueForm::Utf32, ValueForm::Bytes})
    EXPECT_FALSE(is_number(form, 4));
}

TEST(RegisterValues, OtherValuesThanNumbersAreTexts) {
  EXPECT_EQ(hex_text(kRegisterBytes, std::endian::little), "0x40fffffe");
  EXPECT_EQ(hex_text(kRegisterBytes, std::endian::big), "0xfeffff40");
}

TEST(RegisterValues, FlagsAreShownAsNames) {
  const Register reg{.name = "r",
                     .size = 4,
                     .form = ValueForm::Flags,
                     .flags = std::make_shared<const std::vector<FlagField>>(
                         std::vector<FlagField>{{"CF", 0, 0}, {"PF", 1, 1}, {"MODE", 28, 30}})};
  Names names;
  NumberTexts texts(nullptr, names, std::endian::little);
  const auto text = [&](std::uint64_t bits) { return names.text(texts.register_text(reg, bits).value()); };
  EXPECT_EQ(text(0x40fffffe), "0x40fffffe [ PF MODE=4 ]");
  EXPECT_EQ(text(1), "0x1 [ CF MODE=0 ]");
  EXPECT_EQ(text(0x40fffffe), "0x40fffffe [ PF MODE=4 ]");
}

TEST(MemoryValues, UntypedValuesOfTheSizeOfANumberAreNumbers) {
  EXPECT_EQ(untyped_form(1, 1), ValueForm::Unsigned);
  EXPECT_EQ(untyped_form(2, 2), ValueForm::Signed);
  EXPECT_EQ(untyped_form(8, 8), ValueForm::Signed);
  EXPECT_EQ(untyped_form(3, 3), ValueForm::Bytes);
  EXPECT_EQ(untyped_form(8, 100), ValueForm::Bytes);  // 8 of 100 bytes
}

class LeafValues : public testing::Test {
 protected:
  // Returns the value of the bytes fe ff ff 40.
  Argument value(ValueForm form, std::uint64_t bit_offset = 0, std::uint64_t bit_size = 0,
                 std::endian order = std::endian::little) {
    Leaf leaf{.name = name,
              .form = form,
              .is_signed = is_signed,
              .offset = 0,
              .size = 4,
              .bit_offset = bit_offset,
              .bit_size = bit_size,
              .enumerators = enumerators};
    return argument_of(leaf, kRegisterBytes, order, names, text);
  }
  Names names;
  NameId name = names.intern("x");
  std::string text;
  bool is_signed = false;
  std::vector<std::pair<std::int64_t, NameId>> enumerators;
};

TEST_F(LeafValues, BitFieldsAreTheirBits) {
  EXPECT_EQ(value(ValueForm::Unsigned, 0, 3), Argument(name, std::uint64_t{6}));
  EXPECT_EQ(value(ValueForm::Signed, 0, 3), Argument(name, std::int64_t{-2}));
  EXPECT_EQ(value(ValueForm::Unsigned, 24, 8), Argument(name, std::uint64_t{0x40}));
  EXPECT_EQ(value(ValueForm::Unsigned, 0, 9, std::endian::big), Argument(name, std::uint64_t{0x1fd}));
  EXPECT_EQ(value(ValueForm::Signed, 31, 1, std::endian::big), Argument(name, std::int64_t{0}));
}

TEST_F(LeafValues, EnumerationsAreNames) {
  const NameId low = names.intern("LOW"), high = names.intern("HIGH"), all = names.intern("ALL");
  enumerators = {{6, low}, {-2, high}};
  EXPECT_EQ(value(ValueForm::Enum, 0, 3), Argument(name, low));
  EXPECT_EQ(value(ValueForm::Enum, 0, 8), Argument(name, std::uint64_t{0xfe}));
  is_signed = true;
  EXPECT_EQ(value(ValueForm::Enum, 0, 8), Argument(name, high));
  is_signed = false;
  enumerators[0].first = 0x106;
  EXPECT_EQ(value(ValueForm::Enum, 0, 3), Argument(name, std::uint64_t{6}))
      << "it has more bits than the field";
  EXPECT_EQ(value(ValueForm::Enum, 24, 8), Argument(name, std::uint64_t{0x40}));
  enumerators = {{2, low}, {4, high}, {64, all}};
  EXPECT_EQ(value(ValueForm::Enum, 0, 3), Argument(name, "(LOW | HIGH)"));
  EXPECT_EQ(value(ValueForm::Enum, 1, 3), Argument(name, "(LOW | HIGH | unknown: 0x1)"));
  enumerators[0].first = 1;
  EXPECT_EQ(value(ValueForm::Enum, 1, 3), Argument(name, "(LOW | HIGH | unknown: 0x2)"));
  EXPECT_EQ(value(ValueForm::Enum, 24, 8), Argument(name, all));
}

// If an enumerator has several bits, a set of names would be ambiguous. Then the number is shown.
TEST_F(LeafValues, EnumerationsAreSetsOnlyIfEachEnumeratorIsOneBit) {
  const NameId one = names.intern("ONE"), both = names.intern("BOTH"), same = names.intern("SAME");
  enumerators = {{1, one}, {6, both}};
  EXPECT_EQ(value(ValueForm::Enum, 0, 3), Argument(name, both));
  EXPECT_EQ(value(ValueForm::Enum, 1, 3), Argument(name, std::uint64_t{7}));
  EXPECT_EQ(value(ValueForm::Enum, 28, 3), Argument(name, std::uint64_t{4}));
  enumerators = {{1, one}, {1, both}, {2, same}};
  EXPECT_EQ(value(ValueForm::Enum, 1, 2), Argument(name, "(ONE | SAME)")) << "one bit may have two names";
  enumerators = {{0, both}, {1, one}, {2, same}};
  EXPECT_EQ(value(ValueForm::Enum, 1, 2), Argument(name, "(ONE | SAME)"));
}

TEST_F(LeafValues, FloatsHaveTheirFormat) {
  const auto number = [&](FloatFormat format, std::initializer_list<unsigned> bytes) {
    std::vector<std::byte> all;
    for (const unsigned byte : bytes) all.push_back(static_cast<std::byte>(byte));
    const Leaf leaf{
        .name = name, .form = ValueForm::Float, .format = format, .size = all.size(), .enumerators = {}};
    return argument_of(leaf, all, std::endian::little, names, text);
  };
  EXPECT_EQ(number(FloatFormat::Half, {0x00, 0x3e}), Argument(name, 1.5));
  EXPECT_EQ(number(FloatFormat::Half, {0x00, 0xc0}), Argument(name, -2.0));
  EXPECT_EQ(number(FloatFormat::Half, {0x01, 0x00}), Argument(name, 0x1p-24));
  EXPECT_EQ(number(FloatFormat::Half, {0x00, 0x7c}), Argument(name, std::numeric_limits<double>::infinity()));
  EXPECT_EQ(number(FloatFormat::BFloat, {0xc0, 0x3f}), Argument(name, 1.5));
  EXPECT_EQ(number(FloatFormat::Decimal, {25, 0, 0, 0x32}), Argument(name, 2.5));
  EXPECT_EQ(number(FloatFormat::Decimal, {0x7d, 0, 0, 0, 0, 0, 0x80, 0x31}), Argument(name, 1.25));
  EXPECT_EQ(number(FloatFormat::Decimal, {25, 0, 0, 0xb2}), Argument(name, -2.5));
  // 3.25 = 0x4000'a000…: 1.101 * 2^1
  EXPECT_EQ(number(FloatFormat::Quad, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xa0, 0, 0x40}),
            Argument(name, 3.25));
  // 2^1024 is too large for a double. The text has only as many digits as 64 bits determine.
  EXPECT_EQ(number(FloatFormat::Quad, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x43}),
            Argument(name, "1.79769313486231591e+308"));
  EXPECT_EQ(number(FloatFormat::DoubleDouble, {0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f}),
            Argument(name, 2.0));
  EXPECT_EQ(number(FloatFormat::DoubleDouble, {0, 0, 0, 0, 0, 0, 0xf0, 0x7f, 0, 0, 0, 0, 0, 0, 0xf0, 0xff}),
            Argument(name, std::numeric_limits<double>::infinity()))
      << "the second half of infinity has no meaning";
}

TEST_F(LeafValues, LongDoublesAreDoublesOrTexts) {
  Leaf leaf{.name = name,
            .form = ValueForm::Float,
            .format = FloatFormat::X87,
            .offset = 0,
            .size = 16,
            .bit_offset = 0,
            .bit_size = 0,
            .enumerators = {}};
  std::array<std::byte, 16> bytes{};  // -2.5: 0xa000000000000000 * 2^(0x4000 - 16383 - 63)
  bytes[7] = std::byte{0xa0};
  bytes[8] = std::byte{0x00};
  bytes[9] = std::byte{0xc0};
  EXPECT_EQ(argument_of(leaf, bytes, std::endian::little, names, text), Argument(name, -2.5));
  std::ranges::fill(bytes, std::byte{0xff});
  bytes[8] = std::byte{0xfe};
  bytes[9] = std::byte{0x7f};  // too large for a double
  EXPECT_EQ(argument_of(leaf, bytes, std::endian::little, names, text),
            Argument(name, "1.18973149535723176502e+4932"));
  leaf = {.name = name,
          .form = ValueForm::Complex,
          .format = FloatFormat::X87,
          .offset = 0,
          .size = 32,
          .bit_offset = 0,
          .bit_size = 0,
          .enumerators = {}};
  std::array<std::byte, 32> both{};
  std::ranges::copy(bytes, both.begin() + 16);
  EXPECT_EQ(argument_of(leaf, both, std::endian::little, names, text),
            Argument(name, "0 + 1.18973149535723176502e+4932i"));
}

// --plot can still draw the number of a boolean or a character.
TEST_F(LeafValues, BooleansAndCharactersAreText) {
  Argument number(name, std::int32_t{0});
  const auto shown = [&](ValueForm form, bool is_signed, std::uint8_t value, std::uint64_t bit_size = 0) {
    const Leaf leaf{.name = name,
                    .form = form,
                    .is_signed = is_signed,
                    .offset = 0,
                    .size = 1,
                    .bit_offset = 0,
                    .bit_size = bit_size,
                    .enumerators = {}};
    EXPECT_FALSE(is_plain_number(leaf));
    const std::array bytes{std::byte{value}};
    number = number_of(leaf, bytes, std::endian::little);
    return argument_of(leaf, bytes, std::endian::little, names, text);
  };
  EXPECT_EQ(shown(ValueForm::Bool, false, 0), Argument(name, "false"));
  EXPECT_EQ(shown(ValueForm::Bool, false, 1), Argument(name, "true"));
  EXPECT_EQ(number, Argument(name, std::int64_t{1}));
  EXPECT_EQ(shown(ValueForm::Bool, false, 5), Argument(name, std::uint64_t{5}));
  EXPECT_EQ(shown(ValueForm::Bool, false, 5, 1), Argument(name, "true")) << "the other bits are of others";
  EXPECT_EQ(shown(ValueForm::Character, true, 'A'), Argument(name, "'A' (65)"));
  EXPECT_EQ(shown(ValueForm::Character, true, 0xe9), Argument(name, "'\\351' (-23)"));
  EXPECT_EQ(number, Argument(name, std::int64_t{-23}));
  EXPECT_EQ(shown(ValueForm::Character, false, 0xe9), Argument(name, "'\\351' (233)"));
  EXPECT_EQ(number, Argument(name, std::int64_t{233}));
}

TEST_F(LeafValues, SixteenBytesAreNumbersIfEightAreSufficient) {
  std::array<std::byte, 16> bytes{};
  const auto wide = [&](ValueForm form, std::endian order) {
    const Leaf leaf{.name = name,
                    .form = form,
                    .offset = 0,
                    .size = 16,
                    .bit_offset = 0,
                    .bit_size = 0,
                    .enumerators = {}};
    EXPECT_FALSE(is_plain_number(leaf));
    return argument_of(leaf, bytes, order, names, text);
  };
  EXPECT_EQ(wide(ValueForm::Signed, std::endian::little), Argument(name, std::int64_t{0}));
  bytes[0] = std::byte{5};
  EXPECT_EQ(wide(ValueForm::Signed, std::endian::little), Argument(name, std::int64_t{5}));
  EXPECT_EQ(wide(ValueForm::Unsigned, std::endian::little), Argument(name, std::uint64_t{5}));
  EXPECT_EQ(wide(ValueForm::Unsigned, std::endian::big),
            Argument(name, "6646139978924579364519035301401722880"));
  bytes[8] = std::byte{1};
  EXPECT_EQ(wide(ValueForm::Signed, std::endian::little), Argument(name, "18446744073709551621"));
  bytes.fill(std::byte{0xff});
  EXPECT_EQ(wide(ValueForm::Signed, std::endian::little), Argument(name, std::int64_t{-1}));
  EXPECT_EQ(wide(ValueForm::Unsigned, std::endian::big),
            Argument(name, "340282366920938463463374607431768211455"));
  bytes[7] = std::byte{0x7f};  // the lower 64 bits alone would be positive
  EXPECT_EQ(wide(ValueForm::Signed, std::endian::little), Argument(name, "-9223372036854775809"));
}

TEST_F(LeafValues, ComplexNumbersAreTexts) {
  std::array<std::byte, 16> bytes{};
  const auto complex = [&](std::size_t size) {
    const Leaf leaf{.name = name,
                    .form = ValueForm::Complex,
                    .offset = 0,
                    .size = size,
                    .bit_offset = 0,
                    .bit_size = 0,
                    .enumerators = {}};
    EXPECT_FALSE(is_plain_number(leaf));
    return argument_of(leaf, std::span(bytes).first(size), std::endian::little, names, text);
  };
  bytes[3] = std::byte{0x3f};  // 0.5f
  bytes[7] = std::byte{0xc0};  // -2.0f
  EXPECT_EQ(complex(8), Argument(name, "0.5 + -2i"));
  bytes[0] = std::byte{0xcd};  // 0.1f: 0x3dcccccd
  bytes[1] = bytes[2] = std::byte{0xcc};
  bytes[3] = std::byte{0x3d};
  EXPECT_EQ(complex(8), Argument(name, "0.100000001 + -2i"));
  bytes = {};
  bytes[0] = std::byte{0x9a};  // 0.1: 0x3fb999999999999a
  std::fill(bytes.begin() + 1, bytes.begin() + 6, std::byte{0x99});
  bytes[6] = std::byte{0xb9};
  bytes[7] = std::byte{0x3f};
  EXPECT_EQ(complex(16), Argument(name, "0.10000000000000001 + 0i"));
}

TEST_F(LeafValues, WideCharactersAreTexts) {
  const auto text_of = [&](ValueForm form, std::u16string_view units, std::endian order) {
    std::vector<std::byte> bytes;
    for (const char16_t unit : units) {
      const std::byte low{static_cast<std::uint8_t>(unit & 0xff)}, high{static_cast<std::uint8_t>(unit >> 8)};
      bytes.insert(bytes.end(),
                   {order == std::endian::big ? high : low, order == std::endian::big ? low : high});
    }
    const Leaf leaf{.name = name,
                    .form = form,
                    .offset = 0,
                    .size = bytes.size(),
                    .bit_offset = 0,
                    .bit_size = 0,
                    .enumerators = {}};
    EXPECT_FALSE(is_plain_number(leaf));
    argument_of(leaf, bytes, order, names, text);
    return text;
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(text_of(ValueForm::Utf16, u"a\u00e4\U0001d11e\0b"sv, std::endian::little),
            "a\xc3\xa4\xf0\x9d\x84\x9e\\000b");
  EXPECT_EQ(text_of(ValueForm::Utf16, u"a\u00e4"sv, std::endian::big), "a\xc3\xa4");
  EXPECT_EQ(text_of(ValueForm::Utf16, u"a\xdc00z"sv, std::endian::little), "a\\xdc00z") << "half a character";
  EXPECT_EQ(text_of(ValueForm::Utf16, u"\xd800x\xdc00\0\0"sv, std::endian::little), "\\xd800x\\xdc00");
  EXPECT_EQ(text_of(ValueForm::Utf16,
                    u"\xd800"
                    "b\\\1\xd800"sv,
                    std::endian::big),
            "\\xd800\\142\\\\\\001\\xd800")
      << "a digit behind a hexadecimal one is octal";
  EXPECT_EQ(text_of(ValueForm::Utf16, u"\0ab\0c\0"sv, std::endian::little), "\\000ab\\000c");
  EXPECT_EQ(text_of(ValueForm::Utf16, u"\0\0"sv, std::endian::little), "\"\"");
  EXPECT_EQ(text_of(ValueForm::Utf16, u"a\\b"sv, std::endian::little), "a\\b") << "nothing else is spelled";
  EXPECT_EQ(text_of(ValueForm::Utf16, std::u16string(201, u'a'), std::endian::little), std::string(201, 'a'));
  EXPECT_EQ(text_of(ValueForm::Utf16, u"\xdc00" + std::u16string(200, u'z'), std::endian::little),
            "\\xdc00" + std::string(199, 'z') + "...");
  EXPECT_EQ(text_of(ValueForm::Utf32, u"\xffff\xffffy\0\0\0"sv, std::endian::little), "\\xffffffffy");
  EXPECT_EQ(text_of(ValueForm::Utf32, u"a\0\xd11e\x0001\0\0b\0"sv, std::endian::little),
            "a\xf0\x9d\x84\x9e\\000b");
}

TEST(Numbers, HaveTheBitsOfTheirType) {
  const auto half = std::span(kRegisterBytes).first(2);
  EXPECT_EQ(argument_kind(ValueForm::Signed), ArgumentKind::Int64);
  EXPECT_EQ(bits_of(ValueForm::Signed, half, std::endian::little), static_cast<std::uint64_t>(-2));
  EXPECT_EQ(bits_of(ValueForm::Signed, half, std::endian::big), static_cast<std::uint64_t>(-257));
  EXPECT_EQ(argument_kind(ValueForm::Unsigned), ArgumentKind::Uint64);
  EXPECT_EQ(bits_of(ValueForm::Unsigned, half, std::endian::little), 0xfffeu);
  EXPECT_EQ(argument_kind(ValueForm::Pointer), ArgumentKind::Pointer);
  EXPECT_EQ(bits_of(ValueForm::Pointer, half, std::endian::big), 0xfeffu);
  EXPECT_EQ(argument_kind(ValueForm::Float), ArgumentKind::Double);
  constexpr std::array kHalf{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x3f}};
  EXPECT_EQ(std::bit_cast<double>(bits_of(ValueForm::Float, kHalf, std::endian::little)), 0.5);
}

TEST(Texts, EndAtTheirLastNulsOrAreEscaped) {
  constexpr std::array kText{std::byte{'a'}, std::byte{'b'}, std::byte{0}, std::byte{'c'}};
  EXPECT_EQ(string_text(kText), "ab\\000c") << "bytes after a NUL are not lost";
  EXPECT_EQ(c_string_text(kText), "ab");
  EXPECT_EQ(c_string_text(std::span(kText).subspan(2)), "");
  EXPECT_EQ(string_text(std::span(kText).first(2)), "ab");
  const auto text = [](std::string_view bytes) { return string_text(std::as_bytes(std::span(bytes))); };
  EXPECT_EQ(text({"wörld\0\1", 8}), "wörld\\000\\001");
  EXPECT_EQ(text({"wörld\0\0", 8}), "wörld");
  EXPECT_EQ(text({"\0\0", 2}), "");
  // Invalid text is escaped, as in GDB.
  EXPECT_EQ(text({"\0\1a\x7f\x80?\0\0", 8}), "\\000\\001a\\177\\200?");
  EXPECT_EQ(text("caf\xe9 \xc3\xb6\xc3"), "caf\\351 ö\\303");
  EXPECT_EQ(text("\\351 is \xe9"), "\\\\351 is \\351") << "a backslash is escaped in escaped text";
  EXPECT_EQ(text("C:\\temp"), "C:\\temp") << "and nothing in valid text";
  EXPECT_EQ(text(std::string(199, 'a') + "\xff"), std::string(199, 'a') + "\\377");
  EXPECT_EQ(text("\xff" + std::string(200, 'a')), "\\377" + std::string(199, 'a') + "...");
  EXPECT_EQ(spelled_text(kText, 4), "61 62 00 63");
  EXPECT_EQ(spelled_text(kText, 100), "61 62 00 63 (100 bytes)");
}

}  // namespace
}  // namespace convert::tfile
