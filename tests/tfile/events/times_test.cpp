// Tests the times of frames: from timestamps, from KGTP's clocks, or from neighboring frames.
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

void describe_stamped(TraceBuilder& t, std::string_view status = "") {
  t.line("R 40").line("status 0;tstop::0" + std::string(status)).line(kStamp).line("tp T2:8000:E:0:0");
}

std::vector<std::string> times(TraceBuilder& t, const ImportOptions& options = {}) {
  std::vector<std::string> times;
  for (const std::string& line : t.lines(options))
    if (line.starts_with('@') && line.find(" counter ") == std::string::npos)
      times.push_back(line.substr(0, line.find(' ')));
  return times;
}

TEST(KernelTimes, AreNanosecondsOfItsClock) {
  TraceBuilder t;
  t.line("R 40").line("tsv 5:0:1:636c6f636b").line("tp T2:8000:E:0:0");
  t.frame(2).variable(5, 123'456).frame(2).variable(5, 123'457).end();
  EXPECT_THAT(times(t), ElementsAre("@123456", "@123457"));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("clock=\"kernel cpu clock\"")));
  EXPECT_THAT(t.all_lines(), Not(Contains(HasSubstr(" counter ")))) << "a time is no counter";
}

TEST(KernelTimes, MayComeFromTheWallClock) {
  TraceBuilder t;
  t.line("R 40").line("tsv 12:0:1:7874696d655f736563").line("tsv 13:0:1:7874696d655f6e736563");
  t.line("tp T2:8000:E:0:0");
  t.frame(2).variable(18, 1'700'000'000).variable(19, 5);
  t.frame(2).variable(18, 1'700'000'000).variable(19, 999'999'999);
  t.frame(2).variable(18, 1'700'000'001).variable(19, 0);
  t.frame(2).variable(18, 1'700'000'001).variable(19, 1'000'000'000);
  t.frame(2).variable(18, 0).variable(19, 1).frame(2).variable(18, 1'700'000'001).variable(19, -1);
  t.frame(2).variable(18, 9'223'372'036).variable(19, 0);
  t.frame(2).variable(18, 1'700'000'002).frame(2).variable(19, 7).end();
  const auto lines = times(t);
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 3),
              ElementsAre("@1700000000000000005", "@1700000000999999999", "@1700000001000000000"));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("clock=\"kernel wall clock\"")));
  EXPECT_THAT(t.notes(), Contains("bad-time 4"));
  EXPECT_THAT(t.notes(), Contains("synthetic-time 6")) << "the last two are half a time";
}

TEST(KernelTimes, TheClockIsPreferredToTheWallClock) {
  TraceBuilder t;
  t.line("R 40").line("tsv 5:0:1:636c6f636b").line("tsv 12:0:1:7874696d655f736563");
  t.line("tsv 13:0:1:7874696d655f6e736563").line("tp T2:8000:E:0:0");
  t.frame(2).variable(18, 1'700'000'000).variable(19, 5).variable(5, 123'456).end();
  EXPECT_THAT(times(t), ElementsAre("@123456"));
}

TEST(KernelTimes, NeedTheVariablesOfTheModule) {
  TraceBuilder t;
  t.line("R 40").line("tsv 5:0:0:636c6f636b").line("tp T2:8000:E:0:0").frame(2).variable(5, 123'456).end();
  EXPECT_THAT(t.lines(), Contains(HasSubstr(" counter variable:variable #0 $clock=123456")));
  EXPECT_THAT(t.notes(), Contains("no-time-stamps 1"));
}

TEST(KernelTimes, AStoppedClockIsIgnored) {
  TraceBuilder t;
  t.line("R 40").line("tsv 5:0:1:636c6f636b").line("tp T2:8000:E:0:0");
  t.frame(2).variable(5, 0).frame(2).variable(5, 1).end();
  times(t);
  EXPECT_THAT(t.notes(), Contains("bad-time 1"));
}

// Older gdbservers use the time of day. 10^15 microseconds is a time in 2001.
TEST(UnixTimes, AreRecognizedByTheirSize) {
  const auto clock_of = [](std::int64_t time_us) {
    TraceBuilder t;
    describe_stamped(t);
    t.frame(2).variable(1, time_us).end().lines();
    for (const std::string& line : t.all_lines())
      if (const auto at = line.find("clock="); at != std::string::npos) return line.substr(at);
    return std::string();
  };
  EXPECT_EQ(clock_of(999'999'999'999'999), "clock=\"monotonic\"");
  EXPECT_EQ(clock_of(1'000'000'000'000'000), "clock=\"unix\"");
  EXPECT_EQ(clock_of(9'223'372'036'854'774), "clock=\"unix\"");
  EXPECT_EQ(clock_of(9'223'372'036'854'775), "clock=\"none\"") << "behind all times";
  EXPECT_EQ(clock_of(0), "clock=\"none\"");
}

TEST(TraceTimes, UnstampedFramesAreBetweenStartAndStop) {
  TraceBuilder t;
  describe_stamped(t, ";starttime:64;stoptime:68");
  t.frame(2).frame(2).variable(1, 102).frame(2).end();
  EXPECT_THAT(times(t), ElementsAre("@101000", "@102000", "@103000"));
}

TEST(TraceTimes, BetweenFarStampsAreExact) {
  TraceBuilder t;
  describe_stamped(t);
  t.frame(2).variable(1, 1);
  for (int i = 0; i < 16; ++i) t.frame(2);
  t.frame(2).variable(1, 4'611'686'018'427'388).end();
  EXPECT_EQ(times(t).at(5), "@1356378240713938352") << "rounded down from 352.94";
}

// KGTP's module has variables for the kernel's clock and the id of the thread. A frame without a clock gets a
// time between its neighbors, even if a neighbor is not shown.
TEST(TraceTimes, DoNotDependOnTheShownThreads) {
  TraceBuilder t;
  t.line("R 40").line("tsv 5:0:1:636c6f636b").line("tsv 1a:0:1:63757272656e745f7461736b5f706964");
  t.line("tp T2:8000:E:0:0");
  t.frame(2).variable(26, 7).variable(5, 1000).frame(2).variable(26, 42).variable(5, 5000);
  t.frame(2).variable(26, 7).frame(2).variable(26, 42).variable(5, 9000).end();
  EXPECT_THAT(times(t), ElementsAre("@1000", "@5000", "@7000", "@9000"));
  EXPECT_THAT(times(t, {.tids = {7}}), ElementsAre("@1000", "@7000"));
}

TEST(TraceTimes, StampsThatContradictStartAndStopAreKept) {
  TraceBuilder late;
  describe_stamped(late, ";starttime:c8;stoptime:c9");
  late.frame(2).frame(2).variable(1, 102).frame(2).variable(1, 300).frame(2).end();
  EXPECT_THAT(times(late), ElementsAre("@100000", "@102000", "@300000", "@301000"));
  EXPECT_THAT(late.all_lines(), Not(Contains(HasSubstr("session:trace start"))));
  EXPECT_THAT(late.all_lines(), Not(Contains(HasSubstr("session:trace stop"))));
}

// The times at which tracing started and stopped are on another clock than KGTP's timestamps.
TEST(KernelTimes, AreNotComparedWithStartAndStop) {
  const auto between_start_and_stop = [](TraceBuilder& t) -> TraceBuilder& {
    return t.line("R 40").line("status 0;tstop::0;starttime:64;stoptime:5f5e100").line("tp T2:8000:E:0:0");
  };
  TraceBuilder of_cpu, of_wall;
  between_start_and_stop(of_cpu).line("tsv 5:0:1:636c6f636b");
  of_cpu.frame(2).frame(2).variable(5, 5'000'000'000).frame(2).end();
  between_start_and_stop(of_wall)
      .line("tsv 12:0:1:7874696d655f736563")
      .line("tsv 13:0:1:7874696d655f6e736563");
  of_wall.frame(2).frame(2).variable(18, 5).variable(19, 0).frame(2).end();
  for (TraceBuilder* t : {&of_cpu, &of_wall}) {
    EXPECT_THAT(times(*t), ElementsAre("@4999998500", "@5000000000", "@5000001000"));
    EXPECT_THAT(t->all_lines(), Not(Contains(HasSubstr("session:trace start"))));
    EXPECT_THAT(t->all_lines(), Not(Contains(HasSubstr("session:trace stop"))));
  }
}

TEST(TraceTimes, FramesBeforeTheFirstStampAreNotBeforeTimeZero) {
  TraceBuilder t;
  describe_stamped(t);
  t.frame(2).frame(2).variable(1, 1).end();
  EXPECT_THAT(times(t), ElementsAre("@500", "@1000"));
}

TEST(TraceTimes, MayBeEqual) {
  TraceBuilder t;
  describe_stamped(t);
  t.frame(2).variable(1, 5).frame(2).frame(2).variable(1, 5).frame(2).variable(1, 5).end();
  EXPECT_THAT(times(t), ElementsAre("@5000", "@5000", "@5000", "@5000"));
  EXPECT_THAT(t.notes(), Not(Contains(HasSubstr("time-reversed"))));
}

TEST(TraceTimes, FramesWithTimesThatGoBackKeepTheirBlocks) {
  TraceBuilder t;
  t.line("R 40").line(kStamp).line("tp T2:8000:E:0:0").line("tp A2:8000:R0fM-1,1000,4");
  t.source("2:8000", "cmd", "collect $regs, g");
  for (const int time : {30, 10, 20})
    t.frame(2)
        .registers(i386_registers(0x8000, 0x1000'0000u + static_cast<std::uint32_t>(time)))
        .memory(0x1000, t.number(std::int32_t{time}))
        .variable(1, time);
  t.end();
  ImportOptions options;
  options.blobs = Blobs::None;
  const auto lines = t.lines(options);
  EXPECT_THAT(lines,
              Contains(testing::AllOf(HasSubstr("[10000 "), HasSubstr(" frame=1 "), HasSubstr(" g=10 "))));
  EXPECT_THAT(lines,
              Contains(testing::AllOf(HasSubstr("[20000 "), HasSubstr(" frame=2 "), HasSubstr(" g=20 "))));
  EXPECT_THAT(lines, Contains(HasSubstr(" reg.esp=0x1000000a")));
  EXPECT_THAT(lines, Contains(HasSubstr(" reg.esp=0x1000001e")));
}

TEST(FirstView, CoversTheFramesWithAMargin) {
  TraceBuilder t;
  describe_stamped(t, ";starttime:3e8;stoptime:989680");  // 1000 us, 10 s
  for (const std::int64_t time_us : {2000, 2500, 4000}) t.frame(2).variable(1, time_us);
  t.end().lines();
  EXPECT_EQ(t.first_view(), "1900000~4100000");
  t.lines({}, {.frames = FrameChoice::Tracks});
  EXPECT_EQ(t.first_view(), "1900000~4100000");
}

TEST(FirstView, AShortOneHasAMicrosecondOnEachSide) {
  TraceBuilder t;
  describe_stamped(t, ";starttime:3e8;stoptime:989680");
  t.frame(2).variable(1, 2000).end().lines();
  EXPECT_EQ(t.first_view(), "1999000~2001000");
}

TEST(FirstView, DoesNotBeginBeforeTimeZero) {
  TraceBuilder t;
  describe_stamped(t);
  t.frame(2).variable(1, 1).frame(2).variable(1, 1001).end().lines();
  EXPECT_EQ(t.first_view(), "0~1051000");
}

TEST(FirstView, CoversFramesWithoutAStamp) {
  TraceBuilder t;
  describe_stamped(t, ";starttime:3e8;stoptime:7d0");  // 1000 us, 2000 us
  for (int i = 0; i < 4; ++i) t.frame(2);
  EXPECT_THAT(times(t.end()), ElementsAre("@1200000", "@1400000", "@1600000", "@1800000"));
  EXPECT_EQ(t.first_view(), "1170000~1830000");
}

TEST(FirstView, ReachesFromTheEarliestToTheLatestFrame) {
  TraceBuilder t;
  describe_stamped(t);
  for (const std::int64_t time_us : {300, 100, 500, 200}) t.frame(2).variable(1, time_us);
  t.end().lines();
  EXPECT_EQ(t.first_view(), "80000~520000");
}

TEST(FirstView, CoversTheShownThreads) {
  TraceBuilder t;
  t.line("R 0").line(kStamp).line("tsv 1a:0:1:63757272656e745f7461736b5f706964");  // current_task_pid
  for (const std::int64_t pid : {42, 7, 7, 42}) t.frame(2).variable(1, 1000 + pid).variable(26, pid);
  t.end();
  ImportOptions options;
  options.tids = {7};
  t.lines(options);
  EXPECT_EQ(t.first_view(), "1006000~1008000");
}

TEST(FirstView, NeedsFrames) {
  TraceBuilder t;
  describe_stamped(t, ";starttime:3e8;stoptime:989680");
  t.end().lines();
  EXPECT_EQ(t.first_view(), "");
}

TEST(TraceSession, ShowsTheStatus) {
  TraceBuilder t;
  describe_stamped(t, ";tframes:3;tcreated:3;tfree:10;tsize:20;starttime:f4241;stoptime:1e8482");
  t.frame(2).variable(1, 1'500'000).end().lines();
  EXPECT_THAT(t.all_lines(),
              Contains(HasSubstr("session:trace status stop_reason=\"stopped by command\" frames=1 "
                                 "frames_created=3 start=\"1.000001 s\" stop=\"2.000002 s\" circular=0 "
                                 "buffer_size=32 buffer_free=16 frames_expected=3 clock=\"monotonic\"")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("@1500000000 session:frames missing count=2")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("@1000001000 session:trace start")));
  EXPECT_THAT(t.all_lines(),
              Contains(HasSubstr("@2000002000 session:trace stop stop_reason=\"stopped by command\"")));
  EXPECT_THAT(t.all_lines(), Not(Contains(HasSubstr("session:overwritten"))));
  EXPECT_THAT(t.all_lines(), Not(Contains(HasSubstr("session:buffer full"))));
  EXPECT_THAT(t.notes(), Contains("FILE: the status line counts 3 frames, but the file has 1"));
}

TEST(TraceSession, WithoutFramesHasStartAndStop) {
  TraceBuilder t;
  describe_stamped(t, ";tframes:0;starttime:64;stoptime:68");
  t.end().lines();
  EXPECT_THAT(t.threads(), ElementsAre(HasSubstr(" no frames")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("@100000 session:trace start")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("@104000 session:trace stop")));
}

TEST(TraceSession, DoesNotEndBeforeItsStart) {
  TraceBuilder t;
  describe_stamped(t, ";starttime:68;stoptime:67");
  t.frame(2).frame(2).end();
  EXPECT_THAT(times(t), ElementsAre("@105000", "@106000"));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("@104000 session:trace start")));
  EXPECT_THAT(t.all_lines(), Not(Contains(HasSubstr("session:trace stop"))));
}

TEST(TraceSession, WithoutStatusShowsLittle) {
  TraceBuilder t;
  t.line("R 40").line("tp T2:8000:E:0:0").frame(2).end().lines();
  EXPECT_THAT(t.all_lines(), Contains(testing::EndsWith("session:trace status frames=1 clock=\"none\"")));
  EXPECT_THAT(t.notes(), Contains("no-status 1"));
}

TEST(TraceSession, ShowsDamageAtTheEnd) {
  TraceBuilder t;
  describe_stamped(t);
  t.frame(2).variable(1, 5).end_frame().raw("\2");
  t.lines();
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("@5000 session:damaged bytes begin=")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("problem=\"the file ends inside a frame header\"")));
}

}  // namespace
}  // namespace convert::tfile
