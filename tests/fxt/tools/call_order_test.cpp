// Calls in the order of their ends become calls in the order of their begins, however many they are.
#include "fxt/tools/call_order.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

#include "fxt/tools/calls.h"

namespace fxt::tools {
namespace {

class CallOrderTest : public testing::Test {
 protected:
  void complete(std::uint64_t begin_ns, std::uint64_t end_ns) {
    keep({&thread_, begin_ns, end_ns, 0, EventType::DurationComplete});
  }
  void keep(const CallEvent& event) {
    order_.keep(event);
    std::ranges::copy(order_.take_ready(), std::back_inserter(ready_));
  }

  CallThread thread_{};
  CallOrder order_{false};
  std::vector<CallEvent> ready_;
};

// A tick of the clock holds the begins of all three.
TEST_F(CallOrderTest, OfEndsIsShownByCallsThatBeginTogether) {
  complete(5, 5);
  complete(5, 6);
  complete(5, 9);
  EXPECT_TRUE(ready_.empty());
  const std::vector<CallEvent> all = order_.take_all();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].end_ns, 9U);
  EXPECT_EQ(all[1].end_ns, 6U);
}

// What has no length may stand before what begins with it.
TEST_F(CallOrderTest, OfEndsIsNotShownByCallsOfNoLength) {
  complete(5, 5);
  complete(5, 9);
  EXPECT_EQ(order_.take_all().front().end_ns, 5U);
}

TEST_F(CallOrderTest, OfEndsIsSortedAMillionCallsAtATime) {
  constexpr std::uint64_t kMillion = std::uint64_t{1} << 20;
  const auto call = [&](std::uint64_t begin_ns) {
    complete(begin_ns + 2, begin_ns + 4);
    complete(begin_ns, begin_ns + 8);
  };
  std::uint64_t begin_ns = 0;
  for (; begin_ns < (kMillion / 2 - 1) * 10; begin_ns += 10) call(begin_ns);
  EXPECT_TRUE(ready_.empty());
  call(begin_ns);
  EXPECT_EQ(ready_.size(), kMillion / 2);
  call(begin_ns + 10);
  EXPECT_EQ(ready_.size(), kMillion / 2);
  std::ranges::copy(order_.take_all(), std::back_inserter(ready_));
  ASSERT_EQ(ready_.size(), kMillion + 2);
  for (std::size_t i = 0; i < ready_.size(); ++i)
    ASSERT_EQ(ready_[i].begin_ns, i / 2 * 10 + i % 2 * 2) << "call " << i;
}

TEST_F(CallOrderTest, IsThatOfBeginsIfNothingTellsOtherwise) {
  constexpr std::size_t kPatience = std::size_t{1} << 16;
  for (std::uint64_t time = 1; time < kPatience; ++time) complete(10 * time, 10 * time + 5);
  EXPECT_FALSE(order_.is_by_begin());
  EXPECT_TRUE(ready_.empty());
  complete(10 * kPatience, 10 * kPatience + 5);
  EXPECT_TRUE(order_.is_by_begin());
  EXPECT_EQ(ready_.size(), kPatience);
  EXPECT_TRUE(order_.take_all().empty());
}

TEST_F(CallOrderTest, IsTakenAsItIsWhereNothingTellsItUntilTheEnd) {
  complete(10, 15), complete(20, 25);
  EXPECT_TRUE(ready_.empty());
  EXPECT_EQ(order_.take_all().size(), 2u);
}

}  // namespace
}  // namespace fxt::tools
