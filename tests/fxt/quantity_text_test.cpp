#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <string_view>

#include "fxt/time_range.h"

namespace fxt {
namespace {

struct TimeText {
  std::string_view text;
  std::optional<std::uint64_t> time_ns;
};

void PrintTo(const TimeText& given, std::ostream* out) { *out << "'" << given.text << "'"; }

class TimeTexts : public testing::TestWithParam<TimeText> {};

TEST_P(TimeTexts, AreExact) { EXPECT_EQ(parse_time_ns(GetParam().text), GetParam().time_ns); }

INSTANTIATE_TEST_SUITE_P(Good, TimeTexts,
                         testing::Values(TimeText{"0", 0}, TimeText{"250", 250}, TimeText{"250ns", 250},
                                         TimeText{"7nsec", 7}, TimeText{"1000us", 1'000'000},
                                         TimeText{"3usec", 3'000}, TimeText{"20ms", 20'000'000},
                                         TimeText{"2msec", 2'000'000}, TimeText{"2s", 2'000'000'000},
                                         TimeText{"1sec", 1'000'000'000}, TimeText{"2m", 120'000'000'000},
                                         TimeText{"2min", 120'000'000'000}, TimeText{"1h", 3'600'000'000'000},
                                         TimeText{"1hour", 3'600'000'000'000},
                                         TimeText{"9223372036s", 9'223'372'036'000'000'000},
                                         TimeText{"5US", 5'000}, TimeText{"5Ms", 5'000'000}));

// uftrace reads some of these texts incorrectly, for example 1.0005us.
INSTANTIATE_TEST_SUITE_P(Decimals, TimeTexts,
                         testing::Values(TimeText{".5us", 500}, TimeText{"1.us", 1'000},
                                         TimeText{"1.2345us", 1'234}, TimeText{"1.0005us", 1'000},
                                         TimeText{"1.0050us", 1'005}, TimeText{"0.001005ms", 1'005},
                                         TimeText{"1.9", 1}, TimeText{"1.000000001s", 1'000'000'001},
                                         TimeText{"0.0000000019999999999999999999999999s", 1},
                                         TimeText{"1.5m", 90'000'000'000},
                                         TimeText{"2562047.7h", 9'223'371'720'000'000'000}));

INSTANTIATE_TEST_SUITE_P(Bad, TimeTexts,
                         testing::Values(TimeText{"", {}}, TimeText{"abc", {}}, TimeText{"us", {}},
                                         TimeText{".", {}}, TimeText{".us", {}}, TimeText{"1 us", {}},
                                         TimeText{"1x", {}}, TimeText{"-1us", {}}, TimeText{"+1us", {}},
                                         TimeText{"1.2.3us", {}}, TimeText{"0x10", {}}, TimeText{"1e3", {}},
                                         TimeText{"9223372036.9s", {}}, TimeText{"9223372037s", {}},
                                         TimeText{"9223372036854775808", {}}, TimeText{"2562048h", {}},
                                         TimeText{"99999999999999999999999", {}},
                                         TimeText{"20000000000000000000", {}},
                                         TimeText{"92233720368547758085ns", {}}));

TEST(Sizes, HaveUnitsOfAThousandAndOf1024) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("500"), 500U);
  EXPECT_EQ(parse_size("500B"), 500U);
  EXPECT_EQ(parse_size("64k"), 64'000U);
  EXPECT_EQ(parse_size("64KB"), 64'000U);
  EXPECT_EQ(parse_size("64KiB"), 65'536U);
  EXPECT_EQ(parse_size("100M"), 100'000'000U);
  EXPECT_EQ(parse_size("1.5G"), 1'500'000'000U);
  EXPECT_EQ(parse_size(".5gi"), 536'870'912U);
  EXPECT_EQ(parse_size("2T"), 2'000'000'000'000U);
  EXPECT_EQ(parse_size("1TiB"), std::uint64_t{1} << 40);
  for (const std::string_view bad : {"", "B", "k", "-1", "5 M", "5x", "1e6", "9300000T",
                                     "9223372036854775808", "20000000000000000000", "92233720368547758085"})
    EXPECT_EQ(parse_size(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace fxt
