// --event-skip-out hides events outside of the program's calls. It also hides the switches before the
// process's first call and after the thread's last call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using R = RecordingBuilder;

const RecordingOptions kSkip{.cpu_tracks = true, .event_skip_out = true};

class SkipOutside : public testing::Test {
 protected:
  R r;
};

TEST_F(SkipOutside, SwitchesBeforeTheFirstCallAndAfterTheLastCallAreHidden) {
  r.entry(100, 0, R::kMain).entry(110, 1, R::kF).exit(140, 1, R::kF).exit(150, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes()
                              .in(10, 100)
                              .out(20, 100)
                              .in(30, 100)
                              .out(120, 100)
                              .in(130, 100)
                              .out(160, 100)
                              .in(170, 100)
                              .out(180, 100)
                              .text());
  EXPECT_THAT(r.lines({}, kSkip),
              ElementsAre("100/100 @100 cpu 0: 0 (new) -> 100", "100/100 [100, 150] demo:main",
                          "100/100 [110, 140] demo:f", "100/100 @120 cpu 0: 100 (blocked) -> 0",
                          "100/100 [120, 130] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                          "100/100 @130 cpu 0: 0 (new) -> 100", "100/100 @150 cpu 0: 100 (dead) -> 0"));
  // Two schedule calls and two times on the CPU are hidden.
  EXPECT_THAT(r.notes(), ElementsAre("events-left-out 4", "DIR/100.dat: 4"));
  EXPECT_EQ(r.lines().size(), 13);
  EXPECT_THAT(r.notes(), IsEmpty());
}

// Between program calls, the CPU track shows the switches. The schedule call is hidden.
TEST_F(SkipOutside, BetweenCallsTheCpuTrackShowsSwitches) {
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).entry(50, 0, R::kF).exit(60, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().in(5, 100).out(30, 100).in(40, 100).out(70, 100).text());
  EXPECT_THAT(r.lines({}, kSkip),
              ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 20] demo:main",
                          "100/100 @30 cpu 0: 100 (blocked) -> 0", "100/100 @40 cpu 0: 0 (new) -> 100",
                          "100/100 [50, 60] demo:f", "100/100 @60 cpu 0: 100 (dead) -> 0"));
}

TEST_F(SkipOutside, AThreadThatEndsBeforeTheFirstCallIsShownAtTheFirstCall) {
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().in(4, 101).text());
  EXPECT_THAT(r.lines({}, kSkip),
              ElementsAre("100/100 [10, 90] demo:main", "100/101 @10 cpu 0: 0 (new) -> 101",
                          "100/101 @10 cpu 0: 101 (dead) -> 0"));
}

TEST_F(SkipOutside, SwitchesAreShownFromTheFirstCallOfTheProcessOn) {
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.task_line("TASK timestamp=0.000000003 tid=102 pid=100");
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain).thread(101).entry(50, 0, R::kF).exit(60, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().in(4, 101).out(20, 101).in(30, 101).out(70, 101).in(80, 102).text());
  EXPECT_THAT(r.lines({}, kSkip),
              ElementsAre("100/100 [10, 90] demo:main", "100/101 @10 cpu 0: 0 (new) -> 101",
                          "100/101 @20 cpu 0: 101 (blocked) -> 0", "100/101 @30 cpu 0: 0 (new) -> 101",
                          "100/101 [50, 60] demo:f", "100/101 @60 cpu 0: 101 (dead) -> 0",
                          "100/102 @80 cpu 0: 0 (new) -> 102", "100/102 @80 cpu 0: 102 (dead) -> 0"));
}

TEST_F(SkipOutside, OpenCallsLastUntilTheThreadEnds) {
  r.entry(10, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().in(5, 100).out(20, 100).in(50, 100).exit(60, 100).out(61, 100).text());
  EXPECT_THAT(
      r.lines({}, kSkip),
      ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 60] demo:main repaired=\"open-at-end\"",
                  "100/100 @20 cpu 0: 100 (blocked) -> 0",
                  "100/100 [20, 50] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @50 cpu 0: 0 (new) -> 100", "100/100 @60 cpu 0: 100 (dead) -> 0"));
}

// Before its first record, a forked child is in its inherited calls, so its switches are shown.
TEST_F(SkipOutside, AForkedChildIsInsideInheritedCalls) {
  r.task_line("FORK timestamp=0.000000012 pid=200 ppid=100");
  r.entry(10, 0, R::kFork).exit(14, 0, R::kFork);
  r.thread(200).exit(30, 0, R::kFork);
  r.file("perf-cpu0.dat", PerfBytes().in(20, 200).out(40, 200).text());
  const auto lines = r.lines({}, kSkip);
  EXPECT_THAT(lines, testing::Contains("200/200 @20 cpu 0: 0 (new) -> 200"));
  EXPECT_THAT(lines, testing::Contains("200/200 @30 cpu 0: 200 (dead) -> 0"));
}

TEST_F(SkipOutside, EventsOfAllKindsOutsideOfCallsAreHidden) {
  r.task_line(
      "DLOP timestamp=0.000000011 tid=100 sid=0123456789abcdef base=7f0000000000 libname=\"/lib/x.so\"");
  r.task_line(
      "DLOP timestamp=0.000000021 tid=100 sid=0123456789abcdef base=7f1000000000 libname=\"/lib/y.so\"");
  r.file("extern.dat", "0.000000012 out\n0.000000022 in\n");
  r.event(10, 1000001, 0).entry(20, 0, R::kMain).event(23, 1000001, 0).exit(30, 0, R::kMain);
  r.event(40, 1000001, 0);
  r.file("perf-cpu0.dat", PerfBytes().comm(13, 100, "out").comm(24, 100, "in").comm(41, 100, "out").text());
  EXPECT_THAT(r.lines({}, kSkip),
              ElementsAre("100/100 [20, 30] demo:main", "100/100 @21 event:dlopen path=\"/lib/y.so\"",
                          "100/100 @22 event:external-data: in message=\"in\"",
                          "100/100 @23 event:event:1000001", "100/100 @24 event:linux:task-name comm='in'"));
  EXPECT_THAT(r.notes(), testing::Contains("events-left-out 6"));
  EXPECT_EQ(r.lines().size(), 11);
}

TEST_F(SkipOutside, EventsInsideHiddenCallsAreShown) {
  r.event(5, 1000001, 0).entry(10, 0, R::kMain).event(15, 1000001, 0).entry(20, 1, R::kF);
  r.exit(30, 1, R::kF).exit(40, 0, R::kMain).event(45, 1000001, 0);
  RecordingOptions options = kSkip;
  options.filters.items = parse_filter_items(FilterItem::Option::Hide, "main");
  EXPECT_THAT(r.lines({}, options),
              ElementsAre("100/100 @15 event:event:1000001", "100/100 [20, 30] demo:f"));
}

}  // namespace
}  // namespace convert::uftrace
