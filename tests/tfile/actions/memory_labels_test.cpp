// Which item each block of a frame belongs to (fact sheet, sections 3 and 8).
#include "converters/tfile/actions/memory_labels.h"

#include <deque>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "converters/tfile/description/numbers.h"
#include "tests/number_bytes.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Labels : public testing::Test {
 protected:
  void memory(std::uint64_t address, std::size_t size, char fill = 'x') {
    const std::string& text = kept.emplace_back(size, fill);
    frame.blocks.push_back({.kind = Block::Kind::Memory, .address = address, .bytes = bytes_of_text(text)});
  }
  // A word of the target's memory.
  void word(std::uint64_t address, std::uint64_t value, std::size_t size = 8) {
    kept.push_back(number_bytes(value).substr(0, size));
    frame.blocks.push_back(
        {.kind = Block::Kind::Memory, .address = address, .bytes = bytes_of_text(kept.back())});
  }
  void variable(std::uint64_t number, std::int64_t value) {
    frame.blocks.push_back({.kind = Block::Kind::Variable, .address = number, .value = value, .bytes = {}});
  }

  MemoryAction& range(const std::string& name, std::uint64_t offset, std::uint64_t length,
                      std::int64_t base = -1) {
    MemoryAction& action = expected.actions.emplace_back();
    action.base = base;
    action.offset = offset;
    action.length = length;
    if (!name.empty()) part(name, 0, length);
    return action;
  }
  RangePart& part(const std::string& name, std::uint64_t offset, std::uint64_t size) {
    return expected.actions.back().parts.emplace_back(
        RangePart{.name = names.intern(name), .offset = offset, .size = size});
  }
  MemoryAction& expression(const std::string& name, std::string_view digits) {
    MemoryAction& action = expected.actions.emplace_back();
    action.is_expression = true;
    if (!name.empty()) action.name = names.intern(name);
    action.code = codes.emplace_back(hex_bytes(digits).value());
    return action;
  }

  // The named items: "n 8" has 8 bytes, "n 4/8" has 8 bytes of which the first block holds 4, "n \"3" is a
  // text, "n = 7" a value.
  std::vector<std::string> named() {
    MemoryLabels labels(layout, std::endian::little);
    labels.label(frame, registers, &expected);
    unnamed.clear();
    for (const Block* const block : labels.unnamed()) unnamed.push_back(block->address);
    has_read_values = labels.has_read_values();
    std::vector<std::string> found;
    for (const NamedMemory& item : labels.named()) {
      std::string text(names.text(item.name));
      if (item.value)
        text += fmt::format(" = {:#x}", *item.value);
      else if (item.is_string)
        text += fmt::format(" \"{}", item.bytes.size());
      else if (item.bytes.size() == item.size)
        text += fmt::format(" {}", item.size);
      else
        text += fmt::format(" {}/{}", item.bytes.size(), item.size);
      found.push_back(text);
    }
    return found;
  }

  static std::span<const std::byte> bytes_of_text(const std::string& text) {
    return std::as_bytes(std::span(text));
  }

  Names names;
  Frame frame;
  ExpectedBlocks expected;
  const Block* registers = nullptr;
  const RegisterLayout* layout = nullptr;
  std::vector<std::uint64_t> unnamed;
  bool has_read_values = false;
  std::deque<std::string> kept;
  std::deque<std::vector<std::byte>> codes;
};

TEST_F(Labels, OfRangesFollowTheirAddresses) {
  range("a", 0x1000, 4);
  range("", 0x2000, 8);
  range("b", 0x3000, 2);
  memory(0x1000, 4);
  memory(0x2000, 8);
  memory(0x3000, 2);
  EXPECT_THAT(named(), ElementsAre("a 4", "b 2"));
  EXPECT_THAT(unnamed, ElementsAre(0x2000u));
  EXPECT_FALSE(has_read_values);
}

// Unexplained blocks may precede the block of a range.
TEST_F(Labels, OfRangesSkipAtMostThreeBlocks) {
  range("a", 0x9000, 4);
  for (const std::uint64_t address : {0x1000u, 0x2000u, 0x3000u}) memory(address, 4);
  memory(0x9000, 4);
  memory(0xa000, 4);
  EXPECT_THAT(named(), ElementsAre("a 4"));
  EXPECT_THAT(unnamed, ElementsAre(0x1000u, 0x2000u, 0x3000u, 0xa000u));
  frame.blocks.insert(frame.blocks.begin(), frame.blocks.front());
  EXPECT_THAT(named(), IsEmpty());
  EXPECT_EQ(unnamed.size(), 6u);
}

TEST_F(Labels, OfRangesNeedTheirSize) {
  range("a", 0x1000, 4);
  memory(0x1000, 8);
  EXPECT_THAT(named(), IsEmpty());
  EXPECT_THAT(unnamed, ElementsAre(0x1000u));
}

// A range of more than 65535 bytes continues in the next block.
TEST_F(Labels, OfLongRangesUseSeveralBlocks) {
  range("long", 0x10000, 150000);
  range("other", 0x50000, 4);
  memory(0x10000, 65535);
  memory(0x10000 + 65535, 65535);
  memory(0x10000 + 131070, 18930);
  memory(0x50000, 4);
  EXPECT_THAT(named(), ElementsAre("long 65535/150000", "other 4"));
  EXPECT_THAT(unnamed, IsEmpty());
  expected.actions.front().parts.clear();
  EXPECT_THAT(named(), ElementsAre("other 4"));
  EXPECT_THAT(unnamed, ElementsAre(0x10000u, 0x1ffffu, 0x2fffeu)) << "each block of a range without a name";
}

TEST_F(Labels, OfLongRangesUseNoOtherBlocks) {
  range("", 0x10000, 150000);
  range("behind", 0x10000 + 65535, 4);
  memory(0x10000, 65535);
  memory(0x10000 + 65535, 0);
  memory(0x10000 + 65535, 4);
  EXPECT_THAT(named(), ElementsAre("behind 4")) << "an empty block means that the buffer was full";
  range("again", 0x10000, 65535);
  range("next", 0x10000 + 65535, 4);
  memory(0x10000, 65535);
  memory(0x10000 + 65535, 4);
  EXPECT_THAT(named(), ElementsAre("behind 4", "again 65535", "next 4"));
}

// Adjacent objects are one range. Objects after its first block are not labelled.
TEST_F(Labels, OfPartsAreInTheirRange) {
  range("", 0x1000, 70000);
  part("first", 0, 4);
  part("second", 4, 8);
  part("cut", 65530, 10);
  part("last byte", 65534, 1);
  part("far", 65535, 4);
  memory(0x1000, 65535);
  memory(0x1000 + 65535, 4465);
  EXPECT_THAT(named(), ElementsAre("first 4", "second 8", "cut 5/10", "last byte 1"));
}

// GDB's manual has ranges relative to a register, but gdbserver ignores the register.
TEST_F(Labels, OfRangesMayHaveABaseRegister) {
  Register first{.name = "r0", .number = 0, .size = 8, .flags = {}};
  Register wide{.name = "wide", .number = 1, .size = 16, .flags = {}};
  Register eight{.name = "r2", .number = 2, .size = 8, .flags = {}};
  const RegisterLayout three("i386:x86-64", {first, wide, eight});
  std::string bytes(32, '\0');
  bytes[1] = '\x50';
  bytes[25] = '\x70';
  const Block block{.kind = Block::Kind::Registers, .bytes = bytes_of_text(bytes)};
  layout = &three;
  registers = &block;
  memory(0x5010, 4);
  range("by register", 0x10, 4, 0);
  memory(0x7004, 4);
  range("by another", 0x4, 4, 2);
  memory(0x20, 4);
  range("absolute", 0x20, 4, 0);
  memory(0x30, 4);
  range("of a wide one", 0x30, 4, 1);
  memory(0x40, 4);
  range("of none", 0x40, 4, 7);
  EXPECT_THAT(named(),
              ElementsAre("by register 4", "by another 4", "absolute 4", "of a wide one 4", "of none 4"));
  registers = nullptr;
  EXPECT_THAT(named(), ElementsAre("absolute 4", "of a wide one 4", "of none 4"));
}

constexpr const char* kFourBytes = "23100022040c27";  // const16 0x1000; const8 4; trace; end
constexpr const char* kPointed =
    "2310000d081a22040c27";  // const16 0x1000; trace_quick 8; ref64; const8 4; trace

TEST_F(Labels, OfExpressionsFollowPointers) {
  expression("*p", kPointed);
  word(0x1000, 0x2000);
  memory(0x2000, 4);
  EXPECT_THAT(named(), ElementsAre("*p 4"));
  EXPECT_THAT(unnamed, ElementsAre(0x1000u)) << "the pointer";
  EXPECT_TRUE(has_read_values);
}

// An expression may read memory that was recorded before.
TEST_F(Labels, OfExpressionsReadWhatTheFrameHolds) {
  // const16 <address>; ref32; const8 4; trace; end
  const auto reads = [&](std::string_view address) {
    expected.actions.clear();
    range("", 0x1000, 8);
    expression("*p", "23" + std::string(address) + "1922040c27");
    frame.blocks.clear();
    word(0x1000, 0x00002000'00001000);
    memory(0x2000, 4);
    return named();
  };
  EXPECT_THAT(reads("1004"), ElementsAre("*p 4"));
  EXPECT_TRUE(has_read_values);
  EXPECT_THAT(reads("1000"), IsEmpty()) << "it points elsewhere";
  for (const std::string_view outside : {"1005", "1008", "1009", "0fff"}) {
    EXPECT_THAT(reads(outside), ElementsAre("*p 4")) << "unknown, so the next block matches";
    EXPECT_FALSE(has_read_values);
  }
}

TEST_F(Labels, OfExpressionsReadTheLatest) {
  range("", 0x1000, 8);
  range("", 0x1000, 8);
  expression("*p", "2310001a22040c27");
  word(0x1000, 0x3000);
  word(0x1000, 0x2000);
  memory(0x2000, 4);
  EXPECT_THAT(named(), ElementsAre("*p 4"));
}

TEST_F(Labels, OfExpressionsReadVariables) {
  expression("at $v", "2c000722040c27");  // getv 7; const8 4; trace; end
  variable(7, 0x9000);
  variable(8, 0x4000);
  variable(7, 0x2000);
  memory(0x2000, 4);
  EXPECT_THAT(named(), ElementsAre("at $v 4"));
  EXPECT_TRUE(has_read_values);
  frame.blocks.front().address = 9;
  frame.blocks[2].address = 9;
  EXPECT_THAT(named(), ElementsAre("at $v 4")) << "at an unknown address";
  EXPECT_FALSE(has_read_values);
}

TEST_F(Labels, OfExpressionsSkipBlocksForAKnownAddress) {
  expression("a", kFourBytes);
  memory(0x7000, 4);
  memory(0x1000, 4);
  EXPECT_THAT(named(), ElementsAre("a 4"));
  EXPECT_THAT(unnamed, ElementsAre(0x7000u));
}

TEST_F(Labels, OfExpressionsNeedAddressAndSize) {
  expression("a", kFourBytes);
  memory(0x1000, 8);
  EXPECT_THAT(named(), IsEmpty());
  expression("b", "23200022040c27");
  EXPECT_THAT(named(), IsEmpty());
  EXPECT_THAT(unnamed, ElementsAre(0x1000u));
}

// An expression without a matching block does not affect the others.
TEST_F(Labels, OfExpressionsAreIndependent) {
  expression("missing", kFourBytes);
  expression("there", "23200022080c27");
  memory(0x2000, 8);
  EXPECT_THAT(named(), ElementsAre("there 8"));
  EXPECT_THAT(unnamed, IsEmpty());
}

TEST_F(Labels, OfExpressionsWithoutANameUseTheirBlock) {
  expression("", kFourBytes);
  expression("b", kFourBytes);
  memory(0x1000, 4);
  memory(0x1000, 4);
  EXPECT_THAT(named(), ElementsAre("b 4"));
  EXPECT_THAT(unnamed, ElementsAre(0x1000u));
}

TEST_F(Labels, OfLongValuesUseSeveralBlocks) {
  expression("v", "23100024000249f00c27");  // const16 0x1000; const32 150000; trace; end
  memory(0x1000, 65535);
  memory(0x1000 + 65535, 65535);
  memory(0x1000 + 131070, 18930);
  expression("w", kFourBytes);
  memory(0x1000, 4);
  EXPECT_THAT(named(), ElementsAre("v 65535/150000", "w 4"));
}

constexpr const char* kText = "23100022082f27";     // const16 0x1000; const8 8; tracenz; end
constexpr const char* kAnyText = "23100022002f27";  // without a limit

TEST_F(Labels, OfTextsKnowTheirLimit) {
  expression("t", kText);
  memory(0x1000, 8);
  EXPECT_THAT(named(), ElementsAre("t \"8"));
  frame.blocks.clear();
  memory(0x1000, 3);
  memory(0x1003, 3);
  EXPECT_THAT(named(), ElementsAre("t \"3"));
  EXPECT_THAT(unnamed, ElementsAre(0x1003u)) << "a text never continues in the next block";
  frame.blocks.clear();
  memory(0x1000, 9);
  EXPECT_THAT(named(), IsEmpty());
  expected.actions.clear();
  expression("t", kAnyText);
  EXPECT_THAT(named(), ElementsAre("t \"9"));
}

TEST_F(Labels, OfTextsAreNotSearchedBehindOthers) {
  expression("t", kText);
  memory(0x7000, 3);
  memory(0x1000, 8);
  EXPECT_THAT(named(), IsEmpty());
}

// collect/s without a type: items of the size of a number are no text.
TEST_F(Labels, OfItemsCollectedAsStringsAreTextsUnlessTheyCouldBeNumbers) {
  for (const std::size_t size : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u}) {
    const bool is_number = size == 1 || size == 2 || size == 4 || size == 8;
    expected.actions.clear();
    range("", 0x1000, size);
    part("t", 0, size).is_string = true;
    expression("u", fmt::format("23100022{:02x}0c27", size)).is_string = true;
    frame.blocks.clear();
    memory(0x1000, size);
    memory(0x1000, size);
    const std::string shown = fmt::format("{}{}", is_number ? "" : "\"", size);
    EXPECT_THAT(named(), ElementsAre("t " + shown, "u " + shown));
  }
  expected.actions.front().parts.front().layout = std::make_shared<const ValueLayout>();
  EXPECT_THAT(named().front(), "t 9") << "its type is known";
}

// An array of unknown size: GDB records its address, and none of its elements.
TEST_F(Labels, OfEmptyBlocksAreAddresses) {
  expression("a", "23100022000c27");
  expression("b", kFourBytes);
  memory(0x1000, 4);
  EXPECT_THAT(named(), ElementsAre("a = 0x1000", "b 4"));
  frame.blocks.clear();
  memory(0x1000, 0);
  memory(0x1000, 4);
  EXPECT_THAT(named(), ElementsAre("a = 0x1000", "b 4"));
  EXPECT_THAT(unnamed, IsEmpty());
}

TEST_F(Labels, OfValuesAreComputed) {
  expression("p+1", "2310000d041922010227").is_value = true;  // …; trace_quick 4; ref32; const8 1; add; end
  word(0x1000, 41, 4);
  EXPECT_THAT(named(), ElementsAre("p+1 = 0x2a"));
  expected.actions.clear();
  expression("7", "220727").is_value = true;
  expression("8", "220827");
  frame.blocks.clear();
  EXPECT_THAT(named(), ElementsAre("7 = 0x7")) << "needs no memory";
}

TEST_F(Labels, OfUnknownValuesAreNotShown) {
  expression("p+1", "2310000d041922010227").is_value = true;
  EXPECT_THAT(named(), IsEmpty());
  expected.actions.clear();
  expression("jump", "26000020000627").is_value = true;
  expression("unknown", "26000027").is_value = true;
  EXPECT_THAT(named(), IsEmpty());
}

// 64-bit targets sign-extend the addresses of 32-bit programs.
TEST_F(Labels, OfSmallMachinesKnowAddressesByTheirLowerHalf) {
  Register pc{.name = "pc", .number = 0, .size = 4, .flags = {}};
  const RegisterLayout small("arm", {pc});
  layout = &small;
  range("g", 0xffff'ffff'ffff'd780, 4);
  expression("*g", "25ffffffffffffd7801922040c27");
  memory(0xffff'd780, 4, '\0');
  memory(0, 4);
  EXPECT_THAT(named(), ElementsAre("g 4", "*g 4"));
  EXPECT_TRUE(has_read_values);
}

TEST_F(Labels, WithoutExpectedBlocksHaveNoNames) {
  memory(0x1000, 4);
  memory(0x2000, 4);
  MemoryLabels labels(nullptr, std::endian::little);
  labels.label(frame, nullptr, nullptr);
  EXPECT_THAT(labels.named(), IsEmpty());
  EXPECT_EQ(labels.unnamed().size(), 2u);
}

TEST_F(Labels, FindTheMemoryOfAFrame) {
  memory(0x1000, 8);
  memory(0x1004, 8);
  MemoryLabels labels(nullptr, std::endian::little);
  labels.label(frame, nullptr, nullptr);
  EXPECT_EQ(labels.memory_at(0x1000, 8).data(), frame.blocks[0].bytes.data());
  EXPECT_EQ(labels.memory_at(0x1004, 4).data(), frame.blocks[0].bytes.data() + 4) << "the first that has it";
  EXPECT_EQ(labels.memory_at(0x1004, 4).size(), 4u);
  EXPECT_EQ(labels.memory_at(0x1004, 5).data(), frame.blocks[1].bytes.data());
  EXPECT_THAT(labels.memory_at(0x0fff, 1), IsEmpty());
  EXPECT_THAT(labels.memory_at(0x1005, 8), IsEmpty());
  EXPECT_THAT(labels.memory_at(0x100d, 1), IsEmpty());
  EXPECT_THAT(labels.memory_at(0x100c, 1), IsEmpty());
}

}  // namespace
}  // namespace convert::tfile
