// Tests that frames of a pattern have the same events as without the pattern. The first frame of a pattern
// makes a recipe. Later frames are recognized by their bytes, and use this recipe.
#include "converters/tfile/frames/frame_pattern.h"

#include <algorithm>
#include <bit>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "converters/tfile/frames/pattern_reader.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/importer.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Frame frame_of(const std::vector<std::byte>& bytes) {
  const FrameFormat format{.order = std::endian::little, .register_block_size = 4};
  Frame frame;
  frame.tracepoint = frame_header(bytes, format.order).tracepoint;
  frame.bytes = bytes;
  walk_blocks(std::span(bytes).subspan(kFrameHeaderBytes), format, &frame.blocks);
  return frame;
}

std::vector<std::byte> bytes_of(TraceBuilder& t) {
  const std::string file = t.end_frame().bytes();
  const auto frames = std::as_bytes(std::span(file)).subspan(file.find("\n\n") + 2);
  return {frames.begin(), frames.end()};
}

std::vector<std::byte> small_frame(std::uint64_t address, std::int64_t value, std::int64_t time) {
  TraceBuilder t;
  return bytes_of(t.line("R 4").frame(2).memory(address, t.number(value)).variable(1, time));
}

TEST(FramePattern, IsOfOneTracepointAndItsBlocks) {
  const auto first = small_frame(0x404040, 7, 1000);
  const auto pattern = FramePattern::pattern_of(frame_of(first));
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->size(), 38u);
  // The value comes after 30 bytes: the header has 6 bytes, the memory block has 19, the letter of the
  // variable block has 1, and the variable's number has 4.
  EXPECT_EQ(pattern->value_of(1), 30u);
  EXPECT_EQ(pattern->value_of(2), std::nullopt);
  EXPECT_TRUE(pattern->matches(first));
  EXPECT_TRUE(pattern->matches(small_frame(0x404040, -1, -1)));
  EXPECT_FALSE(pattern->matches(small_frame(0x404048, 7, 1000)));

  // All bytes are compared, except the 8 bytes of memory content and the 8 bytes of the variable's value.
  for (std::size_t i = 0; i < first.size(); ++i) {
    auto other = first;
    other[i] ^= std::byte{1};
    EXPECT_EQ(pattern->matches(other), (i >= 17 && i < 25) || i >= 30) << i;
    EXPECT_FALSE(pattern->matches(std::span(first).first(i))) << i;
  }
}

TEST(FramePattern, IsNotForRegistersAndLargeFrames) {
  TraceBuilder registers;
  EXPECT_FALSE(
      FramePattern::pattern_of(frame_of(bytes_of(registers.frame(2).registers("1234").variable(1, 5)))));
  TraceBuilder large;
  EXPECT_FALSE(FramePattern::pattern_of(frame_of(bytes_of(large.frame(2).memory(8, std::string(300, 'x'))))));
  TraceBuilder empty;
  EXPECT_FALSE(FramePattern::pattern_of(frame_of(bytes_of(empty.frame(2)))));
}

TEST(FramePatterns, KeepAFewOfEachTracepoint) {
  FramePatterns patterns;
  std::size_t count = 0;
  for (std::uint64_t address = 0; address < 100; ++address) {
    const auto bytes = small_frame(address, 7, 1000);
    const Frame frame = frame_of(bytes);
    if (patterns.find(bytes) != FramePatterns::kNone || !patterns.wants_another(frame)) continue;
    patterns.add(frame, *FramePattern::pattern_of(frame));
    EXPECT_EQ(patterns.find(bytes), count++);
  }
  EXPECT_EQ(count, 8u);
  EXPECT_EQ(patterns.find(small_frame(3, -1, -1)), 3u);
  EXPECT_EQ(patterns.find({}), FramePatterns::kNone);
}

TEST(FramePatterns, KeepAFewThousandInAll) {
  FramePatterns patterns;
  std::size_t count = 0;
  for (std::int16_t tracepoint = 1; tracepoint < 5000; ++tracepoint) {
    TraceBuilder t;
    const auto bytes = bytes_of(t.frame(tracepoint).variable(1, 1000));
    if (!patterns.wants_another(frame_of(bytes))) continue;
    patterns.add(frame_of(bytes), *FramePattern::pattern_of(frame_of(bytes)));
    ++count;
  }
  EXPECT_EQ(count, 4096u);
}

TEST(PatternReader, SkipsFramesOfKnownPatterns) {
  TraceBuilder t;
  describe_tick(t);
  for (const int time : {1000, 1001, -1, 1003})
    t.frame(2).memory(0x404040, t.number(std::int64_t{time})).variable(1, time);
  t.end();
  Notes notes;
  const TraceFile trace = open_trace_file(t.write(), {}, notes);
  FrameReader reader(*trace.file, trace.description, trace.format);
  PatternReader patterns(reader, trace.description, trace.format.order);
  EXPECT_FALSE(patterns.peek()) << "nothing was learned yet";
  EXPECT_TRUE(patterns.learn(*reader.next(), true));

  auto match = patterns.peek();
  ASSERT_TRUE(match);
  EXPECT_EQ(match->pattern, 0u);
  EXPECT_EQ(match->stamp_ns, 1'001'000u);
  patterns.skip(*match);
  EXPECT_EQ(reader.frames_read(), 2u);

  EXPECT_FALSE(patterns.peek()) << "an impossible stamp";
  EXPECT_FALSE(patterns.learn(*reader.next(), false));
  match = patterns.peek();
  ASSERT_TRUE(match);
  EXPECT_EQ(match->stamp_ns, 1'003'000u);
}

TEST(FramesOfAPattern, DifferInTheirNumbers) {
  TraceBuilder t;
  describe_tick(t);
  const std::vector<std::int64_t> hashes{1, -5, 1LL << 40, 0, 0, 0, 0, 0, 0, 0, 12};
  for (std::size_t i = 0; i < hashes.size(); ++i)
    t.frame(2).memory(0x404040, t.number(hashes[i])).variable(1, 1000 + static_cast<std::int64_t>(i));
  const auto lines = t.end().lines();
  ASSERT_EQ(lines.size(), 2 * hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::string number = std::to_string(i), time = std::to_string(1000 + i);
    EXPECT_EQ(lines[2 * i], "@" + time + "000 tracepoint:tick frame=" + number +
                                " tracepoint=2 pc=0x401000 g_hash=" + std::to_string(hashes[i]) +
                                " $trace_timestamp=" + time);
    EXPECT_EQ(lines[2 * i + 1], "blob gdb/frame/" + number + "/memory/0x404040 8 bytes");
  }
}

TEST(FramesOfAPattern, AreNumbersOfAllSizesInTheByteOrderOfTheFile) {
  for (const bool is_big : {false, true}) {
    TraceBuilder t;
    if (is_big) t.big_endian();
    describe_tick(t);
    for (const int sign : {1, -1})
      t.frame(2)
          .memory(0x10, t.number(static_cast<std::int8_t>(sign * 100)))
          .memory(0x20, t.number(static_cast<std::int16_t>(sign * 1000)))
          .memory(0x30, t.number(static_cast<std::int32_t>(sign * 100'000)))
          .memory(0x40, t.number(std::int64_t{sign} * 10'000'000'000))
          .variable(1, 1000);
    EXPECT_THAT(
        t.end().lines(),
        Contains("@1000000 tracepoint:tick frame=1 tracepoint=2 pc=0x401000 mem.0x10=156 mem.0x20=-1000 "
                 "mem.0x30=-100000 mem.0x40=-10000000000 $trace_timestamp=1000"))
        << is_big;
  }
}

// If many instants have the same time, Perfetto shows each of them inside the previous one, up to 512 levels.
// Further frames are shown as pairs, because the end of a pair frees its level.
TEST(FramesOfAPattern, AreShownAsPairsIfTooManyHaveOneTime) {
  TraceBuilder t;
  describe_tick(t);
  for (std::int64_t i = 0; i < 600; ++i) t.frame(2).memory(0x404040, t.number(i)).variable(1, 1000);
  t.frame(2).memory(0x404040, t.number(std::int64_t{600})).variable(1, 1001);
  const auto lines = t.end().lines();
  const auto count = [&](std::string_view start) {
    return std::ranges::count_if(lines, [&](const std::string& line) { return line.starts_with(start); });
  };
  const auto instants = count("@1000000 tracepoint:tick "), pairs = count("[1000000 tracepoint:tick ");
  EXPECT_EQ(instants + pairs, 600);
  EXPECT_EQ(instants, 510);  // of 512 levels, "trace status" uses one, and the pairs use another
  EXPECT_EQ(count("1000000] tracepoint:tick"), pairs);
  EXPECT_EQ(count("@1001000 tracepoint:tick "), 1);
  EXPECT_EQ(count("blob gdb/frame/"), 601);
}

TEST(FramesOfAPattern, HaveCounters) {
  TraceBuilder t;
  describe_tick(t);
  for (const int hits : {7, 8, 9}) t.frame(2).variable(2, hits).variable(1, 1000 + hits);
  EXPECT_THAT(t.end().lines(), Contains("@1009000 counter variable:variable #0 $hits=9"));
}

TEST(FramesOfAPattern, WithoutStampsAreMarkedSynthetic) {
  TraceBuilder t;
  describe_tick(t);
  for (const int hits : {7, 8, 9}) t.frame(2).variable(2, hits);
  EXPECT_THAT(t.end().lines(),
              Contains(HasSubstr(" frame=2 tracepoint=2 pc=0x401000 time=\"synthetic\" $hits=9")));
}

TEST(FramesOfAPattern, MayHaveOtherFramesBetweenThem) {
  TraceBuilder t;
  describe_tick(t);
  const auto tick = [&](std::int64_t value, std::int64_t time) {
    t.frame(2).memory(0x404040, t.number(value)).variable(1, time);
  };
  tick(1, 1000);
  tick(2, 1001);
  tick(3, -1);                                             // the time is invalid
  t.frame(2).memory(0x404040, "1234").variable(1, 1003);   // 4 bytes of memory instead of 8
  t.frame(2).memory(0x404040, t.number(std::int64_t{5}));  // the frame has no timestamp
  t.frame(9).memory(0x404040, t.number(std::int64_t{6})).variable(1, 1005);
  tick(7, 1006);
  t.end();
  ImportOptions options;
  options.blobs = Blobs::None;
  EXPECT_THAT(t.lines(options),
              ElementsAre(HasSubstr("frame=0 tracepoint=2 pc=0x401000 g_hash=1"),
                          HasSubstr("frame=1 tracepoint=2 pc=0x401000 g_hash=2"),
                          HasSubstr("frame=2 tracepoint=2 pc=0x401000 time=\"synthetic\" g_hash=3"),
                          HasSubstr("frame=3 tracepoint=2 pc=0x401000 mem.0x404040=875770417"),
                          HasSubstr("frame=4 tracepoint=2 pc=0x401000 time=\"synthetic\" g_hash=5"),
                          HasSubstr("frame=5 tracepoint=9 mem.0x404040=6"),
                          HasSubstr("frame=6 tracepoint=2 pc=0x401000 g_hash=7")));
  EXPECT_THAT(t.notes(), Contains("bad-time 1"));
}

TEST(FramesOfAPattern, MayHoldAVariableTwice) {
  TraceBuilder t;
  describe_tick(t);
  for (const int hits : {7, 8, 9}) t.frame(2).variable(2, hits).variable(2, 100).variable(1, 1000 + hits);
  EXPECT_THAT(t.end().lines(), Contains(HasSubstr(" $hits=100 $hits (1)=9 ")));
}

// The tracepoint collects *ptr, so the block at the address in ptr has the name *ptr. In the last frame, ptr
// has another value.
TEST(FramesOfAPattern, NameTheMemoryAtARecordedPointer) {
  TraceBuilder t;
  t.line("R 40").line(kStamp).line("tp T2:401000:E:0:0");
  // const32 0x500000; trace_quick 8; ref64; const8 4; trace; end
  t.line("tp A2:401000:X0000000C,24005000000d081a22040c27").line("tp A2:401000:X00000008,2c00012e00012927");
  t.source("2:401000", "cmd", "collect *ptr").source("2:401000", "cmd", "collect $trace_timestamp");
  for (const std::uint64_t pointer : {0x600000u, 0x600000u, 0x700000u})
    t.frame(2)
        .memory(0x500000, t.number(pointer))
        .memory(0x600000, t.number(std::int32_t{5}))
        .variable(1, 1000);
  const auto lines = t.end().lines();
  EXPECT_THAT(lines, Contains(HasSubstr("frame=1 tracepoint=2 pc=0x401000 *ptr=5 $trace")));
  EXPECT_THAT(lines,
              Contains(HasSubstr("frame=2 tracepoint=2 pc=0x401000 mem.0x500000=7340032 mem.0x600000=5 ")));
}

TEST(FramesOfAPattern, AreCountedLikeOthers) {
  TraceBuilder t;
  describe_tick(t);
  for (const int time : {5, 6, 6, 4, -1, 7})
    t.frame(2).memory(0x404040, t.number(std::int64_t{1})).memory(0x8, "ab").variable(1, time);
  t.end().write();
  Notes notes;
  const std::string text = text_of(inspect(t.path(), notes));
  EXPECT_THAT(text, HasSubstr("    hits in this file: 6\n"));
  EXPECT_THAT(text, HasSubstr("  frames: 6\n  hits: 6\n  steps: 0\n  memory blocks: 12\n  memory bytes: 60\n"
                              "  variable values: 6\n  frames by tracepoint:\n    tracepoint 2: 6\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "  frames with a time stamp: 5\n  stamps going back: 1\n  first ns: 4000\n  last ns: 7000\n"));
  EXPECT_THAT(text, HasSubstr("  - thread: unknown thread\n    frames: 6\n"));
}

}  // namespace
}  // namespace convert::tfile
