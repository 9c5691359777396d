// The expected values are the ones that GDB prints for the same bytes.
#include "converters/model/reading/long_double.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <span>

#include "tests/number_bytes.h"

namespace convert {
namespace {

LongDouble number(std::uint64_t mantissa, std::uint16_t top) {
  const std::string bytes = number_bytes(mantissa) + number_bytes(top);
  return {std::as_bytes(std::span(bytes)), std::endian::little};
}

TEST(LongDoubles, DoublesAreConverted) {
  for (const LongDouble& whole :
       {number(0xa000'0000'0000'0000, 0xc000), number(0xa000'0000'0000'03ff, 0xc000)}) {
    EXPECT_TRUE(whole.is_double());
    EXPECT_EQ(whole.value(), -2.5);
  }
  EXPECT_EQ(number(0, 0x8000).value(), -0.0);
  EXPECT_TRUE(std::signbit(number(0, 0x8000).value()));
  EXPECT_TRUE(number(0, 0).is_double());
  EXPECT_EQ(number(0x8000'0000'0000'0000, 0x7fff).value(), HUGE_VAL);
  EXPECT_EQ(number(0x8000'0000'0000'0000, 0xffff).value(), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(number(0xc000'0000'0000'0000, 0x7fff).value()));
  EXPECT_TRUE(number(0xc000'0000'0000'0000, 0x7fff).is_double());
  EXPECT_TRUE(number(0x8000'0000'0000'0000, 0x3c01).is_double()) << "the smallest double";
  EXPECT_FALSE(number(0x8000'0000'0000'0000, 0x3c00).is_double());
  EXPECT_TRUE(number(0x8000'0000'0000'0000, 0x43fe).is_double()) << "as large as doubles get";
  EXPECT_FALSE(number(0x8000'0000'0000'0000, 0x43ff).is_double());
}

TEST(LongDoubles, NumbersBeyondDoublesAreTexts) {
  EXPECT_EQ(number(~std::uint64_t{0}, 0x7ffe).text(), "1.18973149535723176502e+4932");
  EXPECT_EQ(number(~std::uint64_t{0}, 0xfffe).text(), "-1.18973149535723176502e+4932");
  EXPECT_EQ(number(0x8000'0000'0000'0000, 1).text(), "3.36210314311209350626e-4932");
  EXPECT_EQ(number(1, 0).text(), "3.64519953188247460253e-4951");
  EXPECT_EQ(number(0x8000'0000'0000'0001, 0x3fff).text(), "1.00000000000000000011");
  EXPECT_FALSE(number(1, 0).is_double());
}

TEST(LongDoubles, InvalidValuesAreNamed) {
  for (const LongDouble& none :
       {number(0x4000'0000'0000'0000, 0x3fff), number(0x8000'0000'0000'0000, 0), number(1, 0x7fff)}) {
    EXPECT_FALSE(none.is_double());
    EXPECT_EQ(none.text(), "<invalid float value>");
  }
}

// In a long double with 12 bytes of memory, the two most significant bytes are padding.
TEST(LongDoubles, AreReadInBothByteOrders) {
  std::array<std::byte, 12> bytes{std::byte{0xff}, std::byte{0xff}, std::byte{0x40}, std::byte{0x01},
                                  std::byte{0xa0}};
  EXPECT_EQ(LongDouble(bytes, std::endian::big).value(), 5);
  const std::array<std::byte, 12> little{{{},
                                          {},
                                          {},
                                          {},
                                          {},
                                          {},
                                          {},
                                          std::byte{0xa0},
                                          std::byte{1},
                                          std::byte{0x40},
                                          std::byte{0xff},
                                          std::byte{0xff}}};
  EXPECT_EQ(LongDouble(little, std::endian::little).value(), 5);
}

}  // namespace
}  // namespace convert
