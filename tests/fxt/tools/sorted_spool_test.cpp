#include "fxt/tools/sorted_spool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace fxt::tools {
namespace {

TEST(SortedSpool, ReturnsValuesInOrderWhereverTheyAre) {
  std::mt19937_64 random(1);
  for (const std::size_t kept : {1U, 7U, 100U, 5000U}) {
    SortedSpool<std::uint64_t> spool(kept);
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 3000; ++i) {
      values.push_back(random() % 1000);
      spool.add(values.back());
    }
    std::ranges::sort(values);
    for (int pass = 0; pass < 2; ++pass) {
      spool.rewind();
      for (const std::uint64_t value : values) {
        ASSERT_NE(spool.front(), nullptr);
        EXPECT_EQ(*spool.front(), value);
        spool.pop();
      }
      EXPECT_EQ(spool.front(), nullptr);
    }
  }
}

TEST(SortedSpool, MayBeEmpty) {
  SortedSpool<std::uint64_t> spool;
  EXPECT_EQ(spool.front(), nullptr);
  spool.rewind();
  EXPECT_EQ(spool.front(), nullptr);
}

}  // namespace
}  // namespace fxt::tools
