#include "converters/tfile/description/numbers.h"

#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <ostream>

namespace convert::tfile {
namespace {

constexpr std::array kBytes{std::byte{0x81}, std::byte{2}, std::byte{3}, std::byte{4},   std::byte{5},
                            std::byte{6},    std::byte{7}, std::byte{8}, std::byte{0x89}};
constexpr auto kLittle = std::endian::little, kBig = std::endian::big;

TEST(Numbers, HaveTheByteOrderOfTheTarget) {
  EXPECT_EQ(load<std::uint16_t>(kBytes.data(), kLittle), 0x0281);
  EXPECT_EQ(load<std::int16_t>(kBytes.data(), kBig), static_cast<std::int16_t>(0x8102));
  EXPECT_EQ(load<std::uint32_t>(kBytes.data(), kLittle), 0x04030281u);
  EXPECT_EQ(load<std::uint64_t>(kBytes.data(), kBig), 0x8102'0304'0506'0708u);
}

struct Sized {
  std::size_t size;
  std::uint64_t little, big;

  friend void PrintTo(const Sized& number, std::ostream* out) { *out << number.size; }
};
class NumberOfSize : public testing::TestWithParam<Sized> {};
INSTANTIATE_TEST_SUITE_P(All, NumberOfSize,
                         testing::Values(Sized{0, 0, 0}, Sized{1, 0x81, 0x81}, Sized{2, 0x0281, 0x8102},
                                         Sized{3, 0x030281, 0x810203}, Sized{4, 0x04030281, 0x81020304},
                                         Sized{5, 0x05'04030281, 0x81'02030405},
                                         Sized{7, 0x070605'04030281, 0x810203'04050607},
                                         Sized{8, 0x08070605'04030281, 0x81020304'05060708}));
TEST_P(NumberOfSize, CanBeRead) {
  const auto bytes = std::span(kBytes).first(GetParam().size);
  EXPECT_EQ(unsigned_bits(bytes, kLittle), GetParam().little);
  EXPECT_EQ(unsigned_bits(bytes, kBig), GetParam().big);
}

TEST(Numbers, MoreThanEightBytesGiveTheLowestEight) {
  EXPECT_EQ(unsigned_bits(kBytes, kLittle), 0x08070605'04030281u);
  EXPECT_EQ(unsigned_bits(kBytes, kBig), 0x02030405'06070889u);
}

TEST(Numbers, KeepTheirSign) {
  EXPECT_EQ(signed_bits(std::span(kBytes).first(1), kLittle), ~std::uint64_t{0} - 0x7e);
  EXPECT_EQ(signed_bits(std::span(kBytes).first(3), kBig), 0xffff'ffff'ff81'0203u);
  EXPECT_EQ(signed_bits(std::span(kBytes).first(3), kLittle), 0x030281u);
  EXPECT_EQ(signed_bits(std::span(kBytes).first(8), kBig), 0x8102'0304'0506'0708u);
  EXPECT_EQ(signed_bits({}, kBig), 0u);
}

TEST(Numbers, FloatingPointNumbersHaveTwoSizes) {
  constexpr std::array kHalf{std::byte{0x3f}, std::byte{0}, std::byte{0}, std::byte{0}};
  EXPECT_EQ(std::bit_cast<double>(float_bits(kHalf, kBig)), 0.5);
  EXPECT_EQ(float_bits(std::span(kBytes).first(8), kBig), 0x8102'0304'0506'0708u);
}

}  // namespace
}  // namespace convert::tfile
