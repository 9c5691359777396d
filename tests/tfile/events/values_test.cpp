// Registers and memory as argument values.
#include "converters/tfile/events/values.h"

#include <array>
#include <bit>
#include <gtest/gtest.h>

namespace convert::tfile {
namespace {

constexpr std::array kBytes{std::byte{0xfe}, std::byte{0xff}, std::byte{0xff}, std::byte{0x40}};

TEST(RegisterValues, AreReadByTheirKind) {
  Register reg{.name = "r", .size = 4, .flags = {}};
  const auto reading = [&](RegisterKind kind) {
    reg.kind = kind;
    return reading_of(reg);
  };
  EXPECT_EQ(reading(RegisterKind::Signed), Reading::Signed);
  EXPECT_EQ(reading(RegisterKind::Unsigned), Reading::Unsigned);
  EXPECT_EQ(reading(RegisterKind::Pointer), Reading::Pointer);
  EXPECT_EQ(reading(RegisterKind::Float), Reading::Float);
  EXPECT_EQ(reading(RegisterKind::Flags), Reading::Flags);
  EXPECT_EQ(reading(RegisterKind::Bytes), Reading::Wide);
  reg.size = 16;
  EXPECT_EQ(reading(RegisterKind::Signed), Reading::Wide);
}

TEST(RegisterValues, ThatAreNoNumbersAreTexts) {
  Register reg{.name = "r", .size = 4, .kind = RegisterKind::Bytes, .flags = {}};
  EXPECT_EQ(register_text(reg, kBytes, std::endian::little), "0x40fffffe");
  EXPECT_EQ(register_text(reg, kBytes, std::endian::big), "0xfeffff40");
  reg.kind = RegisterKind::Flags;
  reg.flags = {{"CF", 0, 0}, {"PF", 1, 1}, {"MODE", 28, 30}};
  EXPECT_EQ(register_text(reg, kBytes, std::endian::little), "0x40fffffe [ PF MODE=4 ]");
}

TEST(MemoryValues, AreNumbersIfTheyHaveTheSizeOfOne) {
  EXPECT_EQ(reading_of(1, 1, ValueType::Unknown), Reading::Unsigned);
  EXPECT_EQ(reading_of(1, 1, ValueType::Signed), Reading::Signed);
  EXPECT_EQ(reading_of(2, 2, ValueType::Unknown), Reading::Signed);
  EXPECT_EQ(reading_of(2, 2, ValueType::Unsigned), Reading::Unsigned);
  EXPECT_EQ(reading_of(2, 2, ValueType::Float), Reading::Signed);
  EXPECT_EQ(reading_of(4, 4, ValueType::Float), Reading::Float);
  EXPECT_EQ(reading_of(8, 8, ValueType::Pointer), Reading::Pointer);
  EXPECT_EQ(reading_of(3, 3, ValueType::Signed), Reading::Spelled);
  EXPECT_EQ(reading_of(8, 100, ValueType::Signed), Reading::Spelled);  // its beginning
}

TEST(Numbers, AreBitsOfTheirType) {
  const auto half = std::span(kBytes).first(2);
  EXPECT_EQ(type_of(Reading::Signed), ArgumentType::Int64);
  EXPECT_EQ(bits_of(Reading::Signed, half, std::endian::little), static_cast<std::uint64_t>(-2));
  EXPECT_EQ(bits_of(Reading::Signed, half, std::endian::big), static_cast<std::uint64_t>(-257));
  EXPECT_EQ(type_of(Reading::Unsigned), ArgumentType::Uint64);
  EXPECT_EQ(bits_of(Reading::Unsigned, half, std::endian::little), 0xfffeu);
  EXPECT_EQ(type_of(Reading::Pointer), ArgumentType::Pointer);
  EXPECT_EQ(bits_of(Reading::Pointer, half, std::endian::big), 0xfeffu);
  EXPECT_EQ(type_of(Reading::Float), ArgumentType::Double);
  constexpr std::array kHalf{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x3f}};
  EXPECT_EQ(std::bit_cast<double>(bits_of(Reading::Float, kHalf, std::endian::little)), 0.5);
}

TEST(Texts, AreSpelledOrEndAtTheirNul) {
  constexpr std::array kText{std::byte{'a'}, std::byte{'b'}, std::byte{0}, std::byte{'c'}};
  EXPECT_EQ(string_text(kText), "ab");
  EXPECT_EQ(string_text(std::span(kText).first(2)), "ab");
  EXPECT_EQ(spelled_text(kText, 4), "61 62 00 63");
  EXPECT_EQ(spelled_text(kText, 100), "61 62 00 63 (100 bytes)");
}

}  // namespace
}  // namespace convert::tfile
