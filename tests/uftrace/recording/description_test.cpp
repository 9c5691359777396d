#include "converters/uftrace/recording/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;

TraceInfo trace_info(std::string_view task_text, const Info& info) {
  TextRecording recording;
  Notes notes;
  recording.file("task.txt", task_text);
  const Directory directory = list_directory(recording.path());
  return trace_info_of(info, Sessions(directory, info, read_task_file(directory, info.order, notes), notes));
}

Info with_offset(std::int64_t seconds) {
  Info info;
  info.utc_offset_s = seconds;
  return info;
}

constexpr std::string_view kOneProgram =
    "SESS timestamp=0.000000005 pid=100 sid=aa exename=\"/bin/draw\"\n"
    "TASK timestamp=0.000000005 tid=100 pid=100\n"
    "TASK timestamp=0.000000006 tid=101 pid=100\n";

TEST(TraceInfo, TheCommandLineOfTheProgramIsTheEndOfTheRecordersCommandLine) {
  Info recorder;
  recorder.cmdline = "/opt/uftrace record -d x.data -A draw@arg1 ./draw -n 3";
  recorder.kernel = "Linux 6.1.0-18";
  const TraceInfo info = trace_info(kOneProgram, recorder);
  EXPECT_EQ(info.session, "./draw -n 3");
  ASSERT_EQ(info.processes.size(), 1U);
  EXPECT_EQ(info.processes[0].process, ProcessId{100});
  EXPECT_THAT(info.processes[0].command_line, ElementsAre("./draw", "-n", "3"));
  EXPECT_EQ(info.system, "Linux");
  EXPECT_EQ(info.system_release, "6.1.0-18");
  EXPECT_EQ(info.machine, "");
  EXPECT_FALSE(info.wall_clock);
}

TEST(TraceInfo, TheVersionOfTheRecorderNamesTheMachine) {
  for (const auto& [version, machine] :
       {std::pair("v0.13 ( x86_64 dwarf python3 )", "x86_64"), std::pair("v0.19 ( aarch64 )", "aarch64"),
        std::pair("v0.19 ( arm perf )", "armv7l"), std::pair("v0.19 ( i386 perf sched )", "i686"),
        std::pair("v0.19 ( riscv64 )", ""), std::pair("v0.9", "")}) {
    Info info;
    info.uftrace_version = version;
    EXPECT_EQ(trace_info(kOneProgram, info).machine, machine);
  }
}

TEST(TraceInfo, ValuesOfTheRecordersOptionsAreSkipped) {
  for (const std::string options : {"-d out/draw", "-F draw", "-aF draw -lt 5us", "-adraw -k"}) {
    Info recorder;
    recorder.cmdline = "uftrace record " + options + " ./draw draw";
    EXPECT_EQ(trace_info(kOneProgram, recorder).session, "./draw draw") << options;
  }
}

TEST(TraceInfo, WithoutInfoThePathOfTheProgramIsTheCommandLine) {
  EXPECT_EQ(trace_info(kOneProgram, {}).session, "/bin/draw");
}

TEST(TraceInfo, TheWallClockIsTheClockOfTheRecordingPlusAnOffset) {
  const auto clock = trace_info(kOneProgram, with_offset(1'700'000'000)).wall_clock;
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->time_ns, 5U);
  EXPECT_EQ(clock->utc_ns, 1'700'000'000'000'000'005U);
  for (const std::int64_t impossible : {std::int64_t{-1}, std::int64_t{1} << 62})
    EXPECT_FALSE(trace_info(kOneProgram, with_offset(impossible)).wall_clock);
}

TEST(TraceInfo, ChildrenHaveAParentAndTheProgramThatTheyStarted) {
  const TraceInfo info = trace_info(
      "SESS timestamp=0.000000005 pid=100 sid=aa exename=\"/bin/draw\"\n"
      "TASK timestamp=0.000000005 tid=100 pid=100\n"
      "FORK timestamp=0.000000007 pid=102 ppid=100\n"
      "FORK timestamp=0.000000008 pid=103 ppid=100\n"
      "SESS timestamp=0.000000009 pid=103 sid=bb exename=\"/bin/ls\"\n",
      {});
  ASSERT_EQ(info.processes.size(), 3U);
  EXPECT_EQ(info.processes[1].parent, ProcessId{100});
  EXPECT_THAT(info.processes[1].command_line, ElementsAre("draw"));
  EXPECT_THAT(info.processes[2].command_line, ElementsAre("/bin/ls"));
}

}  // namespace
}  // namespace convert::uftrace
