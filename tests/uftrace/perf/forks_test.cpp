// Tests how the kernel's perf events show which thread forked, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using R = RecordingBuilder;

// Renames the function at 0x401400 in the program "demo": it is `system` and not `fork`.
void has_system(R& r) {
  r.file("demo.sym", "0000000000001000 00000400 T main\n0000000000001400 00000100 P system\n");
}

// Adds a process `child` without a FORK line. At 50 ns, it starts the program `other`.
void execs(R& r, const std::string& child) {
  r.task_line("SESS timestamp=0.000000050 pid=" + child + " sid=0123456789abcdee exename=\"/bin/other\"");
  r.task_line("TASK timestamp=0.000000051 tid=" + child + " pid=" + child);
}

std::vector<std::string> arrows_of(R& r, const ImportOptions& options = {}) {
  std::vector<std::string> arrows;
  for (const std::string& line : r.lines(options))
    if (line.find(" flow ") != std::string::npos) arrows.push_back(line);
  return arrows;
}

TEST(UftracePerfForks, AChildWithoutAForkLineHasAnArrow) {
  R r;
  has_system(r);
  execs(r, "101");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kFork).exit(80, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(101).entry(60, 0, R::kF).exit(70, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().fork(30, 101, 100).text());
  const auto lines = r.lines();
  EXPECT_THAT(lines, IsSupersetOf({"100/100 [20, 80] demo:system", "100/100 @20 flow from event:fork #1",
                                   "101/101 @60 flow to event:fork #1"}));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("inherited"))));
  EXPECT_THAT(arrows_of(r, {.tids = {101}}), testing::IsEmpty());
}

// perf records the fork event inside the call that creates the thread, whatever the name of this call is.
// Without perf events, calls of pthread_create are assumed to create the threads in the order of their ids.
TEST(UftracePerfForks, AThreadHasAnArrowFromTheCallThatCreatesIt) {
  R r;
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.task_line("TASK timestamp=0.000000003 tid=102 pid=100");
  r.entry(10, 0, R::kMain);
  r.entry(20, 1, R::kF).exit(25, 1, R::kF).entry(30, 1, R::kF).exit(35, 1, R::kF).exit(90, 0, R::kMain);
  r.thread(101).entry(60, 0, R::kG).exit(70, 0, R::kG).thread(102).entry(50, 0, R::kG).exit(70, 0, R::kG);
  EXPECT_THAT(arrows_of(r), testing::IsEmpty());
  r.file("perf-cpu0.dat", PerfBytes().fork(22, 101, 100).fork(32, 102, 100).text());
  const std::vector<std::string> expected{
      "100/100 @20 flow from event:thread #1", "100/100 @30 flow from event:thread #2",
      "100/102 @50 flow to event:thread #2", "100/101 @60 flow to event:thread #1"};
  EXPECT_EQ(arrows_of(r), expected);
  r.file("perf-cpu0.dat", "");
  r.file("demo.sym",
         "0000000000001000 00000100 T main\n0000000000001100 00000100 P pthread_create\n"
         "0000000000001200 00000100 T g\n");
  EXPECT_EQ(arrows_of(r), expected);
  EXPECT_THAT(arrows_of(r, {.tids = {100}}), testing::IsEmpty());
  EXPECT_THAT(r.notes(), testing::Not(Contains(HasSubstr("fork-not-drawn"))));
}

// Without perf's fork event, the child's parent is unknown.
TEST(UftracePerfForks, WithoutAForkEventAChildHasNoArrow) {
  R r;
  has_system(r);
  execs(r, "101");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kFork).exit(80, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(101).entry(60, 0, R::kF).exit(70, 0, R::kF);
  EXPECT_THAT(arrows_of(r), testing::IsEmpty());
  r.file("perf-cpu0.dat", PerfBytes().fork(30, 101, 7).text());  // by a process that was not recorded
  EXPECT_THAT(arrows_of(r), testing::IsEmpty());
  r.file("perf-cpu0.dat", PerfBytes().fork(61, 101, 100).text());  // after the child began
  EXPECT_THAT(arrows_of(r), testing::IsEmpty());
}

TEST(UftracePerfForks, TheForkEventShowsWhichThreadForked) {
  R r;
  r.task_line("TASK timestamp=0.000000003 tid=99 pid=100");
  r.task_line("FORK timestamp=0.000000040 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kFork).exit(80, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(99).entry(12, 0, R::kG).entry(22, 1, R::kFork).exit(82, 1, R::kFork).exit(92, 0, R::kG);
  r.thread(101).entry(60, 2, R::kF).exit(70, 2, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().fork(30, 101, 99).text());
  const auto lines = r.lines();
  EXPECT_THAT(lines,
              IsSupersetOf({"100/99 @22 flow from event:fork #1", "101/101 @60 flow to event:fork #1"}));
  EXPECT_THAT(lines, Contains("101/101 [60, 70] demo:g repaired=\"inherited-call,open-at-end\""));
}

// The child writes its FORK line when it runs. Before that, the parent may fork again, so the lines may be in
// another order than the forks.
TEST(UftracePerfForks, TheTimeOfTheForkEventShowsTheForkingCall) {
  R r;
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100");
  r.task_line("FORK timestamp=0.000000061 pid=102 ppid=100");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kFork).exit(25, 1, R::kFork);
  r.entry(30, 1, R::kFork).exit(35, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(101).entry(70, 1, R::kF).exit(71, 1, R::kF);
  r.thread(102).entry(72, 1, R::kF).exit(73, 1, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().fork(22, 102, 100).fork(32, 101, 100).text());
  EXPECT_THAT(arrows_of(r), testing::UnorderedElementsAre(
                                "100/100 @30 flow from event:fork #1", "101/101 @70 flow to event:fork #1",
                                "100/100 @20 flow from event:fork #2", "102/102 @72 flow to event:fork #2"));
}

// No call of fork is recorded. The first fork event is inside a call of g, and the second is directly inside
// main.
TEST(UftracePerfForks, WithoutACallOfForkTheArrowStartsInTheInnermostCall) {
  R r;
  execs(r, "101");
  execs(r, "102");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kG).exit(40, 1, R::kG).exit(90, 0, R::kMain);
  r.thread(101).entry(60, 0, R::kF).exit(70, 0, R::kF);
  r.thread(102).entry(60, 0, R::kF).exit(70, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().fork(30, 101, 100).fork(50, 102, 100).text());
  EXPECT_THAT(arrows_of(r), testing::UnorderedElementsAre(
                                "100/100 @20 flow from event:fork #1", "101/101 @60 flow to event:fork #1",
                                "100/100 @10 flow from event:fork #2", "102/102 @60 flow to event:fork #2"));
}

TEST(UftracePerfForks, TheArrowDoesNotStartInAnInnerCallThatHasEnded) {
  R r;
  has_system(r);
  execs(r, "101");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kFork).entry(22, 2, R::kMain).exit(24, 2, R::kMain);
  r.exit(80, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(101).entry(60, 0, R::kF).exit(70, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().fork(30, 101, 100).text());
  EXPECT_THAT(arrows_of(r), Contains("100/100 @20 flow from event:fork #1"));
}

// Records a call of `system` that ends before the time of the fork event.
void ends_early(R& r) {
  has_system(r);
  execs(r, "101");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kFork).exit(25, 1, R::kFork);
  r.entry(28, 1, R::kMain).exit(80, 1, R::kMain).exit(90, 0, R::kMain);
  r.thread(101).entry(60, 0, R::kF).exit(70, 0, R::kF);
}

TEST(UftracePerfForks, TheArrowDoesNotStartInACallThatHasEnded) {
  R r;
  ends_early(r);
  r.file("perf-cpu0.dat", PerfBytes().fork(30, 101, 100).text());
  EXPECT_THAT(arrows_of(r), Contains("100/100 @28 flow from event:fork #1"));
}

// An estimated exit may be too early. The call of `system` may still have been open at the time of the fork
// event, so the flow starts in this call.
TEST(UftracePerfForks, TheArrowMayStartInACallWhoseExitIsEstimated) {
  R r;
  ends_early(r);
  r.estimated_exits();
  r.file("perf-cpu0.dat", PerfBytes().fork(30, 101, 100).text());
  EXPECT_THAT(arrows_of(r), Contains("100/100 @20 flow from event:fork #1"));
  execs(r, "102");
  r.thread(102).entry(62, 0, R::kF).exit(70, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().fork(30, 101, 100).fork(40, 102, 100).text());
  EXPECT_THAT(arrows_of(r),
              IsSupersetOf({"100/100 @20 flow from event:fork #1", "100/100 @28 flow from event:fork #2"}));
}

TEST(UftracePerfForks, AnArrowToAThreadDoesNotStartInACallOfSystem) {
  R r;
  ends_early(r);
  r.estimated_exits();
  r.task_line("TASK timestamp=0.000000003 tid=103 pid=100");
  r.thread(103).entry(62, 0, R::kF).exit(70, 0, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().fork(30, 103, 100).text());
  EXPECT_THAT(arrows_of(r), Contains("100/100 @28 flow from event:thread #1"));
}

}  // namespace
}  // namespace convert::uftrace
