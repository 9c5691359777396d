// Tests ScannedCalls, which has the open calls of a thread while its records are scanned.
#include "converters/uftrace/records/open_calls.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>
#include <string_view>
#include <vector>

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
  ScannedCalls<> calls;
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
  ScannedCalls<> calls({kF, kG, kF});
  calls.follow(entry(1, kF));
  EXPECT_THAT(calls.addresses(), ElementsAre(kF, kF));
  calls.follow(entry(3, kG));
  EXPECT_THAT(calls.addresses(), ElementsAre(kF, kF, 0u, kG));
  calls.follow(exit(1, kG));
  EXPECT_THAT(calls.addresses(), ElementsAre(kF));
  calls.follow(exit(2, kG));
  EXPECT_THAT(calls.addresses(), ElementsAre(kF, 0u));
}

// If a record does not match the open calls, it ends or opens several calls. The scan receives each of these
// calls.
TEST(ScannedCallsTest, PassesEachChangedCallToTheScan) {
  struct Data {
    int number = 0;
  };
  ScannedCalls<Data> calls({kF, kG, kF});
  for (int number = 0; auto& call : calls.calls()) call.data.number = ++number;
  std::vector<std::string> log;
  const auto apply = [&](const CallRecord& record) {
    const auto note = [&](std::string_view what) {
      return [&log, &calls, what](ScannedCalls<Data>::Call& call) {
        EXPECT_EQ(&call, &calls.calls().back());
        log.push_back(fmt::format("{} {:x} {}", what, call.address, call.data.number));
        call.data.number = 7;
      };
    };
    calls.follow(record, note("ended"), note("inferred"), note("exited"));
  };
  apply(exit(0, kF));
  EXPECT_THAT(log, ElementsAre(fmt::format("ended {:x} 3", kF), fmt::format("ended {:x} 2", kG),
                               fmt::format("exited {:x} 1", kF)));
  log.clear();
  apply(entry(1, kG));
  EXPECT_THAT(log, ElementsAre("inferred 0 0"));
  log.clear();
  apply(exit(2, kF));
  EXPECT_THAT(log, ElementsAre("inferred 0 0", "exited 0 7"));
  EXPECT_THAT(calls.addresses(), ElementsAre(0u, kG));
  EXPECT_EQ(calls.calls()[0].data.number, 7);
  EXPECT_EQ(calls.calls()[1].data.number, 0);
}

// A depth above the maximum of the recorder is damage.
TEST(ScannedCallsTest, IsLimitedToTheDepthOfTheRecorder) {
  constexpr std::size_t kMost = 65536;
  ScannedCalls<> calls(std::vector<std::uint64_t>(kMost - 1, kF));
  EXPECT_TRUE(calls.try_follow(entry(kMost - 1, kG)));
  EXPECT_FALSE(calls.try_follow(entry(kMost, kG)));
  calls.follow(exit(2 * kMost, kG));
  EXPECT_EQ(calls.depth(), kMost);
}

}  // namespace
}  // namespace convert::uftrace
