// A payload of unknown size must not affect the next record.
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using R = RecordingBuilder;

constexpr std::uint64_t kUnlisted = 0x7fff'1234'5678;  // an address outside of all maps

TEST(UftracePayloads, MayComeBeforeTheFirstCallOfAnotherProgram) {
  R r;
  r.task_line("SESS timestamp=0.000000020 pid=100 sid=00000000000000ff exename=\"/bin/other\"");
  r.task_line("TASK timestamp=0.000000025 tid=100 pid=100");
  r.file("sid-00000000000000ff.map", "00500000-00502000 r-xp 00000000 00:00 0 /bin/other\n");
  r.file("other.sym", "0000000000001000 00000100 T start\n0000000000001100 00000100 T other\n");
  r.entry(10, 0, R::kMain).entry_with_payload(12, 1, R::kF, 24);
  r.entry_with_payload(30, 0, 0x501000, 16).entry(31, 1, 0x501100).exit(32, 1, 0x501100);
  r.entry(33, 1, 0x501100).exit(34, 1, 0x501100).exit(40, 0, 0x501000);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main repaired=\"closed-by-exec\"",
                                     "100/100 [12, 20] demo:f repaired=\"closed-by-exec\"",
                                     "100/100 @20 event:exec /bin/other path=\"/bin/other\"",
                                     "100/100 [30, 40] other:start", "100/100 [31, 32] other:other",
                                     "100/100 [33, 34] other:other"));
}

TEST(UftracePayloads, MayComeBeforeACallInAnUnlistedLibrary) {
  R r;
  r.entry(10, 0, R::kMain).entry_with_payload(12, 1, R::kF, 24);
  r.entry(13, 2, kUnlisted).exit(14, 2, kUnlisted).exit(15, 1, R::kF).exit(40, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 40] demo:main", "100/100 [12, 15] demo:f",
                                     "100/100 [13, 14] [unknown]:<7fff12345678>"));
}

TEST(UftracePayloads, MayComeBetweenCallsInAnUnlistedLibrary) {
  R r;
  r.entry(10, 0, R::kMain).entry_with_payload(12, 1, kUnlisted, 40).entry_with_payload(13, 2, kUnlisted, 8);
  r.exit(14, 2, kUnlisted).exit(15, 1, kUnlisted).exit(40, 0, R::kMain);
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 40] demo:main", "100/100 [12, 15] [unknown]:<7fff12345678>",
                          "100/100 [13, 14] [unknown]:<7fff12345678>"));
}

TEST(UftracePayloads, MayComeBeforeALongjmp) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kSetjmp).exit(12, 1, R::kSetjmp).entry(13, 1, R::kF);
  r.entry_with_payload(14, 2, R::kG, 32).exit(20, 1, R::kSetjmp).entry(21, 1, R::kF).entry(22, 2, R::kG);
  r.exit(23, 2, R::kG).exit(24, 1, R::kF).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(), testing::IsSupersetOf({"100/100 [14, 20] demo:g repaired=\"longjmp\"",
                                                "100/100 [21, 24] demo:f", "100/100 [22, 23] demo:g"}));
}

// After the payload, setjmp returns again, and a new stack begins. These records do not match the open calls,
// but they must be recognized as records.
TEST(UftracePayloads, MayComeBeforeALongjmpAndANewStack) {
  R r;
  r.info_line("argspec:g@arg1/i32");
  r.entry(10, 0, R::kMain).entry(11, 1, R::kSetjmp).exit(12, 1, R::kSetjmp).entry(13, 1, R::kF);
  r.entry_with_payload(14, 2, R::kG, 8).exit(20, 1, R::kSetjmp).entry(21, 0, R::kF).exit(22, 0, R::kF);
  EXPECT_THAT(r.lines(),
              testing::Contains(testing::AllOf(testing::StartsWith("100/100 [14, 20] demo:g arg1="),
                                               testing::HasSubstr("repaired=\"longjmp\""))));
}

TEST(UftracePayloads, MayCrossTheEndOfABlock) {
  for (const std::size_t payload : {8u, 24u, 72u}) {
    R r;
    r.small_blocks();
    r.entry(10, 0, R::kMain);
    constexpr std::uint64_t kCalls = 2000;
    for (std::uint64_t i = 0; i < kCalls; ++i)
      r.entry_with_payload(11 + 4 * i, 1, R::kF, payload)
          .entry(12 + 4 * i, 2, kUnlisted)
          .exit(13 + 4 * i, 2, kUnlisted)
          .exit(14 + 4 * i, 1, R::kF);
    r.exit(20'000, 0, R::kMain);
    EXPECT_EQ(r.lines().size(), 2 * kCalls + 2) << payload << ": main is a begin and an end";
  }
}

}  // namespace
}  // namespace convert::uftrace
