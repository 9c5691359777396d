// Matching collected items with the actions that record them (fact sheet, sections 2.5 and 8).
#include "converters/tfile/actions/item_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace convert::tfile {
namespace {

using testing::ElementsAre;

class Match : public testing::Test {
 protected:
  // The text of each expression's item, "?" if unknown; then those of memory ranges.
  std::vector<std::string> match(const std::vector<std::string>& commands, std::string_view actions) {
    const auto read = read_actions(actions);
    const CollectItems items = collect_items(
        commands, [](std::string_view name) { return name == "hits" || name == "trace_timestamp"; },
        [](std::string_view name) { return name == "rip"; });
    const ItemMatch match = match_items(
        items.hit, read.value(), [&](const CollectItem& item) { return facts[item.text]; },
        [](std::uint64_t number) -> std::string_view { return number == 1 ? "trace_timestamp" : "hits"; });
    std::vector<std::string> found;
    for (const auto* item : match.expressions) found.push_back(item != nullptr ? item->text : "?");
    for (const auto* item : match.memory) found.push_back(item != nullptr ? "M " + item->text : "M ?");
    return found;
  }
  std::map<std::string, ItemFacts> facts;

  static constexpr const char* kLocal = "X0000000F,26000622100222ec16080222040c27";
  static constexpr const char* kStamp = "X00000008,2c00012e00012927";
  static constexpr const char* kSet = "X0000000C,2c000222640216402d000227";
};

TEST_F(Match, ExpressionsComeInOrder) {
  EXPECT_THAT(match({"collect $regs, n", "collect $trace_timestamp"}, std::string("R0f") + kLocal + kStamp),
              ElementsAre("n", "$trace_timestamp"));
}

TEST_F(Match, EvaluationsRecordNothing) {
  EXPECT_THAT(match({"collect a", "teval $hits=$hits+100", "collect b"}, std::string(kLocal) + kSet + kLocal),
              ElementsAre("a", "$hits=$hits+100", "b"));
}

// Each variable and each evaluation needs an expression of its own.
TEST_F(Match, AMissingExpressionMeansThatTheSourceDiffers) {
  EXPECT_THAT(match({"collect a", "teval $hits=1", "collect b"}, std::string(kLocal) + kLocal),
              ElementsAre("?", "?"));
  EXPECT_THAT(match({"collect a, $hits, b"}, std::string(kLocal) + kLocal), ElementsAre("?", "?"));
  EXPECT_THAT(match({"collect a, $hits"}, std::string(kLocal) + kStamp), ElementsAre("?", "?"))
      << "of another variable";
  EXPECT_THAT(match({"collect a"}, std::string(kLocal) + kStamp), ElementsAre("?", "?"))
      << "nothing comes behind the last item";
  EXPECT_THAT(match({"collect n+acc"}, kStamp), ElementsAre("?")) << "a value is no variable of the trace";
}

TEST_F(Match, DefaultItemsComeFirst) {
  EXPECT_THAT(match({"collect k"}, std::string("R0f") + kStamp + kLocal), ElementsAre("?", "k"));
}

// Registers have a mask, not an expression.
TEST_F(Match, RegistersHaveNoExpression) {
  EXPECT_THAT(match({"collect $regs, k"}, std::string("R0f") + kLocal + kLocal), ElementsAre("?", "k"));
}

TEST_F(Match, OneNameAndOneRangeBelongTogether) {
  EXPECT_THAT(match({"collect g_text", "collect *who"}, std::string("M-1,4040a0,48") + kLocal),
              ElementsAre("*who", "M g_text"));
}

TEST_F(Match, TwoNamesAndOneRangeAreAmbiguous) {
  EXPECT_THAT(match({"collect a, g_b"}, std::string("M-1,4040a0,48") + kLocal), ElementsAre("?", "M ?"));
}

TEST_F(Match, StringsAreRecordedAsStrings) {
  constexpr const char* kString = "X00000013,26000622100222e81608020d081a2300c82f27";
  EXPECT_EQ(match({"collect a, g_b", "collect/s who"}, std::string("M-1,4040a0,4") + kLocal + kString)[1],
            "who");
}

TEST_F(Match, SymbolsDistinguishNames) {
  facts["a"].is_static = false;
  facts["g_b"] = {.is_static = true, .address = 0x4040a8};
  EXPECT_THAT(match({"collect a, g_b"}, std::string("M-1,4040a0,48") + kLocal), ElementsAre("a", "M g_b"));
}

// GDB records static structures by expressions, and other static objects by ranges.
TEST_F(Match, AddressesDistinguishStaticObjects) {
  constexpr const char* kStatic = "X00000009,240040412022100c27";  // const32 0x404120; const8 16; trace; end
  facts["g_n"] = {.is_static = true, .address = 0x404080};
  facts["g_s"] = {.is_static = true, .address = 0x404120};
  EXPECT_THAT(match({"collect g_n, g_s"}, std::string("M-1,404080,4") + kStatic),
              ElementsAre("g_s", "M g_n"));
  EXPECT_THAT(match({"collect g_s, g_n"}, std::string("M-1,404080,4") + kStatic),
              ElementsAre("g_s", "M g_n"));
  facts["g_s"].address = 0x404128;
  EXPECT_THAT(match({"collect g_s, *p"}, std::string("M-1,404128,4") + kStatic), ElementsAre("*p", "M g_s"));
}

// The first member of an object has the object's address.
TEST_F(Match, StaticObjectsAreInRangesOrAtTheirAddress) {
  constexpr const char* kStatic = "X00000009,240040412022100c27";  // const32 0x404120; const8 16; trace; end
  facts["g_s"] = {.is_static = true, .address = 0x404120};
  EXPECT_THAT(match({"collect g_s, g_s.first"}, std::string("M-1,404120,10") + kStatic),
              ElementsAre("g_s.first", "M g_s"));
  EXPECT_THAT(match({"collect g_s, *p"}, std::string("M-1,404110,10") + kStatic), ElementsAre("?", "M ?"))
      << "the range ends before it";
  EXPECT_THAT(match({"collect g_s, *p"}, std::string("M6,404120,10") + kStatic), ElementsAre("?", "M ?"))
      << "the range lies elsewhere: a register was added";
  facts["g_s"].address = 0x404128;
  EXPECT_THAT(match({"collect g_s, *p"}, kStatic), ElementsAre("*p")) << "it lies elsewhere";
}

// The expression of a variable in a register records nothing.
TEST_F(Match, VariablesInRegistersHaveNoMemory) {
  facts["n"].has_no_memory = true;
  EXPECT_THAT(match({"collect n, a"}, std::string(kLocal) + "X00000001,27").front(), "?");
  EXPECT_THAT(match({"collect n, a"}, std::string("X00000001,27") + kLocal), ElementsAre("n", "a"));
  EXPECT_THAT(match({"collect a, n"}, std::string(kLocal) + "X00000001,27"), ElementsAre("a", "n"));
}

TEST_F(Match, SizesDistinguishItems) {
  constexpr const char* kEight = "X0000000F,26000622100222e816080222080c27";
  facts["a"].size = 8;
  facts["b"].size = 4;
  facts["c"].size = 8;
  EXPECT_THAT(match({"collect $regs, a, b, c"}, std::string(kLocal) + kEight), ElementsAre("b", "c"));
  EXPECT_THAT(match({"collect $regs, a, b, c"}, std::string(kEight) + kLocal), ElementsAre("a", "b"));
}

// n+acc, of two variables in memory and in registers.
TEST_F(Match, ValuesRecordOnlyTheirOperands) {
  constexpr const char* kOfMemory =
      "X00000025,26000622100222d81608020d081a164026000622100222d01608020d081a16400216402927";
  constexpr const char* kOfRegisters = "X0000000F,260005164026000416400216402927";
  constexpr const char* kReturn = "X0000000A,26000622080222080c27";
  constexpr const char* kNothing = "X00000001,27";
  facts["n+acc"].size = 8;
  EXPECT_THAT(match({"collect $args, $locals, n+acc, $_ret"},
                    std::string("R40") + kLocal + kLocal + kLocal + kOfMemory + kReturn)[3],
              "n+acc");
  EXPECT_THAT(match({"collect $args, $locals, n+acc, $_ret"},
                    std::string("R40") + kNothing + kNothing + kOfRegisters + kOfRegisters + kReturn)[3],
              "n+acc");
  EXPECT_THAT(match({"collect n, n+acc"}, std::string("R40") + kReturn + kOfMemory),
              ElementsAre("n", "n+acc"));
}

// An expression that records a result is not that of a value, even if another item then has no expression.
TEST_F(Match, ValuesHaveNoAddress) {
  constexpr const char* kString = "X00000013,26000622100222e81608020d081a2300c82f27";
  EXPECT_THAT(match({"collect n+1, n"}, std::string("R40") + kLocal), ElementsAre("n"));
  EXPECT_THAT(match({"collect n+1", "collect/s who"}, std::string("R40") + kString), ElementsAre("who"));
}

TEST_F(Match, EvaluationsDoNotMatchWhatIsRecorded) {
  EXPECT_THAT(match({"teval $hits=$hits+1", "collect b"}, std::string("R40") + kLocal), ElementsAre("?"));
}

TEST_F(Match, VariablesMatchAnyNumberOfExpressions) {
  EXPECT_THAT(
      match({"collect $args, $locals, *p, $trace_timestamp"}, std::string(kLocal) + kLocal + kLocal + kStamp)
          .back(),
      "$trace_timestamp");
}

}  // namespace
}  // namespace convert::tfile
