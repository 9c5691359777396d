// Which recorded item is which: source forms lined up with actions (fact sheet, sections 2.5 and 8).
#include "converters/tfile/actions/collect_items.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converters/tfile/program/code_names.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const std::vector<CollectItem>& items) {
  std::vector<std::string> texts;
  for (const CollectItem& item : items) texts.push_back(item.text + (item.is_string ? " (string)" : ""));
  return texts;
}

CollectItems items_of(const std::vector<std::string>& commands) {
  return collect_items(
      commands, [](std::string_view name) { return name == "hits" || name == "trace_timestamp"; },
      [](std::string_view name) { return name == "rip"; });
}

TEST(CollectItems, AreSplitAtTheirCommas) {
  EXPECT_THAT(texts(items_of({"collect $regs, f(a, b), \"x,y\"[1], v[2,3]"}).hit),
              ElementsAre("$regs", "f(a, b)", "\"x,y\"[1]", "v[2,3]"));
  EXPECT_THAT(texts(items_of({"collect/s8 who,what"}).hit), ElementsAre("who (string)", "what (string)"));
}

TEST(CollectItems, OfStepsAreApart) {
  const CollectItems items =
      items_of({"collect a", "while-stepping 3", "collect b", "teval $hits=1", "end", "collect c"});
  EXPECT_THAT(texts(items.hit), ElementsAre("a", "c"));
  EXPECT_THAT(texts(items.step), ElementsAre("b", "$hits=1"));
}

TEST(CollectItems, HaveKinds) {
  using Kind = CollectItem::Kind;
  std::vector<Kind> kinds;
  for (const CollectItem& item :
       items_of({"collect $regs, $args, $rip, $hits, n, app::n, a::, *p, $_sdata"}).hit)
    kinds.push_back(item.kind);
  EXPECT_THAT(kinds,
              ElementsAre(Kind::Registers, Kind::Variables, Kind::Registers, Kind::Variable, Kind::Name,
                          Kind::Name, Kind::Expression, Kind::Expression, Kind::StaticData));
}

class Match : public testing::Test {
 protected:
  // The text of each expression's item, "?" where nobody can tell; then those of memory ranges.
  std::vector<std::string> match(const std::vector<std::string>& commands, std::string_view actions) {
    const auto read = read_actions(actions);
    const CollectItems items = items_of(commands);
    const ItemMatch match = match_items(
        items.hit, read.value(), [&](const std::string& name) { return is_static(name); },
        [](std::uint64_t number) -> std::string_view { return number == 1 ? "trace_timestamp" : "hits"; });
    std::vector<std::string> found;
    for (const auto* item : match.expressions) found.push_back(item != nullptr ? item->text : "?");
    for (const auto* item : match.memory) found.push_back(item != nullptr ? "M " + item->text : "M ?");
    return found;
  }
  std::optional<bool> is_static(const std::string& name) {
    if (!statics_) return std::nullopt;
    return std::ranges::count(*statics_, name) != 0;
  }
  std::optional<std::vector<std::string>> statics_;

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

TEST_F(Match, DefaultItemsStandInFront) {
  EXPECT_THAT(match({"collect k"}, std::string("R0f") + kStamp + kLocal), ElementsAre("?", "k"));
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

TEST_F(Match, SymbolsTellNamesApart) {
  statics_ = {"g_b"};
  EXPECT_THAT(match({"collect a, g_b"}, std::string("M-1,4040a0,48") + kLocal), ElementsAre("a", "M g_b"));
}

TEST_F(Match, VariablesTakeAnyNumberOfExpressions) {
  EXPECT_THAT(
      match({"collect $args, $locals, *p, $trace_timestamp"}, std::string(kLocal) + kLocal + kLocal + kStamp)
          .back(),
      "$trace_timestamp");
}

struct Place {
  std::string at, spoken;
};
class Places : public testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(All, Places,
                         testing::Values(Place{"fib", "fib"}, Place{"demo.c:63", "demo.c:63"},
                                         Place{"-function fib", "fib"}, Place{"-qualified greet", "greet"},
                                         Place{"-source demo.c -line 63", "demo.c:63"},
                                         Place{"-qualified -function a::b", "a::b"},
                                         Place{"*0x401202", "*0x401202"}, Place{"app::twice", "app::twice"}));
TEST_P(Places, AreSpokenShortly) { EXPECT_EQ(spoken_location(GetParam().at), GetParam().spoken); }

}  // namespace
}  // namespace convert::tfile
