// Filters also work if calls are not simply nested, because of forks, execs, longjmp or losses. Filters also
// apply to events.
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "tests/uftrace/filters/tree.h"
#include "tests/uftrace/perf/perf_bytes.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using R = RecordingBuilder;

class FilteredStreams : public testing::Test {
 protected:
  std::vector<std::string> shown(const std::vector<std::string>& words) {
    RecordingOptions options{.cpu_tracks = true};
    options.filters = filters_of(words);
    return recording_.lines({}, options);
  }
  R recording_;
};

// If the exit of a call is lost, the filter of the call must end nevertheless. uftrace does not end it, and
// shows all later calls.
TEST_F(FilteredStreams, AFilterEndsIfTheExitOfItsCallIsLost) {
  recording_.entry(10, 0, R::kMain).entry(20, 1, R::kF).lost(3);
  recording_.entry(40, 1, R::kG).exit(50, 1, R::kG).exit(60, 0, R::kMain);
  EXPECT_THAT(shown({"-F", "f"}), ElementsAre("100/100 [20 demo:f repaired=\"cut-by-loss\"",
                                              "100/100 @20 event:records lost count=3",
                                              "100/100 @20 buffer full", "100/100 20] demo:f"));
}

TEST_F(FilteredStreams, ANotraceFilterEndsIfTheExitOfItsCallIsLost) {
  recording_.entry(10, 0, R::kMain).entry(20, 1, R::kF).lost(3);
  recording_.entry(40, 1, R::kG).exit(50, 1, R::kG).exit(60, 0, R::kMain);
  EXPECT_THAT(shown({"-N", "f"}), testing::Contains("100/100 [40, 50] demo:g"));
}

TEST_F(FilteredStreams, LongjmpEndsFilters) {
  recording_.entry(10, 0, R::kMain).entry(11, 1, R::kSetjmp).exit(12, 1, R::kSetjmp);
  recording_.entry(13, 1, R::kF)
      .exit(15, 1, R::kSetjmp)
      .entry(16, 1, R::kG)
      .exit(17, 1, R::kG)
      .exit(20, 0, R::kMain);
  EXPECT_THAT(shown({"-F", "f"}), ElementsAre("100/100 [13, 15] demo:f repaired=\"longjmp\""));
  EXPECT_THAT(shown({"-N", "f"}), testing::Contains("100/100 [16, 17] demo:g"));
  // The call did not return, so its length is unknown.
  EXPECT_THAT(shown({"-t", "1s"}), testing::Contains("100/100 [13, 15] demo:f repaired=\"longjmp\""));
}

TEST_F(FilteredStreams, AnotherProgramStartsWithoutTheFilterState) {
  recording_.task_line("SESS timestamp=0.000000030 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"");
  recording_.entry(10, 0, R::kMain).entry(20, 1, R::kF);
  recording_.entry(40, 0, R::kMain).entry(50, 1, R::kG).exit(60, 1, R::kG).exit(70, 0, R::kMain);
  EXPECT_THAT(shown({"-N", "f"}),
              testing::IsSupersetOf({"100/100 [40, 70] demo:main", "100/100 [50, 60] demo:g"}));
  EXPECT_THAT(shown({"-F", "f"}), ElementsAre("100/100 [20, 30] demo:f repaired=\"closed-by-exec\""));
  EXPECT_THAT(shown({"-D", "1"}), testing::Contains("100/100 [40, 70] demo:main"));
  EXPECT_THAT(shown({"--trace", "off", "-T", "f@trace_on"}),
              testing::Not(testing::Contains(testing::HasSubstr("demo:g"))));
}

TEST_F(FilteredStreams, EachThreadHasItsTraceFlag) {
  recording_.task_line("TASK timestamp=0.000000002 tid=101 pid=100");
  recording_.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(30, 1, R::kF).exit(40, 0, R::kMain);
  recording_.thread(101).entry(25, 0, R::kG).exit(35, 0, R::kG);
  EXPECT_THAT(shown({"-T", "f@trace_off"}),
              ElementsAre("100/100 [10, 40] demo:main", "100/101 [25, 35] demo:g"));
}

TEST_F(FilteredStreams, AForkedChildInheritsTheFilterState) {
  recording_.task_line("FORK timestamp=0.000000030 pid=200 ppid=100");
  recording_.entry(10, 0, R::kMain).entry(20, 1, R::kF).entry(25, 2, R::kFork).exit(40, 2, R::kFork);
  recording_.exit(50, 1, R::kF).exit(60, 0, R::kMain);
  recording_.thread(200)
      .exit(35, 2, R::kFork)
      .entry(36, 2, R::kG)
      .exit(37, 2, R::kG)
      .exit(38, 1, R::kF)
      .entry(39, 1, R::kG);
  recording_.exit(40, 1, R::kG).exit(41, 0, R::kMain);
  EXPECT_THAT(shown({"-F", "f"}), testing::IsSupersetOf({"200/200 [36, 37] demo:g"}));
  EXPECT_THAT(shown({"-F", "f"}), testing::Not(testing::Contains("200/200 [39, 40] demo:g")));
  EXPECT_THAT(shown({"-N", "f"}), testing::Contains("200/200 [39, 40] demo:g"));
  EXPECT_THAT(shown({"-N", "f"}), testing::Not(testing::Contains("200/200 [36, 37] demo:g")));
}

TEST_F(FilteredStreams, EventsAreShownWithTheCallsAroundThem) {
  recording_.file("events.txt", "EVENT: 1000001 demo:tick\n");
  recording_.entry(10, 0, R::kMain)
      .entry(20, 1, R::kF)
      .event(25, 1000001, 0)
      .exit(30, 1, R::kF)
      .event(35, 1000001, 0);
  recording_.exit(40, 0, R::kMain);
  const auto inside = testing::Contains(testing::HasSubstr("100/100 @25 event:")),
             behind = testing::Contains(testing::HasSubstr("100/100 @35 event:"));
  EXPECT_THAT(shown({"-F", "f"}), testing::AllOf(inside, testing::Not(behind)));
  EXPECT_THAT(recording_.notes(),
              ElementsAre("calls-left-out 1", "DIR/100.dat: 1", "events-left-out 1", "DIR/100.dat: 1"));
  EXPECT_THAT(shown({"-N", "f"}), testing::AllOf(testing::Not(inside), behind));
  EXPECT_THAT(shown({"-H", "f"}), testing::AllOf(inside, behind));
  EXPECT_THAT(shown({"-D", "1"}), testing::AllOf(testing::Not(inside), testing::Not(behind)));
  EXPECT_THAT(shown({"-D", "2"}), testing::AllOf(testing::Not(inside), behind));
  // -t does not hide calls that contain a user event.
  EXPECT_THAT(shown({"-t", "1s"}),
              testing::AllOf(inside, behind, testing::Contains("100/100 [20, 30] demo:f")));
}

TEST_F(FilteredStreams, CountersAreShownWithTheirCall) {
  const std::string values(16, '\1');
  recording_.entry(10, 0, R::kMain)
      .entry(20, 1, R::kF)
      .event_with(20, 100002, values)
      .exit(30, 1, R::kF)
      .exit(50, 0, R::kMain);
  EXPECT_THAT(shown({"-t", "20"}), ElementsAre("100/100 [10, 50] demo:main"));
  EXPECT_THAT(shown({"-t", "10"}), testing::Contains(testing::HasSubstr("page-fault")));
}

// An estimated exit is moved if the thread was off the CPU at its time, even if the schedule call is hidden.
TEST_F(FilteredStreams, HiddenSwitchesDisproveEstimatedExits) {
  recording_.estimated_exits();
  recording_.entry(10, 0, R::kMain).entry(15, 1, R::kF).exit(25, 1, R::kF).exit(90, 0, R::kMain);
  recording_.file("perf-cpu0.dat", PerfBytes().out(20, 100).in(30, 100).out(40, 100).in(49, 100).text());
  const auto call = testing::Contains(testing::HasSubstr("[15, 32] demo:f repaired=\"exit-moved\"")),
             first = testing::Contains(testing::HasSubstr("[20, 30] sched:linux:schedule")),
             other = testing::Contains(testing::HasSubstr("[40, 49] sched:linux:schedule"));
  EXPECT_THAT(shown({"-t", "10"}), testing::AllOf(call, first, testing::Not(other)));
  EXPECT_THAT(recording_.notes(), testing::Contains("events-left-out 1"));
  EXPECT_THAT(shown({"-t", "9"}), testing::AllOf(call, first, other));
  EXPECT_THAT(shown({}), call);
  EXPECT_THAT(shown({"-F", "f", "-t", "11"}),
              testing::Not(testing::Contains(testing::HasSubstr("schedule"))));
  EXPECT_THAT(shown({"-T", "f@time=1", "-t", "11"}), call);
}

TEST_F(FilteredStreams, TheResultDoesNotDependOnBlocks) {
  recording_.entry(1, 0, R::kMain);
  std::uint64_t now = 2;
  for (int i = 0; i < 3000; ++i) {
    recording_.entry(now, 1, R::kF);
    for (int j = 0; j < i % 5; ++j, now += 3)
      recording_.entry(now + 1, 2, R::kG).exit(now + 2 + (i % 7 == 0), 2, R::kG);
    recording_.exit(now + 4, 1, R::kF);
    now += 5;
  }
  recording_.exit(now, 0, R::kMain);
  const std::vector<std::vector<std::string>> sets{
      {"-t", "2"}, {"-t", "9"}, {"-F", "g"}, {"-C", "g", "-D", "2"}, {"-t", "1s"}, {"-H", "f"}};
  // Small blocks turn long calls into pairs. Therefore, all calls are pairs in both conversions.
  recording_.pairs();
  std::vector<std::vector<std::string>> large;
  for (const auto& words : sets) large.push_back(shown(words));
  recording_.small_blocks();
  for (std::size_t i = 0; i < sets.size(); ++i) EXPECT_EQ(shown(sets[i]), large[i]) << i;
  EXPECT_EQ(large[4], std::vector<std::string>());
}

TEST_F(FilteredStreams, EveryNameOfAFunctionMatches) {
  recording_.file("demo.sym",
                  "0000000000001000 00000100 T main\n0000000000001100 00000100 T f\n0000000000001100 "
                  "00000100 T f_alias\n");
  recording_.entry(10, 0, R::kMain).entry(12, 1, R::kF).exit(14, 1, R::kF).exit(20, 0, R::kMain);
  EXPECT_THAT(shown({"-N", "f_alias"}), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(shown({"-N", "f"}), ElementsAre("100/100 [10, 20] demo:main"));
}

TEST_F(FilteredStreams, CallsDeepInsideHiddenCallsAreShown) {
  for (std::uint64_t depth = 0; depth < 600; ++depth) recording_.entry(10 + depth, depth, R::kMain);
  recording_.entry(1000, 600, R::kF).exit(1010, 600, R::kF);
  for (std::uint64_t depth = 600; depth-- > 0;) recording_.exit(2000 - depth, depth, R::kMain);
  EXPECT_THAT(shown({"-F", "f"}), ElementsAre("100/100 [1000, 1010] demo:f"));
}

}  // namespace
}  // namespace convert::uftrace
