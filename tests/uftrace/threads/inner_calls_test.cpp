// Kernel calls and times off the CPU are suspended or cut, so that they nest in the program's calls.
#include "tests/uftrace/threads/stages.h"

namespace convert::uftrace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using InnerCallsTest = Stages;

TEST_F(InnerCallsTest, AKernelCallIsInsideTheProgramsCall) {
  kernel_entry(20), kernel_exit(30);
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.exit(40, 0, kF);
              }),
              ElementsAre("7/8 [10, 40] a:f", "7/8 [20, 30] [kernel]:read"));
}

TEST_F(InnerCallsTest, AKernelCallIsCutAtTheStartOfAProgramCall) {
  kernel_entry(15), kernel_exit(25);
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.entry(20, 1, kG);
                EXPECT_EQ(s.calls.depth(), 2u);
                s.exit(30, 1, kG);
                s.exit(40, 0, kF);
              }),
              ElementsAre("7/8 [10, 40] a:f", "7/8 [15, 20] [kernel]:read repaired=\"kernel-clipped\"",
                          "7/8 [20, 30] a:g"));
  EXPECT_EQ(notes_.count(kKernelClipped), 1u);
}

TEST_F(InnerCallsTest, AKernelCallIsSuspendedForAHiddenCall) {
  filter_.hidden = {kG};
  kernel_entry(15), kernel_exit(25);
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.entry(20, 1, kG);
                s.exit(30, 1, kG);
                s.exit(40, 0, kF);
              }),
              ElementsAre("7/8 [10, 40] a:f", "7/8 [15, 25] [kernel]:read"));
  EXPECT_TRUE(notes_.empty());
}

TEST_F(InnerCallsTest, AShortKernelCallIsRemovedWhenItEnds) {
  filter_.shortest_kernel_ns = 10;
  kernel_entry(20), kernel_exit(25), kernel_entry(30), kernel_exit(40);
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.exit(50, 0, kF);
              }),
              ElementsAre("7/8 [10, 50] a:f", "7/8 [30, 40] [kernel]:read"));
  EXPECT_EQ(filter_.dropped_kernel_calls, 1);
}

TEST_F(InnerCallsTest, ARecordOfTheThreadCutsTheTimeOffTheCpu) {
  perf(20, PerfEvent::Kind::SwitchOut), perf(40, PerfEvent::Kind::SwitchIn);
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.exit(30, 0, kF);
              }),
              Contains("7/8 [20, 30] sched:linux:schedule cpu=0 state='blocked' repaired=\"schedule-cut\""));
  EXPECT_EQ(notes_.count(kScheduleCut), 1u);
}

TEST_F(InnerCallsTest, AnEstimatedExitDoesNotCutTheTimeOffTheCpu) {
  plan_.facts.has_estimated_exits = true;
  perf(20, PerfEvent::Kind::SwitchOut), perf(40, PerfEvent::Kind::SwitchIn);
  const auto found = lines([](Stage& s) {
    s.entry(10, 0, kF);
    s.exit(30, 0, kF);
    s.entry(50, 0, kG);
    s.exit(51, 0, kG);
  });
  EXPECT_THAT(found, Contains("7/8 [10, 45] a:f repaired=\"exit-moved\""));
  EXPECT_THAT(found, Contains("7/8 [20, 40] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
}

TEST_F(InnerCallsTest, ACallWithAnEstimatedExitDoesNotEndInsideAKernelCall) {
  plan_.facts.has_estimated_exits = true;
  kernel_entry(20), kernel_entry(25, 1), kernel_exit(35, 1), kernel_exit(40), kernel_entry(46),
      kernel_exit(47);
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                s.exit(30, 0, kF);
                s.entry(50, 0, kG);
                s.exit(51, 0, kG);
              }),
              ElementsAre("7/8 [10, 45] a:f repaired=\"exit-moved\"", "7/8 [20, 40] [kernel]:read",
                          "7/8 [25, 35] [kernel]:read", "7/8 [46, 47] [kernel]:read", "7/8 [50, 51] a:g"));
  EXPECT_EQ(notes_.count(kKernelClipped), 0u);
}

TEST_F(InnerCallsTest, AKernelCallThatEndsOffTheCpuEndsAtTheSwitch) {
  kernel_entry(15), perf(20, PerfEvent::Kind::SwitchOut), kernel_exit(25),
      perf(30, PerfEvent::Kind::SwitchIn);
  const auto found = lines([](Stage& s) {
    s.entry(10, 0, kF);
    s.exit(40, 0, kF);
  });
  EXPECT_THAT(found, Contains("7/8 [15, 20] [kernel]:read repaired=\"kernel-clipped\""));
  EXPECT_THAT(found, Contains("7/8 [20, 30] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
}

// The lost events are between the last kernel event (18) and the record of the loss (35). They may have ended
// the kernel calls before the switch at 25.
TEST_F(InnerCallsTest, ALossEndsKernelCallsAtTheLastKernelEventBeforeTheLoss) {
  for (const bool is_back : {true, false}) {
    kernel_entry(15), kernel_entry(18, 1), perf(25, PerfEvent::Kind::SwitchOut);
    if (is_back) perf(30, PerfEvent::Kind::SwitchIn);
    kernel({.time_ns = 35, .kind = KernelMessage::Kind::Lost});
    if (!is_back) perf(38, PerfEvent::Kind::SwitchIn);
    EXPECT_THAT(
        lines([](Stage& s) {
          s.entry(10, 0, kF);
          s.exit(40, 0, kF);
        }),
        IsSupersetOf({"7/8 [10, 40] a:f", "7/8 [15, 19] [kernel]:read repaired=\"cut-by-loss\"",
                      "7/8 [18, 19] [kernel]:read repaired=\"cut-by-loss\"",
                      is_back ? "7/8 [25, 30] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"
                              : "7/8 [25, 38] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"}));
    EXPECT_EQ(notes_.count(kKernelClipped), 0u);
  }
}

TEST_F(InnerCallsTest, OnlyInnerCallsAreCounted) {
  kernel_entry(15), perf(20, PerfEvent::Kind::SwitchOut);
  lines([](Stage& s) {
    s.entry(10, 0, kF);
    s.streams.emit_before({25, Precedence::OwnRecord});
    EXPECT_EQ(s.lane.depth(), 3u);
    EXPECT_EQ(s.calls.inner().open(), 2u);
    EXPECT_EQ(s.calls.depth(), 1u);
    EXPECT_EQ(s.streams.plain_until_ns(), 0u) << "no record may pass by";
  });
}

}  // namespace
}  // namespace convert::uftrace
