// Tests each side stream separately, and the order of events at equal times.
#include "tests/uftrace/threads/stages.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using SideStreamsTest = Stages;
using Kind = PerfEvent::Kind;

TEST(Due, AtEqualTimesThePrecedenceDecides) {
  const auto own = Due{20, Precedence::OwnRecord};
  for (const Precedence first : {Precedence::SwitchIn, Precedence::KernelExit, Precedence::ExecOrLoad}) {
    EXPECT_LT((Due{20, first}), own);
    EXPECT_EQ((Due{20, first}.plain_until_ns()), 20u);
  }
  for (const Precedence later : {Precedence::Kernel, Precedence::Switch, Precedence::Message}) {
    EXPECT_GT((Due{20, later}), own);
    EXPECT_LT((Due{19, later}), own);
    EXPECT_EQ((Due{20, later}.plain_until_ns()), 21u);
  }
  EXPECT_EQ(Due{}.plain_until_ns(), kForever);
}

// All these events are at time 20: the thread returns to the CPU, leaves the kernel, enters the kernel again,
// loads a library, and gets a name.
TEST_F(SideStreamsTest, EventsAtOneTimeAreInTheOrderOfPrecedence) {
  kernel_entry(12), kernel_exit(20), kernel_entry(20), kernel_exit(30);
  perf(15, Kind::SwitchOut), perf(20, Kind::SwitchIn), perf(20, Kind::Comm);
  plan_.listed_events = {{ListedEvent::What::Dlopen, 20, "x.so"}, {ListedEvent::What::Message, 20, "hello"}};
  EXPECT_THAT(
      lines([](Stage& s) {
        s.entry(10, 0, kF);
        s.entry(20, 1, kG);
        s.exit(40, 1, kG);
        s.exit(50, 0, kF);
      }),
      ElementsAre("7/8 [10, 50] a:f", "7/8 [12, 20] [kernel]:read", "7/8 @15 cpu 0: 8 (blocked) -> 0",
                  "7/8 [15, 20] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "7/8 @20 cpu 0: 0 (new) -> 8", "7/8 @20 event:dlopen path=\"x.so\"", "7/8 [20, 40] a:g",
                  "7/8 [20, 30] [kernel]:read", "7/8 @20 event:linux:task-name comm='worker'",
                  "7/8 @20 event:external-data: hello message=\"hello\"", "7/8 @50 cpu 0: 8 (dead) -> 0"));
}

TEST_F(SideStreamsTest, PlainRecordsArePassedUntilAnEventIsDue) {
  perf(20, Kind::Comm);
  lines([&](Stage& s) {
    EXPECT_EQ(s.streams.plain_until_ns(), 21u);
    s.streams.emit_before({21, Precedence::OwnRecord});
    EXPECT_EQ(s.streams.plain_until_ns(), kForever);
    perf(30, Kind::Comm);
    EXPECT_EQ(s.streams.plain_until_ns(), kForever) << "nobody has looked";
    s.streams.look_again();
    EXPECT_EQ(s.streams.plain_until_ns(), 31u);
  });
}

TEST_F(SideStreamsTest, AnExecEndsTheOldProgramsCalls) {
  plan_.listed_events = {{ListedEvent::What::Exec, 20, "/bin/b"}};
  EXPECT_THAT(lines([](Stage& s) {
                s.entry(10, 0, kF);
                EXPECT_TRUE(s.streams.has_own_listed());
                s.entry(30, 0, kG);
                EXPECT_FALSE(s.streams.has_own_listed());
                s.exit(40, 0, kG);
              }),
              ElementsAre("7/8 [10, 20] a:f repaired=\"closed-by-exec\"",
                          "7/8 @20 event:exec /bin/b path=\"/bin/b\"", "7/8 [30, 40] a:g"));
}

// ---- Switches that contradict the result of PerfScan ----

TEST_F(SideStreamsTest, TheTimeOffTheCpuEndsWithTheThread) {
  perf(20, Kind::SwitchOut), perf(30, Kind::Exit);
  EXPECT_THAT(lines([](Stage&) {}), ElementsAre("7/8 @20 cpu 0: 8 (blocked) -> 0",
                                                "7/8 [20, 30] sched:linux:schedule cpu=0 state='blocked'"));
}

TEST_F(SideStreamsTest, TheTimeOffTheCpuEndsWithTheNextSwitchOut) {
  perf(20, Kind::SwitchOut), perf(30, Kind::Preempted), perf(35, Kind::Exec);
  EXPECT_THAT(lines([](Stage&) {}),
              ElementsAre("7/8 @20 cpu 0: 8 (blocked) -> 0",
                          "7/8 [20, 30] sched:linux:schedule cpu=0 state='blocked'",
                          "7/8 @30 cpu 0: 8 (running) -> 0",
                          "7/8 [30, 35] sched:linux:schedule (pre-empted) cpu=0 state='runnable'"));
}

TEST_F(SideStreamsTest, AShortTimeOffTheCpuMayBeHidden) {
  plan_.switches.short_outs = {true};
  perf(20, Kind::SwitchOut), perf(30, Kind::SwitchIn);
  EXPECT_THAT(lines([](Stage&) {}),
              ElementsAre("7/8 @20 cpu 0: 8 (blocked) -> 0", "7/8 @30 cpu 0: 0 (new) -> 8",
                          "7/8 @30 cpu 0: 8 (dead) -> 0"));
}

// The time of an exit may be slightly before the time of a switch that was written earlier.
TEST_F(SideStreamsTest, TimesNeverGoBack) {
  perf(20, Kind::SwitchIn), perf(19, Kind::Exit);
  EXPECT_THAT(lines([](Stage&) {}),
              ElementsAre("7/8 @20 cpu 0: 0 (new) -> 8", "7/8 @20 cpu 0: 8 (dead) -> 0"));
}

}  // namespace
}  // namespace convert::uftrace
