// Tests plain records, including those of calls that lack their entry or their exit.
#include <cstdint>
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

TEST(UftraceCalls, BigEndianRecordingsGiveTheSameCalls) {
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
              ElementsAre("100/100 [10, 19] demo:main repaired=\"open-at-end\"",
                          "100/100 @19 counter event:cpu #100 cpu=286331153"));
}

TEST(UftraceCalls, AnEventThatIsNotShownCanBeTheLastRecord) {
  R r;
  EXPECT_THAT(r.entry(10, 0, R::kMain).event(19, 777, 4).lines(),
              ElementsAre("100/100 [10, 19] demo:main repaired=\"open-at-end\""));
}

TEST(UftraceCalls, AnExitBeforeAnyEntryIsACallWithoutAnEntry) {
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

TEST(UftraceCalls, AnExitOfAnotherFunctionIsNoted) {
  R r;
  EXPECT_THAT(
      r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(15, 1, R::kG).exit(20, 0, R::kMain).lines(),
      ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 15] demo:f repaired=\"address-mismatch\""));
  EXPECT_THAT(r.notes(),
              ElementsAre("address-mismatch 1",
                          "DIR/100.dat:+0x20: an exit from 401200 at depth 1, but 401100 was entered there"));
}

// QEMU's plugin may count depths from 1, and may give an exit the depth of the caller. All records of a
// thread have depths of the same kind.
TEST(UftraceQemu, ExitsMayHaveTheDepthOfTheCaller) {
  R r;
  r.entry(10, 1, R::kMain).entry(11, 2, R::kF).entry(12, 3, R::kF).entry(13, 4, R::kF);
  r.exit(14, 3, R::kF).exit(15, 2, R::kF).exit(16, 1, R::kF).entry(17, 2, R::kG).exit(18, 1, R::kG);
  r.exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 16] demo:f", "100/100 [12, 15] demo:f",
                          "100/100 [13, 14] demo:f", "100/100 [17, 18] demo:g"));
  EXPECT_THAT(r.notes(),
              ElementsAre("exit-depth 1", "DIR/100.dat: exits are recorded at the depth of the caller"));
}

TEST(UftraceQemu, DepthsMayCountFromZero) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kF).entry(12, 2, R::kF).exit(14, 1, R::kF).exit(15, 0, R::kF);
  r.exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 15] demo:f",
                                     "100/100 [12, 14] demo:f"));
}

// The exit of a recursive call is missing, so the depths look like those of QEMU's plugin. The last exit
// shows that they are not from this plugin.
TEST(UftraceQemu, IsNotConfusedWithAMissingExit) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kF).entry(12, 2, R::kF).exit(14, 1, R::kF).exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 14] demo:f",
                                     "100/100 [12, 14] demo:f repaired=\"exit-missing\""));
  EXPECT_THAT(r.notes(), testing::Contains("exit-missing 1"));
}

TEST(UftraceCalls, LongjmpEndsTheCallsSinceSetjmp) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kSetjmp).exit(12, 1, R::kSetjmp);
  r.entry(13, 1, R::kF).entry(14, 2, R::kG).exit(20, 1, R::kSetjmp).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 30] demo:main", "100/100 [11, 12] demo:_setjmp",
                                     "100/100 [13, 20] demo:f repaired=\"longjmp\"",
                                     "100/100 [14, 20] demo:g repaired=\"longjmp\""));
  EXPECT_THAT(r.notes(), ElementsAre("longjmp 1", "DIR/100.dat:+0x50: a second return of setjmp at depth 1"));
}

TEST(UftraceCalls, LostRecordsAreShownAndCutCalls) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kF).entry(12, 2, R::kG).lost(7);
  r.exit(20, 1, R::kF).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 30] demo:main", "100/100 [11, 20] demo:f",
                                     "100/100 [12 demo:g repaired=\"cut-by-loss\"",
                                     "100/100 @12 event:records lost count=7", "100/100 @12 buffer full",
                                     "100/100 12] demo:g"));
  EXPECT_THAT(r.notes(),
              ElementsAre("records-lost 7", "DIR/100.dat:+0x30: the recorder lost 7 records", "cut-by-loss 1",
                          "DIR/100.dat:+0x40: calls at the gap before this record: 1 ended, 0 started"));
}

TEST(UftraceCalls, ALossHidesEntries) {
  R r;
  r.entry(10, 0, R::kMain).lost(7).exit(20, 2, R::kG).exit(21, 1, R::kF).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 30] demo:main", "100/100 @10 event:records lost count=7",
                          "100/100 @10 buffer full", "100/100 [20, 21] demo:f repaired=\"cut-by-loss\"",
                          "100/100 [20 demo:g repaired=\"cut-by-loss\"", "100/100 20] demo:g"));
}

// The entry at depth 1 is missing, so the call has no name. It may be the call of f that ends after the loss,
// so it stays open.
TEST(UftraceCalls, ALossKeepsAnUnseenCall) {
  R r;
  r.entry(10, 0, R::kMain)
      .entry(12, 2, R::kG)
      .exit(13, 2, R::kG)
      .lost(7)
      .exit(20, 1, R::kF)
      .exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(), testing::Contains("100/100 [12, 20] demo:f repaired=\"entry-missing\""));
}

TEST(UftraceCalls, ALossBeforeTheFirstRecordHasTheTimeOfThisRecord) {
  R r;
  r.lost(7).entry(10, 0, R::kMain).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 @10 event:records lost count=7", "100/100 @10 buffer full",
                                     "100/100 [10, 30] demo:main"));
}

// The recorder adds depth * 64 to a record's word. A depth of 1024 is stored as depth 0, and increases the
// address by 1.
TEST(UftraceCalls, DepthsBeyond1023OverflowIntoTheAddress) {
  R r;
  r.max_stack(2000);
  for (std::uint64_t d = 0; d < 1500; ++d) r.entry(10 + d, d, d < 1490 ? R::kF : R::kG);
  for (std::uint64_t d = 1500; d-- > 0;) r.exit(4000 - d, d, d < 1490 ? R::kF : R::kG);
  const auto lines = r.lines();
  EXPECT_EQ(lines.size(), 512u) << "the rest is too deep to be shown";
  EXPECT_THAT(r.notes(), IsEmpty()) << "depths and addresses are whole again";
}

TEST(UftraceCalls, TimesThatGoBackAreClamped) {
  R r;
  EXPECT_THAT(r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(17, 1, R::kF).exit(30, 0, R::kMain).lines(),
              ElementsAre("100/100 [10, 30] demo:main", "100/100 [20 demo:f", "100/100 20] demo:f"));
  EXPECT_THAT(
      r.notes(),
      ElementsAre("time-went-back 1",
                  "DIR/100.dat:+0x20: the record's time is 3 ns before the time of a previous record"));
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

TEST(UftraceCalls, TheFirstRecordMayAlsoBeDroppedBecauseOfADistantTime) {
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

}  // namespace
}  // namespace convert::uftrace
