// Valid and invalid patterns with actions.
#include "converters/uftrace/filters/filter_item.h"

#include <gmock/gmock.h>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/option.h"
#include "tests/uftrace/filters/tree.h"

namespace convert::uftrace {
namespace {

using Of = FilterItem::Option;

FilterItem item_of(std::string_view text, Of option = Of::Trigger) {
  return parse_filter_items(option, text).front();
}

std::string problem_of(std::string_view text, Of option = Of::Trigger) {
  try {
    parse_filter_items(option, text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

std::string problem_of_options(const std::vector<std::string>& words) {
  try {
    filters_of(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(FilterItem, AllActionsOfOneItemApply) {
  const FilterItem item =
      item_of("ns::f@depth=3,TIME=1.5us,size=64,libx.so,Hide,notrace,caller,trace,trace_on");
  EXPECT_EQ(item.pattern, "ns::f");
  EXPECT_EQ(item.module, "libx.so");
  EXPECT_EQ(item.actions.depth, 3);
  EXPECT_EQ(item.actions.time_ns, 1500);
  EXPECT_EQ(item.actions.size, 64);
  EXPECT_FALSE(item.actions.is_in);
  for (const Setting setting : {Setting::Depth, Setting::Time, Setting::Size, Setting::Hide, Setting::Filter,
                                Setting::Caller, Setting::Trace, Setting::TraceOn})
    EXPECT_TRUE(item.actions.given.has(setting)) << static_cast<int>(setting);
  EXPECT_FALSE(item.actions.given.has(Setting::TraceOff));
}

TEST(FilterItem, ASemicolonInBracketsIsNotASeparator) {
  const auto patterns = [](std::string_view list) {
    std::vector<std::string> all;
    for (const FilterItem& item : parse_filter_items(Of::Filter, list)) all.push_back(item.pattern);
    return all;
  };
  EXPECT_THAT(patterns("f<[u8;4]>;;g"), testing::ElementsAre("f<[u8;4]>", "g"));
  EXPECT_THAT(patterns("[[u8;4];2];g@hide"), testing::ElementsAre("[[u8;4];2]", "g"));
  EXPECT_THAT(patterns("a[[]b;c"), testing::ElementsAre("a[[]b", "c"));
  EXPECT_THAT(patterns("a];b"), testing::ElementsAre("a]", "b"));
}

TEST(FilterItem, FiltersAcceptOnlySomeActions) {
  const FilterItem item = item_of("f@depth=3,trace,trace_off,notrace,hide", Of::Filter);
  EXPECT_TRUE(item.actions.is_in);
  EXPECT_TRUE(item.actions.given.has(Setting::Depth));
  EXPECT_TRUE(item.actions.given.has(Setting::Hide));
  EXPECT_FALSE(item.actions.given.has(Setting::Trace));
  EXPECT_FALSE(item.actions.given.has(Setting::TraceOff));
  EXPECT_FALSE(item_of("f@depth=3", Of::Hide).actions.given.has(Setting::Depth));
}

TEST(FilterItem, WordsAreRecognizedByTheirStart) {
  EXPECT_TRUE(item_of("f@HIDEOUS").actions.given.has(Setting::Hide));
  EXPECT_EQ(item_of("f@tracelib.so", Of::Filter).module, "tracelib.so");
  EXPECT_EQ(item_of("f@depht=1", Of::Filter).module, "depht=1");
  EXPECT_EQ(item_of("f@arg1/s,fparg1,retval,color=red,finish,recover,read=pmu-cycle,auto-args").module, "");
}

TEST(FilterItem, PatternsAfterAnExclamationMarkExclude) {
  EXPECT_EQ(item_of("!f", Of::Filter).option, Of::Notrace);
  EXPECT_EQ(item_of("!f", Of::Filter).pattern, "f");
  EXPECT_FALSE(item_of("f", Of::Notrace).actions.is_in);
}

TEST(FilterItem, ClearAppliesToTheNamedSettings) {
  EXPECT_EQ(item_of("f@clear").clears, Settings::all());
  EXPECT_TRUE(item_of("f@clear=filter+trace_on").clears.has(Setting::TraceOn));
  EXPECT_TRUE(item_of("f@clear=filter+trace_on").clears.has(Setting::Filter));
  EXPECT_FALSE(item_of("f@clear=filter+trace_on").clears.has(Setting::Trace));
  EXPECT_TRUE(item_of("f@clear", Of::Hide).clears.empty());
  EXPECT_TRUE(item_of("f@clear=arg+retval").clears.empty());
}

TEST(FilterItem, InvalidValuesAreExplained) {
  EXPECT_EQ(problem_of("f@depth=1025"),
            "--trigger: in 'f@depth=1025': depth= takes a number from 0 to 1024, not 'depth=1025'");
  EXPECT_EQ(problem_of("f@depth=1024"), "none");
  EXPECT_THAT(problem_of("f@depth=x"), testing::HasSubstr("depth= takes a number"));
  EXPECT_THAT(problem_of("f@time=abc", Of::Filter),
              testing::StartsWith("--filter: in 'f@time=abc': time= takes a time such as"));
  EXPECT_THAT(problem_of("f@size=1x"),
              testing::HasSubstr("size= takes a size in bytes such as 128, 0x80, 4k or 1.5KiB, not"));
  EXPECT_THAT(problem_of("f@trace_maybe"), testing::HasSubstr("trace, trace_on and trace_off"));
  EXPECT_THAT(problem_of("f@clear=x"), testing::HasSubstr("names of actions"));
  EXPECT_THAT(problem_of("f@clearly"), testing::HasSubstr("use clear or clear=NAME"));
  EXPECT_THAT(problem_of("f@liba,libb"),
              testing::HasSubstr("'liba' is already the module, so the other words must be actions"));
  EXPECT_THAT(problem_of("f@if:arg1"),
              testing::StartsWith("--trigger: in 'f@if:arg1': a condition has the form if:argN"));
  EXPECT_THAT(problem_of(""), testing::HasSubstr("takes names of functions"));
}

TEST(FilterItem, NumbersAreWrittenAsInC) {
  EXPECT_EQ(item_of("f@depth=0x10,size=010").actions.depth, 16);
  EXPECT_EQ(item_of("f@depth=0x10,size=010").actions.size, 8);
  EXPECT_THAT(problem_of("f@depth=0x401"), testing::HasSubstr("depth= takes a number"));
  EXPECT_THAT(problem_of("f@size=08"), testing::HasSubstr("size= takes a size"));
}

TEST(FilterItem, SizesMayHaveUnits) {
  EXPECT_EQ(item_of("f@size=4k").actions.size, 4000);
  EXPECT_EQ(item_of("f@size=1.5KiB").actions.size, 1536);
  EXPECT_EQ(filters_of({"-Z", "0.5k"}).size, 500);
}

TEST(FilterItem, ATriggerNeedsAnAction) {
  EXPECT_THAT(problem_of("f"), testing::StartsWith("--trigger: 'f' has no known action; actions are"));
  EXPECT_THAT(problem_of("f@libx.so"), testing::HasSubstr("has no known action"));
  EXPECT_THAT(problem_of("f@hide;g"), testing::HasSubstr("'g' has no known action"));
  EXPECT_EQ(problem_of("f@color=red"), "none");
  EXPECT_EQ(problem_of("f", Of::Filter), "none");
  EXPECT_EQ(problem_of("f@clear=loc"), "none");
}

TEST(FilterOptions, InvalidValuesAreExplained) {
  EXPECT_EQ(problem_of_options({"-D", "0"}), "--depth takes a number from 1 to 65534, not '0'");
  EXPECT_EQ(problem_of_options({"-D", "65535"}), "--depth takes a number from 1 to 65534, not '65535'");
  EXPECT_EQ(problem_of_options({"-D", "65534"}), "none");
  EXPECT_EQ(problem_of_options({"-D", "2x"}), "--depth takes a number from 1 to 65534, not '2x'");
  for (const std::string value : {"1x", "1.5", "0", "0k", ""})
    EXPECT_EQ(problem_of_options({"-Z", value}),
              "--size-filter takes a size in bytes such as 128, 0x80, 4k or 1.5KiB, not '" + value + "'");
  EXPECT_THAT(problem_of_options({"-t", "abc"}), testing::StartsWith("--time-filter takes a time such as"));
  EXPECT_EQ(problem_of_options({"--match", "perl"}), "--match takes one of regex, simple, glob, not 'perl'");
  EXPECT_EQ(problem_of_options({"--trace", "maybe"}), "--trace takes one of on, off, not 'maybe'");
}

TEST(FilterOptions, NumbersAreWrittenAsInC) {
  EXPECT_EQ(filters_of({"-D", "010"}).depth, 8);
  EXPECT_EQ(filters_of({"-D", "0x10"}).depth, 16);
  EXPECT_EQ(filters_of({"-Z", "128"}).size, 128);
}

}  // namespace
}  // namespace convert::uftrace
