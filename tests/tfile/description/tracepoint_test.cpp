// Tests how definitions of tracepoints are put together from their pieces.
#include "converters/tfile/description/tracepoint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <ostream>

#include "converters/tfile/actions/bytecode.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::vector<TracepointLocation> read(std::initializer_list<std::string_view> pieces) {
  fxt::Budget memory(kDescriptionMemory);
  TracepointReader tracepoints(memory);
  for (const std::string_view piece : pieces) EXPECT_EQ(tracepoints.add_piece(piece), std::nullopt) << piece;
  tracepoints.finish();
  return tracepoints.locations();
}

TEST(TracepointPieces, PiecesOfOneLocationBelongTogether) {
  const auto locations = read({"T1f:401202:E:5:2", "A1f:401202:R40", "A1f:401202:X00000008,2c00012e00012927",
                               "S1f:401202:M-1,404160,4", "Z1f:401202:at:0:3:666962",
                               "Z1f:401202:cmd:0:9:636f6c6c656374206e", "Z1f:401202:cond:0:6:69203d3d2037"});
  ASSERT_THAT(locations, SizeIs(1));
  const TracepointLocation& fib = locations.front();
  EXPECT_EQ(fib.number, 31u);
  EXPECT_EQ(fib.address, 0x401202u);
  EXPECT_TRUE(fib.enabled);
  EXPECT_EQ(fib.step_count, 5u);
  EXPECT_EQ(fib.pass_count, 2u);
  EXPECT_EQ(fib.at, "fib");
  EXPECT_EQ(fib.condition_text, "i == 7");
  EXPECT_THAT(fib.commands, ElementsAre("collect n"));
  ASSERT_THAT(fib.hit_actions, SizeIs(2));
  EXPECT_EQ(fib.hit_actions[0].mask, "40");
  EXPECT_EQ(disassemble(fib.hit_actions[1].code), "getv 1; tracev 1; pop; end");
  ASSERT_THAT(fib.step_actions, SizeIs(1));
  EXPECT_EQ(fib.step_actions[0].base, -1);
  EXPECT_EQ(fib.step_actions[0].offset, 0x404160);
  EXPECT_EQ(fib.step_actions[0].length, 4u);
}

TEST(TracepointPieces, LocationsAreListedInReverse) {
  const auto locations = read({"T3:300:E:0:0", "T3:200:D:0:0", "T2:100:E:0:0", "Z3:300:at:0:1:66"});
  ASSERT_THAT(locations, SizeIs(3));
  EXPECT_EQ(locations[0].number, 2u);
  EXPECT_EQ(locations[1].address, 0x200u);
  EXPECT_FALSE(locations[1].enabled);
  EXPECT_EQ(locations[2].at, "f");
}

TEST(TracepointPieces, MayComeBeforeTheDefinition) {
  const auto locations = read({"A1:100:R1", "T1:100:E:0:0"});
  ASSERT_THAT(locations, SizeIs(1));
  EXPECT_TRUE(locations[0].defined);
  EXPECT_FALSE(read({"A1:100:R1"})[0].defined);
}

TEST(TracepointPieces, HaveOptionsInAnyOrder) {
  const auto fast = read({"T1:100:E:0:0:F5:X4,22002927:S"})[0];
  EXPECT_TRUE(fast.is_fast);
  EXPECT_TRUE(fast.is_static);
  EXPECT_EQ(disassemble(fast.condition), "const8 0; pop; end");
}

TEST(TracepointPieces, ActionsNeedNoSeparator) {
  fxt::Budget memory(kDescriptionMemory);
  const auto actions = read_actions("R0fM6,ffffffffffffffe8,8MFFFFFFFF,1000,20X1,27L", memory);
  ASSERT_TRUE(actions);
  ASSERT_THAT(*actions, SizeIs(5));
  EXPECT_EQ((*actions)[1].base, 6);
  EXPECT_EQ((*actions)[1].offset, -24);
  EXPECT_EQ((*actions)[2].base, -1);
  EXPECT_EQ((*actions)[2].length, 0x20u);
  EXPECT_EQ((*actions)[4].kind, TracepointAction::Kind::StaticData);
}

TEST(TracepointPieces, SourcesMayComeInParts) {
  EXPECT_THAT(read({"Z1:100:cmd:0:9:636f6c6c", "Z1:100:cmd:4:9:656374206e"})[0].commands,
              ElementsAre("collect n"));
}

// A piece at offset 0 starts a new text, because GDB and gdbserver send each text as a single piece.
TEST(TracepointPieces, ACompleteSourceIsFollowedByAnother) {
  EXPECT_THAT(read({"Z1:100:cmd:0:2:6162", "Z1:100:cmd:0:2:6364"})[0].commands, ElementsAre("ab", "cd"));
  EXPECT_THAT(read({"Z1:100:cmd:0:2:6162", "Z1:100:cmd:2:2:6364"})[0].commands, ElementsAre("ab", "cd"));
  EXPECT_THAT(read({"Z1:100:cmd:0:4:6162", "Z1:100:cond:2:4:6364"})[0].commands, ElementsAre("ab"));
  EXPECT_THAT(read({"Z1:100:cmd:2:2:6162"})[0].commands, ElementsAre("ab"));
  EXPECT_THAT(read({"Z1:100:later:0:2:6162"})[0].commands, testing::IsEmpty());
}

TEST(TracepointPieces, BaseRegistersHaveSmallNumbers) {
  fxt::Budget memory(kDescriptionMemory);
  const auto base = [&](std::string_view text) { return read_actions(text, memory).value().front().base; };
  EXPECT_EQ(base("M0,1000,8"), 0);
  EXPECT_EQ(base("Mffff,1000,8"), 0xffff);
  EXPECT_EQ(base("M10000,1000,8"), -1);
  EXPECT_EQ(base("MFFFFFFFFFFFFFFFF,1000,8"), -1);
}

TEST(TracepointPieces, HitCountsAreNumbers) {
  EXPECT_EQ(read({"V2:100:18446744073709551609:0"})[0].hits, 18446744073709551609u);
  fxt::Budget memory(kDescriptionMemory);
  TracepointReader tracepoints(memory);
  EXPECT_EQ(tracepoints.add_piece("V2:100:99999999999999999999:0"), "damaged hit count");
  EXPECT_EQ(tracepoints.add_piece("V2:100::1"), "damaged hit count");
  EXPECT_EQ(tracepoints.add_piece("V2:100:1"), "damaged hit count");
}

TEST(TracepointPieces, HitCountsAreDecimalUnlessTheyHaveLetters) {
  EXPECT_EQ(read({"V2:100:25:61125"})[0].hits, 25u);
  EXPECT_EQ(read({"V2:100:25:61125"})[0].bytes_used, 61125u);
  EXPECT_EQ(read({"V2:100:1f:10"})[0].hits, 31u);
}

struct Bad {
  std::string_view piece, problem;

  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.piece; }
};
class BadPieces : public testing::TestWithParam<Bad> {};
INSTANTIATE_TEST_SUITE_P(
    All, BadPieces,
    testing::Values(Bad{"", "empty tracepoint line"}, Bad{"T", "tracepoint line without number and address"},
                    Bad{"Tx:100:E:0:0", "tracepoint line without number and address"},
                    Bad{"Y1:100:", "unknown kind of tracepoint line 'Y'"},
                    Bad{"T1:100:Q:0:0", "tracepoint state is 'Q', expected E or D"},
                    Bad{"T1:100:E:0", "tracepoint without step and pass count"},
                    Bad{"T1:100:E:0:0:K", "unknown tracepoint option 'K'"},
                    Bad{"T1:100:E:0:0:X9,22", "damaged condition"}, Bad{"A1:100:", ""},
                    Bad{"A1:100:M1", "damaged action"}, Bad{"A1:100:X00000009,27", "damaged action"},
                    Bad{"Z1:100:at:0:3:66696", "damaged source text"}, Bad{"V1:100:x:1", "damaged hit count"},
                    Bad{"A1:100:R", "damaged action"}, Bad{"A1:100:Q", "damaged action"},
                    Bad{"A1:100:M1,2", "damaged action"}, Bad{"A1:100:M1,2,", "damaged action"},
                    Bad{"A1:100:M,2,3", "damaged action"}, Bad{"A1:100:M1,,3", "damaged action"},
                    Bad{"A1:100:M-,2,3", ""}, Bad{"A1:100:X2", "damaged action"},
                    Bad{"A1:100:X2,2", "damaged action"}, Bad{"A1:100:X2,2202", ""},
                    Bad{"A1:100:Xz,22", "damaged action"}, Bad{"A1:100:R1-R2", ""},
                    Bad{"T1:100:E:0:0:F5S", "damaged tracepoint options"},
                    Bad{"Z1:100:at::1:66", "damaged source text"},
                    Bad{"Z1:100:at:0::66", "damaged source text"}));
TEST_P(BadPieces, AreProblems) {
  fxt::Budget memory(kDescriptionMemory);
  TracepointReader tracepoints(memory);
  EXPECT_EQ(tracepoints.add_piece(GetParam().piece).value_or(""), GetParam().problem);
}

// A few bytes of text define a location. Each location needs far more memory than its text.
TEST(Tracepoints, ThatTakeTooMuchMemoryAreLeftOut) {
  constexpr fxt::Limit kLittle{"MiB for the tracepoints of a trace file", 10'000, 0};
  fxt::Budget memory(kLittle);
  TracepointReader tracepoints(memory);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(tracepoints.add_piece(fmt::format("T1:{:x}:E:0:0", i)), std::nullopt);
  EXPECT_TRUE(memory.is_exceeded());
  tracepoints.finish();
  EXPECT_EQ(tracepoints.locations().size(), 8U);
  EXPECT_EQ(tracepoints.locations().back().address, 0U);

  fxt::Budget of_actions(kLittle);
  EXPECT_EQ(
      read_actions(
          "R1-R2-R3-R4-R5-R6-R7-R8-R9-R1-R2-R3-R4-R5-R6-R7-R8-R9-R1-R2-R3-R4-R5-R6-R7-R8-R9-R1-R2-R3-R4-R5",
          of_actions)
          .value()
          .size(),
      31U);
}

struct LocationText {
  std::string at, text;

  friend void PrintTo(const LocationText& location, std::ostream* out) { *out << location.at; }
};
class LocationTexts : public testing::TestWithParam<LocationText> {};
INSTANTIATE_TEST_SUITE_P(All, LocationTexts,
                         testing::Values(LocationText{"fib", "fib"}, LocationText{"demo.c:63", "demo.c:63"},
                                         LocationText{"-function fib", "fib"},
                                         LocationText{"-qualified greet", "greet"},
                                         LocationText{"-source demo.c -line 63", "demo.c:63"},
                                         LocationText{"-qualified -function a::b", "a::b"},
                                         LocationText{"*0x401202", "*0x401202"},
                                         LocationText{"app::twice", "app::twice"}));
TEST_P(LocationTexts, AreShort) { EXPECT_EQ(location_text(GetParam().at), GetParam().text); }

}  // namespace
}  // namespace convert::tfile
