// Tests the caches of labels by address. Each epoch has its own cache, because an address can have another
// label in another epoch.
#include "converters/uftrace/symbols/label_cache.h"

#include <gtest/gtest.h>
#include <new>

namespace convert::uftrace {
namespace {

constexpr std::uint64_t kAddress = 0x401000;
constexpr std::size_t kFirst = 4096;  // the number of entries of a new cache

CacheBudget budget{0};

TEST(AddressCache, LooksUpEachAddressOnce) {
  AddressCache<int> cache;
  EXPECT_EQ(cache.get(kAddress, [] { return 3; }), 3);
  EXPECT_EQ(cache.get(kAddress, [] { return 4; }), 3);
  EXPECT_EQ(cache.get(kAddress + 1, [] { return 4; }), 4);
}

TEST(AddressCache, DoesNotFindTheAddressOfFreeEntries) {
  AddressCache<int> cache;
  EXPECT_EQ(cache.find(~std::uint64_t{0}), nullptr);
  EXPECT_EQ(cache.get(~std::uint64_t{0}, [] { return 5; }), 5);
}

TEST(LabelCaches, AreSeparateForEveryEpoch) {
  LabelCaches caches;
  caches.of(0, budget).put(kAddress, {.label = LabelId{7}});
  EXPECT_EQ(caches.of(1, budget).find(kAddress), nullptr);
  ASSERT_NE(caches.of(0, budget).find(kAddress), nullptr);
  EXPECT_EQ(caches.of(0, budget).find(kAddress)->label, LabelId{7});
}

TEST(LabelCaches, ReplaceTheLeastRecentlyUsedEpochs) {
  LabelCaches caches;
  constexpr std::uint32_t kEpochs = 10'000;  // all caches together would need more than 600 MB
  for (std::uint32_t epoch = 0; epoch < kEpochs; ++epoch) {
    EXPECT_EQ(caches.of(epoch, budget).find(kAddress), nullptr) << "of another epoch";
    caches.of(epoch, budget).put(kAddress, {.label = LabelId{epoch}});
  }
  EXPECT_EQ(caches.of(kEpochs - 1, budget).find(kAddress)->label, LabelId{kEpochs - 1});
  EXPECT_EQ(caches.of(0, budget).find(kAddress), nullptr);
}

TEST(LabelCaches, KeepTheMostRecentEpochs) {
  constexpr std::uint32_t kKept = 64;
  LabelCaches caches;
  for (std::uint32_t epoch = 0; epoch < kKept; ++epoch) caches.of(epoch, budget).put(kAddress, {});
  caches.of(0, budget);
  caches.of(kKept, budget);  // replaces epoch 1, which is the least recently used
  for (std::uint32_t epoch = 2; epoch < kKept; ++epoch)
    EXPECT_NE(caches.of(epoch, budget).find(kAddress), nullptr);
  EXPECT_NE(caches.of(0, budget).find(kAddress), nullptr);
  EXPECT_EQ(caches.of(1, budget).find(kAddress), nullptr);
}

TEST(LabelCaches, RecordWhetherANameHasALine) {
  LabelCache cache(budget);
  EXPECT_FALSE(cache.has_lines());
  cache.put(kAddress, {.label = LabelId{7}});
  EXPECT_FALSE(cache.has_lines());
  cache.put(kAddress + 1, {.label = LabelId{7}, .line = NameId{0}});
  cache.put(kAddress + 2, {.label = LabelId{7}});
  EXPECT_TRUE(cache.has_lines());
}

// The cache grows until it has nearly all functions. When it grows, it keeps its entries.
TEST(LabelCache, GrowsWithinTheBudget) {
  constexpr std::uint64_t kFunctions = 10'000;
  const auto fill = [](LabelCache& cache) {
    for (std::uint64_t round = 0; round < 8; ++round)
      for (std::uint64_t i = 0; i < kFunctions; ++i)
        if (cache.find(kAddress + 64 * i) == nullptr)
          cache.put(kAddress + 64 * i, {.label = LabelId{static_cast<std::uint32_t>(i)}});
    std::uint64_t known = 0;
    for (std::uint64_t i = 0; i < kFunctions; ++i)
      if (const CallLabel* const name = cache.find(kAddress + 64 * i)) {
        EXPECT_EQ(name->label, LabelId{static_cast<std::uint32_t>(i)});
        ++known;
      }
    return known;
  };
  constexpr std::size_t kGrown = (4 - 1) * kFirst * sizeof(LabelCache::Entry);
  CacheBudget all{kGrown + 1};
  {
    LabelCache first(all), second(all);
    EXPECT_GT(fill(first), kFunctions * 99 / 100);
    EXPECT_EQ(first.size(), 4 * kFirst);
    fill(second);
    EXPECT_EQ(second.size(), kFirst) << "nothing is left";
  }
  EXPECT_TRUE(all.try_take(kGrown + 1)) << "what a cache took is given back";
}

}  // namespace
}  // namespace convert::uftrace
