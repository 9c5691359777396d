// The commands of a location collect items, such as `n` and `m` in "collect n, m". Tests which of these items
// each expression of the location records.
#include "converters/tfile/actions/expected_blocks.h"

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

namespace convert::tfile {
namespace {

// Returns the items of the expressions, or "-" for an unknown item. If the item of the memory range is known,
// "M" and this item follow.
std::string items(const std::vector<std::string>& commands, const std::string& actions) {
  TracepointLocation location;
  location.commands = commands;
  fxt::Budget memory(kDescriptionMemory), matches(kMatchedItems);
  location.hit_actions = read_actions(actions, memory).value();
  Description description;
  description.variables.push_back({.number = 1, .name = "stamp"});
  Names names;
  const ExpectedFrames expected =
      expect_frames(location, VariableIndex(description.variables), nullptr, names, matches);
  std::string found;
  for (const auto& item : expected.hit.item_of)
    found += (found.empty() ? "" : " ") + (item ? expected.hit.items[*item].text : "-");
  if (expected.hit.range_item) found += "M" + expected.hit.items[*expected.hit.range_item].text;
  return found;
}

constexpr const char* kMemory = "X00000007,23100022040c27";       // const16 0x1000; const8 4; trace; end
constexpr const char* kOperand = "X00000009,2310000d081a042927";  // …; trace_quick 8; ref64; mul; pop; end
constexpr const char* kText = "X00000007,260007220a2f27";         // reg 7; const8 10; tracenz; end
constexpr const char* kCollectStamp = "X00000008,2c00012e00012927";  // getv 1; tracev 1; pop; end
constexpr const char* kNothing = "X00000003,220127";                 // const8 1; end

std::string twice(const std::string& action) { return action + action; }

TEST(ExpectedItems, ComeInOrder) {
  EXPECT_EQ(items({"collect n, m"}, twice(kMemory)), "n m");
  EXPECT_EQ(items({"collect *p", "collect $stamp"}, std::string(kMemory) + kCollectStamp), "*p $stamp");
}

TEST(ExpectedFrames, AreFoundByAddressAndShape) {
  Description description;
  fxt::Budget memory(kDescriptionMemory), matches(kMatchedItems);
  for (const auto& [number, address, actions] :
       std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>>{
           {1, 0x30, "R1M0,0,4"}, {1, 0x10, "M0,0,4"}, {2, 0x10, "R1"}, {1, 0x20, "R1L"}}) {
    TracepointLocation& location = description.locations.emplace_back();
    location.number = number;
    location.address = address;
    location.hit_actions = read_actions(actions, memory).value();
  }
  Names names;
  const LocationTable table = expect_all_frames(description, nullptr, names, matches);
  EXPECT_EQ(table.location_at(1, 0x10)->location, &description.locations[1]);
  EXPECT_EQ(table.location_at(2, 0x10)->location, &description.locations[2]);
  EXPECT_EQ(table.location_at(1, 0x11), nullptr);
  EXPECT_EQ(table.location_at(3, 0x10), nullptr);
  EXPECT_TRUE(table.has_hits_like(1, "M", false));
  EXPECT_TRUE(table.has_hits_like(1, "RM", false));
  EXPECT_FALSE(table.has_hits_like(1, "R", false));
  EXPECT_TRUE(table.has_hits_like(1, "R", true));
  EXPECT_FALSE(table.has_hits_like(2, "M", true));
  EXPECT_TRUE(table.has_steps_like(2, "", false));
}

TEST(ExpectedItems, EvaluationsRecordNothing) {
  EXPECT_EQ(items({"teval $a = 1", "collect *p"}, std::string(kNothing) + kMemory), "$a = 1 *p");
  EXPECT_EQ(items({"teval $a = 1"}, kMemory), "-");
}

// A variable that is static or optimized out has no expression. Therefore, an expression may belong to one of
// several items.
TEST(ExpectedItems, AreUnknownIfSeveralFit) {
  EXPECT_EQ(items({"collect n, m"}, kMemory), "-");
  EXPECT_EQ(items({"collect n, $locals"}, kMemory), "-");
  EXPECT_EQ(items({"collect n, *p"}, kMemory), "*p");
  EXPECT_EQ(items({"collect n"}, std::string("M-1,1000,4") + kMemory), "n");
}

// The expressions of `default-collect` come first. Their items are not in the commands, so they are unknown.
TEST(ExpectedItems, MayFollowDefaultItems) {
  EXPECT_EQ(items({"collect *p"}, twice(kMemory)), "- *p");
  EXPECT_EQ(items({"collect *p", "collect $stamp"}, std::string(kCollectStamp) + kMemory), "- -");
}

TEST(ExpectedItems, TextsAreRecordedAsTexts) {
  EXPECT_EQ(items({"collect s", "collect /s t"}, kText), "t");
  EXPECT_EQ(items({"collect/s s"}, kText), "s");
  EXPECT_EQ(items({"collect *s"}, kText), "-");
}

// An item such as `a + b` has no address. Therefore, GDB records only its operands.
TEST(ExpectedItems, ValuesRecordTheirOperands) {
  EXPECT_EQ(items({"collect *p * 2"}, kOperand), "*p * 2");
  EXPECT_EQ(items({"collect *p * 2"}, kMemory), "-");
  EXPECT_EQ(items({"collect *&x"}, kMemory), "*&x");
}

// GDB sorts memory ranges by address, and joins them. Therefore, the item of a range is certain only if there
// is one range, and only one of the items can be in a range. `*p` can't be in a range.
TEST(ExpectedItems, ARangeIsCertainIfItIsTheOnlyOne) {
  EXPECT_EQ(items({"collect g"}, "M-1,1000,4"), "Mg");
  EXPECT_EQ(items({"collect g, *p"}, std::string("M-1,1000,4") + kMemory), "*pMg");
  EXPECT_EQ(items({"collect g, h"}, "M-1,1000,4"), "");
  EXPECT_EQ(items({"collect g"}, "M-1,1000,4M-1,2000,4"), "");
  EXPECT_EQ(items({"collect g, $locals"}, "M-1,1000,4"), "") << "$locals may be static";
}

}  // namespace
}  // namespace convert::tfile
