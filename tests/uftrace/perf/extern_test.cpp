// Shows the messages of extern.dat between the records and switches of a thread.
#include <cstdint>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using R = RecordingBuilder;

TEST(UftraceExtern, MessagesAreShownAtTheirTimes) {
  R r;
  r.file("extern.dat", "0.000000025 in f\n0.000000005 before\n0.000000045 \xff\n0.000000090 behind\n");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(30, 1, R::kF).entry(40, 1, R::kG).exit(50, 1, R::kG);
  r.exit(60, 0, R::kMain);
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 @5 event:external-data: before message=\"before\"", "100/100 [10, 60] demo:main",
                  "100/100 [20, 30] demo:f", "100/100 @25 event:external-data: in f message=\"in f\"",
                  "100/100 [40, 50] demo:g", "100/100 @45 event:external-data: \xff message=\"\xff\"",
                  "100/100 @90 event:external-data: behind message=\"behind\""));
  EXPECT_THAT(
      r.notes(),
      ElementsAre("message-order 1",
                  "DIR/extern.dat:2: the message is 20 ns earlier than a message on an earlier line"));
  EXPECT_EQ(r.span_of_calls(), std::pair(std::uint64_t{10}, std::uint64_t{60}));
}

TEST(UftraceExtern, AnOpenCallLastsUntilTheLastSwitch) {
  R r;
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF);
  r.file("perf-cpu0.dat", PerfBytes().out(30, 100).in(40, 100).text());
  r.lines();
  EXPECT_EQ(r.span_of_calls(), std::pair(std::uint64_t{10}, std::uint64_t{40}));
}

TEST(UftraceExtern, AtEqualTimesRecordsComeFirst) {
  R r;
  r.file("extern.dat", "0.000000010 a\n0.000000020 b\n0.000000020 c\n");
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(20, 1, R::kF).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 30] demo:main",
                                     "100/100 @10 event:external-data: a message=\"a\"", "100/100 [20 demo:f",
                                     "100/100 20] demo:f", "100/100 @20 event:external-data: b message=\"b\"",
                                     "100/100 @20 event:external-data: c message=\"c\""));
}

TEST(UftraceExtern, DamageAffectsOnlyItsLine) {
  R r;
  r.file("extern.dat", "0.000000011 a\n???\n1700000000.5 foreign\n0.000000013 b");
  EXPECT_THAT(r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).lines(),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 @11 event:external-data: a message=\"a\"",
                          "100/100 @13 event:external-data: b message=\"b\""));
  EXPECT_THAT(
      r.notes(),
      ElementsAre("damaged-line 1", "DIR/extern.dat:2: expected time, a decimal number, found \"???\"",
                  "foreign-clock 1",
                  "DIR/extern.dat:3: the message is 1700000000 s after the start of the recording"));
}

// A message does not prove that the thread ran, because it is not a record of the thread.
TEST(UftraceExtern, AMessageDoesNotCutAScheduleCall) {
  R r;
  r.entry(10, 0, R::kMain).exit(50, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 100).in(40, 100).text());
  r.file("extern.dat", "0.000000020 a\n0.000000030 b\n0.000000040 c\n");
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 50] demo:main",
                  "100/100 @20 cpu 0: 100 (blocked) -> 0",
                  "100/100 [20, 40] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @20 event:external-data: a message=\"a\"",
                  "100/100 @30 event:external-data: b message=\"b\"", "100/100 @40 cpu 0: 0 (new) -> 100",
                  "100/100 @40 event:external-data: c message=\"c\"", "100/100 @50 cpu 0: 100 (dead) -> 0"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

// The messages are on the first shown thread, which is the child here.
TEST(UftraceExtern, AMessageBeforeAForkedChildDoesNotBeginItsCalls) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.file("extern.dat", "0.000000012 a\n");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(25, 1, R::kFork).exit(40, 0, R::kMain);
  r.thread(101).exit(22, 1, R::kFork).exit(30, 0, R::kMain);
  EXPECT_THAT(r.lines({.tids = {101}}),
              ElementsAre("101/101 @12 event:external-data: a message=\"a\"",
                          "101/101 [22, 30] demo:main repaired=\"inherited-call\"",
                          "101/101 [22 demo:fork repaired=\"inherited-call\"", "101/101 22] demo:fork"));
}

TEST(UftraceExtern, MessagesDoNotProlongCalls) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(12, 1, R::kF);
  r.file("extern.dat", "0.000000013 a\n0.000000300 b\n0.000000900 c\n");
  EXPECT_THAT(r.lines(), Contains("100/100 [10, 12] demo:main repaired=\"open-at-end\""));

  // The many switches of other threads need several reads of the perf file.
  PerfBytes perf;
  perf.out(20, 100);
  for (std::uint64_t time = 21; time < 399; time += 2) perf.out(time, 999).in(time + 1, 999);
  perf.in(400, 100);
  for (std::uint64_t time = 401; time < 601; time += 2) perf.out(time, 999).in(time + 1, 999);
  for (const bool small : {false, true}) {
    if (small) r.small_blocks();
    r.file("perf-cpu0.dat", PerfBytes(perf).text());
    const auto lines = r.lines();
    EXPECT_THAT(lines, Contains("100/100 @300 event:external-data: b message=\"b\""));
    EXPECT_THAT(lines, Contains("100/100 @900 event:external-data: c message=\"c\""));
    EXPECT_THAT(lines, small ? Contains("100/100 400] demo:main repaired=\"open-at-end\"")
                             : Contains("100/100 [10, 400] demo:main repaired=\"open-at-end\""));
  }
}

TEST(UftraceExtern, MessagesDoNotProlongTheTimeOnACpu) {
  R r;
  r.entry(10, 0, R::kMain).exit(50, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().in(5, 100).text());
  r.file("extern.dat", "0.000000030 a\n0.000000900 b\n");
  EXPECT_THAT(r.lines(), ElementsAre("100/100 @5 cpu 0: 0 (new) -> 100", "100/100 [10, 50] demo:main",
                                     "100/100 @30 event:external-data: a message=\"a\"",
                                     "100/100 @50 cpu 0: 100 (dead) -> 0",
                                     "100/100 @900 event:external-data: b message=\"b\""));
}

// At 70, another thread comes to the CPU of this thread.
TEST(UftraceExtern, AThreadLeavesItsCpuWhenAnotherThreadComes) {
  R r;
  r.entry(10, 0, R::kMain).exit(50, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().in(5, 100).in(70, 999).text());
  r.file("extern.dat", "0.000000060 a\n0.000000080 b\n");
  EXPECT_THAT(r.lines(), ElementsAre("100/100 @5 cpu 0: 0 (new) -> 100", "100/100 [10, 50] demo:main",
                                     "100/100 @60 event:external-data: a message=\"a\"",
                                     "100/100 @70 cpu 0: 100 (blocked) -> 0",
                                     "100/100 @80 event:external-data: b message=\"b\""));
}

TEST(UftraceExtern, ABlockedThreadShowsMessagesAtTheirTimes) {
  R r;
  r.small_blocks();
  r.entry(10, 0, R::kMain).exit(1000, 0, R::kMain);
  r.file("extern.dat", "0.000000030 a\n0.000000450 b\n0.000000950 c\n");
  PerfBytes perf;
  perf.out(20, 100).in(40, 100);
  for (std::uint64_t time = 401; time < 901; time += 2) perf.out(time, 999).in(time + 1, 999);
  r.file("perf-cpu0.dat", perf.out(910, 100).in(990, 100).text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10 demo:main",
                  "100/100 @20 cpu 0: 100 (blocked) -> 0",
                  "100/100 [20, 40] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @30 event:external-data: a message=\"a\"", "100/100 @40 cpu 0: 0 (new) -> 100",
                  "100/100 @401 cpu 0: 100 (blocked) -> 0",
                  "100/100 @450 event:external-data: b message=\"b\"",
                  "100/100 @910 cpu 0: 100 (blocked) -> 0",
                  "100/100 [910, 990] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                  "100/100 @950 event:external-data: c message=\"c\"", "100/100 @990 cpu 0: 0 (new) -> 100",
                  "100/100 1000] demo:main", "100/100 @1000 cpu 0: 100 (dead) -> 0"));
}

TEST(UftraceExtern, MessagesAreShownOnTheMainThread) {
  R r;
  r.task_line("TASK timestamp=0.000000003 tid=99 pid=100");
  r.file("extern.dat", "0.000000015 a\n");
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).thread(99).entry(10, 0, R::kF).exit(20, 0, R::kF);
  EXPECT_THAT(r.lines(), Contains("100/100 @15 event:external-data: a message=\"a\""));
  EXPECT_THAT(r.lines({.tids = {99}}), Contains("100/99 @15 event:external-data: a message=\"a\""));
  EXPECT_THAT(r.lines({.tids = {7}}), IsEmpty());
  EXPECT_THAT(r.lines({}, {.no_event = true}), Not(Contains(testing::HasSubstr("external-data"))));
}

TEST(UftraceExtern, MessagesAreShownOnAThreadThatHasRecords) {
  R r;
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100")
      .task_line("TASK timestamp=0.000000003 tid=102 pid=100");
  r.file("extern.dat", "0.000000015 a\n").thread(101).entry(10, 0, R::kF).exit(20, 0, R::kF);
  r.thread(102).entry(10, 0, R::kF).exit(20, 0, R::kF);
  EXPECT_THAT(r.lines(), Contains("100/101 @15 event:external-data: a message=\"a\""));
  EXPECT_THAT(r.description(), Contains(testing::StartsWith("100/101 @10 event:uftrace info")));
}

TEST(UftraceExtern, MessagesAreShownEvenIfThereAreNoRecords) {
  R r;
  r.file("extern.dat", "0.000000015 a\n99999999.9 b\n");
  EXPECT_THAT(r.lines(), ElementsAre("100/100 @15 event:external-data: a message=\"a\""));
  EXPECT_THAT(r.notes(), Contains("foreign-clock 1"));
}

}  // namespace
}  // namespace convert::uftrace
