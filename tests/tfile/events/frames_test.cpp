// Tests the events of frames: names, values, times, threads and steps.
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/events/recipe_draft.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

TEST(TraceFrames, AreInstantsWithTheirValues) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2).memory(0x404040, t.number(std::int64_t{-5})).variable(1, 1000);
  t.frame(2).memory(0x404040, t.number(std::int64_t{77})).variable(1, 1001).end();
  EXPECT_THAT(
      t.lines(),
      ElementsAre("@1000000 tracepoint:tick frame=0 tracepoint=2 pc=0x401000 g_hash=-5 $trace_timestamp=1000",
                  "blob gdb/frame/0/memory/0x404040 8 bytes",
                  "@1001000 tracepoint:tick frame=1 tracepoint=2 pc=0x401000 g_hash=77 $trace_timestamp=1001",
                  "blob gdb/frame/1/memory/0x404040 8 bytes"));
  EXPECT_THAT(
      t.notes(),
      ElementsAre("untyped-values 1",
                  "FILE: values are shown as numbers; use --program to get types, members and names"));
  EXPECT_THAT(t.threads(), ElementsAre(HasSubstr("unknown thread")));
}

TEST(TraceFrames, AreTheSameInBigEndian) {
  TraceBuilder t;
  t.big_endian();
  describe_tick(t);
  t.frame(2).memory(0x404040, t.number(std::int64_t{-5})).variable(1, 1000).end();
  EXPECT_THAT(t.lines().front(),
              "@1000000 tracepoint:tick frame=0 tracepoint=2 pc=0x401000 g_hash=-5 $trace_timestamp=1000");
}

TEST(TraceFrames, VariablesAreAlsoCounters) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2).variable(2, 7).variable(2, 107).variable(1, 1000).variable(9, 1).end();
  ImportOptions options;
  options.blobs = Blobs::None;
  EXPECT_THAT(t.lines(options),
              ElementsAre("@1000000 tracepoint:tick frame=0 tracepoint=2 pc=0x401000 $hits=107 $hits (1)=7 "
                          "$trace_timestamp=1000 $variable_9=1",
                          "@1000000 counter variable:variable #0 $hits=107",
                          "@1000000 counter variable:variable #0 $variable_9=1"));
}

// A text is shown instead of the pointer to it, even if the pointer comes later in the frame.
TEST(TraceFrames, ATextReplacesThePointerToIt) {
  for (const bool is_text_first : {false, true}) {
    TraceBuilder t;
    // const16 0x2000; const8 40; tracenz; end
    const std::string pointer = "M-1,1000,8", text = "X00000007,23200022282f27";
    const std::string first = is_text_first ? text : pointer, second = is_text_first ? pointer : text;
    t.line("R 40").line(kStamp).line("tp T2:401000:E:0:0");
    t.line("tp A2:401000:" + first).line("tp A2:401000:" + second).source("2:401000", "at", "tick");
    t.source("2:401000", "cmd", is_text_first ? "collect/s who" : "collect who");
    t.source("2:401000", "cmd", is_text_first ? "collect who" : "collect/s who");
    const auto text_block = [&] { t.memory(0x2000, std::string("me\0", 3)); };
    t.frame(2);
    if (is_text_first) text_block();
    t.memory(0x1000, t.number(std::uint64_t{0x2000}));
    if (!is_text_first) text_block();
    t.variable(1, 1000).end();
    ImportOptions options;
    options.blobs = Blobs::None;
    EXPECT_THAT(t.lines(options).front(), HasSubstr(" pc=0x401000 who=\"me\" $trace")) << is_text_first;
  }
}

// For a null pointer, gdbserver writes a block with old contents of its buffer. These bytes are not the text
// of the item.
TEST(TraceFrames, ANullPointerHasNoText) {
  TraceBuilder t;
  t.line("R 40").line(kStamp).line("tp T2:401000:E:0:0");
  t.line("tp A2:401000:X00000007,23000022282f27").source("2:401000", "cmd", "collect/s who");
  t.frame(2).memory(0, std::string("stale\0", 6)).end();
  EXPECT_THAT(t.lines().front(), HasSubstr(" who=null"));
}

TEST(TraceFrames, MemoryWithoutANameHasItsAddress) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2)
      .memory(0x5000, "\1\2\3")
      .memory(0x5000, "\1\2\3\4")
      .memory(0x5000, "\1\2\3\4\5")
      .memory(0xffffffffffffffff, "")
      .end();
  const auto lines = t.lines();
  EXPECT_THAT(lines.front(), HasSubstr(" mem.0x5000=\"01 02 03\" mem.0xffffffffffffffff=\"\""));
  EXPECT_THAT(lines, Contains("blob gdb/frame/0/memory/0x5000 5 bytes"));
}

// If several blocks have the same address, their longest block determines the size of the blob. The bytes of
// earlier blocks are kept.
TEST(TraceFrames, BlobsHoldTheLongestBlockOfAnAddress) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2).memory(0x6000, "x").memory(0x5000, "abc").memory(0x5000, "AB").memory(0x5000, "ABCDE");
  t.memory(0x5000, "ABCDEFGH")
      .static_data("\1\x80")
      .memory(0x7000, "yz")
      .registers(std::string(64, '\0'))
      .end();
  ImportOptions options;
  options.blobs = Blobs::All;
  const auto lines = t.lines(options);
  EXPECT_THAT(std::vector(lines.begin() + 1, lines.end()),
              ElementsAre("blob gdb/frame/0/static 2 bytes", "blob gdb/frame/0/registers 64 bytes",
                          "blob gdb/frame/0/memory/0x5000 8 bytes", "blob gdb/frame/0/memory/0x6000 1 bytes",
                          "blob gdb/frame/0/memory/0x7000 2 bytes"));
}

TEST(TraceFrames, HaveRegistersOfUnknownLayoutAsBlobs) {
  TraceBuilder t;
  t.line("R 7").line(kStamp).line("tp T2:1000:E:0:0").source("2:1000", "at", "tick");
  t.frame(2).registers("1234567").variable(1, 1).end();
  EXPECT_THAT(t.lines(), ElementsAre(HasSubstr("tracepoint:tick"), "blob gdb/frame/0/registers 7 bytes"));
  EXPECT_THAT(t.notes(), Contains("registers-unknown 1"));
}

// The tracepoint has several locations. The pc of a frame shows its location.
TEST(TraceFrames, AreAtTheLocationOfTheirPc) {
  TraceBuilder t;
  t.line("R 40").line("tp T2:9000:E:0:0").line("tp T2:8000:E:0:0").line("tp A2:9000:R0fM-1,1000,4");
  t.line("tp A2:8000:R0fM-1,2000,4").source("2:8000", "at", "f").source("2:9000", "at", "g");
  t.source("2:8000", "cmd", "collect of_f").source("2:9000", "cmd", "collect of_g");
  t.frame(2).registers(i386_registers(0x9000, 0)).memory(0x1000, t.number(std::int32_t{7}));
  t.frame(2).registers(i386_registers(0x8000, 0)).memory(0x2000, t.number(std::int32_t{8}));
  t.frame(2).memory(0x2000, t.number(std::int32_t{9})).end();
  ImportOptions options;
  options.blobs = Blobs::None;
  EXPECT_THAT(t.lines(options, {.registers = RegisterChoice::None}),
              ElementsAre(HasSubstr(" tracepoint:g frame=0 tracepoint=2 pc=0x9000 time=\"synthetic\" of_g=7"),
                          HasSubstr(" tracepoint:f frame=1 tracepoint=2 pc=0x8000 time=\"synthetic\" of_f=8"),
                          HasSubstr(" tracepoint:f frame=2 tracepoint=2 time=\"synthetic\" of_f=9")));
}

TEST(TraceFrames, StaticDataIsTextOrBytes) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2).static_data("marker text").variable(1, 5).frame(2).static_data("\x01\x80").variable(1, 6).end();
  const auto lines = t.lines();
  EXPECT_THAT(lines, Contains(HasSubstr("static data=\"marker text\"")));
  EXPECT_THAT(lines, Contains(HasSubstr("static data=\"01 80\"")));
  EXPECT_THAT(lines, Contains("blob gdb/frame/1/static 2 bytes"));
}

TEST(TraceFrames, ManyValuesTakeSeveralRecords) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2);
  for (std::uint64_t i = 0; i < 40; ++i) t.memory(0x1000 + i, "x");
  t.variable(1, 1000).end();
  ImportOptions options;
  options.blobs = Blobs::None;
  const auto lines = t.lines(options);
  // The start and the end have 30 arguments. An instant between them has the other arguments.
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr("[1000000 tracepoint:tick frame=0 tracepoint=2"));
  EXPECT_THAT(lines[1], HasSubstr("@1000000 tracepoint:tick (2) frame=0 mem.0x101b=120")) << "goes on";
  EXPECT_THAT(lines[1], HasSubstr("$trace_timestamp=1000"));
  EXPECT_THAT(lines[2], HasSubstr("1000000] tracepoint:tick mem.0x100c=120"));
}

TEST(TraceFrames, RecordsOfAFrameNest) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2);
  for (std::uint64_t i = 0; i < 75; ++i) t.memory(0x1000 + i, "x");
  t.variable(1, 1000).end();
  ImportOptions options;
  options.blobs = Blobs::None;
  const auto lines = t.lines(options);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_THAT(lines[0], HasSubstr("[1000000 tracepoint:tick frame=0"));
  EXPECT_THAT(lines[1], HasSubstr("[1000000 tracepoint:tick (2) frame=0"));
  EXPECT_THAT(lines[2], HasSubstr("[1000000 tracepoint:tick (3) frame=0"));
  EXPECT_THAT(lines[3], HasSubstr("1000000] tracepoint:tick (3)"));
  EXPECT_THAT(lines[4], HasSubstr("1000000] tracepoint:tick (2)"));
  EXPECT_THAT(lines[5], HasSubstr("1000000] tracepoint:tick mem."));
}

TEST(TraceFrames, PlottedItemsAreAlsoCounters) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2).memory(0x404040, t.number(std::int64_t{-5})).variable(1, 1000);
  t.frame(2).memory(0x404040, t.number(std::int64_t{77})).memory(0x1000, "x").variable(1, 1001).end();
  const auto counters = [&](std::vector<std::string> plotted) {
    auto lines = t.lines({}, {.plotted = std::move(plotted)});
    std::erase_if(lines, [](const std::string& line) { return line.find(" counter ") == std::string::npos; });
    return lines;
  };
  const auto both =
      ElementsAre("@1000000 counter value:plot #0 g_hash=-5", "@1001000 counter value:plot #0 g_hash=77");
  EXPECT_THAT(counters({"g_hash"}), both);
  EXPECT_THAT(counters({"all"}), both) << "neither memory without a name nor the time";
  EXPECT_THAT(t.notes(), Not(Contains(HasSubstr("not-plotted"))));
  EXPECT_THAT(counters({"g", "hash", "tracepoint", "$trace_timestamp"}), testing::IsEmpty());
  EXPECT_THAT(t.notes(),
              testing::IsSupersetOf(
                  {"not-plotted 4", "FILE: `g`: the frames have these numbers: g_hash, mem.0x1000"}));
  EXPECT_THAT(counters({}), testing::IsEmpty());
}

// If arguments such as `a` and `a.b` are in one event, Perfetto shows no arguments of the event. Therefore,
// `a` is renamed to "a (whole)".
TEST(TraceFrames, AValueIsNamedWholeIfAPartOfItIsShown) {
  Names names;
  Arguments arguments;
  for (const char* name : {"a", "a.b[0]", "ab", "a.b", "a.b[1]"})
    arguments.add({names.intern(name), std::string_view("a text of several words")});
  WholeNames(names).rename_wholes(arguments);
  std::vector<std::string_view> shown;
  for (const Argument& argument : arguments) {
    EXPECT_EQ(argument.text, "a text of several words");
    shown.push_back(names.text(argument.name));
  }
  EXPECT_THAT(shown, ElementsAre("a (whole)", "a.b[0]", "ab", "a.b (whole)", "a.b[1]"));
}

// 64-bit targets sign-extend the addresses of 32-bit programs.
TEST(TraceFrames, FramesOf32BitMachinesHaveSmallAddresses) {
  TraceBuilder t;
  t.line("R 40").line("tp T2:8000:E:0:0").line("tp A2:8000:R0f");
  t.frame(2)
      .registers(i386_registers(0x8000, 0xffff0000))
      .memory(0xffff'ffff'ffff'd780, t.number(std::int32_t{7}));
  t.end();
  const auto lines = t.lines();
  EXPECT_THAT(lines.front(), HasSubstr(" mem.0xffffd780=7 "));
  EXPECT_THAT(lines, Contains(HasSubstr("gdb/frame/0/memory/0xffffd780")));
}

// reg 4; const8 2; mul; pop; end
TEST(TraceFrames, ValuesWithoutAProgramAreNumbers) {
  TraceBuilder t;
  t.line("R 40").line("tp T2:8000:E:0:0").line("tp A2:8000:R3ffX00000008,2600042202042927");
  t.source("2:8000", "cmd", "collect level*2").frame(2).registers(i386_registers(0x8000, 21)).end();
  EXPECT_THAT(t.lines().front(), HasSubstr(" level*2=42"));
}

TEST(TraceFrames, RangesMayBeRelativeToARegister) {
  TraceBuilder t;
  t.line("R 40").line("tp T2:8000:E:0:0").line("tp A2:8000:R0f").line("tp A2:8000:M4,10,4");
  t.source("2:8000", "cmd", "collect n");
  t.frame(2).registers(i386_registers(0x8000, 0x7000)).memory(0x7010, t.number(std::int32_t{5})).end();
  EXPECT_THAT(t.lines().front(), HasSubstr(" n=5"));
}

// Describes registers of i386. eip shows whether a frame is a hit or a step, and esp shows its thread.
void describe_steps(TraceBuilder& t) {
  t.line("R 40").line("status 0;tstop::0;tframes:8").line(kStamp);
  t.line("tp T2:8000:E:2:0").line("tp A2:8000:R0f").line("tp A2:8000:X00000008,2c00012e00012927");
  t.line("tp S2:8000:R0f").source("2:8000", "at", "f");
}

TEST(TraceFrames, StepsAreInsideTheirHit) {
  TraceBuilder t;
  describe_steps(t);
  t.frame(2).registers(i386_registers(0x8000, 0xffff0000)).variable(1, 10);
  t.frame(2).registers(i386_registers(0x8001, 0xffff0000));
  t.frame(2).registers(i386_registers(0x8003, 0xffff0000));
  t.frame(2).registers(i386_registers(0x8000, 0xffff0000)).variable(1, 20).end();
  TraceFileOptions options;
  options.registers = RegisterChoice::None;
  EXPECT_THAT(t.lines({}, options),
              ElementsAre("[10000 tracepoint:f frame=0 tracepoint=2 pc=0x8000 $trace_timestamp=10",
                          "@11000 tracepoint:step frame=1 tracepoint=2 pc=0x8001 time=\"synthetic\"",
                          "@12000 tracepoint:step frame=2 tracepoint=2 pc=0x8003 time=\"synthetic\"",
                          "12000] tracepoint:f",
                          "[20000 tracepoint:f frame=3 tracepoint=2 pc=0x8000 $trace_timestamp=20",
                          "20000] tracepoint:f"));
  EXPECT_THAT(t.notes(), Contains("synthetic-time 2"));
}

TEST(TraceFrames, StepsOfSeveralThreadsFindTheirOwnHit) {
  TraceBuilder t;
  describe_steps(t);
  t.frame(2).registers(i386_registers(0x8000, 0xffff0000)).variable(1, 10);
  t.frame(2).registers(i386_registers(0x8000, 0xaaaa0000)).variable(1, 11);
  t.frame(2).registers(i386_registers(0x8001, 0xffff0000)).variable(1, 12);
  t.frame(2).registers(i386_registers(0x8001, 0xaaaa0000)).variable(1, 13);
  t.frame(2).registers(i386_registers(0x8002, 0xaaaa0000)).variable(1, 14);
  t.frame(2).registers(i386_registers(0x8002, 0xffff0000)).variable(1, 15).end();
  t.lines();
  EXPECT_THAT(t.threads(), ElementsAre(HasSubstr("thread sp=0xffff0000 (guessed)"),
                                       HasSubstr("thread sp=0xaaaa0000 (guessed)")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("15000] tracepoint:f")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("14000] tracepoint:f")));
}

// Describes three registers of amd64. fs_base is 0 in frames that did not record it.
void describe_threads(TraceBuilder& t) {
  t.line("R 18").line(kStamp).line("tp T2:8000:E:0:0").line("tp A2:8000:R0f").source("2:8000", "at", "f");
  t.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
  t.line(
      "tdesc <reg name='rsp' bitsize='64' type='data_ptr'/><reg name='rip' bitsize='64' type='code_ptr'/>");
  t.line("tdesc <reg name='fs_base' bitsize='64'/></feature></target>");
}
std::string thread_registers(const TraceBuilder& t, std::uint64_t sp, std::uint64_t fs) {
  return t.number(sp) + t.number(std::uint64_t{0x8000}) + t.number(fs);
}

TEST(TraceThreads, AStackNearOneThreadBelongsToIt) {
  TraceBuilder t;
  describe_threads(t);
  t.frame(2).registers(thread_registers(t, 0x7000'0000, 0x1000)).variable(1, 10);
  t.frame(2).registers(thread_registers(t, 0x7400'0000, 0x2000)).variable(1, 11);
  t.frame(2).registers(thread_registers(t, 0x7008'0000, 0)).variable(1, 12).end();
  t.lines();
  EXPECT_THAT(t.threads(), ElementsAre(HasSubstr("thread 1 (0x1000)"), HasSubstr("thread 2 (0x2000)")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("frame=2 tracepoint=2 pc=0x8000 thread=\"guessed\"")));
}

TEST(TraceThreads, AStackNearTwoThreadsBelongsToNeither) {
  TraceBuilder t;
  describe_threads(t);
  t.frame(2).registers(thread_registers(t, 0x7000'0000, 0x1000)).variable(1, 10);
  t.frame(2).registers(thread_registers(t, 0x7010'0000, 0x2000)).variable(1, 11);
  t.frame(2).registers(thread_registers(t, 0x7008'0000, 0)).variable(1, 12).end();
  t.lines();
  EXPECT_THAT(t.threads(), ElementsAre(HasSubstr("thread 1 (0x1000)"), HasSubstr("thread 2 (0x2000)"),
                                       HasSubstr("thread sp=0x70080000 (guessed)")));
}

TEST(TracepointTracks, AreThreadsOfTheProcess) {
  TraceBuilder t;
  t.line("R 0").line(kStamp).line("tp T2:8000:E:0:0").source("2:8000", "at", "f");
  t.line("tp T3:9000:E:0:0").source("3:9000", "at", "g.c:14");
  std::int64_t time_us = 10;
  for (const int tracepoint : {3, 2, 4, 3})
    t.frame(static_cast<std::int16_t>(tracepoint)).variable(1, ++time_us);
  t.end().lines({}, {.frames = FrameChoice::Tracks});
  EXPECT_THAT(t.threads(), ElementsAre("5/1 unknown thread", "5/2 tracepoint 2 at f",
                                       "5/3 tracepoint 3 at g.c:14", "5/4 tracepoint 4"));
  EXPECT_THAT(t.all_lines(),
              IsSupersetOf({HasSubstr("5/1 @11000 session:trace status"),
                            HasSubstr("5/3 @11000 tracepoint:g.c:14 frame=0 tracepoint=3 "),
                            HasSubstr("5/2 @12000 tracepoint:f frame=1 tracepoint=2 "),
                            HasSubstr("5/4 @13000 tracepoint:tracepoint 4 frame=2 tracepoint=4 "),
                            HasSubstr("5/3 @14000 tracepoint:g.c:14 frame=3 tracepoint=3 ")}));
}

TEST(TracepointTracks, ThereIsOneForEachThreadWithItsSteps) {
  TraceBuilder t;
  describe_steps(t);
  t.frame(2).registers(i386_registers(0x8000, 0xffff0000)).variable(1, 10);
  t.frame(2).registers(i386_registers(0x8000, 0xaaaa0000)).variable(1, 11);
  t.frame(2).registers(i386_registers(0x8001, 0xffff0000)).variable(1, 12);
  t.frame(2).registers(i386_registers(0x8001, 0xaaaa0000)).variable(1, 13);
  t.frame(2).registers(i386_registers(0x8002, 0xaaaa0000)).variable(1, 14);
  t.frame(2).registers(i386_registers(0x8002, 0xffff0000)).variable(1, 15).end();
  t.lines({}, {.frames = FrameChoice::Tracks, .registers = RegisterChoice::None});
  EXPECT_THAT(t.threads(),
              ElementsAre("5/1 thread sp=0xffff0000 (guessed)", "5/2 thread sp=0xaaaa0000 (guessed)",
                          "5/3 tracepoint 2 at f on thread sp=0xffff0000 (guessed)",
                          "5/4 tracepoint 2 at f on thread sp=0xaaaa0000 (guessed)"));
  EXPECT_THAT(t.all_lines(), IsSupersetOf({"5/3 15000] tracepoint:f", "5/4 14000] tracepoint:f"}));
}

// The frames include calls, frames with more than 15 values, counters and blobs. Some of the frames fit a
// FramePattern.
TEST(TracepointTracks, HaveTheSameEventsAsThreads) {
  TraceBuilder t;
  describe_steps(t);
  t.line(kHits).line("tp T3:9000:E:0:0").line("tp A3:9000:M-1,404040,8").source("3:9000", "at", "g");
  t.source("3:9000", "cmd", "collect g_hash");
  std::int64_t time_us = 10;
  for (int i = 0; i < 3; ++i) {
    t.frame(2).registers(i386_registers(0x8000, 0xffff0000)).variable(1, ++time_us).variable(2, i);
    for (std::uint32_t number = 30; number < 70; ++number) t.variable(number, i);
    for (const std::uint32_t pc : {0x8001u, 0x8003u})
      t.frame(2).registers(i386_registers(pc, 0xffff0000)).variable(1, ++time_us);
    t.frame(3).memory(0x404040, t.number(std::int64_t{i})).variable(1, ++time_us).variable(2, i);
  }
  t.end();
  const auto on_threads = t.lines({}, {.frames = FrameChoice::Marks});
  const auto details = t.details();
  EXPECT_THAT(on_threads, IsSupersetOf({HasSubstr("tracepoint:f (2) frame=0"), HasSubstr("counter"),
                                        HasSubstr("blob gdb/frame/3/memory"), HasSubstr("] tracepoint:f")}));
  EXPECT_EQ(t.lines({}, {.frames = FrameChoice::Tracks}), on_threads);
  EXPECT_EQ(t.details(), details);
}

TEST(TracepointTracks, BeyondTheFirst10000AreOnTheirThreads) {
  constexpr std::int16_t kThreads = 101, kTracepoints = 100;
  constexpr std::size_t kTracks = 10'000;
  TraceBuilder t;
  t.line("R 0").line("tsv 1a:0:1:63757272656e745f7461736b5f706964");  // current_task_pid
  for (std::int16_t pid = 1; pid <= kThreads; ++pid)
    for (std::int16_t tracepoint = 1; tracepoint <= kTracepoints; ++tracepoint)
      t.frame(tracepoint).variable(26, pid);
  t.end();
  EXPECT_EQ(t.lines({}, {.frames = FrameChoice::Tracks}).size(),
            2u * kThreads * kTracepoints);  // an instant and a counter value for each frame
  EXPECT_EQ(t.threads().size(), kThreads + kTracks);
  EXPECT_THAT(t.all_lines().back(), HasSubstr("10102/101 @10100000 counter variable:variable #0 "));
}

TEST(TraceFrames, WithoutRegistersTheShapeIdentifiesSteps) {
  TraceBuilder t;
  t.line("R 40").line("status 0;tstop::0;tframes:3").line(kStamp);
  t.line("tp T4:401317:E:2:0").line("tp S4:401317:M-1,404160,4").source("4:401317", "at", "stamp");
  t.source("4:401317", "cmd", "while-stepping 2")
      .source("4:401317", "cmd", "collect g")
      .source("4:401317", "cmd", "end");
  t.frame(4)
      .frame(4)
      .memory(0x404160, "\5\0\0\0")
      .frame(4)
      .memory(0x404160, std::string("\6\0\0\0", 4))
      .end();
  t.write(t.bytes());
  ImportOptions options;
  options.blobs = Blobs::None;
  EXPECT_THAT(t.lines(options).front(), HasSubstr("tracepoint:stamp frame=0 tracepoint=4 pc=0x401317"));
}

TEST(TraceFrames, RegistersAreTyped) {
  TraceBuilder t;
  describe_steps(t);
  t.source("2:8000", "cmd", "collect $regs");
  t.frame(2).registers(i386_registers(0x8000, 0xffff0000)).variable(1, 10).end();
  t.lines();
  const auto has = [&](std::string_view text) {
    EXPECT_THAT(t.all_lines(), Contains(HasSubstr(std::string(text))));
  };
  has(" reg.eax=0x0 ");
  has(" reg.esp=0xffff0000 ");
  has(" reg.eip=0x8000 ");
  has(" reg.eflags='0x0 [ ]' ");
  EXPECT_THAT(t.notes(), Contains("FILE: no target description, so the registers of i386 are assumed"));
}

// Frames with the same blocks share a recipe (frame_recipes.h). A frame with different blocks, another
// thread or another address has a recipe of its own.
TEST(TraceFrames, FramesWithTheSameBlocksHaveTheirOwnValues) {
  TraceBuilder t;
  t.line("R 40").line("status 0;tstop::0;tframes:7").line(kStamp);
  for (const std::string location : {"2:8000", "2:9000"})
    t.line("tp T" + location + ":E:0:0")
        .line("tp A" + location + ":R3ff")
        .source(location, "cmd", "collect $regs");
  const auto frame = [&](std::uint32_t eip, std::uint32_t esp, char flags) -> TraceBuilder& {
    std::string block = i386_registers(eip, esp);
    block[36] = flags;
    return t.frame(2).registers(block);
  };
  frame(0x8000, 0xffff0000, 1).memory(0x100, "\1");
  frame(0x8000, 0xffff0010, 4).memory(0x100, "\2");
  frame(0x8000, 0xffff0000, 1).memory(0x200, "\3");
  frame(0x8000, 0xffff0000, 1).memory(0x100, "\1\2");
  frame(0x8000, 0xffff0000, 1);
  frame(0x8000, 0xeeee0000, 1).memory(0x100, "\4");
  frame(0x9000, 0xffff0000, 1).memory(0x100, "\5").end();
  ImportOptions options;
  options.blobs = Blobs::None;
  t.lines(options);
  const auto has = [&](int number, std::string_view values) {
    EXPECT_THAT(t.all_lines(), Contains(ContainsRegex(fmt::format(" frame={} .*{}", number, values))));
  };
  has(0, "pc=0x8000 .*mem.0x100=1 .*reg.esp=0xffff0000 .*reg.eflags=.0x1 . CF .");
  has(1, "pc=0x8000 .*mem.0x100=2 .*reg.esp=0xffff0010 .*reg.eflags=.0x4 . PF .");
  has(2, "mem.0x200=3 ");
  has(3, "mem.0x100=513 ");
  has(4, "pc=0x8000 .*reg.eax=");
  has(5, "mem.0x100=4 .*reg.esp=0xeeee0000 ");
  has(6, "pc=0x9000 .*mem.0x100=5 ");
  EXPECT_EQ(t.threads().size(), 2u);
  EXPECT_THAT(t.all_lines(), Not(Contains(ContainsRegex("frame=4 .*mem"))));
}

// A register block has all registers. If the actions need a register only for the address of a variable, the
// register is not shown.
TEST(TraceFrames, RegistersAreThoseThatActionsName) {
  TraceBuilder t;
  t.line("R 40").line("status 0;tstop::0;tframes:1").line("tp T2:8000:E:0:0").line("tp A2:8000:R020120");
  t.source("2:8000", "at", "f").source("2:8000", "cmd", "collect n, $pc, $esp");
  t.frame(2).registers(i386_registers(0x8000, 0xffff0000)).end();
  const auto values = [&](RegisterChoice registers) {
    const auto lines = t.lines({}, {.registers = registers});
    return lines.front().substr(lines.front().find(" pc="));
  };
  EXPECT_EQ(values(RegisterChoice::Auto), " pc=0x8000 time=\"synthetic\" reg.esp=0xffff0000 reg.eip=0x8000");
  EXPECT_THAT(t.notes(), testing::Not(Contains(HasSubstr("registers-left-out"))))
      << "no action asked for more";
  EXPECT_EQ(values(RegisterChoice::None), " pc=0x8000 time=\"synthetic\"");
  EXPECT_THAT(values(RegisterChoice::General), HasSubstr("reg.eax=0x0 "));
}

TEST(TraceFrames, RegistersThatAreNotGeneralAreNoted) {
  TraceBuilder t;
  t.line("R c").line("status 0;tstop::0;tframes:1").line("tp T2:8000:E:0:0").line("tp A2:8000:R7");
  t.line("tdesc <target><architecture>i386</architecture><feature name='f'><reg name='eip' bitsize='32'/>");
  t.line("tdesc <reg name='eax' bitsize='32'/><reg name='st0' bitsize='32' type='i387_ext' group='float'/>");
  t.line("tdesc </feature></target>").source("2:8000", "at", "f").source("2:8000", "cmd", "collect $regs");
  t.frame(2).registers(t.number(std::uint32_t{0x8000}) + std::string(8, '\1')).end();
  EXPECT_THAT(t.lines().front(), HasSubstr(" reg.eax=0x1010101"));
  EXPECT_THAT(t.notes(), Contains("registers-left-out 1"));
  EXPECT_THAT(t.notes(), Contains("FILE: not all registers are shown: only those that actions name, and "
                                  "for $regs the general registers; use --registers general or --registers "
                                  "all"));
  t.lines({}, {.registers = RegisterChoice::None});
  EXPECT_THAT(t.notes(), testing::Not(Contains(HasSubstr("registers-left-out")))) << "by request";
}

TEST(TraceFrames, RegistersAreAllWithoutCommands) {
  TraceBuilder t;
  t.line("R 40").line("status 0;tstop::0;tframes:1").line("tp T2:8000:E:0:0").line("tp A2:8000:R20");
  t.frame(2).registers(i386_registers(0x8000, 0xffff0000)).end();
  EXPECT_THAT(t.lines().front(), HasSubstr("reg.eax=0x0 "));
  EXPECT_THAT(t.notes(), testing::Not(Contains(HasSubstr("registers-left-out"))));
}

// On i386, GDB encodes `collect $_ret` as bytecode that records the 4 bytes at ebp + 4. Here, ebp is 0.
TEST(TraceFrames, ReturnAddressesAreNamed) {
  TraceBuilder t;
  t.line("R 40").line("status 0;tstop::0;tframes:1").line("tp T2:8000:E:0:0");
  t.line("tp A2:8000:R20").line("tp A2:8000:X0000000A,26000522040222040c27");
  t.source("2:8000", "at", "f").source("2:8000", "cmd", "collect $_ret");
  t.frame(2).registers(i386_registers(0x8000, 0xffff0000)).memory(4, t.number(std::uint32_t{0x8123})).end();
  EXPECT_THAT(t.lines().front(), HasSubstr(" $_ret=0x8123"));
}

TEST(TraceTimes, AreBetweenTheTimesOfNeighbors) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2).variable(1, 100).frame(2).frame(2).frame(2).frame(2).variable(1, 104).end();
  std::vector<std::string> times;
  for (const std::string& line : t.lines()) times.push_back(line.substr(0, line.find(' ')));
  EXPECT_THAT(times, ElementsAre("@100000", "@101000", "@102000", "@103000", "@104000"));
}

TEST(TraceTimes, AreDistributedBetweenStartAndStop) {
  TraceBuilder t;
  t.line("R 40").line("status 0;tstop::0;tframes:3;starttime:64;stoptime:68").line("tp T2:401000:E:0:0");
  t.frame(2).frame(2).frame(2).end();
  std::vector<std::string> times;
  for (const std::string& line : t.lines()) times.push_back(line.substr(0, line.find(' ')));
  EXPECT_THAT(times, ElementsAre("@101000", "@102000", "@103000"));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("@100000 session:trace start")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("@104000 session:trace stop")));
}

TEST(TraceTimes, FramesWithoutStampsKeepTheirOrder) {
  TraceBuilder t;
  t.line("R 40").line("tp T2:401000:E:0:0").frame(2).frame(2).end();
  const auto lines = t.lines();
  EXPECT_THAT(lines, ElementsAre(HasSubstr("@1000 "), HasSubstr("@2000 ")));
  EXPECT_THAT(t.notes(), Contains("no-time-stamps 2"));
}

TEST(TraceTimes, TimesThatGoBackAreSorted) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2).variable(1, 30).frame(2).variable(1, 10).frame(2).variable(1, 20).end();
  EXPECT_THAT(t.lines(), ElementsAre(HasSubstr("@10000 tracepoint:tick frame=1 "),
                                     HasSubstr("@20000 tracepoint:tick frame=2 "),
                                     HasSubstr("@30000 tracepoint:tick frame=0 ")));
  EXPECT_THAT(t.notes(), Contains("time-reversed 2"));
}

TEST(TraceTimes, ImpossibleTimesAreReplaced) {
  TraceBuilder t;
  describe_tick(t);
  t.frame(2).variable(1, 30).frame(2).variable(1, -1).frame(2).variable(1, 40).end();
  EXPECT_THAT(t.lines()[1],
              HasSubstr("@35000 tracepoint:tick frame=1 tracepoint=2 pc=0x401000 time=\"synthetic\""));
  EXPECT_THAT(t.notes(), Contains("bad-time 1"));
}

TEST(TraceSession, IsShownOnce) {
  TraceBuilder t;
  t.line("R 40")
      .line("status 0;tfull:0;tframes:1;tcreated:3;circular:1;username:6d65;notes:6869")
      .line(kStamp);
  t.line("tp T2:401000:E:0:0").frame(2).variable(1, 30).end();
  t.lines();
  EXPECT_THAT(
      t.all_lines(),
      Contains(HasSubstr("@30000 session:trace status stop_reason=\"buffer full\" frames=1 frames_created=3 "
                         "user=\"me\" notes=\"hi\" circular=1 clock=\"monotonic\"")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("blob gdb/description ")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("session:overwritten before saving count=2")));
  EXPECT_THAT(t.notes(), Contains("frames-overwritten 2"));
  EXPECT_THAT(t.notes(), Contains("buffer-full 1"));
}

}  // namespace
}  // namespace convert::tfile
