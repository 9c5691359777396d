// Which recorded item is which: source forms lined up with actions (fact sheet, sections 2.5 and 8).
#include "converters/tfile/actions/collect_items.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
       items_of({"collect $regs, $args, $rip, $hits, n, app::n, a::, *p, $_sdata, $_ret"}).hit)
    kinds.push_back(item.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::Registers, Kind::Variables, Kind::Registers, Kind::Variable,
                                 Kind::Name, Kind::Name, Kind::Expression, Kind::Expression, Kind::StaticData,
                                 Kind::ReturnAddress));
}

}  // namespace
}  // namespace convert::tfile
