// A condition `if:argN OP VALUE` compares VALUE with the recorded argument, according to the argument's type.
#include <cstdint>
#include <gmock/gmock.h>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/option.h"
#include "converters/uftrace/filters/filter_item.h"
#include "tests/uftrace/filters/tree.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;

constexpr NameId kName{1};

bool holds(std::string_view condition, Argument argument) {
  return parse_condition(condition).holds(argument);
}

TEST(Condition, ComparesWithSigns) {
  EXPECT_TRUE(holds("arg1==-1", {kName, std::int64_t{-1}}));
  EXPECT_TRUE(holds("arg1 < 0", {kName, std::int64_t{-1}}));
  EXPECT_FALSE(holds("arg1>0", {kName, std::int64_t{-1}}));
  EXPECT_TRUE(holds("arg1>-1", {kName, std::uint64_t{0}}));
  EXPECT_FALSE(holds("arg1<-1", {kName, std::uint64_t{5}}));
  EXPECT_FALSE(holds("arg1==-1", {kName, ~std::uint64_t{0}}));
  EXPECT_TRUE(holds("arg1!=-1", {kName, ~std::uint64_t{0}}));
}

TEST(Condition, HasSevenOperators) {
  const auto results = [](std::int64_t value) {
    std::string text;
    for (const char* const op : {"==", "!=", ">", ">=", "<", "<=", "&"})
      text += holds("arg2" + std::string(op) + "4", {kName, value}) ? '1' : '0';
    return text;
  };
  EXPECT_EQ(results(4), "1001011");
  EXPECT_EQ(results(3), "0100110");
  EXPECT_EQ(results(12), "0111001");
}

TEST(Condition, AFormatSelectsTheBitsToCompare) {
  EXPECT_TRUE(holds("arg1/i32==-1", {kName, std::uint64_t{0xffff'ffff}}));
  EXPECT_TRUE(holds("arg1/u8==255", {kName, std::int64_t{-1}}));
  EXPECT_TRUE(holds("arg1/x==0x10", {kName, std::uint64_t{16}}));
  EXPECT_TRUE(holds("arg1==010", {kName, std::uint64_t{8}}));
  EXPECT_TRUE(holds("arg1==+0X1f", {kName, std::int64_t{31}}));
  EXPECT_TRUE(holds("arg1==-9223372036854775808", {kName, std::numeric_limits<std::int64_t>::min()}));
  EXPECT_TRUE(holds("arg1==9223372036854775807", {kName, std::numeric_limits<std::int64_t>::max()}));
}

TEST(Condition, IsRejectedIfItIsInvalid) {
  for (const char* const text :
       {"arg1", "arg0==1", "arg7==1", "retval==1", "fparg1>1", "arg1=1", "arg1==x", "arg1==", "arg1==--1",
        "arg1==-9223372036854775809", "arg1==9223372036854775808", "arg1==0x", "arg1/s==1", "arg1/f==1",
        "arg1/i33==1", "==1", "argx==1", ""})
    EXPECT_THROW(parse_condition(text), UsageError) << text;
}

class ConditionOfCalls : public testing::Test {
 protected:
  // Records the calls f(7) and f(8), each of which calls g.
  ConditionOfCalls() {
    recording_.entry(10, 0, RecordingBuilder::kMain);
    call(20, "\7\0\0\0\0\0\0\0");
    call(30, "\10\0\0\0\0\0\0\0");
  }
  void call(std::uint64_t time_ns, const char* argument) {
    recording_.entry_with(time_ns, 1, RecordingBuilder::kF, {argument, 8});
    recording_.entry(time_ns + 1, 2, RecordingBuilder::kG).exit(time_ns + 2, 2, RecordingBuilder::kG);
    recording_.exit(time_ns + 3, 1, RecordingBuilder::kF);
  }
  std::vector<std::string> shown(const std::vector<std::string>& words, bool no_args = true) {
    RecordingOptions options{.no_args = no_args};
    options.filters = filters_of(words);
    return recording_.lines({}, options);
  }
  RecordingBuilder recording_;
};

TEST_F(ConditionOfCalls, OnlyMatchingCallsAreFiltered) {
  recording_.exit(50, 0, RecordingBuilder::kMain).info_line("argspec:f@arg1/i64");
  EXPECT_THAT(shown({"-F", "f@if:arg1==8"}),
              ElementsAre("100/100 [30, 33] demo:f", "100/100 [31, 32] demo:g"));
  EXPECT_THAT(shown({"-T", "f@filter,if:arg1<8"}, false),
              ElementsAre("100/100 [20, 23] demo:f arg1=7", "100/100 [21, 22] demo:g"));
  EXPECT_THAT(shown({"-N", "f@if:arg1>7", "-H", "main"}),
              ElementsAre("100/100 [20, 23] demo:f", "100/100 [21, 22] demo:g"));
}

TEST_F(ConditionOfCalls, AnArgumentThatIsNeverRecordedMeetsTheCondition) {
  recording_.exit(50, 0, RecordingBuilder::kMain).info_line("argspec:f@arg1/i64");
  EXPECT_EQ(shown({"-F", "f@if:arg2==8"}).size(), 4);
}

TEST_F(ConditionOfCalls, AnArgumentMissingInOneCallDoesNotMeetTheCondition) {
  recording_.entry(40, 1, RecordingBuilder::kF).exit(41, 1, RecordingBuilder::kF);
  recording_.exit(50, 0, RecordingBuilder::kMain).info_line("argspec:f@arg1/i64");
  EXPECT_EQ(shown({"-F", "f@if:arg1>=0"}).size(), 4);
}

}  // namespace
}  // namespace convert::uftrace
