#include "converters/uftrace/threads/inferred_calls.h"

#include <gtest/gtest.h>

namespace convert::uftrace {
namespace {

TEST(InferredCalls, AreLimitedByABudgetThatGrowsWithTheFile) {
  InferredCalls calls;
  EXPECT_FALSE(calls.try_spend(InferredCalls::kBudget + 1));
  EXPECT_TRUE(calls.try_spend(InferredCalls::kBudget));
  EXPECT_FALSE(calls.try_spend(1));
  calls.pass(2 * kRecordSize);
  EXPECT_FALSE(calls.try_spend(2 * InferredCalls::kPerRecord + 1));
  EXPECT_TRUE(calls.try_spend(2 * InferredCalls::kPerRecord));
  calls.pass(InferredCalls::kBudget * kRecordSize);
  EXPECT_FALSE(calls.try_spend(InferredCalls::kBudget + 1));
}

TEST(InferredCalls, AreFoundByDepthAndAddress) {
  InferredCalls calls;
  calls.add(1, 0x10);
  calls.add(3, 0x30);
  EXPECT_TRUE(calls.contains(1, 0x10));
  EXPECT_TRUE(calls.contains(3, 0x30));
  EXPECT_FALSE(calls.contains(2, 0x30));
  EXPECT_FALSE(calls.contains(3, 0x10));
  calls.add(2, 0x20);
  EXPECT_FALSE(calls.contains(3, 0x30)) << "it is over";
  EXPECT_TRUE(calls.contains(1, 0x10));
}

}  // namespace
}  // namespace convert::uftrace
