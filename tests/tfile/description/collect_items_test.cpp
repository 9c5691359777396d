// Tests the items of collect commands, and their kinds.
#include "converters/tfile/description/collect_items.h"

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

TEST(CollectItems, StepsHaveItemsOfTheirOwn) {
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

// An item such as `a + b` has no address. Therefore, GDB records only its operands.
TEST(CollectItems, AreValuesOrPlaces) {
  const auto is_value = [](const std::string& text) {
    return items_of({"collect " + text}).hit.front().kind == CollectItem::Kind::Value;
  };
  for (
      const char* const value :
      {"a+b",       "a - 1",  "n*2",     "p->x+1",           "a[1]+b", "&x",   "&p->key", "-n",       "!n",
       "~n",        "(int)x", "(int) x", "(struct item *)p", "a == b", "a<<2", "*p + 1",  "(int*)&x", "(a)+b",
       "x ? a : b", "$rax+1", "a.x%3",   "*p * 2",           "+n"})
    EXPECT_TRUE(is_value(value)) << value;
  for (const char* const place :
       {"*p", "**p", "a[2]@3", "p->x", "(*p).x", "a[i+1]", "a[i+1].y->z", "*(int*)$rsp", "*(p+1)", "(x)",
        "a.b", "$_siginfo", "*&x[2]@2", "ns::a.b", "a [1]", "(a", "*(int*)&x", "*(Pair<int,long>*)&ns::a"})
    EXPECT_FALSE(is_value(place)) << place;
}

TEST(CollectItems, MayBeInBrackets) {
  using Kind = CollectItem::Kind;
  const auto items = items_of({"collect (n), ( (app::n) ), (*p), (a)+(b), (&x)"}).hit;
  std::vector<Kind> kinds;
  for (const CollectItem& item : items) kinds.push_back(item.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::Name, Kind::Name, Kind::Expression, Kind::Value, Kind::Value));
  EXPECT_EQ(items[1].text, "( (app::n) )") << "as the user wrote it";
}

// GDB accepts blanks before the option, but not after it.
TEST(CollectItems, MayBeTexts) {
  for (const char* const command :
       {"collect/s a", "collect /s a", "collect /s8 a", "collect/s8 a", "collect\t/s  a"}) {
    const auto items = items_of({command}).hit;
    ASSERT_EQ(items.size(), 1u) << command;
    EXPECT_EQ(items[0].text, "a") << command;
    EXPECT_TRUE(items[0].is_string) << command;
  }
  EXPECT_FALSE(items_of({"collect /x a"}).hit.front().is_string);
}

TEST(CollectItems, MayHaveTemplateArguments) {
  const auto items = items_of({"collect Box<int, 3>::all, a<b, Box<A<1,2>, 3>::x.y, ::count"}).hit;
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[0].text, "Box<int, 3>::all");
  EXPECT_EQ(items[0].kind, CollectItem::Kind::Name);
  EXPECT_EQ(items[1].text, "a<b");
  EXPECT_EQ(items[2].text, "Box<A<1,2>, 3>::x.y");
  EXPECT_EQ(items[2].kind, CollectItem::Kind::Expression);
  EXPECT_EQ(items[3].text, "::count");
  EXPECT_EQ(items[3].kind, CollectItem::Kind::Name);
}

TEST(CollectItems, MayBeQuoted) {
  using Kind = CollectItem::Kind;
  const auto kind = [](const std::string& text) { return items_of({"collect " + text}).hit.front().kind; };
  for (const char* const name :
       {"'app::n'", "'n'::m", "'a.c'::n", "'app::(anonymous namespace)::n'", "('app::n')", "'f(int, char)'"})
    EXPECT_EQ(kind(name), Kind::Name) << name;
  for (const char* const place : {"'a'", "'\\n'", "'n", "'app::n'.x", "'app::operator+'.x"})
    EXPECT_EQ(kind(place), Kind::Expression) << place;
  EXPECT_EQ(kind("'app::n' + 1"), Kind::Value);
}

}  // namespace
}  // namespace convert::tfile
