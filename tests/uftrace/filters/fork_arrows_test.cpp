// Flows of forks with filters. A flow leads from the forking call to the child's first call, and is only
// written if both calls are shown.
#include <cstddef>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "tests/uftrace/filters/tree.h"
#include "tests/uftrace/perf/perf_bytes.h"

namespace convert::uftrace {
namespace {

using R = RecordingBuilder;

class ForkArrows : public testing::Test {
 protected:
  // Returns the flow as text, such as "from 25, to 35". An end without a start gives an empty text.
  std::string arrow(const std::vector<std::string>& words) {
    RecordingOptions options;
    options.filters = filters_of(words);
    std::string found;
    for (const std::string& line : recording_.lines({}, options)) {
      const std::size_t flow = line.find(" flow ");
      if (flow == std::string::npos) continue;
      const std::size_t time = line.find('@') + 1;
      found += (found.empty() ? "" : ", ") + line.substr(flow + 6, line.find(' ', flow + 6) - flow - 5) +
               line.substr(time, flow - time);
    }
    return found.starts_with("to") ? "" : found;
  }
  // Process 100 calls g and fork in main. The child, process 200, returns from fork.
  void fork() {
    recording_.task_line("FORK timestamp=0.000000030 pid=200 ppid=100");
    recording_.entry(10, 0, R::kMain).entry(20, 1, R::kG).exit(22, 1, R::kG);
    recording_.entry(25, 1, R::kFork).exit(40, 1, R::kFork).exit(60, 0, R::kMain);
    recording_.thread(200).exit(35, 1, R::kFork).entry(36, 1, R::kG).exit(37, 1, R::kG).exit(41, 0, R::kMain);
  }
  // The first records of process 200 come after it has started another program.
  void spawn() {
    recording_.entry(10, 0, R::kMain).entry(25, 1, R::kFork).exit(40, 1, R::kFork).exit(60, 0, R::kMain);
    recording_.task_line("SESS timestamp=0.000000033 pid=200 sid=0123456789abcdef exename=\"/bin/demo\"");
    recording_.task_line("TASK timestamp=0.000000034 tid=200 pid=200");
    recording_.file("perf-cpu0.dat", PerfBytes().fork(27, 200, 100).text());
    recording_.thread(200).entry(35, 0, R::kF).entry(36, 1, R::kG).exit(37, 1, R::kG).exit(45, 0, R::kF);
  }
  R recording_;
};

TEST_F(ForkArrows, StartInTheForkingCallOrAreOmitted) {
  fork();
  EXPECT_EQ(arrow({"-N", "g"}), "from 25, to 35");
  EXPECT_EQ(arrow({"-H", "fork"}), "");
  EXPECT_EQ(arrow({"-t", "15"}), "from 25, to 35");
  EXPECT_EQ(arrow({"-t", "16"}), "");  // only main is shown
  EXPECT_EQ(arrow({"-F", "g"}), "");
  EXPECT_EQ(arrow({"-D", "1"}), "");
  EXPECT_EQ(arrow({"-D", "2"}), "from 25, to 35");
}

TEST_F(ForkArrows, EndInTheFirstCallOfTheChildOrAreOmitted) {
  fork();
  EXPECT_EQ(arrow({"-F", "fork"}), "");
  EXPECT_EQ(arrow({"-F", "main"}), "from 25, to 35");
  EXPECT_EQ(arrow({"-H", "main"}), "");
  EXPECT_EQ(arrow({"-C", "fork"}), "from 25, to 35");
}

TEST_F(ForkArrows, DependOnTheFirstCallOfAnotherProgram) {
  spawn();
  EXPECT_EQ(arrow({"-N", "g"}), "from 25, to 35");
  EXPECT_EQ(arrow({"-H", "f"}), "");
  EXPECT_EQ(arrow({"-C", "fork", "-C", "f"}), "from 25, to 35");
  EXPECT_EQ(arrow({"-C", "fork"}), "");
  EXPECT_EQ(arrow({"-t", "10"}), "from 25, to 35");
  EXPECT_EQ(arrow({"-t", "11"}), "");
  EXPECT_EQ(arrow({"-N", "f@if:arg1==1"}), "");  // arg1 is not recorded
}

TEST_F(ForkArrows, DoNotEndInCallsEndedByAnExec) {
  recording_.task_line("FORK timestamp=0.000000030 pid=200 ppid=100");
  recording_.task_line("SESS timestamp=0.000000032 pid=200 sid=0123456789abcdef exename=\"/bin/demo\"");
  recording_.entry(10, 0, R::kMain).entry(25, 1, R::kFork).exit(40, 1, R::kFork).exit(60, 0, R::kMain);
  recording_.thread(200).entry(35, 0, R::kF).exit(45, 0, R::kF);
  EXPECT_EQ(arrow({"-N", "g"}), "from 25, to 35");
  EXPECT_EQ(arrow({"-N", "f"}), "");
}

}  // namespace
}  // namespace convert::uftrace
