// Entries and exits become balanced calls. Missing entries and exits are inferred and counted.
#include <cstdint>

#include "tests/uftrace/threads/stages.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using StackRepairTest = Stages;

TEST_F(StackRepairTest, EntriesAndExitsAreCalls) {
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.entry(20, 1, kG);
                EXPECT_EQ(s.calls.depth(), 2u);
                EXPECT_EQ(s.calls.address_at(1), kG);
                s.exit(30, 1, kG);
                s.exit(40, 0, kF);
              }),
              ElementsAre("7/8 [10, 40] a:f", "7/8 [20, 30] a:g"));
  EXPECT_TRUE(notes_.empty());
}

TEST_F(StackRepairTest, AMissingExitIsInferred) {
  EXPECT_THAT(
      lines([](Stage& s) {
        s.entry(10, 0, kF);
        s.entry(20, 1, kG);
        s.entry(30, 1, kG);
        s.exit(40, 1, kG);
        s.exit(50, 0, kF);
      }),
      ElementsAre("7/8 [10, 50] a:f", "7/8 [20, 30] a:g repaired=\"exit-missing\"", "7/8 [30, 40] a:g"));
  EXPECT_EQ(notes_.count(kExitMissing), 1u);
}

TEST_F(StackRepairTest, SetjmpReturnsASecondTime) {
  EXPECT_THAT(
      lines([](Stage& s) {
        s.entry(10, 0, kF);
        s.entry(20, 1, kSetjmp);
        s.exit(30, 1, kSetjmp);
        s.entry(40, 1, kG);
        s.exit(50, 1, kSetjmp);
        s.exit(60, 0, kF);
      }),
      ElementsAre("7/8 [10, 60] a:f", "7/8 [20, 30] a:setjmp", "7/8 [40, 50] a:g repaired=\"longjmp\""));
  EXPECT_EQ(notes_.count(kLongjmp), 1u);
}

TEST_F(StackRepairTest, AForkedChildInheritsCalls) {
  EXPECT_THAT(lines([](Stage& s) {
                s.calls.begin_thread({.calls = {{kF, kG}}});
                EXPECT_FALSE(s.calls.is_settled());
                s.exit(20, 1, kG);
                EXPECT_TRUE(s.calls.is_settled());
                s.exit(30, 0, kF);
              }),
              ElementsAre("7/8 [20, 30] a:f repaired=\"inherited-call\"",
                          "7/8 [20 a:g repaired=\"inherited-call\"", "7/8 20] a:g"));
}

// The parent's file may be damaged. Therefore, the exit in the child's file is more reliable.
TEST_F(StackRepairTest, AnExitCorrectsTheNameOfAnInheritedCall) {
  EXPECT_THAT(lines([](Stage& s) {
                s.calls.begin_thread({.calls = {{kG, kG}}});
                s.exit(20, 1, kG);
                EXPECT_EQ(s.calls.address_at(0), 0u) << "other threads' records are no evidence";
                s.exit(30, 0, kF);
              }),
              ElementsAre("7/8 [20, 30] a:f repaired=\"inherited-call\"",
                          "7/8 [20 a:g repaired=\"inherited-call\"", "7/8 20] a:g"));
  EXPECT_EQ(notes_.count(kAddressMismatch), 1u);
}

TEST_F(StackRepairTest, AnExitOutsideOfModulesDoesNotChangeTheName) {
  EXPECT_THAT(lines([](Stage& s) {
                s.calls.begin_thread({.calls = {{kF, kG}}});
                s.exit(20, 1, kG);
                s.exit(30, 0, 0xdead'0000);
              }),
              testing::Contains("7/8 [20, 30] a:f repaired=\"inherited-call,address-mismatch\""));
}

TEST_F(StackRepairTest, ALossHasTheLatestTimeBeforeIt) {
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.calls.lost(3);
                EXPECT_FALSE(s.calls.is_settled());
                s.exit(50, 0, kF);
              }),
              testing::Contains("7/8 @10 event:records lost count=3"));
}

TEST_F(StackRepairTest, AnExecEndsTheCallsOfTheOldProgram) {
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.calls.exec(20);
                EXPECT_EQ(s.calls.depth(), 0u);
              }),
              ElementsAre("7/8 [10, 20] a:f repaired=\"closed-by-exec\""));
  EXPECT_EQ(notes_.count(kClosedByExec), 1u);
  EXPECT_EQ(filter_.programs, 1);
}

TEST_F(StackRepairTest, AHiddenCallIsOpenButNotDrawn) {
  filter_.hidden = {kF};
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.entry(20, 1, kG);
                EXPECT_EQ(s.calls.depth(), 2u);
                s.exit(30, 1, kG);
                s.exit(40, 0, kF);
              }),
              ElementsAre("7/8 [20, 30] a:g"));
}

// The records are rejected, because their addresses are in no module and their depths are too large.
TEST_F(StackRepairTest, ATooDeepRecordOutsideOfModulesIsDamage) {
  constexpr std::uint64_t kGarbage = 0xdead'0000;
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.exit(20, 700, kGarbage);
                s.entry(30, 3, kGarbage);
                s.exit(40, 0, kF);
              }),
              ElementsAre("7/8 [10, 40] a:f"));
  EXPECT_EQ(notes_.count(kBadDepth), 2u);
}

TEST_F(StackRepairTest, ARecordOutsideOfModulesMayHaveOneMissingEntry) {
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.exit(20, 1, 0x50100);
                s.exit(40, 0, kF);
              }),
              ElementsAre("7/8 [10, 40] a:f", "7/8 [20 [unknown]:<50100> repaired=\"exit-without-entry\"",
                          "7/8 20] [unknown]:<50100>"));
  EXPECT_EQ(notes_.count(kBadDepth), 0u);
}

// For example, a JIT compiler makes code outside of modules. After a loss, calls of such code may have any
// depth.
TEST_F(StackRepairTest, AfterALossARecordOutsideOfModulesMayHaveAnyDepth) {
  lines([](Stage& s) {
    s.entry(10, 0, kF);
    s.calls.lost(9);
    s.entry(30, 3, 0x50100);
    EXPECT_EQ(s.calls.depth(), 4u);
  });
  EXPECT_EQ(notes_.count(kBadDepth), 0u);
}

TEST_F(StackRepairTest, AnExitOfAddressZeroDoesNotNameACall) {
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 1, kG);
                s.exit(20, 1, kG);
                s.exit(30, 0, 0);
              }),
              ElementsAre("7/8 [10, 30] [unknown]:<unknown> repaired=\"entry-missing\"", "7/8 [10, 20] a:g"));
}

TEST_F(StackRepairTest, IfTheStartIsReleasedTheExitNamesTheCallAtItsEnd) {
  options_.lanes.durations = DurationForm::Pairs;
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 1, kG);
                s.exit(20, 1, kG);
                s.exit(30, 0, kF);
              }),
              ElementsAre("7/8 [10 [unknown]:<unknown> repaired=\"entry-missing\"", "7/8 [10 a:g",
                          "7/8 20] a:g", "7/8 30] [unknown]:<unknown> function=\"f\""));
}

// A few damaged bytes must not become gigabytes of calls. At most 8192 calls are inferred, plus two calls for
// each record of 16 bytes.
TEST_F(StackRepairTest, InferredCallsAreLimited) {
  lines([&](Stage& s) {
    s.entry(10, 8193, kF);
    EXPECT_EQ(s.lane.depth(), 0u);
    EXPECT_EQ(notes_.count(kBadDepth), 1u);
    EXPECT_EQ(notes_.groups().front().first.front(),
              "DIR/8.dat:+0x0: a record at depth 8193, but 0 calls are open");
    s.entry(11, 8192, kF);
    EXPECT_EQ(s.lane.depth(), 8193u);
    s.exit(12, 8192, kF);  // allows two more calls
    EXPECT_EQ(s.lane.depth(), 8192u);
    s.entry(13, 8192 + 5, kF);
    EXPECT_EQ(s.lane.depth(), 8192u) << "four, with this one";
    s.entry(14, 8192 + 6, kF);
    EXPECT_EQ(s.lane.depth(), 8192u + 7);
    s.notes.move_to(s.notes.offset() + 100 * kRecordSize);  // as if 100 plain records were added
    s.entry(15, 8192 + 7 + 200, kF);
    EXPECT_EQ(s.lane.depth(), 8192u + 7 + 201);
  });
  EXPECT_EQ(notes_.count(kBadDepth), 2u);
  EXPECT_EQ(notes_.count(kEntryMissing), 8192u + 6 + 200);
}

}  // namespace
}  // namespace convert::uftrace
