// Compares LoserTree with a simple search, for several numbers of lanes and random times.
#include "converters/model/merging/loser_tree.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace convert {
namespace {

std::size_t first_of(const std::vector<std::uint64_t>& times) {
  return static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
}

TEST(LoserTree, AtEqualTimesTheLowerLaneGoesFirst) {
  LoserTree tree(3);
  for (std::size_t lane = 0; lane < 3; ++lane) {
    EXPECT_EQ(tree.next(), lane);
    EXPECT_EQ(tree.next_ns(), 0u);
    tree.postpone_next(10);
  }
  EXPECT_EQ(tree.next(), 0u);
  EXPECT_EQ(tree.others_ns(), 11u) << "lane 0 also goes first at 10";
  tree.postpone_next(11);
  EXPECT_EQ(tree.next(), 1u);
  tree.postpone_next(10);
  EXPECT_EQ(tree.next(), 1u);
  tree.postpone_next(11);
  EXPECT_EQ(tree.next(), 2u);
  EXPECT_EQ(tree.others_ns(), 11u) << "lane 0 goes first at 11";
}

TEST(LoserTree, FindsTheSameLaneAsASearch) {
  std::mt19937 random(7);
  for (const std::size_t lanes : {1u, 2u, 3u, 8u, 13u, 64u}) {
    LoserTree tree(lanes);
    std::vector<std::uint64_t> times(lanes);
    for (int step = 0; step < 3000; ++step) {
      ASSERT_EQ(tree.next(), first_of(times));
      ASSERT_EQ(tree.next_ns(), times[first_of(times)]);
      const std::size_t lane = tree.next();
      // Searches for the first time at which `lane` would not be the next lane.
      std::vector<std::uint64_t> others = times;
      std::uint64_t limit_ns = times[lane];
      while ((others[lane] = limit_ns, lanes > 1 && first_of(others) == lane)) ++limit_ns;
      if (lanes == 1) limit_ns = LoserTree::kNever;
      ASSERT_EQ(tree.others_ns(), limit_ns);
      tree.postpone_next(times[lane] += random() % 8);
    }
  }
}

TEST(LoserTree, FinishedLanesAreNeverNext) {
  LoserTree tree(2);
  tree.postpone_next(LoserTree::kNever);
  EXPECT_EQ(tree.next(), 1u);
  EXPECT_EQ(tree.others_ns(), LoserTree::kNever);
  tree.postpone_next(LoserTree::kNever);
  EXPECT_EQ(tree.next_ns(), LoserTree::kNever);
  EXPECT_EQ(LoserTree(0).next_ns(), LoserTree::kNever);
}

}  // namespace
}  // namespace convert
