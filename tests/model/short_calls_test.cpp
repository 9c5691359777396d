#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/lanes/lane_short_calls.h"
#include "fxt/support/call_lengths.h"
#include "tests/model/lane_story.h"

namespace convert {
namespace {

using testing::ElementsAre;

class ShortCallsTest : public LaneStory {
 protected:
  LabelId label(std::string_view name) { return names.intern_label("app", name); }
  LaneOptions from(std::uint64_t shortest_ns) {
    rule = {.shortest_ns = shortest_ns,
            .left_out = names.intern("left_out"),
            .left_out_ns = names.intern("left_out_ns"),
            .lengths = nullptr};
    LaneOptions options = kTestLanes;
    options.short_calls = &rule;
    return options;
  }

  ShortCallRule rule;
};

TEST_F(ShortCallsTest, ArgumentsOfACallReportTheCallsLeftOutInIt) {
  EXPECT_THAT(lines_of(
                  [&](Lane& lane) {
                    lane.begin(0, label("main"));
                    lane.begin(10, label("short"));
                    lane.begin(11, label("shorter"));
                    lane.end(13);
                    lane.end(19);
                    lane.begin(20, label("long"));
                    lane.begin(21, label("short"));
                    lane.end(22);
                    lane.end(30);
                    lane.end(40, {{names.intern("retval"), 7}});
                  },
                  from(10)),
              ElementsAre("7/8 [0, 40] app:main retval=7 left_out=2 left_out_ns=9",
                          "7/8 [20, 30] app:long left_out=1 left_out_ns=1"));
}

TEST_F(ShortCallsTest, APairCanNotEndEarlier) {
  LaneOptions options = from(1);
  options.durations = DurationForm::Pairs;
  EXPECT_THAT(
      lines_of(
          [&](Lane& lane) {
            lane.begin(10, label("outer"));
            lane.begin(12, label("inner"));
            EXPECT_FALSE(lane.end_earlier(0, 12));
            lane.end(14);
            lane.end(20);
          },
          options),
      ElementsAre("7/8 [10 app:outer", "7/8 [12 app:inner", "7/8 14] app:inner", "7/8 20] app:outer"));
}

TEST_F(ShortCallsTest, ACallOfTheShortestLengthIsShown) {
  const auto fill = [&](Lane& lane) {
    lane.begin(0, label("main"));
    lane.end(10);
    lane.begin(10, label("zero"));
    lane.end(10);
  };
  EXPECT_THAT(lines_of(fill, from(10)), ElementsAre("7/8 [0, 10] app:main"));
  EXPECT_THAT(lines_of(fill, from(11)), ElementsAre());
}

TEST_F(ShortCallsTest, EventsInsideAShortCallMoveToItsCaller) {
  EXPECT_THAT(lines_of(
                  [&](Lane& lane) {
                    lane.begin(0, label("main"));
                    lane.begin(10, label("short"));
                    lane.instant(11, label("mark"));
                    lane.end(12);
                    lane.end(40);
                  },
                  from(10)),
              ElementsAre("7/8 [0, 40] app:main left_out=1 left_out_ns=2", "7/8 @11 app:mark"));
}

TEST_F(ShortCallsTest, AKeptCallAndTheCallsAroundItAreShown) {
  EXPECT_THAT(lines_of(
                  [&](Lane& lane) {
                    lane.begin(0, label("outer"));
                    lane.begin(1, label("inner"));
                    lane.keep_open();
                    lane.end(2);
                    lane.begin(3, label("other"));
                    lane.end(4);
                    lane.end(5);
                  },
                  from(10)),
              ElementsAre("7/8 [0, 5] app:outer left_out=1 left_out_ns=1", "7/8 [1, 2] app:inner"));
}

TEST_F(ShortCallsTest, TheCallAroundAFilteredCallReportsTheCallsLeftOutInIt) {
  EXPECT_THAT(lines_of(
                  [&](Lane& lane) {
                    lane.begin(0, label("main"));
                    lane.begin_filtered(1, 0);
                    lane.begin(2, label("short"));
                    lane.end(4);
                    lane.end(30);
                    lane.end(40);
                  },
                  from(10)),
              ElementsAre("7/8 [0, 40] app:main left_out=1 left_out_ns=2"));
}

TEST_F(ShortCallsTest, SuspendedCallsKeepTheirCountOfLeftOutCalls) {
  EXPECT_THAT(lines_of(
                  [&](Lane& lane) {
                    lane.begin(0, label("main"));
                    lane.begin(1, label("kernel"));
                    lane.begin(2, label("short"));
                    lane.end(4);
                    lane.suspend_top(1);
                    lane.begin_filtered(5, 0);
                    lane.resume_top();
                    lane.end(30);
                    lane.end(31);
                    lane.end(40);
                  },
                  from(10)),
              ElementsAre("7/8 [0, 40] app:main", "7/8 [1, 30] app:kernel left_out=1 left_out_ns=2"));
}

TEST_F(ShortCallsTest, TheCallerOfARetractedCallReportsTheCallsLeftOutInIt) {
  EXPECT_THAT(lines_of(
                  [&](Lane& lane) {
                    lane.begin(0, label("main"));
                    lane.begin(1, label("retracted"));
                    lane.begin(2, label("short"));
                    lane.end(4);
                    lane.begin(5, label("open"));
                    lane.begin(6, label("short"));
                    lane.end(7);
                    EXPECT_TRUE(lane.retract(1, 8));
                    lane.end(30);
                    lane.end(40);
                  },
                  from(10)),
              ElementsAre("7/8 [0, 40] app:main left_out=1 left_out_ns=2",
                          "7/8 [5, 30] app:open left_out=1 left_out_ns=1"));
}

// Fills the lane with random nested calls, in bulk or one by one.
void fill_randomly(std::uint64_t seed, Lane& lane, LabelId label, bool in_bulk) {
  const Arguments arguments{{NameId{1}, seed}};
  std::mt19937_64 random(seed);
  std::vector<PlainCall> records;
  std::uint64_t time_ns = 1;
  std::size_t depth = 0;
  for (int i = 0; i < 2000; ++i) {
    time_ns += random() % 5;
    const bool ends = depth != 0 && (depth == 6 || random() % 2 == 0);
    if (ends) --depth;
    const bool has_arguments = !ends && random() % 4 == 0;
    records.push_back({.time_ns = time_ns,
                       .key = 0,
                       .depth = depth,
                       .label = label,
                       .is_end = ends ? 1U : 0U,
                       .mismatch = has_arguments ? 1U : 0U});
    if (!ends) ++depth;
  }
  for (std::size_t i = 0; i < records.size();) {
    if (in_bulk) i += lane.add_run(records.size() - i, [&](std::size_t k) { return records[i + k]; });
    if (i == records.size()) break;
    const PlainCall& record = records[i++];
    if (record.is_end != 0)
      lane.end(record.time_ns);
    else
      lane.begin(record.time_ns, label, 0, record.mismatch != 0 ? arguments : Arguments());
  }
  while (lane.depth() != 0) lane.end(time_ns + 100);
}

TEST_F(ShortCallsTest, RecordsInBulkGiveTheSameCallsAndLengths) {
  const fxt::CallLengths::NameWords no_names{
      .names_of = [](std::uint32_t) { return std::array<std::uint32_t, 2>{}; },
      .words_of = [](std::uint32_t) { return 0; }};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LaneOptions options = from(seed);
    rule.words_of = [](const ArgumentRow& arguments) { return arguments.words().size(); };
    const auto lines = [&](bool in_bulk) {
      fxt::CallLengths lengths;
      rule.lengths = &lengths;
      auto shown = lines_of(
          [&](Lane& lane) {
            if (seed % 2 != 0) lane.short_calls()->count_between(1000, 2500);  // calls of about 4000 ns
            fill_randomly(seed, lane, label("f"), in_bulk);
            lane.short_calls()->flush();
          },
          options);
      shown.push_back(std::to_string(lengths.fit(1 << 20, 0, no_names).words));
      return shown;
    };
    EXPECT_EQ(lines(true), lines(false)) << seed;
  }
}

// ---- Lengths ----

class CallLengthsTest : public testing::Test {
 protected:
  static fxt::CallLengths::NameWords names(std::int64_t words) {
    return {.names_of = [](std::uint32_t label) -> std::array<std::uint32_t, 2> {
              return {0, label + 1};
            },
            .words_of = [words](std::uint32_t) { return words; }};
  }
  static fxt::CallLengths::Entry call(std::uint64_t length_ns, std::uint32_t label = 0) {
    return {length_ns, 3, fxt::CallLengths::Entry::of_label(label)};
  }
};

TEST_F(CallLengthsTest, FindsTheShortestLengthThatFits) {
  fxt::CallLengths lengths;
  lengths.add(std::array{call(30), call(20), call(20), call(10)});
  const auto shortest = [&](std::int64_t words) { return lengths.fit(words, 0, names(0)).shortest_ns; };
  EXPECT_EQ(shortest(12), 0);
  EXPECT_EQ(shortest(11), 20);
  EXPECT_EQ(shortest(9), 20);
  EXPECT_EQ(shortest(8), 30);
  EXPECT_EQ(shortest(2), kForever);
}

TEST_F(CallLengthsTest, TheLongestCallOfALabelPaysForTheNames) {
  fxt::CallLengths lengths;
  lengths.add(std::array{call(30, 1), call(20, 2), call(10, 2)});
  const auto shortest = [&](std::int64_t words) { return lengths.fit(words, 0, names(100)).shortest_ns; };
  EXPECT_EQ(shortest(309), 0);  // enough words for all calls, the category, and the names of both labels
  EXPECT_EQ(shortest(306), 20);
  EXPECT_EQ(shortest(203), 30);
  EXPECT_EQ(shortest(202), kForever);
}

// Long lengths are rounded to intervals. To find the exact shortest length that fits, the calls of one
// interval are counted again, in smaller intervals.
TEST_F(CallLengthsTest, LongLengthsBecomeExact) {
  std::mt19937_64 random(1);
  std::vector<fxt::CallLengths::Entry> calls;
  for (int i = 0; i < 1000; ++i) calls.push_back(call((random() >> 1) >> (random() % 60)));
  for (const std::int64_t words : {3, 30, 300, 1500, 2400, 2997}) {
    fxt::CallLengths::Interval part = fxt::CallLengths::kWhole;
    fxt::CallLengths::Fitting fitting;
    do {
      fxt::CallLengths lengths(part);
      lengths.add(calls);
      fitting = lengths.fit(words, fitting.words, names(0));
      part = fitting.too_short;
    } while (part.width_ns() > 1);
    std::vector<std::uint64_t> longest;
    for (const auto& entry : calls) longest.push_back(entry.length_ns);
    std::ranges::sort(longest, std::greater());
    std::size_t fits = static_cast<std::size_t>(words / 3);
    while (fits > 0 && longest[fits] == longest[fits - 1]) --fits;
    EXPECT_EQ(fitting.shortest_ns <= longest[fits - 1], true) << words;
    EXPECT_EQ(fitting.shortest_ns > longest[fits], true) << words;
  }
}

}  // namespace
}  // namespace convert
