#include "tests/fxt/random_writer.h"

#include <gtest/gtest.h>

namespace fxt::test {
namespace {

class RandomWriter : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWriter, WritesAndRepairsCorrectly) {
  constexpr std::uint64_t kRuns = 2500;
  for (std::uint64_t run = GetParam() * kRuns; run < (GetParam() + 1) * kRuns; ++run)
    ASSERT_EQ(fault_of_random_writing(Choice(run)), "") << "run " << run;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWriter, testing::Range<std::uint64_t>(0, 6));

}  // namespace
}  // namespace fxt::test
