// Compares the percentiles of a LengthHistogram with the exact percentiles.
#include "fxt/tools/length_histogram.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace fxt::tools {
namespace {

TEST(LengthHistogram, OneLengthIsEveryPercentile) {
  LengthHistogram lengths;
  lengths.add(0);
  EXPECT_EQ(lengths.percentile(1), 0U);
  EXPECT_EQ(lengths.percentile(100), 0U);
}

TEST(LengthHistogram, LengthsBelow2048AreExact) {
  LengthHistogram lengths;
  for (std::uint64_t length = 0; length < 2048; ++length) lengths.add(length);
  EXPECT_EQ(lengths.percentile(50), 1023U);
  EXPECT_EQ(lengths.percentile(99), 2027U);
  EXPECT_EQ(lengths.percentile(100), 2047U);
}

TEST(LengthHistogram, LongerLengthsAreNearlyExact) {
  std::mt19937_64 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same lengths each time
  for (const unsigned count : {1U, 7U, 100U, 12'345U}) {
    LengthHistogram lengths;
    std::vector<std::uint64_t> sorted;
    for (unsigned i = 0; i < count; ++i) {
      sorted.push_back(random() >> (random() % 64));
      lengths.add(sorted.back());
    }
    std::ranges::sort(sorted);
    for (const unsigned percent : {1U, 50U, 90U, 99U, 100U}) {
      const std::uint64_t exact = sorted[(std::size_t{count} * percent + 99) / 100 - 1];
      EXPECT_NEAR(static_cast<double>(lengths.percentile(percent)), static_cast<double>(exact),
                  static_cast<double>(exact) * 0.0005)
          << percent << " of " << count;
    }
  }
}

TEST(LengthHistogram, TheLongestLengthHasABucket) {
  LengthHistogram lengths;
  lengths.add(std::numeric_limits<std::uint64_t>::max());
  EXPECT_GT(lengths.percentile(50), std::numeric_limits<std::uint64_t>::max() / 2048 * 2047);
}

}  // namespace
}  // namespace fxt::tools
