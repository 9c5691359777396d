// Tests which memory each action recorded.
#include "converters/tfile/actions/replay.h"

#include <bit>
#include <deque>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/description/numbers.h"
#include "tests/number_bytes.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;

class Replays : public testing::Test {
 protected:
  void memory(std::uint64_t address, std::size_t size) { add(address, std::string(size, 'x')); }
  void word(std::uint64_t address, std::uint64_t value) { add(address, number_bytes(value)); }
  void range(std::uint64_t address, std::uint64_t length) {
    actions.push_back({.kind = TracepointAction::Kind::Memory,
                       .offset = static_cast<std::int64_t>(address),
                       .length = length});
  }
  void expression(std::string_view digits) {
    actions.push_back({.kind = TracepointAction::Kind::Expression, .code = hex_bytes(digits).value()});
  }
  // Returns the memory that each action recorded: "1000:4", "1000:4s" for a text, or "1000:8o" for an
  // operand. "?" at the end means that the action was not run or not completed.
  std::vector<std::string> recorded() {
    memory_.start(frame, false);
    EXPECT_TRUE(replay.run(actions, is_needed, memory_, work));
    std::vector<std::string> found;
    for (const Replay::ActionResult& action : replay.actions()) {
      std::string& text = found.emplace_back();
      for (const Replay::RecordedMemory& recording : action.recordings)
        text += fmt::format("{}{:x}:{}{}{}", text.empty() ? "" : " ", recording.address, recording.size,
                            recording.is_string ? "s" : "", recording.is_operand ? "o" : "");
      if (!action.is_complete) text += "?";
    }
    return found;
  }

  Frame frame;
  std::vector<TracepointAction> actions;
  std::vector<bool> is_needed;
  FrameMemory memory_{nullptr, std::endian::little};
  Replay replay;
  fxt::Budget work{kFrameWork};

 private:
  void add(std::uint64_t address, std::string bytes) {
    kept_.push_back(std::move(bytes));
    frame.blocks.push_back(
        {.kind = Block::Kind::Memory, .address = address, .bytes = std::as_bytes(std::span(kept_.back()))});
  }
  std::deque<std::string> kept_;
};

constexpr std::string_view kFourAt1000 = "23100022040c27";            // const16 0x1000; const8 4; trace; end
constexpr std::string_view kFourBehind1000 = "2310000d081a22040c27";  // …; trace_quick 8; ref64; …

TEST_F(Replays, RangesFollowTheirAddresses) {
  range(0x1000, 4);
  range(0x3000, 2);
  memory(0x1000, 4);
  memory(0x2000, 8);
  memory(0x3000, 2);
  EXPECT_THAT(recorded(), ElementsAre("1000:4", "3000:2"));
  EXPECT_FALSE(memory_.was_looked_at());
}

// Before the block of a range, there may be up to three blocks that no action explains.
TEST_F(Replays, RangesSkipAtMostThreeBlocks) {
  range(0x9000, 4);
  for (const std::uint64_t address : {0x1000u, 0x2000u, 0x3000u}) memory(address, 4);
  memory(0x9000, 4);
  EXPECT_THAT(recorded(), ElementsAre("9000:4"));
  frame.blocks.insert(frame.blocks.begin(), frame.blocks.front());
  EXPECT_THAT(recorded(), ElementsAre("?"));
}

TEST_F(Replays, RangesNeedTheirSize) {
  range(0x1000, 4);
  memory(0x1000, 8);
  EXPECT_THAT(recorded(), ElementsAre("?"));
}

TEST_F(Replays, LongRangesUseSeveralBlocks) {
  range(0x100000, 150'000);
  memory(0x100000, 65535);
  memory(0x10ffff, 65535);
  memory(0x11fffe, 18930);
  memory(0x3000, 4);
  EXPECT_THAT(recorded(), ElementsAre("100000:150000"));
  EXPECT_EQ(replay.actions().front().recordings.front().blocks, 3u);
}

TEST_F(Replays, ExpressionsFollowPointers) {
  expression(kFourBehind1000);
  word(0x1000, 0x2000);
  memory(0x2000, 4);
  EXPECT_THAT(recorded(), ElementsAre("1000:8o 2000:4"));
  EXPECT_TRUE(memory_.was_looked_at());
}

// An expression that is not needed must not be run. If it read values, frames of a pattern could not share a
// recipe.
TEST_F(Replays, RunOnlyNeededExpressions) {
  expression("2c00012e00012927");  // getv 1; tracev 1; pop; end
  expression(kFourAt1000);
  memory(0x1000, 4);
  frame.blocks.push_back({.kind = Block::Kind::Variable, .address = 1, .value = 7, .bytes = {}});
  is_needed = {false, true};
  EXPECT_THAT(recorded(), ElementsAre("?", "1000:4"));
  EXPECT_FALSE(memory_.was_looked_at());
}

TEST_F(Replays, ExpressionsNeedAddressAndSize) {
  expression(kFourAt1000);
  memory(0x1000, 8);
  EXPECT_THAT(recorded(), ElementsAre("?"));
  frame.blocks.clear();
  memory(0x1004, 4);
  EXPECT_THAT(recorded(), ElementsAre("?"));
  memory(0x1000, 4);
  EXPECT_THAT(recorded(), ElementsAre("1000:4")) << "behind another block";
}

TEST_F(Replays, ExpressionsAreIndependent) {
  expression(kFourAt1000);
  expression("23200022040c27");
  memory(0x2000, 4);
  EXPECT_THAT(recorded(), ElementsAre("?", "2000:4"));
}

// reg 7; const8 10; tracenz; end. The frame has no registers, so the address of the text is unknown. The next
// block is taken if it has at most 10 bytes.
TEST_F(Replays, TextsHaveTheirLimit) {
  expression("260007220a2f27");
  memory(0x5000, 10);
  EXPECT_THAT(recorded(), ElementsAre("5000:10s"));
  frame.blocks.clear();
  memory(0x5000, 11);
  EXPECT_THAT(recorded(), ElementsAre("?"));
}

// const16 0x1000; const8 0; trace; end: GDB records the address of an array of unknown size.
TEST_F(Replays, ExpressionsOfNoBytesRecordAddresses) {
  expression("23100022000c27");
  EXPECT_THAT(recorded(), ElementsAre("1000:0"));
}

// The expression jumps to its own start. It is stopped after 4096 instructions. Each instruction takes 8
// steps of the budget, so `little` is exceeded.
TEST_F(Replays, EndWhenTheirBudgetIsExceeded) {
  constexpr fxt::Limit kLittle{"steps", 10'000, 0};
  fxt::Budget little(kLittle);
  expression("210000");  // goto 0
  memory_.start(frame, false);
  EXPECT_TRUE(replay.run(actions, is_needed, memory_, work));
  EXPECT_FALSE(replay.run(actions, is_needed, memory_, little));
  EXPECT_TRUE(little.is_exceeded());
}

// The bytes of a bit-field may be in several recorded blocks.
TEST_F(Replays, FindMemoryThatWasRecordedInPieces) {
  range(0x1000, 4);
  range(0x1004, 1);
  memory(0x1000, 4);
  memory(0x1004, 1);
  recorded();
  EXPECT_TRUE(replay.has_recorded(0x1000, 5));
  EXPECT_TRUE(replay.has_recorded(0x1003, 2));
  EXPECT_FALSE(replay.has_recorded(0x1000, 6));
}

TEST_F(Replays, FindRecordedMemory) {
  range(0x1000, 4);
  expression("23200022040c27");
  memory(0x1000, 4);
  memory(0x2000, 4);
  recorded();
  EXPECT_TRUE(replay.has_recorded(0x1000, 4));
  EXPECT_TRUE(replay.has_recorded(0x2002, 2));
  EXPECT_FALSE(replay.has_recorded(0x2002, 3));
  EXPECT_FALSE(replay.has_recorded(0xfff, 2));
  EXPECT_TRUE(replay.is_in_a_range(0x1002, 2));
  EXPECT_FALSE(replay.is_in_a_range(0x2000, 4));
}

}  // namespace
}  // namespace convert::tfile
