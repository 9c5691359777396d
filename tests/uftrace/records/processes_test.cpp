// Tests how the forks, execs and loads of libraries in task.txt are shown between the records.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using R = RecordingBuilder;

// The recorder may write sessions in any order. The session with the earliest time has the first program of
// the process.
TEST(UftraceExecs, MayBeInAnyOrderOfLines) {
  constexpr std::string_view kSecond =
      "SESS timestamp=0.000000030 pid=200 sid=0123456789abcdef exename=\"/bin/two\"";
  constexpr std::string_view kFirst =
      "SESS timestamp=0.000000005 pid=200 sid=0123456789abcdef exename=\"/bin/one\"";
  R r;
  r.task_line(kSecond).task_line(kFirst).task_line("TASK timestamp=0.000000006 tid=200 pid=200");
  r.thread(200).entry(10, 0, R::kMain).exit(20, 0, R::kMain).entry(40, 0, R::kMain).exit(50, 0, R::kMain);
  EXPECT_THAT(r.lines(),
              ElementsAre("200/200 [10, 20] demo:main", "200/200 @30 event:exec /bin/two path=\"/bin/two\"",
                          "200/200 [40, 50] demo:main"));
}

TEST(UftraceForks, AChildBeginsInsideItsParentsCalls) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(25, 1, R::kFork).exit(40, 0, R::kMain);
  r.thread(101).exit(22, 1, R::kFork).entry(23, 1, R::kF).exit(24, 1, R::kF);
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 40] demo:main", "100/100 [15, 25] demo:fork",
                          "100/100 @15 flow from event:fork #1",
                          "101/101 [22, 24] demo:main repaired=\"inherited-call,open-at-end\"",
                          "101/101 [22 demo:fork repaired=\"inherited-call\"", "101/101 22] demo:fork",
                          "101/101 @22 flow to event:fork #1", "101/101 [23, 24] demo:f"));
}

// The parent's records begin inside main. Only the exit of main has its name, and this exit is after the
// fork.
TEST(UftraceForks, AChildHasNamesFromLaterRecordsOfItsParent) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(15, 1, R::kFork).exit(25, 1, R::kFork).entry(26, 1, R::kF).exit(27, 1, R::kF).exit(40, 0, R::kMain);
  r.thread(101).exit(22, 1, R::kFork);
  EXPECT_THAT(r.lines(), testing::Contains("101/101 [22 demo:main repaired=\"inherited-call,open-at-end\""));
  EXPECT_THAT(r.lines({.tids = {101}}),
              ElementsAre("101/101 [22 demo:main repaired=\"inherited-call,open-at-end\"",
                          "101/101 [22 demo:fork repaired=\"inherited-call\"", "101/101 22] demo:fork",
                          "101/101 22] demo:main"));
}

TEST(UftraceForks, EventsBeforeTheFirstRecordOfAChildAreInInheritedCalls) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(45, 1, R::kFork).exit(50, 0, R::kMain);
  r.thread(101).exit(32, 1, R::kFork).exit(40, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().in(21, 101).preempted(25, 101).in(28, 101).text());
  EXPECT_THAT(
      r.lines({.tids = {101}}),
      ElementsAre("101/101 [21, 40] demo:main repaired=\"inherited-call\"",
                  "101/101 [21, 32] demo:fork repaired=\"inherited-call\"",
                  "101/101 @21 cpu 0: 0 (new) -> 101", "101/101 @25 cpu 0: 101 (running) -> 0",
                  "101/101 [25, 28] sched:linux:schedule (pre-empted) cpu=0 state='runnable' next_cpu=0",
                  "101/101 @28 cpu 0: 0 (new) -> 101", "101/101 @40 cpu 0: 101 (dead) -> 0"));
  // The flow ends at the start of the inherited calls. At a later time, it would end in the schedule call.
  EXPECT_THAT(r.lines(), testing::Contains("101/101 @21 flow to event:fork #1"));
}

TEST(UftraceForks, ALibraryThatAChildLoadsFirstIsInInheritedCalls) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.task_line("DLOP timestamp=0.000000022 tid=101 sid=0123456789abcdef base=700000 libname=\"./plug.so\"");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(25, 1, R::kFork).exit(40, 0, R::kMain);
  r.thread(101).exit(24, 1, R::kFork);
  EXPECT_THAT(r.lines({.tids = {101}}),
              ElementsAre("101/101 [22, 24] demo:main repaired=\"inherited-call,open-at-end\"",
                          "101/101 [22, 24] demo:fork repaired=\"inherited-call\"",
                          "101/101 @22 event:dlopen path=\"./plug.so\""));
}

// The call of main has an event for its start and an event for its end. Viewers combine the arguments of both
// events, so the names of these arguments differ.
TEST(UftraceForks, AnInheritedCallMayAlsoBeCutAtItsEnd) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(25, 1, R::kFork).exit(40, 0, R::kMain);
  r.thread(101).exit(22, 1, R::kFork).entry(23, 1, R::kF);
  r.pairs();
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10 demo:main", "100/100 [15 demo:fork",
                                     "100/100 @15 flow from event:fork #1",
                                     "101/101 [22 demo:main repaired=\"inherited-call\"",
                                     "101/101 [22 demo:fork repaired=\"inherited-call\"",
                                     "101/101 22] demo:fork", "101/101 @22 flow to event:fork #1",
                                     "101/101 [23 demo:f", "101/101 23] demo:f repaired=\"open-at-end\"",
                                     "101/101 23] demo:main repaired_end=\"open-at-end\"",
                                     "100/100 25] demo:fork", "100/100 40] demo:main"));
}

// A server may fork for every request. Each fork must be found without a search in all forks.
TEST(UftraceForks, ThousandsOfForksAreFast) {
  constexpr std::uint64_t kForks = 5000, kCallsBetween = 40;
  R r;
  r.entry(1, 0, R::kMain);
  std::uint64_t time = 2;
  for (std::uint64_t child = 0; child < kForks; ++child) {
    for (std::uint64_t call = 0; call < kCallsBetween; ++call, time += 2)
      r.entry(time, 1, R::kF).exit(time + 1, 1, R::kF);
    r.entry(time, 1, R::kFork).exit(time + 3, 1, R::kFork);
    r.task_line(fmt::format("FORK timestamp=0.{:09} pid={} ppid=100", time + 1, 1000 + child));
    r.thread(1000 + child).exit(time + 2, 1, R::kFork).exit(time + 4, 0, R::kMain).thread(100);
    time += 4;
  }
  r.exit(time, 0, R::kMain);
  const auto lines = r.lines();
  EXPECT_EQ(std::ranges::count_if(lines,
                                  [](const std::string& line) {
                                    return line.ends_with("demo:main repaired=\"inherited-call\"");
                                  }),
            kForks);
  EXPECT_THAT(r.notes().front(), fmt::format("inherited-call {}", 2 * kForks));
}

// The parent may continue before the child writes the FORK line. The child's first exit shows which call of
// the parent forked.
TEST(UftraceForks, TheForkingCallIsFoundDespiteALaterTimestamp) {
  R r;
  r.task_line("FORK timestamp=0.000000030 pid=101 ppid=100");
  r.entry(10, 0, R::kMain)
      .entry(11, 1, R::kG)
      .entry(12, 2, R::kFork)
      .exit(14, 2, R::kFork)
      .exit(15, 1, R::kG);
  r.entry(16, 1, R::kF).exit(40, 1, R::kF).exit(50, 0, R::kMain);
  r.thread(101).exit(32, 2, R::kFork).entry(33, 2, R::kF).exit(34, 2, R::kF);
  const auto lines = r.lines();
  EXPECT_THAT(lines, testing::Contains("101/101 [32, 34] demo:g repaired=\"inherited-call,open-at-end\""));
  EXPECT_THAT(lines, testing::Contains("100/100 @12 flow from event:fork #1"));
}

// At the time of a FORK line, the parent may already run another program.
TEST(UftraceForks, AChildRunsTheProgramOfItsParentAtTheFork) {
  R r;
  r.task_line("SESS timestamp=0.000000020 pid=100 sid=00000000000000ff exename=\"/bin/other\"");
  r.task_line("TASK timestamp=0.000000020 tid=100 pid=100");
  r.task_line("FORK timestamp=0.000000030 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(12, 1, R::kFork).exit(14, 1, R::kFork).exit(16, 0, R::kMain);
  r.thread(101).exit(32, 1, R::kFork).entry(33, 1, R::kF).exit(34, 1, R::kF).exit(40, 0, R::kMain);
  EXPECT_THAT(r.lines({.tids = {101}}), ElementsAre("101/101 [32, 40] demo:main repaired=\"inherited-call\"",
                                                    "101/101 [32 demo:fork repaired=\"inherited-call\"",
                                                    "101/101 32] demo:fork", "101/101 [33, 34] demo:f"));
  EXPECT_THAT(r.threads(), ElementsAre(testing::HasSubstr("demo")));
}

TEST(UftraceForks, AChildWithoutCallsHasNoArrow) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(25, 1, R::kFork).exit(40, 0, R::kMain);
  r.thread(101).lost(3);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 40] demo:main", "100/100 [15, 25] demo:fork"));
}

TEST(UftraceForks, OnlySelectedThreadsAreShown) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(25, 1, R::kFork).exit(40, 0, R::kMain);
  r.thread(101).exit(22, 1, R::kFork);
  ImportOptions only_the_child;
  only_the_child.tids = {101};
  EXPECT_THAT(r.lines(only_the_child),
              ElementsAre("101/101 [22 demo:main repaired=\"inherited-call,open-at-end\"",
                          "101/101 [22 demo:fork repaired=\"inherited-call\"", "101/101 22] demo:fork",
                          "101/101 22] demo:main"));
}

TEST(UftraceExec, EndsTheOldImagesCalls) {
  R r;
  r.task_line("SESS timestamp=0.000000020 pid=100 sid=00000000000000ff exename=\"/bin/other\"");
  r.task_line("TASK timestamp=0.000000025 tid=100 pid=100");
  r.file("sid-00000000000000ff.map", "00500000-00502000 r-xp 00000000 00:00 0 /bin/other\n");
  r.file("other.sym", "0000000000001000 00000100 T start\n");
  r.entry(10, 0, R::kMain).entry(12, 1, R::kF).entry(30, 0, 0x501000).exit(40, 0, 0x501000);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main repaired=\"closed-by-exec\"",
                                     "100/100 [12, 20] demo:f repaired=\"closed-by-exec\"",
                                     "100/100 @20 event:exec /bin/other path=\"/bin/other\"",
                                     "100/100 [30, 40] other:start"));
  EXPECT_THAT(r.threads(), ElementsAre("100/100 other of other"));
}

TEST(UftraceDlopen, IsAnInstant) {
  R r;
  r.task_line("DLOP timestamp=0.000000015 tid=100 sid=0123456789abcdef base=700000 libname=\"./plug.so\"");
  r.file("plug.so.sym", "# path name: ./plug.so\n0000000000000100 00000100 T plug\n");
  r.entry(10, 0, R::kMain).entry(20, 1, 0x700100).exit(30, 1, 0x700100).exit(40, 0, R::kMain);
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 40] demo:main", "100/100 @15 event:dlopen path=\"./plug.so\"",
                          "100/100 [20, 30] plug.so:plug"));
}

// ---- The forking call ----

// Children may run after the parent has continued, so their FORK lines may have any order. The pids of the
// children are in the order of the forks.
TEST(UftraceForks, ForkingCallsAndPidsHaveTheSameOrder) {
  R r;
  r.task_line("FORK timestamp=0.000000060 pid=103 ppid=100");
  r.task_line("FORK timestamp=0.000000061 pid=101 ppid=100");
  r.task_line("FORK timestamp=0.000000062 pid=102 ppid=100");
  r.entry(10, 0, R::kMain);
  for (const std::uint64_t at : {20u, 30u, 40u, 70u}) r.entry(at, 1, R::kFork).exit(at + 2, 1, R::kFork);
  r.exit(90, 0, R::kMain);
  for (const std::uint64_t child : {101u, 102u, 103u}) r.thread(child).exit(child, 1, R::kFork);
  const auto lines = r.lines();
  std::map<std::string, std::string> time_of;  // by flow
  for (const std::string& line : lines)
    if (const auto at = line.find(" flow "); at != std::string::npos)
      time_of[line.substr(line.find('#')) + line.substr(at, 8)] = line.substr(0, at);
  std::map<std::string, std::string> from_of;  // by child
  for (const std::string flow : {"#1", "#2", "#3"})
    from_of[time_of[flow + " flow to"]] = time_of[flow + " flow fr"];
  EXPECT_EQ(from_of, (std::map<std::string, std::string>{{"101/101 @101", "100/100 @20"},
                                                         {"102/102 @102", "100/100 @30"},
                                                         {"103/103 @103", "100/100 @40"}}));
}

// After the largest pid, the kernel starts again with small pids.
TEST(UftraceForks, ASmallPidMayComeAfterALargeOne) {
  R r;
  r.task_line("FORK timestamp=0.000000060 pid=7 ppid=100")
      .task_line("FORK timestamp=0.000000061 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kFork).exit(22, 1, R::kFork).entry(30, 1, R::kFork);
  r.exit(32, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(7).exit(71, 1, R::kFork).thread(101).exit(72, 1, R::kFork);
  const auto lines = r.lines();
  EXPECT_THAT(lines, testing::IsSupersetOf(
                         {"100/100 @20 flow from event:fork #1", "101/101 @72 flow to event:fork #1",
                          "100/100 @30 flow from event:fork #2", "7/7 @71 flow to event:fork #2"}));
}

// Child 101 has no records, but the first call of fork still belongs to it. The flow to child 102 starts in
// the second call.
TEST(UftraceForks, ChildrenWithoutRecordsHaveAForkingCall) {
  R r;
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100")
      .task_line("FORK timestamp=0.000000061 pid=102 ppid=100");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kFork).exit(22, 1, R::kFork).entry(30, 1, R::kFork);
  r.exit(32, 1, R::kFork).exit(90, 0, R::kMain).thread(102).exit(72, 1, R::kFork);
  EXPECT_THAT(r.lines(), testing::Contains("100/100 @30 flow from event:fork #1"));
}

// The call of fork contains a call of _Fork. Together, they are one fork, and the flow starts in the outer
// call.
TEST(UftraceForks, NestedForksAreOneFork) {
  R r;
  r.file(
      "demo.sym",
      "0000000000001000 00000100 T main\n0000000000001100 00000100 T f\n0000000000001200 00000100 T _Fork\n"
      "0000000000001400 00000100 P fork\n");
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100")
      .task_line("FORK timestamp=0.000000061 pid=102 ppid=100");
  r.entry(10, 0, R::kMain);
  for (const std::uint64_t at : {20u, 30u})
    r.entry(at, 1, R::kFork).entry(at + 1, 2, R::kG).exit(at + 2, 2, R::kG).exit(at + 3, 1, R::kFork);
  r.exit(90, 0, R::kMain);
  r.thread(101).exit(71, 2, R::kG).exit(72, 1, R::kFork).thread(102).exit(81, 2, R::kG).exit(82, 1, R::kFork);
  const auto lines = r.lines();
  EXPECT_THAT(lines, testing::IsSupersetOf({"100/100 @20 flow from event:fork #1",
                                            "100/100 @30 flow from event:fork #2",
                                            "102/102 [81, 82] demo:fork repaired=\"inherited-call\""}));
}

// If `fork` was not recorded, the child's first exit shows which call of the parent forked.
TEST(UftraceForks, AForkingCallMayHaveAnyName) {
  R r;
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kG).exit(22, 1, R::kG).entry(30, 1, R::kF).exit(90, 1, R::kF);
  r.thread(101).exit(71, 1, R::kG);
  EXPECT_THAT(r.lines(), testing::Contains("100/100 @20 flow from event:fork #1"));
}

// A call of the same function at another depth is not the forking call.
TEST(UftraceForks, AForkingCallOfAnyNameHasTheDepthOfTheChildsExit) {
  R r;
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(12, 1, R::kF).exit(14, 1, R::kF);
  r.entry(20, 1, R::kG).entry(21, 2, R::kF).exit(23, 2, R::kF).exit(24, 1, R::kG);
  r.entry(30, 1, R::kG).exit(90, 1, R::kG);
  r.thread(101).exit(71, 2, R::kF);
  EXPECT_THAT(r.lines(), testing::Contains("100/100 @21 flow from event:fork #1"));
}

TEST(UftraceForks, WithoutAForkingCallTheArrowStartsInTheOpenCallOfTheParent) {
  R r;
  r.task_line("FORK timestamp=0.000000025 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(30, 1, R::kF).entry(40, 1, R::kG).exit(50, 1, R::kG);
  r.thread(101).entry(26, 2, R::kG).exit(27, 2, R::kG);
  EXPECT_THAT(r.lines(),
              testing::IsSupersetOf({"100/100 @20 flow from event:fork #1",
                                     "101/101 [26, 27] demo:f repaired=\"inherited-call,open-at-end\""}));
}

TEST(UftraceForks, AFlippedBitInATimeOfTheParentChangesNothing) {
  constexpr std::uint64_t kStart = 1'000'000'000'000;
  constexpr int kFlippedRecord = 2;
  for (int bit = 0; bit < 64; ++bit) {
    R r;
    r.task_line("FORK timestamp=1000.000000060 pid=101 ppid=100");
    int count = 0;
    const auto time = [&](std::uint64_t at) {
      return (kStart + at) ^ (count++ == kFlippedRecord ? std::uint64_t{1} << bit : 0);
    };
    r.entry(time(10), 0, R::kMain)
        .entry(time(11), 1, R::kF)
        .entry(time(12), 2, R::kG)
        .exit(time(13), 2, R::kG);
    r.entry(time(20), 2, R::kFork)
        .exit(time(22), 2, R::kFork)
        .exit(time(30), 1, R::kF)
        .entry(time(40), 1, R::kG);
    r.exit(time(80), 1, R::kG).exit(time(90), 0, R::kMain);
    r.thread(101).exit(kStart + 71, 2, R::kFork).entry(kStart + 72, 2, R::kG).exit(kStart + 73, 2, R::kG);
    const auto lines = r.lines();
    EXPECT_THAT(lines,
                testing::Contains(testing::HasSubstr("] demo:f repaired=\"inherited-call,open-at-end\"")))
        << "bit " << bit;
    const auto from = std::ranges::find_if(
        lines, [](const std::string& line) { return line.ends_with("flow from event:fork #1"); });
    ASSERT_NE(from, lines.end()) << "bit " << bit;
    EXPECT_THAT(lines, testing::Contains(testing::AllOf(
                           testing::StartsWith("100/100 [" + from->substr(9, from->find(" flow") - 9)),
                           testing::EndsWith("demo:fork"))))
        << "bit " << bit << ": " << *from;
  }
}

// The entry of fork has a wrong time, which is later than the FORK line and the next records.
TEST(UftraceForks, AForkingCallMayHaveATooLateTime) {
  R r;
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(20 + 64, 1, R::kFork).exit(22, 1, R::kFork).entry(30, 1, R::kG);
  r.exit(91, 1, R::kG).exit(92, 0, R::kMain);
  r.thread(101).exit(71, 1, R::kFork).entry(72, 1, R::kF).exit(73, 1, R::kF);
  const auto lines = r.lines();
  const auto arrow = std::ranges::find(lines, "100/100 @84 flow from event:fork #1");
  ASSERT_NE(arrow, lines.end());
  EXPECT_EQ(*std::prev(arrow), "100/100 [84 demo:fork");
}

TEST(UftraceForks, ACallThatIsTooDeepHasNoArrow) {
  constexpr std::uint64_t kHidden = 512;
  R r;
  r.task_line("FORK timestamp=0.000002000 pid=101 ppid=100");
  for (std::uint64_t depth = 0; depth < kHidden; ++depth) r.entry(10 + depth, depth, R::kF);
  r.entry(1000, kHidden, R::kFork).exit(1001, kHidden, R::kFork);
  for (std::uint64_t depth = kHidden; depth-- > 0;) r.exit(4000 - depth, depth, R::kF);
  r.thread(101).entry(3000, 0, R::kMain).exit(3001, 0, R::kMain);
  EXPECT_THAT(r.lines(), testing::Not(testing::Contains(testing::HasSubstr(" flow "))));
}

// The child's first record ends its only call, so the flow must end before this record. The label of the call
// may already be in a cache, because the parent has used it.
TEST(UftraceForks, TheArrowEndsInTheCallThatTheChildLeaves) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kF).exit(12, 0, R::kF).entry(15, 0, R::kFork).exit(25, 0, R::kFork);
  r.thread(101).exit(22, 0, R::kFork);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 12] demo:f", "100/100 [15, 25] demo:fork",
                                     "100/100 @15 flow from event:fork #1",
                                     "101/101 [22 demo:fork repaired=\"inherited-call\"",
                                     "101/101 @22 flow to event:fork #1", "101/101 22] demo:fork"));
}

// Viewers connect a flow with the call that is open at the time of the flow. Here, main is open, because f
// has ended.
TEST(UftraceForks, WithoutTheForkingCallTheArrowStartsInTheCallAroundIt) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(12, 1, R::kF).exit(15, 1, R::kF).exit(40, 0, R::kMain);
  r.thread(101).entry(22, 1, R::kG).exit(24, 1, R::kG);
  EXPECT_THAT(r.lines(), testing::Contains("100/100 @10 flow from event:fork #1"));
}

// ---- Programs and libraries ----

TEST(UftraceExec, EndsTheInheritedCallsOfAForkedChild) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.task_line("SESS timestamp=0.000000030 pid=101 sid=00000000000000ff exename=\"/bin/other\"");
  r.task_line("TASK timestamp=0.000000031 tid=101 pid=101");
  r.file("sid-00000000000000ff.map", "00500000-00502000 r-xp 00000000 00:00 0 /bin/other\n");
  r.file("other.sym", "0000000000001000 00000100 T start\n");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(25, 1, R::kFork).exit(40, 0, R::kMain);
  r.thread(101).exit(22, 1, R::kFork).entry(35, 0, 0x501000).exit(37, 0, 0x501000);
  EXPECT_THAT(r.lines(),
              testing::IsSupersetOf({"101/101 [22, 30] demo:main repaired=\"inherited-call,closed-by-exec\"",
                                     "101/101 @30 event:exec /bin/other path=\"/bin/other\"",
                                     "101/101 [35, 37] other:start"}));
}

// Two programs with the same base name use one .sym file. Before uftrace 0.10, a .sym file did not name its
// module.
TEST(UftraceExec, MayStartAProgramWithTheSameBasename) {
  R r;
  r.task_line("SESS timestamp=0.000000030 pid=100 sid=00000000000000bb exename=\"/other/demo\"");
  r.file("sid-00000000000000bb.map", "401000-403000 r-xp 00000000 00:00 0    /other/demo\n");
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain);
  r.lines();
  EXPECT_THAT(r.notes(),
              testing::IsSupersetOf(
                  {"unsure-symbols 1",
                   "DIR/demo.sym: may have the symbols of any of these modules: /bin/demo, /other/demo"}));
  r.file("demo.sym", "# path name: /bin/demo\n0000000000001000 T main\n");
  r.lines();
  EXPECT_THAT(r.notes(), testing::Not(testing::Contains("unsure-symbols 1")));
}

// A thread without records has a lane for the events in task.txt.
TEST(UftraceExec, IsShownOnAThreadWithoutRecords) {
  R r;
  r.elapsed("0.010904173");
  r.task_line("FORK timestamp=900000.000000020 pid=101 ppid=100");
  r.task_line("SESS timestamp=900000.000000030 pid=101 sid=0123456789abcdef exename=\"/bin/other\"");
  r.task_line(
      "DLOP timestamp=900000.000000040 tid=101 sid=0123456789abcdef base=700000 libname=\"./plug.so\"");
  r.entry(900'000'000'000'010, 0, R::kMain).exit(900'000'000'000'050, 0, R::kMain);
  EXPECT_THAT(r.lines(),
              testing::IsSupersetOf({"101/101 @900000000000030 event:exec /bin/other path=\"/bin/other\"",
                                     "101/101 @900000000000040 event:dlopen path=\"./plug.so\""}));
}

// main is open until dlopen, because dlopen proves that the thread was running. A message does not prove
// this.
TEST(UftraceDlopen, AfterTheRecordsProlongsTheOpenCalls) {
  R r;
  r.task_line("DLOP timestamp=0.000000040 tid=100 sid=0123456789abcdef base=700000 libname=\"./plug.so\"");
  r.file("extern.dat", "0.000000030 a\n0.000000050 b\n");
  r.entry(10, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10 demo:main repaired=\"open-at-end\"",
                                     "100/100 @30 event:external-data: a message=\"a\"",
                                     "100/100 @40 event:dlopen path=\"./plug.so\"", "100/100 40] demo:main",
                                     "100/100 @50 event:external-data: b message=\"b\""));
}

TEST(UftraceDlopen, OfAnUnknownThreadIsNoted) {
  R r;
  r.task_line("DLOP timestamp=0.000000015 tid=777 sid=0123456789abcdef base=700000 libname=\"./plug.so\"");
  r.entry(10, 0, R::kMain).exit(40, 0, R::kMain).lines();
  EXPECT_THAT(r.notes(), ElementsAre("no-thread 1", "DIR/task.txt: load of ./plug.so by thread 777"));
}

TEST(UftraceEnd, OfAProgramByASignalIsShown) {
  R r;
  r.info_line("exit_status:139");
  r.entry(10, 0, R::kMain).thread(101).entry(20, 0, R::kF).exit(30, 0, R::kF);
  r.task_line("TASK timestamp=0.000000015 tid=101 pid=100");
  EXPECT_THAT(r.lines(), testing::Contains("100/100 @10 event:killed by SIGSEGV"));
  EXPECT_THAT(r.lines(), testing::Not(testing::Contains(testing::HasSubstr("101/101 @30 event"))))
      << "said by its leader alone";
  R by_itself;
  by_itself.info_line("exit_status:256");
  EXPECT_THAT(by_itself.entry(10, 0, R::kMain).lines(),
              testing::Not(testing::Contains(testing::HasSubstr("event:"))));
}

}  // namespace
}  // namespace convert::uftrace
