// Addresses and their labels at hand, for as many states of the symbols as there are.
#include "converters/uftrace/symbols/label_cache.h"

#include <gtest/gtest.h>

namespace convert::uftrace {
namespace {

constexpr std::uint64_t kAddress = 0x401000;

TEST(LabelCaches, GiveEveryEpochItsOwn) {
  LabelCaches caches;
  caches.of(0).put(kAddress, {.label = LabelId{7}});
  EXPECT_EQ(caches.of(1).find(kAddress), nullptr);
  ASSERT_NE(caches.of(0).find(kAddress), nullptr);
  EXPECT_EQ(caches.of(0).find(kAddress)->label, LabelId{7});
}

TEST(LabelCaches, ForgetTheEpochsOfLongAgo) {
  LabelCaches caches;
  constexpr std::uint32_t kEpochs = 10'000;  // would take 640 MB if all were kept
  for (std::uint32_t epoch = 0; epoch < kEpochs; ++epoch) {
    EXPECT_EQ(caches.of(epoch).find(kAddress), nullptr) << "of another epoch";
    caches.of(epoch).put(kAddress, {.label = LabelId{epoch}});
  }
  EXPECT_EQ(caches.of(kEpochs - 1).find(kAddress)->label, LabelId{kEpochs - 1});
  EXPECT_EQ(caches.of(0).find(kAddress), nullptr);
}

TEST(LabelCaches, KeepTheEpochsUsedLast) {
  constexpr std::uint32_t kKept = 64;
  LabelCaches caches;
  for (std::uint32_t epoch = 0; epoch < kKept; ++epoch) caches.of(epoch).put(kAddress, {});
  caches.of(0);
  caches.of(kKept);  // instead of 1, which was not used for the longest time
  for (std::uint32_t epoch = 2; epoch < kKept; ++epoch) EXPECT_NE(caches.of(epoch).find(kAddress), nullptr);
  EXPECT_NE(caches.of(0).find(kAddress), nullptr);
  EXPECT_EQ(caches.of(1).find(kAddress), nullptr);
}

TEST(LabelCaches, KnowWhetherANameHasALine) {
  LabelCache cache;
  EXPECT_FALSE(cache.has_lines());
  cache.put(kAddress, {.label = LabelId{7}});
  EXPECT_FALSE(cache.has_lines());
  cache.put(kAddress + 1, {.label = LabelId{7}, .line = NameId{0}});
  cache.put(kAddress + 2, {.label = LabelId{7}});
  EXPECT_TRUE(cache.has_lines());
}

}  // namespace
}  // namespace convert::uftrace
