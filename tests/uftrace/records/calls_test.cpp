// What the importer makes of records, byte by byte: plain ones, and all the odd beginnings and endings of
// uftrace.md, sections 8, 11 and 12.
#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using R = RecordingBuilder;

TEST(UftraceCalls, EntriesAndExitsAreCalls) {
  R r;
  EXPECT_THAT(r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(13, 1, R::kF).exit(20, 0, R::kMain).lines(),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 13] demo:f"));
  EXPECT_THAT(r.notes(), IsEmpty());
  EXPECT_THAT(r.threads(), ElementsAre("100/100 demo of demo"));
}

TEST(UftraceCalls, BigEndianRecordingsSayTheSame) {
  R r;
  r.big_endian();
  EXPECT_THAT(r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(13, 1, R::kF).exit(20, 0, R::kMain).lines(),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 13] demo:f"));
}

TEST(UftraceCalls, OpenCallsEndAtTheLastRecord) {
  R r;
  EXPECT_THAT(r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(13, 1, R::kF).lines(),
              ElementsAre("100/100 [10, 13] demo:main repaired=\"open-at-end\"", "100/100 [11, 13] demo:f"));
  EXPECT_THAT(r.notes(),
              ElementsAre("open-at-end 1", "DIR/100.dat:+0x30: 1 call is open at the last record"));
}

TEST(UftraceCalls, AnEventCanBeTheLastRecord) {
  R r;
  EXPECT_THAT(r.entry(10, 0, R::kMain).event(19, 100011, 4).lines(),
              ElementsAre("100/100 [10, 19] demo:main repaired=\"open-at-end\""));
}

TEST(UftraceCalls, AnExitBeforeAnyEntry) {
  R r;
  EXPECT_THAT(r.exit(10, 1, R::kF).exit(20, 0, R::kMain).lines(),
              ElementsAre("100/100 [10, 20] demo:main repaired=\"exit-without-entry\"",
                          "100/100 [10 demo:f repaired=\"exit-without-entry\"", "100/100 10] demo:f"));
  EXPECT_THAT(r.notes(), ElementsAre("exit-without-entry 2",
                                     "DIR/100.dat:+0x0: 2 calls were open before the first record"));
}

TEST(UftraceCalls, AnEntryThatIsTooDeepShowsMissingEntries) {
  R r;
  EXPECT_THAT(r.entry(10, 0, R::kMain)
                  .entry(11, 2, R::kG)
                  .exit(12, 2, R::kG)
                  .exit(13, 1, R::kF)
                  .exit(20, 0, R::kMain)
                  .lines(),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 13] demo:f repaired=\"entry-missing\"",
                          "100/100 [11, 12] demo:g"));
  EXPECT_THAT(r.notes(),
              ElementsAre("entry-missing 1", "DIR/100.dat:+0x10: an entry at depth 2, but 1 call is open"));
}

TEST(UftraceCalls, AnEntryThatIsTooShallowEndsCalls) {
  R r;
  EXPECT_THAT(r.entry(10, 0, R::kMain)
                  .entry(11, 1, R::kF)
                  .entry(15, 1, R::kG)
                  .exit(16, 1, R::kG)
                  .exit(20, 0, R::kMain)
                  .lines(),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 15] demo:f repaired=\"exit-missing\"",
                          "100/100 [15, 16] demo:g"));
  EXPECT_THAT(r.notes(),
              ElementsAre("exit-missing 1", "DIR/100.dat:+0x20: an entry at depth 1, but 2 calls are open"));
}

TEST(UftraceCalls, AnExitEndsTheCallsInside) {
  R r;
  EXPECT_THAT(r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(20, 0, R::kMain).lines(),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 20] demo:f repaired=\"exit-missing\""));
}

TEST(UftraceCalls, AnExitOfAnotherFunction) {
  R r;
  EXPECT_THAT(
      r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(15, 1, R::kG).exit(20, 0, R::kMain).lines(),
      ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 15] demo:f repaired=\"address-mismatch\""));
  EXPECT_THAT(r.notes(),
              ElementsAre("address-mismatch 1",
                          "DIR/100.dat:+0x20: an exit of 401200 at depth 1, where 401100 was entered"));
}

TEST(UftraceCalls, ExitsAtTheDepthOfTheCaller) {
  R r;
  EXPECT_THAT(r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(15, 0, R::kF).exit(20, 0, R::kMain).lines(),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 15] demo:f"));
  EXPECT_THAT(r.notes(), ElementsAre("exit-depth 1",
                                     "DIR/100.dat:+0x20: an exit at depth 0, but its entry was at depth 1"));
}

TEST(UftraceCalls, LongjmpEndsWhatWasCalledSinceSetjmp) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kSetjmp).exit(12, 1, R::kSetjmp);
  r.entry(13, 1, R::kF).entry(14, 2, R::kG).exit(20, 1, R::kSetjmp).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 30] demo:main", "100/100 [11, 12] demo:_setjmp",
                                     "100/100 [13, 20] demo:f repaired=\"longjmp\"",
                                     "100/100 [14, 20] demo:g repaired=\"longjmp\""));
  EXPECT_THAT(r.notes(), ElementsAre("longjmp 1", "DIR/100.dat:+0x50: a second return of setjmp at depth 1"));
}

TEST(UftraceCalls, LostRecords) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kF).entry(12, 2, R::kG).lost(7);
  r.exit(20, 1, R::kF).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 30] demo:main", "100/100 [11, 20] demo:f",
                                     "100/100 [12 demo:g repaired=\"cut-by-loss\"",
                                     "100/100 @12 event:records lost count=7", "100/100 @12 buffer full",
                                     "100/100 12] demo:g"));
  EXPECT_THAT(
      r.notes(),
      ElementsAre("records-lost 7", "DIR/100.dat:+0x30: the recorder lost 7 records", "cut-by-loss 1",
                  "DIR/100.dat:+0x40: in the gap before this record, calls that ended: 1, that began: 0"));
}

TEST(UftraceCalls, ALossHidesEntries) {
  R r;
  r.entry(10, 0, R::kMain).lost(7).exit(20, 2, R::kG).exit(21, 1, R::kF).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 30] demo:main", "100/100 @10 event:records lost count=7",
                          "100/100 @10 buffer full", "100/100 [20, 21] demo:f repaired=\"cut-by-loss\"",
                          "100/100 [20 demo:g repaired=\"cut-by-loss\"", "100/100 20] demo:g"));
}

TEST(UftraceCalls, ALossBeforeTheFirstRecordStandsAtIt) {
  R r;
  r.lost(7).entry(10, 0, R::kMain).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 @10 event:records lost count=7", "100/100 @10 buffer full",
                                     "100/100 [10, 30] demo:main"));
}

// Section 8.3: the writer adds depth * 64 to the word, so depth 1024 is stored as 0, with the address one
// larger.
TEST(UftraceCalls, DepthsBeyond1023RunIntoTheAddress) {
  R r;
  r.max_stack(2000);
  for (std::uint64_t d = 0; d < 1500; ++d) r.entry(10 + d, d, d < 1490 ? R::kF : R::kG);
  for (std::uint64_t d = 1500; d-- > 0;) r.exit(4000 - d, d, d < 1490 ? R::kF : R::kG);
  const auto lines = r.lines();
  EXPECT_EQ(lines.size(), 512u) << "the rest is too deep to be shown";
  EXPECT_THAT(r.notes(), IsEmpty()) << "depths and addresses are whole again";
}

TEST(UftraceCalls, TimesThatGoBackAreHeld) {
  R r;
  EXPECT_THAT(r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(17, 1, R::kF).exit(30, 0, R::kMain).lines(),
              ElementsAre("100/100 [10, 30] demo:main", "100/100 [20 demo:f", "100/100 20] demo:f"));
  EXPECT_THAT(r.notes(), ElementsAre("time-went-back 1",
                                     "DIR/100.dat:+0x20: the record's time is 3 ns before the last one"));
}

TEST(UftraceCalls, ImpossibleTimesAreDropped) {
  R r;
  r.entry(10, 0, R::kMain).entry(0x8000'0000'0000'0000, 1, R::kF).exit(20, 1, R::kF).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 30] demo:main",
                                     "100/100 [20 demo:f repaired=\"cut-by-loss\"", "100/100 20] demo:f"));
  EXPECT_THAT(r.notes(),
              ElementsAre("bad-time 1",
                          "DIR/100.dat:+0x10: a record time of 9223372036854775808 ns is impossible here",
                          "cut-by-loss 1", testing::_));
}

TEST(UftraceCalls, TimesFarOffAreDroppedAtTheFirstRecordToo) {
  constexpr std::uint64_t kFarOff = std::uint64_t{1} << 60;
  R r;
  r.entry(kFarOff, 0, R::kMain)
      .entry(11, 1, R::kF)
      .exit(12, 1, R::kF)
      .entry(kFarOff, 1, R::kF)
      .entry(20, 1, R::kG);
  r.exit(21, 1, R::kG).exit(30, 0, R::kMain);
  const auto lines = r.lines();
  EXPECT_THAT(lines, testing::Contains("100/100 [11, 12] demo:f"));
  EXPECT_THAT(lines, testing::Contains("100/100 [20, 21] demo:g"));
  EXPECT_THAT(r.notes(), testing::Contains("bad-time 2"));
}

// ---- Processes ----

// The recorder hears of sessions in any order; the first image of a process is the one with the first time.
TEST(UftraceExecs, InAnyOrderOfLines) {
  constexpr std::string_view kSecond =
      "SESS timestamp=0.000000030 pid=200 sid=0123456789abcdef exename=\"/bin/two\"";
  constexpr std::string_view kFirst =
      "SESS timestamp=0.000000005 pid=200 sid=0123456789abcdef exename=\"/bin/one\"";
  R r;
  r.task_line(kSecond).task_line(kFirst).task_line("TASK timestamp=0.000000006 tid=200 pid=200");
  r.thread(200).entry(10, 0, R::kMain).exit(20, 0, R::kMain).entry(40, 0, R::kMain).exit(50, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("200/200 [10, 20] demo:main", "200/200 @30 event:exec path=\"/bin/two\"",
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

// A server that forks for every request: each child is found without a look at all the others.
TEST(UftraceForks, Thousands) {
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

// The child stamps the fork when its parent may have gone on: what it was called from tells its first exit.
TEST(UftraceForks, TheForkingCallIsFoundBehindTheStamp) {
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
  EXPECT_THAT(lines, testing::Contains("100/100 @16 flow from event:fork #1"))
      << "in the latest call at the stamp";
}

TEST(UftraceForks, AChildWithoutCallsHasNoArrow) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(25, 1, R::kFork).exit(40, 0, R::kMain);
  r.thread(101).lost(3);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 40] demo:main", "100/100 [15, 25] demo:fork"));
}

TEST(UftraceForks, OnlyTheWantedThreads) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(25, 1, R::kFork).exit(40, 0, R::kMain);
  r.thread(101).exit(22, 1, R::kFork);
  ImportOptions only_the_child;
  only_the_child.tids = {101};
  EXPECT_THAT(r.lines(only_the_child),
              ElementsAre("101/101 [22 [unknown]:<unknown> repaired=\"inherited-call,open-at-end\"",
                          "101/101 [22 demo:fork repaired=\"inherited-call\"", "101/101 22] demo:fork",
                          "101/101 22] [unknown]:<unknown>"));
}

TEST(UftraceExec, EndsTheOldImagesCalls) {
  R r;
  r.task_line("SESS timestamp=0.000000020 pid=100 sid=00000000000000ff exename=\"/bin/other\"");
  r.task_line("TASK timestamp=0.000000025 tid=100 pid=100");
  r.file("sid-00000000000000ff.map", "00500000-00502000 r-xp 00000000 00:00 0 /bin/other\n");
  r.file("other.sym", "0000000000001000 00000100 T start\n");
  r.entry(10, 0, R::kMain).entry(12, 1, R::kF).entry(30, 0, 0x501000).exit(40, 0, 0x501000);
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 20] demo:main repaired=\"closed-by-exec\"",
                          "100/100 [12, 20] demo:f repaired=\"closed-by-exec\"",
                          "100/100 @20 event:exec path=\"/bin/other\"", "100/100 [30, 40] other:start"));
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

}  // namespace
}  // namespace convert::uftrace
