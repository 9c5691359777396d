// Tests how the thread of a frame is found: by KGTP's variables, by a register, or by the stack. Also tests
// whether a frame is a step.
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

// Describes KGTP's variables in the same way as KGTP.
void describe_kernel(TraceBuilder& t) {
  t.line("R 40").line("status 0;tstop:0;tframes:3");
  t.line("tsv 2:0:1:6370755f6964").line("tsv 3:0:1:63757272656e745f7461736b");  // cpu_id, current_task
  t.line("tsv 1a:0:1:63757272656e745f7461736b5f706964");                        // current_task_pid
  t.line("tp T2:8000:E:0:0").source("2:8000", "at", "f");
}

TEST(KernelThreads, AreKnownByTheirPid) {
  TraceBuilder t;
  describe_kernel(t);
  t.frame(2).variable(2, 1).variable(3, 0x1000).variable(26, 42);
  t.frame(2).variable(2, 0).variable(3, 0x1000).variable(26, 7);
  t.frame(2).variable(2, 0).variable(3, 0x2000).variable(26, 42).end();
  t.lines();
  EXPECT_THAT(t.threads(), ElementsAre("1/42 thread pid=42", "1/7 thread pid=7"));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("/42 @3000 tracepoint:f frame=2 ")));
}

// Each CPU has an idle task with pid 0.
TEST(KernelThreads, PidZeroGetsAnotherId) {
  TraceBuilder t;
  describe_kernel(t);
  t.frame(2).variable(26, 0).frame(2).variable(26, 1).end();
  t.lines();
  EXPECT_THAT(t.threads(), ElementsAre("3/2 thread pid=0", "3/1 thread pid=1"));
}

TEST(KernelThreads, WithoutAPidThreadsAreTasksOrCpus) {
  TraceBuilder t;
  describe_kernel(t);
  t.frame(2).variable(2, 1).variable(3, 0x1000).frame(2).variable(2, 3).frame(2).end();
  t.lines();
  EXPECT_THAT(t.threads(), ElementsAre(HasSubstr(" thread task=0x1000"), HasSubstr(" cpu 3"),
                                       HasSubstr(" unknown thread")));
}

TEST(KernelThreads, CanBeChosen) {
  TraceBuilder t;
  describe_kernel(t);
  t.frame(2).variable(26, 42).frame(2).variable(26, 7).frame(2).variable(2, 3).end();
  ImportOptions options;
  options.tids = {7};
  EXPECT_THAT(t.lines(options), Not(Contains(HasSubstr("frame=0"))));
  EXPECT_THAT(t.threads(), ElementsAre("2/7 thread pid=7", HasSubstr(" cpu 3")));
  EXPECT_THAT(t.notes(), IsSupersetOf({"threads-left-out 1", "FILE: thread pid=42", "threads-without-id 1",
                                       "FILE: cpu 3"}));
  options.tids = {42, 7};
  t.lines(options);
  EXPECT_THAT(t.threads(), SizeIs(3));
}

TEST(KernelThreads, MayAllBeLeftOut) {
  TraceBuilder t;
  describe_kernel(t);
  ImportOptions options;
  options.tids = {7};
  t.frame(2).variable(26, 42).end().lines(options);
  EXPECT_THAT(t.threads(), testing::IsEmpty());
}

// A user's variable with the name cpu_id may contain anything.
TEST(KernelThreads, NeedTheVariablesOfTheModule) {
  TraceBuilder t;
  t.line("R 40").line("tsv 2:0:0:6370755f6964").line("tp T2:8000:E:0:0");
  t.frame(2).variable(2, 1).end().lines();
  EXPECT_THAT(t.threads(), ElementsAre(HasSubstr(" unknown thread")));
}

// Frames without data that identify a thread are on one track, regardless of their tracepoints.
TEST(Threads, UnknownThreadsAreOneTrack) {
  TraceBuilder t;
  t.line("R 40").line("tp T2:8000:E:0:0").line("tp T3:9000:E:0:0");
  t.frame(2).memory(0x100, "1234").frame(3).memory(0x100, "1234").frame(2).end();
  t.lines();
  EXPECT_THAT(t.threads(), ElementsAre("2/1 unknown thread"));
}

TEST(Threads, AnUnknownThreadIsMergedIntoTheOnlyKnownThread) {
  TraceBuilder t;
  describe_kernel(t);
  t.line("tp T3:9000:E:0:0");
  t.frame(2).variable(26, 42).frame(3).frame(3).end();
  EXPECT_THAT(t.lines(), Contains(testing::AllOf(HasSubstr(" frame=2 "), HasSubstr(" thread=\"guessed\""))));
  EXPECT_THAT(t.threads(), ElementsAre("1/42 thread pid=42"));
}

std::vector<std::string> threads_of(std::string_view architecture, std::string_view registers,
                                    std::initializer_list<std::string> blocks) {
  TraceBuilder t;
  t.line("R 10").line("tp T2:8000:E:0:0").line("tp A2:8000:R0f");
  t.line("tdesc <target><architecture>" + std::string(architecture) + "</architecture><feature name='f'>");
  t.line("tdesc " + std::string(registers) + "</feature></target>");
  if (architecture.starts_with("s390")) t.big_endian();
  for (const std::string& block : blocks) t.frame(2).registers(block);
  t.end().lines();
  return t.threads();
}

TEST(Threads, AreIdentifiedByARegister) {
  const TraceBuilder little;
  const auto pair = [&](std::uint64_t first, std::uint64_t second) {
    return little.number(first) + little.number(second);
  };
  EXPECT_THAT(threads_of("aarch64", "<reg name='pc' bitsize='64'/><reg name='tpidr' bitsize='64'/>",
                         {pair(0x8000, 0x10), pair(0x8000, 0x20), pair(0x8000, 0x10)}),
              ElementsAre(HasSubstr(" thread 1 (0x10)"), HasSubstr(" thread 2 (0x20)")));
  EXPECT_THAT(threads_of("aarch64", "<reg name='pc' bitsize='64'/><reg name='tpidr' bitsize='64'/>",
                         {pair(0x8000, 0)}),
              ElementsAre(HasSubstr(" unknown thread")))
      << "not recorded";
  EXPECT_THAT(
      threads_of("sparc:v9", "<reg name='pc' bitsize='64'/><reg name='g7' bitsize='64'/>",
                 {little.number(std::uint64_t{0x0080'0000'0000'0000}) + std::string("\0\0\0\0\0\0\0\7", 8)}),
      ElementsAre(HasSubstr(" thread 1 (…000000)")));
}

// Two tracepoints collect `tid`, which has 8 bytes at 0x10 (const8 16; const8 8; trace; end). Tracepoint 2
// also collects the register of the thread. Tracepoint 3 collects no registers.
class CollectedIds : public testing::Test {
 public:
  CollectedIds() {
    t.line("R 10").line("tp T2:8000:E:0:0").line("tp A2:8000:R3X00000006,221022080c27");
    t.line("tp T3:9000:E:0:0").line("tp A3:9000:X00000006,221022080c27");
    t.line("tdesc <target><architecture>aarch64</architecture><feature name='f'>");
    t.line("tdesc <reg name='pc' bitsize='64'/><reg name='tpidr' bitsize='64'/></feature></target>");
    t.source("3:9000", "cmd", "collect tid");
  }
  CollectedIds& hit(std::uint64_t tpidr, std::uint64_t tid) {
    if (!std::exchange(are_hits_described_, true)) t.source("2:8000", "cmd", collected_);
    t.frame(2).registers(t.number(std::uint64_t{0x8000}) + t.number(tpidr)).memory(0x10, t.number(tid));
    return *this;
  }
  CollectedIds& bare_hit(std::uint64_t tid) {
    t.frame(3).memory(0x10, t.number(tid));
    return *this;
  }
  std::vector<std::string> threads(const std::vector<std::uint64_t>& tids = {}) {
    ImportOptions options;
    options.tids = tids;
    t.end().lines(options);
    return t.threads();
  }
  TraceBuilder t;
  std::string_view collected_ = "collect tid";
  bool are_hits_described_ = false;
};

TEST_F(CollectedIds, NameTheirThreads) {
  hit(0x1000, 4711).hit(0x2000, 4712).hit(0x1000, 4711);
  EXPECT_THAT(threads(), ElementsAre("1/4711 thread 4711", "1/4712 thread 4712"));
}

TEST_F(CollectedIds, IdentifyThreadsWithoutRegisters) {
  hit(0x1000, 4711).bare_hit(4712).bare_hit(4711).bare_hit(4712);
  EXPECT_THAT(threads(), ElementsAre("1/4711 thread 4711", "1/4712 thread 4712"));
}

// The frames differ only in the id.
TEST_F(CollectedIds, IdentifyThreadsOfFramesOfOnePattern) {
  t.line(kStamp);
  std::int64_t time_us = 0;
  for (const std::uint64_t tid : {4711u, 4711u, 4712u, 4711u, 4712u}) bare_hit(tid).t.variable(1, ++time_us);
  EXPECT_THAT(threads(), ElementsAre("1/4711 thread 4711", "1/4712 thread 4712"));
}

TEST_F(CollectedIds, CanBeChosen) {
  hit(0x1000, 4711).hit(0x2000, 4712);
  EXPECT_THAT(threads({4712}), ElementsAre("1/4712 thread 4712"));
}

TEST_F(CollectedIds, IdsThatDifferAreIgnored) {
  hit(0x1000, 4711).hit(0x1000, 4713);
  EXPECT_THAT(threads(), ElementsAre("2/1 thread 1 (0x1000)"));
}

TEST_F(CollectedIds, ImpossibleIdsAreIgnored) {
  hit(0x1000, 0).hit(0x1000, 0x7fff'0000'0000).hit(0x1000, 4711);
  EXPECT_THAT(threads(), ElementsAre("1/4711 thread 4711"));
}

TEST_F(CollectedIds, MayAccompanyRegisters) {
  collected_ = "collect $pc, tid";
  hit(0x1000, 4711);
  EXPECT_THAT(threads(), ElementsAre("1/4711 thread 4711"));
}

// On s390x, the thread pointer is in two registers. The first has the upper half, and the second has the
// lower half.
TEST(Threads, AreIdentifiedByTwoRegistersOnS390x) {
  TraceBuilder big;
  big.big_endian();
  const auto block = [&](std::uint32_t high, std::uint32_t low) {
    return big.number(std::uint64_t{0x8000}) + big.number(high) + big.number(low);
  };
  EXPECT_THAT(threads_of("s390:64-bit",
                         "<reg name='pswa' bitsize='64'/><reg name='acr0' bitsize='32'/>"
                         "<reg name='acr1' bitsize='32'/>",
                         {block(0x3ff, 0x8000'0000), block(0x3fe, 0x8000'0000)}),
              ElementsAre(HasSubstr(" thread 1 (…f80000000)"), HasSubstr(" thread 2 (…e80000000)")));
}

class Stacks : public testing::Test {
 protected:
  // Returns the threads of frames with these stack pointers, in the order of the frames.
  std::vector<std::string> threads(std::initializer_list<std::uint32_t> stack_pointers) {
    TraceBuilder t;
    t.line("R 40").line("tp T2:8000:E:0:0").line("tp A2:8000:R0f");
    for (const std::uint32_t sp : stack_pointers) t.frame(2).registers(i386_registers(0x8000, sp));
    t.end().lines();
    return t.threads();
  }
};

TEST_F(Stacks, IdentifyThreads) {
  EXPECT_THAT(threads({0x1000'0000, 0x1010'0000, 0x1020'0001}),
              ElementsAre(HasSubstr(" thread sp=0x10000000 (guessed)"),
                          HasSubstr(" thread sp=0x10200001 (guessed)")));
}

TEST_F(Stacks, ZeroIsNotAStack) { EXPECT_THAT(threads({0, 0}), ElementsAre(HasSubstr(" unknown thread"))); }

// Describes a tracepoint with registers of i386. Steps record other blocks than hits.
void describe_steps(TraceBuilder& t, std::string_view steps) {
  t.line("R 40").line(kStamp);
  t.line("tp T2:8000:E:" + std::string(steps) + ":0").line("tp A2:8000:R0f");
  t.line("tp A2:8000:X00000008,2c00012e00012927").line("tp S2:8000:R0fM-1,1000,1");
  t.source("2:8000", "at", "f");
}

std::vector<std::string> names(TraceBuilder& t) {
  ImportOptions options;
  options.blobs = Blobs::None;
  std::vector<std::string> found;
  for (const std::string& line : t.lines(options, {.registers = RegisterChoice::None}))
    found.push_back(line.substr(0, line.find(" tracepoint=")));
  return found;
}

// A step returns to the address of the tracepoint. The blocks of the frame show that the frame is a step.
TEST(Steps, MayReturnToTheirTracepoint) {
  TraceBuilder t;
  describe_steps(t, "2");
  const auto at = [&](std::uint32_t pc) { return i386_registers(pc, 0x1000'0000); };
  t.frame(2).registers(at(0x8000)).variable(1, 10);
  t.frame(2).registers(at(0x8000)).memory(0x1000, "x");
  t.frame(2).registers(at(0x8000)).memory(0x1000, "x");
  t.frame(2).registers(at(0x8000)).memory(0x1000, "x").end();
  EXPECT_THAT(names(t), ElementsAre("[10000 tracepoint:f frame=0", "@11000 tracepoint:step frame=1",
                                    "@12000 tracepoint:step frame=2", "12000] tracepoint:f",
                                    "[13000 tracepoint:f frame=3", "13000] tracepoint:f"))
      << "a third one is not expected";
}

TEST(Steps, AreRecognizedByTheirBlocksWithoutRegisters) {
  TraceBuilder t;
  t.line("R 40").line(kStamp).line("tp T2:8000:E:2:0");
  t.line("tp A2:8000:X00000008,2c00012e00012927").line("tp S2:8000:M-1,1000,1").source("2:8000", "at", "f");
  t.frame(2).variable(1, 10).frame(2).memory(0x1000, "x").frame(2).variable(1, 20);
  t.frame(2).memory(0x1000, "x").frame(2).memory(0x1000, "y").end();
  EXPECT_THAT(names(t), ElementsAre("[10000 tracepoint:f frame=0", "@11000 tracepoint:step frame=1",
                                    "11000] tracepoint:f", "[20000 tracepoint:f frame=2",
                                    "@21000 tracepoint:step frame=3", "@22000 tracepoint:step frame=4",
                                    "22000] tracepoint:f"));
}

// Hits and steps have the same blocks. The tracepoint has two steps, so the two frames after a hit are steps.
TEST(Steps, StepsThatLookLikeHitsAreCounted) {
  TraceBuilder t;
  t.line("R 40").line(kStamp).line("tp T2:8000:E:2:0");
  t.line("tp A2:8000:X00000008,2c00012e00012927").line("tp S2:8000:X00000008,2c00012e00012927");
  t.source("2:8000", "at", "f");
  for (const int time : {10, 11, 12, 20, 21, 22}) t.frame(2).variable(1, time);
  t.end();
  EXPECT_THAT(names(t), ElementsAre("[10000 tracepoint:f frame=0", "@11000 tracepoint:step frame=1",
                                    "@12000 tracepoint:step frame=2", "12000] tracepoint:f",
                                    "[20000 tracepoint:f frame=3", "@21000 tracepoint:step frame=4",
                                    "@22000 tracepoint:step frame=5", "22000] tracepoint:f"));
}

// The tracepoint has two locations. One of them has steps.
TEST(Steps, BelongToTheirLocation) {
  for (const bool is_first : {true, false}) {
    TraceBuilder t;
    t.line("R 40").line(kStamp);
    const std::string_view steps = "tp T2:8000:E:2:0", hits = "tp T2:9000:E:0:0";
    t.line(is_first ? steps : hits).line(is_first ? hits : steps);
    t.source("2:8000", "at", "f").source("2:9000", "at", "g");
    t.frame(2).registers(i386_registers(0x9000, 0x1000'0000)).variable(1, 10);
    t.frame(2).registers(i386_registers(0x8000, 0x1000'0000)).variable(1, 20).end();
    EXPECT_THAT(names(t), ElementsAre("@10000 tracepoint:g frame=0", "[20000 tracepoint:f frame=1",
                                      "20000] tracepoint:f"));
  }
}

// The buffer starts with the steps of a hit that was overwritten.
TEST(Steps, MayLackTheirHit) {
  TraceBuilder t;
  describe_steps(t, "2");
  t.frame(2).registers(i386_registers(0x8001, 0x1000'0000)).memory(0x1000, "x");
  t.frame(2).registers(i386_registers(0x8000, 0x1000'0000)).variable(1, 10).end();
  EXPECT_THAT(names(t), ElementsAre(HasSubstr("tracepoint:step frame=0"), "[10000 tracepoint:f frame=1",
                                    "10000] tracepoint:f"));
}

// Returns the notes about threads that match no thread of another input.
std::vector<std::string> unmatched_notes(TraceBuilder& t, const ImportOptions& options = {}) {
  t.with_call_history();
  t.lines(options);
  std::vector<std::string> notes = t.notes();
  std::erase_if(notes, [](const std::string& note) {
    const std::size_t thread = note.find(": thread ");
    return thread == std::string::npos || note.find(": ", thread + 1) == std::string::npos;
  });
  return notes;
}

TEST(KernelThreads, AreNotMatchedWithoutStamps) {
  TraceBuilder t;
  describe_kernel(t);
  t.frame(2).variable(26, 42).end();
  EXPECT_THAT(
      unmatched_notes(t),
      ElementsAre("FILE: thread pid=42: the frames have no timestamps; use collect $trace_timestamp"));
}

TEST(KernelThreads, AreNotMatchedWithoutALocation) {
  TraceBuilder t;
  describe_kernel(t);
  t.line(kStamp);
  t.frame(2).variable(1, 5).variable(26, 42).frame(3).variable(1, 6).variable(26, 7).end();
  EXPECT_THAT(unmatched_notes(t),
              ElementsAre("FILE: thread pid=42: no hit is inside an open call of the function that was hit",
                          "FILE: thread pid=7: no hit has a timestamp and a known location"));
}

TEST(KernelThreads, ThreadsAfterTheFirst256AreNotMatched) {
  TraceBuilder t;
  describe_kernel(t);
  t.line(kStamp);
  for (int pid = 1; pid <= 257; ++pid) t.frame(2).variable(1, 5 + pid).variable(26, pid);
  t.end();
  ImportOptions options;
  options.tids = {256, 257};
  EXPECT_THAT(unmatched_notes(t, options),
              ElementsAre("FILE: thread pid=256: no hit is inside an open call of the function that was hit",
                          "FILE: thread pid=257: only the first 256 threads of a trace file are matched"));
}

}  // namespace
}  // namespace convert::tfile
