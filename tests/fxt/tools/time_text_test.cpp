#include "fxt/tools/time_text.h"

#include <gmock/gmock.h>
#include <limits>

namespace fxt::tools {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(std::int64_t from_ns, std::int64_t to_ns, std::size_t most) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks(from_ns, to_ns, most)) texts.push_back(tick.text);
  return texts;
}

TEST(TimeText, IsExactInTheLargestUnitThatFits) {
  EXPECT_EQ(exact_time(0), "0 ns");
  EXPECT_EQ(exact_time(999), "999 ns");
  EXPECT_EQ(exact_time(1000), "1 µs");
  EXPECT_EQ(exact_time(12'500), "12.5 µs");
  EXPECT_EQ(exact_time(1'234'567), "1.234567 ms");
  EXPECT_EQ(exact_time(1'000'000'001), "1.000000001 s");
  EXPECT_EQ(exact_time(4'570'000'000), "4.57 s");
  EXPECT_EQ(exact_time(~std::uint64_t{0} >> 1), "9223372036.854775807 s");
  EXPECT_EQ(signed_time(12'500), "12.5 µs");
  EXPECT_EQ(signed_time(0), "0 ns");
  EXPECT_EQ(signed_time(-12'500), "-12.5 µs");
  EXPECT_EQ(signed_time(std::numeric_limits<std::int64_t>::min()), "-9223372036.854775808 s");
}

TEST(Ticks, AreRoundTimesInOneUnit) {
  EXPECT_THAT(texts(7'465'000, 7'540'000, 4), ElementsAre("7.48 ms", "7.50 ms", "7.52 ms", "7.54 ms"));
  EXPECT_THAT(texts(0, 3000, 4), ElementsAre("0 µs", "1 µs", "2 µs", "3 µs"));
  EXPECT_THAT(texts(0, 3, 10), ElementsAre("0 ns", "1 ns", "2 ns", "3 ns"));
  EXPECT_THAT(texts(5'000'000'010, 5'000'000'031, 3),
              ElementsAre("5.00000001 s", "5.00000002 s", "5.00000003 s"));
}

TEST(Ticks, CanBeNegative) {
  EXPECT_THAT(texts(-4000, 3999, 4), ElementsAre("-4 µs", "-2 µs", "0 µs", "2 µs"));
  EXPECT_THAT(texts(-3999, 4000, 9),
              ElementsAre("-3 µs", "-2 µs", "-1 µs", "0 µs", "1 µs", "2 µs", "3 µs", "4 µs"));
  EXPECT_THAT(texts(-2'500'000, -2'480'000, 3), ElementsAre("-2.50 ms", "-2.49 ms", "-2.48 ms"));
  EXPECT_THAT(texts(-1, 0, 2), ElementsAre("-1 ns", "0 ns"));
}

TEST(Ticks, AreAtMostTheRequestedNumber) {
  for (const std::int64_t from : {987'654'321LL, -987'654'321LL}) {
    for (const std::int64_t span : {1LL, 9LL, 10LL, 11LL, 99'999LL, 1LL << 61}) {
      for (const std::size_t most : {2U, 3U, 7U, 100U}) {
        const auto found = ticks(from, from + span, most);
        EXPECT_LE(found.size(), most) << span;
        EXPECT_GE(found.size(), 1) << span;
      }
    }
  }
}

TEST(Ticks, ReachTheLatestTimes) {
  const std::int64_t end = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(texts(end - 7, end, 2), ElementsAre("9223372036.854775800 s", "9223372036.854775805 s"));
  EXPECT_THAT(texts(-end, -end + 7, 2), ElementsAre("-9223372036.854775805 s", "-9223372036.854775800 s"));
  EXPECT_THAT(texts(0, end, 2), ElementsAre("0 s", "5000000000 s"));
  EXPECT_THAT(texts(-end, 0, 2), ElementsAre("-5000000000 s", "0 s"));
}

TEST(TimeText, HasThreeDigits) {
  EXPECT_EQ(time_in(TimeUnit::Auto, 0), "0 ns");
  EXPECT_EQ(time_in(TimeUnit::Auto, 999), "999 ns");
  EXPECT_EQ(time_in(TimeUnit::Auto, 1000), "1.00 \u00b5s");
  EXPECT_EQ(time_in(TimeUnit::Auto, 9'994), "9.99 \u00b5s");
  EXPECT_EQ(time_in(TimeUnit::Auto, 9'996), "10.0 \u00b5s");
  EXPECT_EQ(time_in(TimeUnit::Auto, 999'400), "999 \u00b5s");
  EXPECT_EQ(time_in(TimeUnit::Auto, 999'600), "1.00 ms");
  EXPECT_EQ(time_in(TimeUnit::Auto, 64'712'345'678), "64.7 s");
  EXPECT_EQ(time_in(TimeUnit::Auto, 6'471'234'567'800), "6471 s");
}

TEST(TimeText, IsExactInAUnit) {
  EXPECT_EQ(time_in(TimeUnit::Ns, 64'712'345'678), "64712345678");
  EXPECT_EQ(time_in(TimeUnit::Us, 64'712'345'678), "64712345.678");
  EXPECT_EQ(time_in(TimeUnit::Ms, 64'712'345'678), "64712.345678");
  EXPECT_EQ(time_in(TimeUnit::S, 64'712'345'678), "64.712345678");
}

}  // namespace
}  // namespace fxt::tools
