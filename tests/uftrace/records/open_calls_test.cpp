// The open calls of a thread, during a scan of its records.
#include "converters/uftrace/records/open_calls.h"

#include <gmock/gmock.h>

#include "tests/uftrace/records/record_bytes.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CallRecord entry(std::size_t depth, std::uint64_t address) {
  return {.type = RecordType::Entry, .time_ns = 1, .depth = depth, .address = address};
}
CallRecord exit(std::size_t depth, std::uint64_t address) {
  return {.type = RecordType::Exit, .time_ns = 1, .depth = depth, .address = address};
}

TEST(ScannedCallsTest, AcceptsMatchingCalls) {
  ScannedCalls calls;
  EXPECT_TRUE(calls.try_follow(entry(0, kF)));
  EXPECT_TRUE(calls.try_follow(entry(1, kG)));
  EXPECT_THAT(calls.addresses(), ElementsAre(kF, kG));
  for (const CallRecord& misfit :
       {entry(0, kF), entry(1, kG), entry(3, kG), exit(1, kF), exit(0, kF), exit(2, kG)})
    EXPECT_FALSE(calls.try_follow(misfit));
  EXPECT_THAT(calls.addresses(), ElementsAre(kF, kG));
  EXPECT_TRUE(calls.try_follow(exit(1, kG)));
  EXPECT_TRUE(calls.try_follow(exit(0, kF)));
  EXPECT_FALSE(calls.try_follow(exit(0, kF)));
  EXPECT_THAT(calls.addresses(), IsEmpty());
}

TEST(ScannedCallsTest, MismatchesOpenOrEndCalls) {
  ScannedCalls calls({kF, kG, kF});
  calls.follow(entry(1, kF));
  EXPECT_THAT(calls.addresses(), ElementsAre(kF, kF));
  calls.follow(entry(3, kG));
  EXPECT_THAT(calls.addresses(), ElementsAre(kF, kF, 0u, kG));
  calls.follow(exit(1, kG));
  EXPECT_THAT(calls.addresses(), ElementsAre(kF));
  calls.follow(exit(2, kG));
  EXPECT_THAT(calls.addresses(), ElementsAre(kF, 0u));
}

// A depth above the recorder's maximum is damage.
TEST(ScannedCallsTest, IsLimitedToTheDepthOfTheRecorder) {
  constexpr std::size_t kMost = 65536;
  ScannedCalls calls(std::vector<std::uint64_t>(kMost - 1, kF));
  EXPECT_TRUE(calls.try_follow(entry(kMost - 1, kG)));
  EXPECT_FALSE(calls.try_follow(entry(kMost, kG)));
  calls.follow(exit(2 * kMost, kG));
  EXPECT_EQ(calls.depth(), kMost);
}

}  // namespace
}  // namespace convert::uftrace
