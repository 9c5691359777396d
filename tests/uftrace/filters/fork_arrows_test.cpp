// Flows of forks if not all calls are shown. A flow leads from the call that forks to a child that begins in
// a shown call, and is never incomplete.
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
  // "from 25, to 35", or its written part. The end of a flow without its start must not be written.
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
  // Process 100 calls g and fork in main, and its child returns from fork.
  void fork() {
    recording_.task_line("FORK timestamp=0.000000030 pid=200 ppid=100");
    recording_.entry(10, 0, R::kMain).entry(20, 1, R::kG).exit(22, 1, R::kG);
    recording_.entry(25, 1, R::kFork).exit(40, 1, R::kFork).exit(60, 0, R::kMain);
    recording_.thread(200).exit(35, 1, R::kFork).entry(36, 1, R::kG).exit(37, 1, R::kG).exit(41, 0, R::kMain);
  }
  // A child whose records begin with its own program.
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
  EXPECT_EQ(arrow({"-t", "16"}), "");  // only main
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
  EXPECT_EQ(arrow({"-N", "f@if:arg1==1"}), "");  // the arguments are unknown here
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
