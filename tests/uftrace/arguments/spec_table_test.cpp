#include "converters/uftrace/arguments/spec_table.h"

#include <cstddef>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include "converters/model/notes.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SpecTableTest : public testing::Test {
 protected:
  std::vector<std::string> candidate_layouts(const FunctionFacts& function, bool of_result) {
    Info info;
    info.argument_lines = lines_;
    info.pattern_type = pattern_type_;
    info.bits = bits_;
    info.cpu_description = cpu_;
    notes_ = {};
    pattern_use_->time_us = 0;
    SpecTable table(info, "info", names_, notes_, notes_, pattern_use_);
    std::vector<std::string> texts;
    for (const auto& items : table.candidate_layouts(function, of_result)) {
      std::string text;
      for (const SpecItem& item : items)
        text +=
            fmt::format("{}{}/{}{}", text.empty() ? "" : ",", item.number,
                        std::string_view("diuxocfsSpet")[static_cast<std::size_t>(item.format)], item.size);
      texts.push_back(text);
    }
    return texts;
  }
  // Returns a text for each candidate, such as "1/d8,2/s0": the number, the format and the size of each
  // argument.
  std::vector<std::string> arguments(const FunctionFacts& function) {
    return candidate_layouts(function, false);
  }
  std::vector<std::string> results(const FunctionFacts& function) {
    return candidate_layouts(function, true);
  }

  std::vector<std::string> lines_;
  std::string pattern_type_ = "regex";
  unsigned bits_ = 64;
  std::string cpu_;
  Names names_;
  Notes notes_;
  std::shared_ptr<PatternUse> pattern_use_ = std::make_shared<PatternUse>();
};

TEST_F(SpecTableTest, WithoutSpecsThereIsNothing) { EXPECT_THAT(arguments({.names = {"f"}}), IsEmpty()); }

TEST_F(SpecTableTest, ExplicitItemsKeepTheirOrder) {
  lines_ = {"argspec:f@arg2/i32,arg1,fparg1;g@arg1", "retspec:f@retval/x"};
  EXPECT_THAT(arguments({.names = {"f"}}), ElementsAre("2/i4,1/d8,1/f8"));
  EXPECT_THAT(results({.names = {"f"}}), ElementsAre("0/x8", "0/s0"));
  EXPECT_THAT(arguments({.names = {"h"}}), IsEmpty());
}

TEST_F(SpecTableTest, OldListsHaveArgumentsAndReturnValues) {
  lines_ = {"argspec:f@arg1,retval/i32"};
  EXPECT_THAT(arguments({.names = {"f"}}), ElementsAre("1/d8"));
  EXPECT_THAT(results({.names = {"f"}}), ElementsAre("0/i4", "0/s0"));
}

TEST_F(SpecTableTest, ALaterItemReplacesAnItemWithTheSameLocation) {
  lines_ = {"argspec:.*@arg1;^i@arg1/x,arg2"};  // from the recording tests/uftrace/recordings/args-regex
  EXPECT_THAT(arguments({.names = {"i32"}}), ElementsAre("1/x8,2/d8"));
  EXPECT_THAT(arguments({.names = {"main"}}), ElementsAre("1/d8"));
}

TEST_F(SpecTableTest, PatternsAreLimited) {
  std::string list = "argspec:";
  for (int i = 0; i < 257; ++i) list += fmt::format("f{}g*@arg1;", i);
  lines_ = {list + "h@arg1/x"};
  pattern_type_ = "glob";
  EXPECT_THAT(arguments({.names = {"f255g"}}), ElementsAre("1/d8"));
  EXPECT_THAT(arguments({.names = {"f256g"}}), IsEmpty());
  EXPECT_THAT(arguments({.names = {"h"}}), ElementsAre("1/x8")) << "names do not count";
  EXPECT_EQ(notes_.count(kOverLimit), 1u);
}

TEST_F(SpecTableTest, APatternDoesNotReplaceTheSpecOfAFunction) {
  lines_ = {"argspec:ab1@arg1/d32;^ab@arg1/x,arg2"};
  EXPECT_THAT(arguments({.names = {"ab1"}}), ElementsAre("1/d4,2/d8"));
  lines_ = {"argspec:^ab@arg1/x;ab1@arg1/d32;ab1@arg1/u"};
  EXPECT_THAT(arguments({.names = {"ab1"}}), ElementsAre("1/u8"));
}

TEST_F(SpecTableTest, LocationsOfDifferentKindsAreDifferent) {
  lines_ = {"argspec:f@arg1,arg1/x%rdi,fparg1,arg2/u%rdi,arg3%stack+1,arg4%stack+2"};
  EXPECT_THAT(arguments({.names = {"f"}}), ElementsAre("1/d8,1/u8,1/f8,3/d8,4/d8"));
}

TEST_F(SpecTableTest, AModuleRestrictsASpec) {
  lines_ = {"argspec:f@arg1,libfoo"};
  EXPECT_THAT(arguments({.names = {"f"}, .is_in = [](std::string_view m) { return m == "libfoo"; }}),
              ElementsAre("1/d8"));
  EXPECT_THAT(arguments({.names = {"f"}}), IsEmpty());
}

TEST_F(SpecTableTest, InfoHasTheKindOfPatterns) {
  pattern_type_ = "glob";
  lines_ = {"argspec:f*@arg1"};
  EXPECT_THAT(arguments({.names = {"foo"}}), ElementsAre("1/d8"));
  EXPECT_THAT(arguments({.names = {"of"}}), IsEmpty());
}

TEST_F(SpecTableTest, ANameWithoutValuesUsesDwarfOrTheLists) {
  lines_ = {"argspec:f;g", "retspec:f", "argauto:f@arg1/p;g@arg1/u", "retauto:f@retval/p"};
  const DebugInfo debug{.name = "f", .line = {}, .arguments = "@arg1,arg2/s", .results = {}};
  EXPECT_THAT(arguments({.names = {"f"}, .debug = debug}), ElementsAre("1/d8,2/s0", "1/p8"));
  EXPECT_THAT(arguments({.names = {"g"}}), ElementsAre("1/u8"));
  EXPECT_THAT(results({.names = {"f"}, .debug = debug}), ElementsAre("0/p8", "0/s0"));
  EXPECT_THAT(results({.names = {"g"}}), IsEmpty());
}

TEST_F(SpecTableTest, ANameWithoutValuesAddsToEarlierSpecs) {
  lines_ = {"argspec:lf;lf@arg1/x"};
  EXPECT_THAT(arguments({.names = {"lf"}, .debug = {.arguments = "@arg1,arg2/s"}}),
              ElementsAre("1/x8,2/s0", "1/d8,2/s0"));
}

TEST_F(SpecTableTest, AutomaticSpecsDoNotReplaceGivenSpecs) {
  lines_ = {"argspec:lf@arg1", "auto-args:1"};
  const FunctionFacts lf{.names = {"lf"}, .debug = {.arguments = "@arg1,arg2/s", .results = "@retval"}};
  EXPECT_THAT(arguments(lf), ElementsAre("1/d8", "1/d8,2/s0"));
  EXPECT_THAT(results(lf), ElementsAre("0/d8", "0/s0"));
  EXPECT_THAT(arguments({.names = {"other"}, .debug = {.arguments = "@arg1/s"}}), ElementsAre("1/s0"));
}

// DWARF lists two empty arguments of std::pair's constructor at one location. uftrace stores only one of
// them.
TEST_F(SpecTableTest, DwarfMayRepeatALocation) {
  lines_ = {"auto-args:1"};
  EXPECT_THAT(
      arguments({.names = {"f"}, .debug = {.arguments = "@arg1/p,arg2/t0:x%stack+1,arg3/t0:y%stack+1"}}),
      testing::Contains("1/p8,2/t0").Times(1));
}

TEST_F(SpecTableTest, ListsHaveDemangledNames) {
  lines_ = {"auto-args:1", "argauto:_Znwm@arg1/u;_ZdlPv@arg1/x"};
  EXPECT_THAT(arguments({.names = {"operator new"}}), ElementsAre("1/u8"));
}

TEST_F(SpecTableTest, AliasesMatchTogetherOrSeparately) {
  lines_ = {"argspec:a@arg1;b@arg2/s"};
  EXPECT_THAT(arguments({.names = {"a", "b"}}), ElementsAre("1/d8,2/s0", "1/d8", "2/s0"));
}

TEST_F(SpecTableTest, SizesDependOnTheProgram) {
  bits_ = 32;
  cpu_ = "ARMv7 Processor";
  lines_ = {"argspec:f@arg1,fparg1/80"};
  EXPECT_THAT(arguments({.names = {"f"}}), ElementsAre("1/d4,1/f8"));
}

TEST_F(SpecTableTest, DamagedSpecsAreNoted) {
  lines_ = {"argspec:f@arg1/q,arg2", "enumauto:enum x"};
  EXPECT_THAT(arguments({.names = {"f"}}), ElementsAre("2/d8"));
  EXPECT_EQ(notes_.count(kDamagedLine), 2u);
  EXPECT_EQ(notes_.groups().front().first.front(), "info: not an argument spec: \"arg1/q\"");
}

TEST_F(SpecTableTest, CostlyPatternsAreNoted) {
  const auto is_kept = [this](const std::string& pattern) {
    lines_ = {"argspec:" + pattern + "@arg1;g@arg2"};
    EXPECT_THAT(arguments({.names = {"g"}}), ElementsAre("2/d8"));
    if (notes_.count(kDamagedLine) == 0) return true;
    EXPECT_EQ(notes_.groups().front().first.front(),
              fmt::format("info: not an argument spec: \"{}\"", pattern));
    return false;
  };
  EXPECT_TRUE(is_kept("^f.{1,255}[0-9]+(a|b{3})+$"));
  EXPECT_TRUE(is_kept("a{1006}")) << "1,000 more than it has characters, with one for the whole";
  EXPECT_FALSE(is_kept("a{1007}"));
  EXPECT_FALSE(is_kept("a{,1008}"));
  EXPECT_FALSE(is_kept("a{1009,2}"));
  EXPECT_TRUE(is_kept("a{30}{33}"));
  EXPECT_FALSE(is_kept("a{30}{34}"));
  EXPECT_FALSE(is_kept("a{99999999999999999999}"));
  EXPECT_TRUE(is_kept("x{2000000a}"));
  EXPECT_FALSE(is_kept("((a{10}b){10}c){10}"));
  EXPECT_TRUE(is_kept("((a{10}b){8}c{10}d){8}"));
  EXPECT_FALSE(is_kept("(a{20}){26}(c{20}){26}")) << "the sum, not the largest";
  EXPECT_FALSE(is_kept("(a{9}[)]b{9}){100}"));
  EXPECT_FALSE(is_kept("(a{9}[^])]b{9}){100}"));
  EXPECT_FALSE(is_kept("(a{9}\\)b{9}){100}"));
  EXPECT_FALSE(is_kept("\\[(a{100}){100}")) << "a bracket that begins nothing";
  EXPECT_TRUE(is_kept("a\\")) << "a backslash before nothing";
  const auto nested = [](int depth, const std::string& end) {
    std::string text = "a";
    for (int i = 0; i < depth; ++i) text = "(" + text + ")" + end;
    return "^" + text + "$";
  };
  EXPECT_TRUE(is_kept(nested(8, "+"))) << "doubled by each";
  EXPECT_FALSE(is_kept(nested(9, "+")));
  EXPECT_TRUE(is_kept(nested(99, "*")));
  EXPECT_FALSE(is_kept(nested(100, "*")));
  EXPECT_TRUE(is_kept(std::string(4095, 'a') + "?"));
  EXPECT_FALSE(is_kept(std::string(4096, 'a') + "?"));
  EXPECT_FALSE(is_kept("(a*)*\\1"));
  EXPECT_TRUE(is_kept("(a)\\\\1")) << "a backslash and a number";
  lines_ = {"argspec:"};
  for (int i = 0; i < 199; ++i) lines_.front() += "a{1000}@arg1;";
  EXPECT_THAT(arguments({.names = {"g"}}), IsEmpty());
  EXPECT_EQ(notes_.count(kDamagedLine), 0u);
  lines_.front() += "b{1000}@arg1";
  EXPECT_THAT(arguments({.names = {"g"}}), IsEmpty());
  EXPECT_EQ(notes_.count(kDamagedLine), 1u) << "together";
  EXPECT_EQ(pattern_use_->atoms, 0);
  EXPECT_EQ(pattern_use_->tables, 0u);
  pattern_use_->atoms = 199'500;  // of another table
  EXPECT_TRUE(is_kept("a{490}"));
  EXPECT_FALSE(is_kept("a{500}"));
  pattern_type_ = "glob";
  EXPECT_TRUE(is_kept("a{1000}{1000}"));
}

}  // namespace
}  // namespace convert::uftrace
