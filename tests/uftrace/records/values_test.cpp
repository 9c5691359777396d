// Converts recordings with arguments, source lines and events.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using R = RecordingBuilder;

constexpr auto kSeven = "\7\0\0\0"sv;

class UftraceValues : public testing::Test {
 protected:
  UftraceValues() { r_.info_line("argspec:f@arg1/i32,arg2/s").info_line("retspec:f@retval/i32"); }
  // Records a call of f by main.
  void calls() {
    r_.entry(10, 0, R::kMain)
        .entry_with(11, 1, R::kF, "\7\0\0\0\2\0ab"sv)
        .exit_with(12, 1, R::kF, "\xff\xff\xff\xff"sv)
        .exit(20, 0, R::kMain);
  }
  R r_;
};

TEST_F(UftraceValues, AreArgumentsOfTheirCalls) {
  calls();
  EXPECT_THAT(r_.lines(), ElementsAre("100/100 [10, 20] demo:main",
                                      "100/100 [11, 12] demo:f arg1=7 arg2=\"ab\" retval=-1"));
  EXPECT_THAT(r_.notes(), IsEmpty());
}

// Many arguments may have the same enumerator as their value. Therefore, the trace stores its text once, as a
// name.
TEST(UftraceEnums, AreNames) {
  R r;
  r.info_line("argspec:f@arg1/e:color;g@arg1/e:color").info_line("enumauto:enum color { RED, GREEN = 5 }");
  r.entry_with(10, 0, R::kF, "\5\0\0\0\0\0\0\0"sv).exit(20, 0, R::kF);
  r.entry_with(30, 0, R::kG, "\0\0\0\0\0\0\0\0"sv).exit(40, 0, R::kG);
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 20] demo:f arg1='GREEN'", "100/100 [30, 40] demo:g arg1='RED'"));
}

TEST_F(UftraceValues, AreLeftOutIfRequested) {
  calls();
  EXPECT_THAT(r_.lines({}, {.no_args = true}),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 12] demo:f"));
  EXPECT_THAT(r_.notes(), IsEmpty());
}

TEST_F(UftraceValues, OfAFunctionWithoutASpecAreSkipped) {
  r_.entry(10, 0, R::kMain)
      .entry_with(11, 1, R::kG, "\7\0\0\0\2\0ab"sv)
      .exit(12, 1, R::kG)
      .exit(20, 0, R::kMain);
  EXPECT_THAT(r_.lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 12] demo:g"));
  EXPECT_THAT(r_.notes(), ElementsAre("payload-skipped 1",
                                      "DIR/100.dat:+0x10: 8 bytes of arguments or return value of g@demo, "
                                      "whose module has no .dbg file"));
  r_.lines({}, {.no_args = true});
  EXPECT_THAT(r_.notes(), IsEmpty());
  r_.file("demo.dbg", "F: 1000 main\nL: 9 a.c\n").lines();
  EXPECT_THAT(r_.notes(), ElementsAre("payload-skipped 1",
                                      "DIR/100.dat:+0x10: 8 bytes of arguments or return value of g@demo"));
}

// A recorder that was killed has not written the info file.
TEST(UftraceValuesWithoutInfo, ComeFromTheDebugFile) {
  R r;
  r.file("info", "").file("demo.dbg", "F: 1100 f\nA: @arg1/i32,arg2/s\nR: @retval/i32\n");
  r.entry(10, 0, R::kMain)
      .entry_with(11, 1, R::kF, "\7\0\0\0\2\0ab"sv)
      .exit_with(12, 1, R::kF, "\xff\xff\xff\xff"sv)
      .exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main",
                                     "100/100 [11, 12] demo:f arg1=7 arg2=\"ab\" retval=-1"));
  EXPECT_THAT(r.notes(), testing::Contains("no-info 1"));
  EXPECT_THAT(r.notes(), testing::Not(testing::Contains(testing::StartsWith("payload-skipped"))));
}

// If there is no info file, the records show the byte order.
TEST(UftraceValuesWithoutInfo, MayBeBigEndian) {
  R r;
  r.big_endian();
  r.file("info", "").file("demo.dbg", "F: 1100 f\nA: @arg1/i32\n");
  r.entry(10, 0, R::kMain).entry_with(11, 1, R::kF, "\0\0\0\7"sv).exit(12, 1, R::kF).exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 12] demo:f arg1=7"));
}

TEST(UftraceValuesWithoutInfo, FindTheByteOrderInOtherFiles) {
  R r;
  r.big_endian();
  r.file("info", "").task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.task_line("TASK timestamp=0.000000003 tid=102 pid=100");
  r.file("100.dat", std::string(16, '\0')).file("101.dat", std::string(16, '\xff'));
  r.thread(102).entry(11, 0, R::kF).exit(12, 0, R::kF);
  EXPECT_THAT(r.lines(), ElementsAre("100/102 [11, 12] demo:f"));
}

TEST_F(UftraceValues, WithAWrongSpecLoseNoRecord) {
  r_.entry(10, 0, R::kMain)
      .entry_with(11, 1, R::kF, "\7\0\0\0\1\0abcdefghij"sv)
      .exit_with(12, 1, R::kF, "\1\0\0\0"sv)
      .exit(20, 0, R::kMain);
  EXPECT_THAT(r_.lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 12] demo:f retval=1"));
  EXPECT_THAT(r_.notes(), ElementsAre("payload-skipped 1",
                                      "DIR/100.dat:+0x10: 16 bytes of arguments or return value of f@demo, "
                                      "whose module has no .dbg file"));
}

TEST_F(UftraceValues, MayBeMissing) {
  r_.info_line("argspec:g")
      .entry(10, 0, R::kMain)
      .entry_with(11, 1, R::kG, "")
      .exit(12, 1, R::kG)
      .exit(20, 0, R::kMain);
  EXPECT_THAT(r_.lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 12] demo:g"));
  EXPECT_THAT(r_.notes(), IsEmpty());
}

TEST_F(UftraceValues, AreFollowedByTheSourceLine) {
  r_.file("demo.dbg", "F: 1100 f\nL: 3 a.c\nF: 1000 main\nL: 9 a.c\n");
  calls();
  EXPECT_THAT(r_.lines({}, {.no_args = true}),
              ElementsAre("100/100 [10, 20] demo:main loc='a.c:9'", "100/100 [11, 12] demo:f loc='a.c:3'"));
  EXPECT_THAT(r_.lines(), ElementsAre("100/100 [10, 20] demo:main loc='a.c:9'",
                                      "100/100 [11, 12] demo:f arg1=7 arg2=\"ab\" loc='a.c:3' retval=-1"));
}

// The first call of a function is converted on a slower path than later calls. Both paths must add the source
// line.
TEST_F(UftraceValues, EveryCallHasItsSourceLine) {
  r_.file("demo.dbg", "F: 1200 g\nL: 3 a.c\n");
  r_.entry(10, 0, R::kMain).entry(11, 1, R::kG).exit(12, 1, R::kG).entry(13, 1, R::kG).exit(14, 1, R::kG);
  r_.entry(15, 1, R::kG).exit(16, 1, R::kG).exit(20, 0, R::kMain);
  EXPECT_THAT(r_.lines(),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 12] demo:g loc='a.c:3'",
                          "100/100 [13, 14] demo:g loc='a.c:3'", "100/100 [15, 16] demo:g loc='a.c:3'"));
}

// An entry that does not match the open calls must be repaired, even if the function has a source line.
TEST_F(UftraceValues, MismatchedCallsAreStillRepaired) {
  r_.file("demo.dbg", "F: 1200 g\nL: 3 a.c\n");
  r_.entry(10, 0, R::kMain).entry(11, 1, R::kG).exit(12, 1, R::kG).entry(13, 0, R::kG).exit(14, 0, R::kG);
  EXPECT_THAT(r_.lines(),
              ElementsAre("100/100 [10, 13] demo:main repaired=\"exit-missing\"",
                          "100/100 [11, 12] demo:g loc='a.c:3'", "100/100 [13, 14] demo:g loc='a.c:3'"));
}

TEST_F(UftraceValues, ValuesOfReadTriggersAreArgumentsOfTheCall) {
  r_.entry(10, 0, R::kMain)
      .event_with(10, 100013, "\x47\x10\x40\0\0\0\0\0"sv)
      .entry_with(11, 1, R::kF, "\7\0\0\0\2\0ab"sv)
      .event_with(11, 100002, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"sv)
      .event_with(12, 100004, "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"sv)
      .exit(12, 1, R::kF)
      .exit(20, 0, R::kMain);
  EXPECT_THAT(
      r_.lines(),
      ElementsAre(
          "100/100 [10, 20] demo:main",
          "100/100 [11, 12] demo:f arg1=7 arg2=\"ab\" callsite='main+0x47' diff.major=0 diff.minor=-1",
          "100/100 @11 counter event:page-fault #0 major faults=1 minor faults=2"));
  EXPECT_THAT(r_.lines({}, {.no_event = true}),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 12] demo:f arg1=7 arg2=\"ab\""));
  EXPECT_THAT(r_.notes(), IsEmpty());
}

TEST_F(UftraceValues, ValuesOfReadTriggersBeforeALossAreDropped) {
  r_.entry(10, 0, R::kMain)
      .event_with(10, 100013, "\x47\x10\x40\0\0\0\0\0"sv)
      .lost(3)
      .entry(11, 1, R::kG)
      .exit(12, 1, R::kG)
      .exit(20, 0, R::kMain);
  EXPECT_THAT(r_.lines(), testing::Not(testing::Contains(testing::HasSubstr("callsite"))));
}

TEST_F(UftraceValues, UserEventsHaveNames) {
  r_.file("events.txt", "EVENT: 1000000 uftest:step\n")
      .entry(10, 0, R::kMain)
      .event(11, 1000000, 0)
      .exit(20, 0, R::kMain);
  EXPECT_THAT(r_.lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 @11 event:uftest:step"));
}

// In small blocks, many payloads cross the end of a block.
TEST_F(UftraceValues, PayloadsMayBeAnywhereInABlock) {
  r_.entry(1, 0, R::kMain);
  constexpr int kCalls = 2000;
  for (int i = 0; i < kCalls; ++i) {
    r_.entry_with(10 + 10 * static_cast<std::uint64_t>(i), 1, R::kF,
                  std::string("\7\0\0\0"sv) + static_cast<char>(i % 90) + std::string(1, '\0') +
                      std::string(static_cast<std::size_t>(i % 90), 'x'));
    r_.exit_with(15 + 10 * static_cast<std::uint64_t>(i), 1, R::kF, kSeven);
  }
  r_.exit(1'000'000, 0, R::kMain);
  const auto lines = r_.lines();
  EXPECT_EQ(lines.size(), 1u + kCalls);
  EXPECT_EQ(std::ranges::count_if(
                lines, [](const std::string& line) { return line.find("retval=7") != std::string::npos; }),
            kCalls);
  EXPECT_THAT(r_.notes(), IsEmpty());
}

}  // namespace
}  // namespace convert::uftrace
