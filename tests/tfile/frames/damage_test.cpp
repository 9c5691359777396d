// Damaged files: the frames before and after the damage are shown, and a note reports the damage.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "converters/tfile/importer.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

void describe_frames(TraceBuilder& t, std::string_view frames) {
  t.line("R 40").line("status 0;tstop::0;tframes:" + std::string(frames));
  t.line(kStamp).line("tp T2:401000:E:0:0").source("2:401000", "at", "f");
}

std::string error_of(TraceBuilder& t, std::string_view bytes) {
  t.write(bytes);
  try {
    t.lines();
  } catch (const InputError& error) {
    std::string text = error.what();
    return text.replace(0, t.path().string().size(), "FILE");
  }
  return "none";
}

TEST(DamagedTrace, OtherFilesAreRefused) {
  TraceBuilder t;
  EXPECT_EQ(error_of(t, "\x7fTRACE1\n"), "FILE:+0x6: trace file version '1', expected '0'");
  EXPECT_EQ(error_of(t,
                     "\x7f"
                     "TRAC"),
            "FILE: not a GDB trace file");
  EXPECT_EQ(error_of(t, "\x7fTRACX0\n"), "FILE: not a GDB trace file");
  EXPECT_EQ(error_of(t,
                     "\x7f"
                     "TRACE0"),
            "FILE: not a GDB trace file");
  EXPECT_TRUE(recognizes(t.write("\x7fTRACE1\n")));
  EXPECT_FALSE(
      recognizes(t.write("\x7f"
                         "TRAC")));
}

// The file begins like a trace file, but the second line is followed by 70 MiB without a line end.
TEST(DamagedTrace, ADescriptionWithoutEndIsRefused) {
  TraceBuilder t;
  t.write("\x7fTRACE0\nR 40\n" + std::string(std::size_t{70} << 20, '\0'));
  try {
    t.lines();
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                testing::EndsWith(":+0xd: the empty line that ends the description is missing"));
  }
}

TEST(CommonTraceFormat, IsRefusedWithAdvice) {
  const TraceBuilder unique;  // has a unique name
  const std::filesystem::path folder = unique.path().string() + ".ctf";
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "datastream") << "x";
  EXPECT_FALSE(recognizes(folder));
  std::ofstream(folder / "metadata") << "/* CTF 1.8 */\n";
  EXPECT_TRUE(recognizes(folder));
  Names names;
  Notes notes;
  ImportStats stats;
  Timeline timeline({}, notes);
  const ImportOptions options;
  ImportContext context{names, notes, timeline, stats, options};
  try {
    import(folder, context);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("save it with `tsave session.tfile`, without `-ctf`"));
  }
  std::filesystem::remove_all(folder);
}

TEST(DamagedTrace, ADescriptionAloneIsShown) {
  TraceBuilder t;
  t.write("\x7fTRACE0\nR 40\nstatus 0;tfull:0\ntp T2:4010");
  EXPECT_THAT(t.lines(), SizeIs(0));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("session:trace status stop_reason=\"buffer full\"")));
  EXPECT_THAT(t.notes(), AllOf(Contains("FILE:+0x28: the file ends inside the description"),
                               Contains("FILE:4: tracepoint state is '', expected E or D")));
  EXPECT_THAT(t.notes(), testing::Not(Contains(HasSubstr("end marker"))));
}

TEST(DamagedTrace, UnknownLinesAreNoted) {
  TraceBuilder t;
  describe_frames(t, "1");
  t.line("future line").line("tsv 1:x").line("R zz").frame(2).variable(1, 5).end();
  EXPECT_THAT(t.lines(), SizeIs(1));
  EXPECT_THAT(
      t.notes(),
      AllOf(Contains("FILE:7: 'future' is not a known kind of line"), Contains("FILE:8: damaged variable"),
            Contains("FILE:9: the size of the register block is not a hexadecimal number")));
}

// In files of Enea OSE, blocks have two numbers of 4 bytes.
TEST(DamagedTrace, BlocksOfEneaOseAreNotDamage) {
  TraceBuilder t;
  describe_frames(t, "1");
  t.line("relocation section 10000000 10020000");
  t.frame(2).raw("E1234567R").variable(1, 5).end();
  EXPECT_THAT(t.lines(), ElementsAre(HasSubstr("@5000 tracepoint:f frame=0")));
  EXPECT_THAT(t.notes(), Contains("ose-blocks 1"));
  EXPECT_THAT(t.notes(), testing::Not(Contains(HasSubstr("damaged"))));
  EXPECT_THAT(t.notes(), testing::Not(Contains(HasSubstr("unknown-line"))));
}

TEST(DamagedTrace, AnUnknownBlockCostsOnlyItsFrame) {
  TraceBuilder t;
  describe_frames(t, "3");
  t.frame(2).variable(1, 5).frame(2).variable(1, 6).raw("Qxyz").frame(2).variable(1, 7).end();
  EXPECT_THAT(t.lines(),
              ElementsAre(HasSubstr("@5000 tracepoint:f frame=0"), HasSubstr("@6000 tracepoint:f frame=1"),
                          HasSubstr("@7000 tracepoint:f frame=2")));
  EXPECT_THAT(t.notes(), Contains(HasSubstr("frame 1: unknown or damaged block (4 bytes")));
  EXPECT_THAT(t.all_lines(), Contains(HasSubstr("session:damaged bytes begin=")));
}

TEST(DamagedTrace, AHoleIsSkipped) {
  TraceBuilder t;
  describe_frames(t, "5");
  t.frame(2).variable(1, 5).end_frame().raw(std::string(500, '\0'));
  for (const int time : {6, 7, 8}) t.frame(2).variable(1, time);
  t.end();
  EXPECT_THAT(t.lines(),
              ElementsAre(HasSubstr("@5000 tracepoint:f frame=0"), HasSubstr("@6000 tracepoint:f frame=1"),
                          HasSubstr("@7000 tracepoint:f frame=2"), HasSubstr("@8000 tracepoint:f frame=3")));
  EXPECT_THAT(t.notes(), AllOf(Contains("skipped-bytes 1"), Contains("frames-missing 1"),
                               Contains(HasSubstr("an end marker is between the frames (500 bytes"))));
}

TEST(DamagedTrace, AFrameThatIsCutOffKeepsItsCompleteBlocks) {
  TraceBuilder t;
  describe_frames(t, "2");
  t.frame(2).variable(1, 5).frame(2).variable(1, 6).memory(0x1000, "abcdefgh");
  const std::string bytes = t.bytes();
  t.write(std::string_view(bytes).substr(0, bytes.size() - 3));
  EXPECT_THAT(t.lines(),
              ElementsAre(HasSubstr("@5000 tracepoint:f frame=0"),
                          "@6000 tracepoint:f frame=1 tracepoint=2 pc=0x401000 $trace_timestamp=6"));
  EXPECT_THAT(t.notes(), ElementsAre("truncated-tail 1", HasSubstr("inside frame 1: 3 bytes are missing")));
}

// Frame 1 has a good block, and then a damaged block. The search for the next frame starts after the good
// block, even if bytes in this block look like frames.
TEST(DamagedTrace, FramesAreSearchedAfterGoodBlocks) {
  TraceBuilder inner;
  inner.frame(2).variable(1, 50).frame(2).variable(1, 60).frame(2).variable(1, 70).end_frame();
  const std::string whole = inner.bytes(), frames = whole.substr(whole.find("\n\n") + 2);
  TraceBuilder t;
  describe_frames(t, "5");
  t.frame(2).variable(1, 5).frame(2).memory(0x1000, frames).raw("Qxyz").end_frame().raw("??");
  for (const int time : {6, 7, 8}) t.frame(2).variable(1, time);
  ImportOptions options;
  options.blobs = Blobs::None;
  EXPECT_THAT(t.end().lines(options),
              ElementsAre(HasSubstr("@5000 tracepoint:f frame=0"), HasSubstr("tracepoint:f frame=1"),
                          HasSubstr("@6000 tracepoint:f frame=2"), HasSubstr("@7000 tracepoint:f frame=3"),
                          HasSubstr("@8000 tracepoint:f frame=4")));
}

TEST(DamagedTrace, InvalidBytecodeIsNoted) {
  TraceBuilder t;
  t.line("R 40").line("status 0;tstop::0;tframes:1");
  t.line("tp T2:401000:E:3:0:X2,ff27")
      .line("tp A2:401000:X00000002,fe27")
      .line("tp S2:401000:X00000002,fd27");
  t.frame(2).memory(0x1000, "x").end().lines();
  EXPECT_THAT(t.notes(),
              AllOf(Contains("bad-expression 3"), Contains("FILE: tracepoint 2: ?? ff 27"),
                    Contains("FILE: tracepoint 2: ?? fe 27"), Contains("FILE: tracepoint 2: ?? fd 27")));
}

TEST(DamagedTrace, TooMuchDamageEndsTheSearch) {
  TraceBuilder t;
  describe_frames(t, "9");
  t.frame(2).variable(1, 5).end_frame();
  // Each block contains a header of a frame with 60,000 bytes. Nearly all bytes after this header are good
  // blocks.
  std::string lies = "?";
  const std::string header = t.number(std::int16_t{2}) + t.number(std::uint32_t{60'000});
  for (int i = 0; i < 5000; ++i) lies += 'V' + t.number(std::uint32_t{1}) + "xx" + header;
  t.raw(lies).frame(2).variable(1, 6).end();
  t.lines();
  EXPECT_THAT(t.notes(), Contains(HasSubstr("too much damage, so the search for frames ends here")));
}

TEST(DamagedTrace, AHugeFrameDoesNotHideLaterFrames) {
  TraceBuilder t;
  describe_frames(t, "4");
  t.frame(2).variable(1, 5).end_frame().raw(t.number(std::int16_t{2}) + t.number(std::uint32_t{0xfffffff0}));
  t.frame(2).variable(1, 6).frame(2).variable(1, 7).end();
  EXPECT_THAT(t.lines(), Contains(HasSubstr("@7000 tracepoint:f frame=3")));
  EXPECT_THAT(t.notes(),
              ElementsAre("damaged-frame 1", HasSubstr("frame 1 and the data after it are damaged"),
                          "synthetic-time 1", HasSubstr("placed between")));
}

TEST(DamagedTrace, EndMarkersHaveAnyLength) {
  for (const std::size_t zeros : {0u, 2u, 4u, 6u}) {
    TraceBuilder t;
    describe_frames(t, "1");
    t.frame(2).variable(1, 5).end_frame().raw(std::string(zeros, '\0'));
    EXPECT_THAT(t.lines(), SizeIs(1));
    EXPECT_EQ(t.notes().empty(), zeros != 0);
  }
}

// KGTP ends a file with only two zero bytes.
TEST(DamagedTrace, AShortEndMarkerFollowsAnyFrame) {
  for (const std::string_view block : {"", "Qxyz"}) {
    TraceBuilder t;
    t.line("R 40").line("tp T2:401000:E:0:0").line(kStamp);
    t.frame(2).variable(1, 5).frame(block.empty() ? 9 : 2).variable(1, 6).raw(block);
    t.end_frame().raw(std::string(2, '\0'));
    EXPECT_THAT(t.lines(), SizeIs(2));
    EXPECT_THAT(t.notes(), Contains(block.empty() ? "unknown-tracepoint 1" : "damaged-frame 1"));
    EXPECT_THAT(t.all_lines(), testing::Not(Contains(HasSubstr("and so is what follows"))));
  }
}

// In a circular buffer, old bytes come after the last frame. The status line has the number of frames.
TEST(CircularTrace, EndsWithItsLastFrame) {
  for (const std::string_view behind : {"??", "old bytes that are no frames at all"}) {
    TraceBuilder t;
    t.line("R 40").line("status 0;tstop::0;tframes:2;circular:1").line("tp T2:401000:E:0:0");
    t.line(kStamp);
    t.frame(2).variable(1, 5).frame(2).variable(1, 6).frame(2).variable(1, 4).end_frame().raw(behind);
    EXPECT_THAT(t.lines(), SizeIs(2));
    EXPECT_THAT(t.notes(), SizeIs(0));
  }
}

// When the buffer wraps, gdbserver leaves up to 2000 bytes of junk in the data. Here, the junk is the end of
// an old frame.
TEST(CircularTrace, HasAHoleWhereItWraps) {
  TraceBuilder t;
  t.line("R 40").line("status 0;tstop::0;tframes:5;circular:1").line("tp T2:401000:E:0:0");
  t.line(kStamp);
  t.frame(2).variable(1, 5).end_frame().raw(std::string(100, '\0') + "V old");
  for (const int time : {6, 7, 8}) t.frame(2).variable(1, time);
  t.end_frame().raw("old bytes");
  EXPECT_THAT(t.lines(), SizeIs(4));
  EXPECT_THAT(t.notes(), AllOf(Contains("skipped-bytes 1"), Contains("frames-missing 1")));
}

// If the description has no tracepoints, a frame may belong to any tracepoint.
TEST(DamagedTrace, FramesNeedNoTracepoints) {
  TraceBuilder t;
  t.line("R 40").line("status 0;tstop::0;tframes:2").frame(2).memory(0x1000, "x").frame(-3).end();
  ImportOptions options;
  options.blobs = Blobs::None;
  EXPECT_THAT(t.lines(options), ElementsAre(HasSubstr(" tracepoint:tracepoint 2 frame=0 tracepoint=2"),
                                            HasSubstr(" tracepoint:tracepoint -3 frame=1 tracepoint=-3")));
  EXPECT_THAT(t.notes(), Contains("unknown-tracepoint 2"));
}

TEST(DamagedTrace, BytesAfterTheEndAreNotFrames) {
  TraceBuilder t;
  describe_frames(t, "1");
  t.frame(2).variable(1, 5).end().frame(2).variable(1, 6).frame(2).variable(1, 7).end();
  const auto end = std::filesystem::file_size(t.write()) - 2 * 19 - 4;
  EXPECT_THAT(t.lines(), SizeIs(1));
  EXPECT_THAT(
      t.notes(),
      ElementsAre("bytes-behind-end 1",
                  fmt::format("FILE:+{:#x}: 42 bytes after the end of the frames are not read", end)));
}

TEST(DamagedTrace, AnotherTraceAfterTheEndIsNoted) {
  TraceBuilder t;
  describe_frames(t, "1");
  const std::string one = t.frame(2).variable(1, 5).end().bytes();
  t.write(one + one);
  EXPECT_THAT(t.lines(), SizeIs(1));
  EXPECT_THAT(t.notes(),
              ElementsAre("bytes-behind-end 1",
                          fmt::format("FILE:+{0:#x}: {0} bytes after the end of the frames are not read; "
                                      "another trace starts at +{0:#x}, so split the file there",
                                      one.size())));
  t.write(one + std::string(300'000, 'x') + one);
  t.lines();
  EXPECT_THAT(t.notes(),
              Contains(HasSubstr(fmt::format("another trace starts at +{:#x}", one.size() + 300'000))));
}

TEST(TraceFile, AllBytesAreCounted) {
  TraceBuilder t;
  describe_frames(t, "2");
  t.frame(2).variable(1, 5).frame(2).variable(1, 6).end();
  const std::uint64_t size = std::filesystem::file_size(t.write());
  t.lines();
  EXPECT_EQ(t.bytes_read(), size);
}

TEST(DamagedTrace, UnknownTracepointsAreShown) {
  TraceBuilder t;
  describe_frames(t, "3");
  t.frame(2).variable(1, 5).frame(9).variable(1, 6).frame(-1).variable(1, 7).frame(2).variable(1, 8).end();
  EXPECT_THAT(t.lines(), AllOf(Contains(HasSubstr("tracepoint:tracepoint 9 frame=1 tracepoint=9")),
                               Contains(HasSubstr("tracepoint:tracepoint -1 frame=2 tracepoint=-1"))));
  EXPECT_THAT(t.notes(), Contains("unknown-tracepoint 2"));
}

// The tracepoints 9 and 7 are unknown. A frame of an unknown tracepoint is accepted only if a good frame
// comes after it. After the frame of tracepoint 9, the frame of tracepoint 7 comes. That frame does not count
// as good, because it also has no blocks. Therefore, both frames are skipped.
TEST(DamagedTrace, UnknownTracepointsNeedAFrameAfterThem) {
  TraceBuilder t;
  describe_frames(t, "4");
  t.frame(2).variable(1, 5).frame(9).variable(1, 6).end_frame().raw(std::string("\7\0\0\0\0\0", 6));
  for (const int time : {7, 8, 9}) t.frame(2).variable(1, time);
  EXPECT_THAT(t.end().lines(), ElementsAre(HasSubstr("@5000 tracepoint:f"), HasSubstr("@7000 tracepoint:f"),
                                           HasSubstr("@8000 tracepoint:f"), HasSubstr("@9000 tracepoint:f")));
  EXPECT_THAT(t.notes(), Contains(HasSubstr("no readable frames here (25 bytes")));
}

// A frame of an unknown tracepoint is emitted only after later bytes are read. Some of these bytes are in the
// next block of the file.
TEST(DamagedTrace, UnknownTracepointsKeepTheirBytesFromOneBlockOfTheFileToTheNext) {
  constexpr std::size_t kFrames = 2500;
  TraceBuilder t;
  describe_frames(t, "9c4");
  for (std::uint64_t i = 0; i < kFrames; ++i)
    t.frame(9).memory(0x1000, t.number(i)).memory(0x2000, std::string(1000, 'x'));
  t.end();
  ImportOptions options;
  options.blobs = Blobs::None;
  const auto lines = t.lines(options);
  ASSERT_EQ(lines.size(), kFrames);
  for (std::size_t i = 0; i < kFrames; ++i)
    EXPECT_THAT(lines[i], HasSubstr(" mem.0x1000=" + std::to_string(i) + " "));
}

TEST(DamagedTrace, TheBlockSizeMayBeWrittenInDecimal) {
  TraceBuilder t;
  t.line("R 64").line("status 0;tframes:1").line("tp T2:8000:E:0:0");
  t.frame(2).registers(i386_registers(0x8000, 0xffff0000)).end();
  EXPECT_THAT(t.lines().front(), HasSubstr("pc=0x8000"));
  EXPECT_THAT(t.notes(),
              Contains(HasSubstr("the R line has '64' (hexadecimal), but register blocks have 64 bytes")));
}

TEST(DamagedTrace, LinesMayHaveTheEndsOfOtherSystems) {
  TraceBuilder t;
  t.write("\x7fTRACE0\nR 40\r\ntp T2:8000:E:0:0\r\n\r\n" + t.number(std::int16_t{2}) + std::string(8, '\0'));
  EXPECT_THAT(t.lines(), ElementsAre(HasSubstr("frame=0 tracepoint=2 pc=0x8000")));
}

TEST(DamagedTrace, EveryPrefixIsReadOrRefused) {
  TraceBuilder t;
  describe_frames(t, "3");
  t.line("tp A2:401000:M-1,404040,8");
  for (const int time : {5, 6, 7})
    t.frame(2).registers(i386_registers(0x401000, 0xffff0000)).memory(0x404040, "12345678").variable(1, time);
  const std::string bytes = t.end().bytes();
  std::size_t frames = 0;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    t.write(std::string_view(bytes).substr(0, size));
    if (!recognizes(t.path()) || size < 8) continue;
    std::size_t found = 0;
    for (const std::string& line : t.lines())
      if (line.find("] tracepoint:") == std::string::npos &&
          line.find("tracepoint:f frame=") != std::string::npos)
        ++found;
    EXPECT_GE(found, frames) << size;
    frames = found;
  }
  EXPECT_EQ(frames, 3u);
}

}  // namespace
}  // namespace convert::tfile
