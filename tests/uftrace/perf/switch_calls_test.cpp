// Without CPU tracks, each switch is shown once: in a schedule call, or as an instant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using R = RecordingBuilder;

const RecordingOptions kNoTracks = {};

TEST(UftraceSwitchCalls, ACallHasTheArgumentsOfBothSwitches) {
  R r;
  r.entry(10, 0, R::kMain).exit(50, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().in(5, 100).out(20, 100).text());
  r.file("perf-cpu3.dat", PerfBytes().in(30, 100).preempted(42, 100).in(45, 100).text());
  EXPECT_THAT(r.lines({}, kNoTracks),
              ElementsAre("100/100 @5 sched:linux:sched-in cpu=0", "100/100 [10, 50] demo:main",
                          "100/100 [20, 30] sched:linux:schedule cpu=0 state='blocked' next_cpu=3",
                          "100/100 [42, 45] sched:linux:schedule (pre-empted) cpu=3 state='runnable' "
                          "next_cpu=3"));
  EXPECT_THAT(r.notes(),
              ElementsAre("cpu-tracks-left-out 5",
                          "DIR: 5 context switches; use --cpu-tracks to show which thread ran on which CPU"));
}

TEST(UftraceSwitchCalls, SwitchesOutOrInWithoutTheirCounterpartAreInstants) {
  R r;
  r.entry(10, 0, R::kMain).exit(40, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 100).out(30, 100).in(35, 100).in(37, 100).text());
  r.file("perf-cpu1.dat", PerfBytes().preempted(50, 100).text());
  EXPECT_THAT(
      r.lines({}, kNoTracks),
      ElementsAre("100/100 [10, 40] demo:main", "100/100 @20 sched:linux:sched-out cpu=0 state='blocked'",
                  "100/100 [30, 35] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @37 sched:linux:sched-in cpu=0",
                  "100/100 @50 sched:linux:sched-out cpu=1 state='runnable'"));
}

TEST(UftraceSwitchCalls, TheExitOfAThreadIsShownOnce) {
  R r;
  r.entry(10, 0, R::kMain);
  r.file("perf-cpu2.dat", PerfBytes().out(20, 100).in(500, 100).exit(600, 100).out(601, 100).text());
  EXPECT_THAT(r.lines({}, kNoTracks),
              ElementsAre("100/100 [10, 600] demo:main repaired=\"open-at-end\"",
                          "100/100 [20, 500] sched:linux:schedule cpu=2 state='blocked' next_cpu=2",
                          "100/100 @600 sched:linux:task-exit cpu=2"));
}

TEST(UftraceSwitchCalls, TheSwitchInOfAThreadWithAReusedIdIsAnInstant) {
  R r;
  r.entry(10, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().in(5, 100).exit(20, 100).in(40, 100).out(60, 100).in(65, 100).text());
  EXPECT_THAT(r.lines({}, kNoTracks),
              ElementsAre("100/100 @5 sched:linux:sched-in cpu=0",
                          "100/100 [10, 20] demo:main repaired=\"open-at-end\"",
                          "100/100 @20 sched:linux:task-exit cpu=0", "100/100 @40 sched:linux:sched-in cpu=0",
                          "100/100 [60, 65] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
}

TEST(UftraceSwitchCalls, ASwitchInAfterACallThatWasCutIsAnInstant) {
  R r;
  r.entry(10, 0, R::kMain).entry(25, 1, R::kF).exit(28, 1, R::kF).exit(50, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 100).in(30, 100).text());
  EXPECT_THAT(
      r.lines({}, kNoTracks),
      ElementsAre("100/100 [10, 50] demo:main",
                  "100/100 [20, 25] sched:linux:schedule cpu=0 state='blocked' repaired=\"schedule-cut\"",
                  "100/100 [25, 28] demo:f", "100/100 @30 sched:linux:sched-in cpu=0"));
}

TEST(UftraceSwitchCalls, OmittedSwitchesAreNotInstants) {
  R r;
  r.entry(10, 0, R::kMain).exit(60, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes()
                              .preempted(20, 100)
                              .in(30, 100)
                              .out(40, 100)
                              .in(45, 100)
                              .preempted(50, 100)
                              .exit(70, 100)
                              .text());
  EXPECT_THAT(r.lines({}, {.no_sched_preempt = true}),
              ElementsAre("100/100 [10, 60] demo:main",
                          "100/100 [40, 45] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
  for (const RecordingOptions& none :
       {RecordingOptions{.no_event = true}, RecordingOptions{.no_sched = true}}) {
    EXPECT_THAT(r.lines({}, none), ElementsAre("100/100 [10, 60] demo:main"));
    EXPECT_THAT(r.notes(), IsEmpty());
  }
}

TEST(UftraceSwitchCalls, SwitchesOutsideOfCallsAreCounted) {
  R r;
  r.entry(10, 0, R::kMain).exit(60, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().in(5, 100).out(20, 100).in(30, 100).out(70, 100).in(80, 100).text());
  EXPECT_THAT(r.lines({}, {.event_skip_out = true}),
              ElementsAre("100/100 [10, 60] demo:main",
                          "100/100 [20, 30] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
  EXPECT_THAT(r.notes(), Contains("events-left-out 2")) << "the first switch in, and the last call";
}

TEST(UftraceSwitchCalls, TracksReplaceTheInstants) {
  R r;
  r.entry(10, 0, R::kMain).exit(40, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().in(5, 100).exit(50, 100).out(51, 100).text());
  EXPECT_THAT(r.lines({}, {.cpu_tracks = true}),
              ElementsAre("100/100 @5 cpu 0: 0 (new) -> 100", "100/100 [10, 40] demo:main",
                          "100/100 @50 cpu 0: 100 (dead) -> 0"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

}  // namespace
}  // namespace convert::uftrace
