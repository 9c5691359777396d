// Tests the records of a thread together with its switches.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using R = RecordingBuilder;

TEST(UftraceSchedule, ASwitchOutAndInIsAnInnerCall) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(40, 1, R::kF).exit(50, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().in(5, 100).out(20, 100).text());
  r.file("perf-cpu3.dat", PerfBytes().in(30, 100).preempted(42, 100).in(45, 100).text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 @5 cpu 0: 0 (new) -> 100", "100/100 [10, 50] demo:main", "100/100 [11, 40] demo:f",
                  "100/100 @20 cpu 0: 100 (blocked) -> 0",
                  "100/100 [20, 30] sched:linux:schedule cpu=0 state='blocked' next_cpu=3",
                  "100/100 @30 cpu 3: 0 (new) -> 100", "100/100 @42 cpu 3: 100 (running) -> 0",
                  "100/100 [42, 45] sched:linux:schedule (pre-empted) cpu=3 state='runnable' next_cpu=3",
                  "100/100 @45 cpu 3: 0 (new) -> 100", "100/100 @50 cpu 3: 100 (dead) -> 0"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST(UftraceSchedule, ScheduleCallsMayBeOutsideOfProgramCalls) {
  R r;
  r.entry(30, 0, R::kMain).exit(40, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(10, 100).in(20, 100).out(50, 100).in(60, 100).text());
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 @10 cpu 0: 100 (blocked) -> 0",
                          "100/100 [10, 20] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                          "100/100 @20 cpu 0: 0 (new) -> 100", "100/100 [30, 40] demo:main",
                          "100/100 @50 cpu 0: 100 (blocked) -> 0",
                          "100/100 [50, 60] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                          "100/100 @60 cpu 0: 0 (new) -> 100", "100/100 @60 cpu 0: 100 (dead) -> 0"));
}

TEST(UftraceSchedule, ALastSwitchOutIsNotACall) {
  R r;
  r.entry(10, 0, R::kMain).exit(40, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 100).out(30, 100).in(35, 100).out(50, 100).text());
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 40] demo:main",
                          "100/100 @20 cpu 0: 100 (blocked) -> 0", "100/100 @30 cpu 0: 100 (blocked) -> 0",
                          "100/100 [30, 35] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                          "100/100 @35 cpu 0: 0 (new) -> 100", "100/100 @50 cpu 0: 100 (blocked) -> 0"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

// At equal times, the order is: the entry of a call, the switches inside the call, its exit.
TEST(UftraceSchedule, AtEqualTimesCallsNest) {
  R r;
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(30, 1, R::kF).exit(40, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 100).in(30, 100).out(40, 100).in(40, 100).text());
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 40] demo:main",
                          "100/100 [20, 30] demo:f", "100/100 @20 cpu 0: 100 (blocked) -> 0",
                          "100/100 [20, 30] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                          "100/100 @30 cpu 0: 0 (new) -> 100", "100/100 @40 cpu 0: 100 (blocked) -> 0",
                          "100/100 [40 sched:linux:schedule cpu=0 state='blocked'",
                          "100/100 40] sched:linux:schedule next_cpu=0", "100/100 @40 cpu 0: 0 (new) -> 100",
                          "100/100 @40 cpu 0: 100 (dead) -> 0"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST(UftraceSchedule, EachThreadHasItsOwnSwitches) {
  R r;
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain).thread(101).entry(10, 0, R::kF).exit(80, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 100).in(25, 101).out(30, 999).in(40, 100).text());
  r.file("perf-cpu1.dat", PerfBytes().out(22, 101).in(23, 999).text());
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 90] demo:main",
                          "100/101 @10 cpu 1: 0 (new) -> 101", "100/101 [10, 80] demo:f",
                          "100/100 @20 cpu 0: 100 (blocked) -> 0",
                          "100/100 [20, 40] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                          "100/101 @22 cpu 1: 101 (blocked) -> 0",
                          "100/101 [22, 25] sched:linux:schedule cpu=1 state='blocked' next_cpu=0",
                          "100/101 @25 cpu 0: 0 (new) -> 101", "100/101 @30 cpu 0: 101 (blocked) -> 0",
                          "100/100 @40 cpu 0: 0 (new) -> 100", "100/100 @90 cpu 0: 100 (dead) -> 0"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

// The end of a blocked thread may be long after its last record. Calls without an exit last until this end.
TEST(UftraceSchedule, OpenCallsEndWithTheTask) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 100).in(500, 100).exit(600, 100).out(601, 100).text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 600] demo:main repaired=\"open-at-end\"",
                  "100/100 [11, 600] demo:f repaired=\"open-at-end\"",
                  "100/100 @20 cpu 0: 100 (blocked) -> 0",
                  "100/100 [20, 500] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @500 cpu 0: 0 (new) -> 100", "100/100 @600 cpu 0: 100 (dead) -> 0"));
}

TEST(UftraceSchedule, OpenCallsEndWithTheLastSwitchByDefault) {
  R r;
  r.entry(10, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 100).in(500, 100).out(600, 100).text());
  EXPECT_THAT(r.lines(), Contains("100/100 [10, 600] demo:main repaired=\"open-at-end\""));
}

// After the exit at 20, another thread gets the same id.
TEST(UftraceSchedule, TheIdOfATaskMayBeUsedAgainAfterItsExit) {
  R r;
  r.entry(10, 0, R::kMain).entry(50, 0, R::kF).exit(70, 0, R::kF);
  r.file("perf-cpu0.dat",
         PerfBytes().out(15, 100).exit(20, 100).in(40, 100).preempted(60, 100).in(65, 100).text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 20] demo:main repaired=\"open-at-end\"",
                  "100/100 @15 cpu 0: 100 (blocked) -> 0", "100/100 @40 cpu 0: 0 (new) -> 100",
                  "100/100 [50, 70] demo:f", "100/100 @60 cpu 0: 100 (running) -> 0",
                  "100/100 [60, 65] sched:linux:schedule (pre-empted) cpu=0 state='runnable' next_cpu=0",
                  "100/100 @65 cpu 0: 0 (new) -> 100", "100/100 @70 cpu 0: 100 (dead) -> 0"));
}

TEST(UftraceSchedule, AThreadWithoutRecordsHasItsSwitches) {
  R r;
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.entry(10, 0, R::kMain).exit(40, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 101).in(30, 101).exit(50, 101).text());
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 40] demo:main", "100/101 @20 cpu 0: 101 (blocked) -> 0",
                          "100/101 [20, 30] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                          "100/101 @30 cpu 0: 0 (new) -> 101", "100/101 @50 cpu 0: 101 (dead) -> 0"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

// perf records the time of the exec. task.txt has a later time, at which the new program begins to record.
TEST(UftraceSchedule, AnExecEndsCallsWhenItHappens) {
  R r;
  r.task_line("SESS timestamp=0.000000040 pid=100 sid=0123456789abcdef exename=\"/bin/other\"");
  r.task_line("TASK timestamp=0.000000041 tid=100 pid=100");
  r.entry(10, 0, R::kMain).entry(50, 0, R::kF).exit(60, 0, R::kF);
  r.file("perf-cpu0.dat",
         PerfBytes().comm(11, 100, "x").exec(20, 100, "other").out(25, 100).in(30, 100).text());
  EXPECT_THAT(r.lines(), ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100",
                                     "100/100 [10, 20] demo:main repaired=\"closed-by-exec\"",
                                     "100/100 @11 event:linux:task-name comm='x'",
                                     "100/100 @25 cpu 0: 100 (blocked) -> 0",
                                     "100/100 [25, 30] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                                     "100/100 @30 cpu 0: 0 (new) -> 100",
                                     "100/100 @40 event:exec /bin/other path=\"/bin/other\"",
                                     "100/100 [50, 60] demo:f", "100/100 @60 cpu 0: 100 (dead) -> 0"));
  EXPECT_THAT(r.threads(), ElementsAre("100/100 other of other"));
}

// A thread calls exec, and gets the id of the process. The first thread of the process has ended.
TEST(UftraceSchedule, AnExecMayBeByAnotherThread) {
  R r;
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.task_line("SESS timestamp=0.000000040 pid=100 sid=0123456789abcdef exename=\"/bin/other\"");
  r.entry(10, 0, R::kMain).entry(50, 0, R::kF).exit(60, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes()
                              .exit(15, 100)
                              .out(16, 100)
                              .in(17, 101)
                              .exec(20, 100, "other")
                              .preempted(25, 100)
                              .in(30, 100)
                              .text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 15] demo:main repaired=\"open-at-end\"",
                  "100/100 @15 cpu 0: 100 (dead) -> 0", "100/101 @17 cpu 0: 0 (new) -> 101",
                  "100/100 @20 cpu 0: 0 (new) -> 100", "100/101 @20 cpu 0: 101 (blocked) -> 0",
                  "100/100 @25 cpu 0: 100 (running) -> 0",
                  "100/100 [25, 30] sched:linux:schedule (pre-empted) cpu=0 state='runnable' next_cpu=0",
                  "100/100 @30 cpu 0: 0 (new) -> 100",
                  "100/100 @40 event:exec /bin/other path=\"/bin/other\"", "100/100 [50, 60] demo:f",
                  "100/100 @60 cpu 0: 100 (dead) -> 0"));
}

// A track has the last name of its thread. Each change of the name is shown as an event. Another thread sets
// the second name, while the thread is off the CPU.
TEST(UftraceSchedule, ARenamedThreadIsShownWithItsLastName) {
  R r;
  r.entry(10, 0, R::kMain).exit(60, 0, R::kMain);
  r.file("perf-cpu0.dat",
         PerfBytes().comm(20, 100, "first").out(30, 100).comm(40, 100, "second").in(50, 100).text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 60] demo:main",
                  "100/100 @20 event:linux:task-name comm='first'", "100/100 @30 cpu 0: 100 (blocked) -> 0",
                  "100/100 [30, 50] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @40 event:linux:task-name comm='second'", "100/100 @50 cpu 0: 0 (new) -> 100",
                  "100/100 @60 cpu 0: 100 (dead) -> 0"));
  EXPECT_THAT(r.threads(), ElementsAre("100/100 second of demo"));
  EXPECT_THAT(r.notes(), IsEmpty());
  EXPECT_THAT(r.lines({}, {.no_event = true}),
              testing::Not(testing::Contains(testing::HasSubstr("task-name"))));
}

// Returns so many switches of other threads that the perf files are read in several rounds.
PerfBytes switches_of_others(std::uint64_t from_ns, std::uint64_t until_ns) {
  PerfBytes bytes;
  for (std::uint64_t time = from_ns; time < until_ns; time += 2) bytes.out(time, 999).in(time + 1, 999);
  return bytes;
}

TEST(UftraceSchedule, ABlockedThreadShowsExecsAndLoadsInTime) {
  R r;
  r.small_blocks();
  r.task_line("DLOP timestamp=0.000000030 tid=100 sid=0123456789abcdef base=700000 libname=\"./plug.so\"");
  r.task_line("SESS timestamp=0.000000950 pid=100 sid=0123456789abcdef exename=\"/bin/other\"");
  r.entry(10, 0, R::kMain).entry(3000, 0, R::kF).exit(3010, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes()
                              .out(15, 100)
                              .in(20, 100)
                              .bytes(switches_of_others(100, 800))
                              .out(900, 100)
                              .in(920, 100)
                              .bytes(switches_of_others(1000, 1800))
                              .out(1900, 100)
                              .in(2900, 100)
                              .text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10 demo:main",
                  "100/100 @15 cpu 0: 100 (blocked) -> 0",
                  "100/100 [15, 20] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @20 cpu 0: 0 (new) -> 100", "100/100 @30 event:dlopen path=\"./plug.so\"",
                  "100/100 @100 cpu 0: 100 (blocked) -> 0", "100/100 @900 cpu 0: 100 (blocked) -> 0",
                  "100/100 [900, 920] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @920 cpu 0: 0 (new) -> 100", "100/100 950] demo:main repaired=\"closed-by-exec\"",
                  "100/100 @950 event:exec /bin/other path=\"/bin/other\"",
                  "100/100 @1000 cpu 0: 100 (blocked) -> 0", "100/100 @1900 cpu 0: 100 (blocked) -> 0",
                  "100/100 [1900, 2900] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @2900 cpu 0: 0 (new) -> 100", "100/100 [3000, 3010] demo:f",
                  "100/100 @3010 cpu 0: 100 (dead) -> 0"));
}

TEST(UftraceSchedule, ExecsAndLoadsAfterAllRecordsAreShown) {
  R r;
  r.task_line("DLOP timestamp=0.000000030 tid=100 sid=0123456789abcdef base=700000 libname=\"./plug.so\"");
  r.task_line("SESS timestamp=0.000000050 pid=100 sid=0123456789abcdef exename=\"/bin/other\"");
  r.entry(10, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(40, 100).in(45, 100).out(90, 100).in(95, 100).text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre(
          "100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 50] demo:main repaired=\"closed-by-exec\"",
          "100/100 @30 event:dlopen path=\"./plug.so\"", "100/100 @40 cpu 0: 100 (blocked) -> 0",
          "100/100 [40, 45] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
          "100/100 @45 cpu 0: 0 (new) -> 100", "100/100 @50 event:exec /bin/other path=\"/bin/other\"",
          "100/100 @90 cpu 0: 100 (blocked) -> 0",
          "100/100 [90, 95] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
          "100/100 @95 cpu 0: 0 (new) -> 100", "100/100 @95 cpu 0: 100 (dead) -> 0"));
  r.file("perf-cpu0.dat", "");
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 50] demo:main repaired=\"closed-by-exec\"",
                                     "100/100 @30 event:dlopen path=\"./plug.so\"",
                                     "100/100 @50 event:exec /bin/other path=\"/bin/other\""));
}

TEST(UftraceSchedule, ARecordWhileTheThreadIsOffTheCpuCutsTheScheduleCall) {
  R r;
  r.entry(10, 0, R::kMain).entry(25, 1, R::kF).exit(28, 1, R::kF).exit(50, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 100).in(30, 100).out(35, 100).in(40, 100).text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 50] demo:main",
                  "100/100 @20 cpu 0: 100 (blocked) -> 0",
                  "100/100 [20, 25] sched:linux:schedule cpu=0 state='blocked' repaired=\"schedule-cut\"",
                  "100/100 [25, 28] demo:f", "100/100 @30 cpu 0: 0 (new) -> 100",
                  "100/100 @35 cpu 0: 100 (blocked) -> 0",
                  "100/100 [35, 40] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @40 cpu 0: 0 (new) -> 100", "100/100 @50 cpu 0: 100 (dead) -> 0"));
  EXPECT_THAT(r.notes(), ElementsAre("schedule-cut 1",
                                     "DIR/100.dat: the thread is off the CPU, but has a record at 25 ns"));
}

// ---- Exits whose time is an estimate: half way between the entry and the next entry ----

std::vector<std::string> calls_of(R& r, const RecordingOptions& options = {}) {
  std::vector<std::string> calls = r.lines({}, options);
  std::erase_if(calls, [](const std::string& line) { return line.find('[') == std::string::npos; });
  return calls;
}

TEST(UftraceSchedule, AnEstimatedExitOffTheCpuMovesHalfWayToTheNextEntry) {
  for (const bool is_preempted : {false, true}) {
    R r;
    r.estimated_exits();
    r.entry(10, 0, R::kMain).entry(15, 1, R::kF).exit(32, 1, R::kF).entry(50, 1, R::kG).exit(60, 1, R::kG);
    PerfBytes perf;
    is_preempted ? perf.preempted(20, 100) : perf.out(20, 100);
    r.file("perf-cpu0.dat", perf.in(40, 100).text());
    const std::string schedule =
        is_preempted ? "100/100 [20, 40] sched:linux:schedule (pre-empted) cpu=0 state='runnable' next_cpu=0"
                     : "100/100 [20, 40] sched:linux:schedule cpu=0 state='blocked' next_cpu=0";
    EXPECT_THAT(calls_of(r), ElementsAre("100/100 [10, 60] demo:main repaired=\"open-at-end\"",
                                         "100/100 [15, 44] demo:f repaired=\"exit-moved\"", schedule,
                                         "100/100 [50, 60] demo:g"));
    EXPECT_THAT(r.notes(), Contains("exit-moved 1"));
    r.small_blocks();
    EXPECT_THAT(calls_of(r), Contains("100/100 [15, 44] demo:f repaired=\"exit-moved\""));
    EXPECT_THAT(calls_of(r, {.no_sched = true}), Contains("100/100 [15, 44] demo:f repaired=\"exit-moved\""));
  }
}

TEST(UftraceSchedule, AnEstimatedExitMovesOnceMoreIfTheThreadLeavesAgain) {
  R r;
  r.estimated_exits();
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(60, 1, R::kF).entry(100, 1, R::kG).exit(110, 1, R::kG);
  r.file("perf-cpu0.dat", PerfBytes().out(30, 100).in(64, 100).out(72, 100).in(86, 100).text());
  EXPECT_THAT(calls_of(r), Contains("100/100 [20, 93] demo:f repaired=\"exit-moved\""));
  // If the thread is on the CPU at the time of the moved exit, the exit does not move again.
  R other;
  other.estimated_exits();
  other.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(60, 1, R::kF).entry(100, 1, R::kG);
  other.file("perf-cpu0.dat", PerfBytes().out(30, 100).in(64, 100).out(90, 100).in(95, 100).text());
  EXPECT_THAT(calls_of(other), Contains("100/100 [20, 82] demo:f repaired=\"exit-moved\""));
  EXPECT_THAT(calls_of(other),
              Contains("100/100 [90, 95] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
}

// The estimated exit is after the time off the CPU, but the estimate ignores this time. Therefore, the exit
// is moved, as in uftrace.
TEST(UftraceSchedule, AnEstimatedExitAfterTheTimeOffTheCpuAlsoMoves) {
  R r;
  r.estimated_exits();
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(60, 1, R::kF).entry(100, 1, R::kG).exit(110, 1, R::kG);
  r.file("perf-cpu0.dat", PerfBytes().out(30, 100).in(40, 100).text());
  EXPECT_THAT(calls_of(r), Contains("100/100 [20, 70] demo:f repaired=\"exit-moved\""));
}

TEST(UftraceSchedule, ExitsAfterAMovedExitMoveToo) {
  R r;
  r.estimated_exits();
  r.entry(10, 0, R::kMain).entry(12, 1, R::kF).entry(20, 2, R::kG);
  r.exit(40, 2, R::kG).exit(41, 1, R::kF).entry(60, 1, R::kF).exit(70, 1, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().out(30, 100).in(50, 100).text());
  EXPECT_THAT(calls_of(r),
              IsSupersetOf({"100/100 [12, 56] demo:f repaired=\"exit-moved\"",
                            "100/100 [20, 55] demo:g repaired=\"exit-moved\"", "100/100 [60, 70] demo:f"}));
}

// The entry at 40 proves that the thread is back on the CPU, although the switch in is not recorded.
TEST(UftraceSchedule, AMovedExitIsBeforeTheNextEntry) {
  R r;
  r.estimated_exits();
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(30, 1, R::kF).entry(40, 1, R::kG).exit(45, 1, R::kG);
  r.file("perf-cpu0.dat", PerfBytes().out(25, 100).out(60, 100).in(70, 100).text());
  EXPECT_THAT(calls_of(r),
              IsSupersetOf({"100/100 [20, 40] demo:f repaired=\"exit-moved\"", "100/100 [40, 45] demo:g"}));
}

// The first record of a forked child is the exit of `fork`.
TEST(UftraceSchedule, TheEstimatedExitOfAnInheritedCallAlsoMoves) {
  R r;
  r.estimated_exits();
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(28, 1, R::kFork).entry(90, 1, R::kG);
  r.thread(101).exit(32, 1, R::kFork).entry(60, 1, R::kF).exit(70, 1, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().fork(18, 101, 100).in(22, 101).preempted(30, 101).in(50, 101).text());
  EXPECT_THAT(
      calls_of(r),
      IsSupersetOf({"101/101 [22, 50] demo:fork repaired=\"inherited-call\" repaired_end=\"exit-moved\"",
                    "101/101 [30, 50] sched:linux:schedule (pre-empted) cpu=0 state='runnable' next_cpu=0",
                    "101/101 [60, 70] demo:f"}));
  EXPECT_THAT(r.notes(), testing::Not(Contains(testing::HasSubstr("schedule-cut"))));
  // After lost records, the open calls of the thread are unknown. Therefore, the exit at 32 is not moved.
  r.thread(102).entry(10, 0, R::kF).lost(3).exit(32, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().in(5, 102).out(20, 102).in(40, 102).text());
  EXPECT_THAT(calls_of(r), testing::Not(Contains(testing::HasSubstr("102/102 [10, 40]"))));
}

// The recorder writes the last exits when the thread ends, so these times are exact.
TEST(UftraceSchedule, TheLastExitsOfAThreadAreNotMoved) {
  R r;
  r.estimated_exits();
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(60, 1, R::kF).exit(61, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(30, 100).in(58, 100).text());
  EXPECT_THAT(calls_of(r),
              ElementsAre("100/100 [10, 61] demo:main", "100/100 [20, 60] demo:f",
                          "100/100 [30, 58] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
}

TEST(UftraceSchedule, WithEstimatedExitsAnEntryCutsTheScheduleCall) {
  R entry;
  entry.estimated_exits();
  entry.entry(10, 0, R::kMain).entry(25, 1, R::kF).exit(28, 1, R::kF).exit(50, 0, R::kMain);
  entry.file("perf-cpu0.dat", PerfBytes().out(20, 100).in(30, 100).text());
  EXPECT_THAT(calls_of(entry), IsSupersetOf({"100/100 [20, 25] sched:linux:schedule cpu=0 state='blocked' "
                                             "repaired=\"schedule-cut\"",
                                             "100/100 [25, 28] demo:f"}));
}

TEST(UftraceSchedule, CanBeLeftOut) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kF);
  r.file("perf-cpu0.dat",
         PerfBytes().comm(1, 100, "me").in(5, 100).out(20, 100).in(500, 100).exit(600, 100).text());
  EXPECT_THAT(r.lines({}, {.no_sched = true, .cpu_tracks = true}),
              ElementsAre("100/100 @1 event:linux:task-name comm='me'",
                          "100/100 [10, 600] demo:main repaired=\"open-at-end\"",
                          "100/100 [11, 600] demo:f repaired=\"open-at-end\""));
  EXPECT_THAT(r.threads(), ElementsAre("100/100 me of demo"));
}

TEST(UftraceSchedule, CanBeLeftOutForPreemptedThreads) {
  R r;
  r.entry(10, 0, R::kMain).exit(60, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes()
                              .preempted(20, 100)
                              .in(25, 100)
                              .out(30, 100)
                              .in(35, 100)
                              .preempted(40, 100)
                              .in(45, 100)
                              .text());
  const auto lines = r.lines({}, {.no_sched_preempt = true, .cpu_tracks = true});
  EXPECT_THAT(lines, Not(Contains(HasSubstr("pre-empted"))));
  EXPECT_THAT(lines, Contains("100/100 [30, 35] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
  EXPECT_THAT(lines, Contains("100/100 @20 cpu 0: 100 (running) -> 0"));  // CPU tracks show this switch
  EXPECT_THAT(
      r.lines(),
      Contains("100/100 [20, 25] sched:linux:schedule (pre-empted) cpu=0 state='runnable' next_cpu=0"));
}

TEST(UftraceSchedule, PerfFilesMayBeBigEndian) {
  R r;
  r.big_endian();
  r.entry(10, 0, R::kMain).exit(40, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes(std::endian::big).out(20, 100).in(30, 100).text());
  EXPECT_THAT(r.lines(), Contains("100/100 [20, 30] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
}

TEST(UftraceSchedule, CpusBeyondTheLimitOfFxtAreShown) {
  R r;
  r.entry(10, 0, R::kMain).exit(40, 0, R::kMain);
  r.file("perf-cpu300.dat", PerfBytes().out(20, 100).text());
  r.file("perf-cpu70000.dat", PerfBytes().in(30, 100).text());
  EXPECT_THAT(r.lines(), testing::IsSupersetOf({"100/100 @20 cpu 300: 100 (blocked) -> 0",
                                                "100/100 @30 cpu 65535: 0 (new) -> 100"}));
}

// The files of two CPUs and many threads need many blocks.
TEST(UftraceSchedule, ManyBlocksOfManyFilesAreMerged) {
  R r;
  PerfBytes cpus[2];
  std::vector<std::string> expected;
  constexpr std::uint64_t kThreads = 3, kRounds = 3000, kStep = 100;
  for (std::uint64_t round = 1; round <= kRounds; ++round)
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      const std::uint64_t tid = 100 + i, time = round * 1000 + i * kStep;
      if (round == 1 && i != 0) r.task_line(fmt::format("TASK timestamp=0.000000003 tid={} pid=100", tid));
      r.thread(tid).entry(time, 0, R::kF).exit(time + 90, 0, R::kF);
      const auto id = static_cast<std::uint32_t>(tid);
      cpus[round % 2].in(time, id).out(time + 10, id);
      cpus[round / 2 % 2].in(time + 20, id).out(time + 95, id);
      expected.push_back(fmt::format("100/{} @{} cpu {}: 0 (new) -> {}", tid, time, round % 2, tid));
      expected.push_back(fmt::format("100/{} [{}, {}] demo:f", tid, time, time + 90));
      expected.push_back(fmt::format("100/{} @{} cpu {}: {} (blocked) -> 0", tid, time + 10, round % 2, tid));
      const auto schedule = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t cpu,
                                std::uint64_t next) {
        expected.push_back(
            fmt::format("100/{} [{}, {}] sched:linux:schedule cpu={} state='blocked' next_cpu={}", tid, begin,
                        end, cpu, next));
      };
      schedule(time + 10, time + 20, round % 2, round / 2 % 2);
      expected.push_back(fmt::format("100/{} @{} cpu {}: 0 (new) -> {}", tid, time + 20, round / 2 % 2, tid));
      expected.push_back(
          fmt::format("100/{} @{} cpu {}: {} (blocked) -> 0", tid, time + 95, round / 2 % 2, tid));
      if (round < kRounds) schedule(time + 95, time + 1000, round / 2 % 2, (round + 1) % 2);
    }
  r.file("perf-cpu0.dat", cpus[0]).file("perf-cpu1.dat", cpus[1]);
  EXPECT_EQ(r.lines(), expected);
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST(UftraceSchedule, ASilentThreadDoesNotDelayOthers) {
  R r;
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.entry(10, 0, R::kMain);
  PerfBytes bytes;
  bytes.out(20, 100);
  r.thread(101);
  for (std::uint64_t time = 30; time < 500'000; time += 10) r.entry(time, 0, R::kF).exit(time + 5, 0, R::kF);
  for (std::uint64_t time = 30; time < 500'000; time += 10) bytes.out(time + 1, 101).in(time + 2, 101);
  bytes.in(600'000, 100).exit(600'001, 100);
  r.file("perf-cpu0.dat", bytes);
  const auto lines = r.lines();
  EXPECT_EQ(lines.size(), std::size_t{4} * 49'997 + 8);
  EXPECT_THAT(lines, testing::IsSupersetOf({"100/100 @600000 cpu 0: 0 (new) -> 100"}));
}

}  // namespace
}  // namespace convert::uftrace
