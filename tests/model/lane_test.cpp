#include "converters/model/lanes/lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/model/lane_story.h"

namespace convert {
namespace {

using testing::ElementsAre;

class LaneTest : public LaneStory {
 protected:
  LabelId label(std::string_view name) { return names.intern_label("app", name); }
  template <typename Value>
  Argument argument(std::string_view name, Value value) {
    return {names.intern(name), value};
  }
  // Ends the second innermost call at the time at which the innermost call starts.
  static bool end_parent_of_top(Lane& lane, const Arguments& arguments = {}) {
    return lane.end_earlier(lane.depth() - 2, lane.calls().back().begin_ns(), arguments);
  }
};

TEST_F(LaneTest, ACallIsOneEventAtItsStart) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(10, label("main"));
                lane.begin(12, label("leaf"));
                lane.end(14);
                lane.end(20);
              }),
              ElementsAre("7/8 [10, 20] app:main", "7/8 [12, 14] app:leaf"));
}

TEST_F(LaneTest, ACallCanEndAtTheStartOfTheCallInsideIt) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(10, label("main"));
                lane.begin(12, label("outer"));
                lane.begin(13, label("early"));
                lane.end(14);
                lane.begin(15, label("inner"), 0x1a);
                EXPECT_TRUE(end_parent_of_top(lane, {argument("r", std::int64_t{7})}));
                EXPECT_EQ(lane.depth(), 2);
                EXPECT_EQ(lane.calls().back().key, 0x1a);
                lane.end(18);
                lane.end(20);
              }),
              ElementsAre("7/8 [10, 20] app:main", "7/8 [12, 15] app:outer r=7", "7/8 [13, 14] app:early",
                          "7/8 [15, 18] app:inner"));
}

TEST_F(LaneTest, ACallCanNotEndEarlierAtItsOwnStart) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(10, label("outer"));
                lane.begin(10, label("inner"));
                EXPECT_FALSE(end_parent_of_top(lane));
                EXPECT_EQ(lane.depth(), 2);
                lane.end(18);
                lane.end(20);
              }),
              ElementsAre("7/8 [10, 20] app:outer", "7/8 [10, 18] app:inner"));
}

TEST_F(LaneTest, AReleasedCallBelowTheTopCanNotEndEarlier) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(10, label("outer"));
                lane.store().release_oldest();
                lane.begin(12, label("middle"));
                lane.begin(13, label("inner"));
                lane.store().release_oldest();
                lane.store().release_oldest();
                EXPECT_FALSE(end_parent_of_top(lane));
                lane.end(18);
                lane.end(19);
                lane.begin(19, label("last"));
                EXPECT_FALSE(end_parent_of_top(lane));
                lane.end(20);
                lane.end(21);
              }),
              ElementsAre("7/8 [10 app:outer", "7/8 [12 app:middle", "7/8 [13 app:inner", "7/8 18] app:inner",
                          "7/8 19] app:middle", "7/8 [19, 20] app:last", "7/8 21] app:outer"));
}

TEST_F(LaneTest, ArgumentsOfStartAndEndAreOneRow) {
  const auto values = [&](std::string_view name, std::int64_t first, std::int64_t count) {
    Arguments row;
    for (std::int64_t i = 0; i < count; ++i) row.add(argument(name, first + i));
    return row;
  };
  const std::string large(3000, 'x');
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(10, label("main"), 0, values("a", 1, 2));
                lane.begin(11, label("leaf"), 0, values("b", 3, 1));
                lane.end(12, values("r", 4, 2));  // stored right after the arguments of the start
                lane.begin(13, label("none"));
                lane.end(14, values("r", 6, 1));
                lane.begin(15, label("long"), 0, {argument("s", large)});
                lane.end(16, values("r", 7, 1));
                lane.end(20, values("r", 8, 1));  // arguments of other calls are stored in between
              }),
              ElementsAre("7/8 [10, 20] app:main a=1 a=2 r=8", "7/8 [11, 12] app:leaf b=3 r=4 r=5",
                          "7/8 [13, 14] app:none r=6", "7/8 [15, 16] app:long s=\"" + large + "\" r=7"));
}

// With these numbers of arguments, the words of some starts and ends are in different chunks.
TEST_F(LaneTest, ArgumentsOfEndsFitAnywhere) {
  std::vector<std::string> expected;
  const auto lines = lines_of([&](Lane& lane) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      Arguments of_begin, of_end;
      for (std::uint64_t k = 0; k < 1 + i % 7; ++k) of_begin.add(argument("a", i));
      for (std::uint64_t k = 0; k < i % 5; ++k) of_end.add(argument("r", k));
      lane.begin(10 * i + 10, label("f"), 0, of_begin);
      lane.end(10 * i + 15, of_end);
      std::string line =
          "7/8 [" + std::to_string(10 * i + 10) + ", " + std::to_string(10 * i + 15) + "] app:f";
      for (std::uint64_t k = 0; k < 1 + i % 7; ++k) line += " a=" + std::to_string(i);
      for (std::uint64_t k = 0; k < i % 5; ++k) line += " r=" + std::to_string(k);
      expected.push_back(line);
    }
  });
  EXPECT_EQ(lines, expected);
}

TEST_F(LaneTest, ZeroLengthCallsArePairs) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(10, label("main"));
                lane.begin(12, label("leaf"));
                lane.end(12);
                lane.end(20);
              }),
              ElementsAre("7/8 [10, 20] app:main", "7/8 [12 app:leaf", "7/8 12] app:leaf"));
}

// If an inner call of no length is at the end of other calls, these calls are written as pairs. Otherwise,
// readers would end them before they start the inner call.
TEST_F(LaneTest, AncestorsThatEndAtAZeroLengthCallArePairs) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(10, label("main"));
                lane.begin(11, label("outer"));
                lane.begin(12, label("before"));
                lane.end(20);
                lane.begin(20, label("leaf"));
                lane.end(20);
                lane.end(20);
                lane.end(30);
              }),
              ElementsAre("7/8 [10, 30] app:main", "7/8 [11 app:outer", "7/8 [12, 20] app:before",
                          "7/8 [20 app:leaf", "7/8 20] app:leaf", "7/8 20] app:outer"));
}

TEST_F(LaneTest, InstantsAndFlowsAtTheEndCountAsZeroLengthCalls) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(10, label("a"));
                lane.instant(20, label("mark"));
                lane.end(20);
                lane.begin(30, label("b"));
                lane.flow(FlowStep::Begin, 40, label("arrow"), 5);
                lane.end(40);
              }),
              ElementsAre("7/8 [10 app:a", "7/8 @20 app:mark", "7/8 20] app:a", "7/8 [30 app:b",
                          "7/8 @40 flow from app:arrow #5", "7/8 40] app:b"));
}

TEST_F(LaneTest, CallsArePairsIfRequested) {
  EXPECT_THAT(lines_of(
                  [&](Lane& lane) {
                    lane.begin(10, label("main"));
                    lane.begin(12, label("leaf"));
                    lane.end(14);
                    lane.end(20);
                  },
                  {.limits = kTestLanes.limits, .durations = DurationForm::Pairs}),
              ElementsAre("7/8 [10 app:main", "7/8 [12 app:leaf", "7/8 14] app:leaf", "7/8 20] app:main"));
}

TEST_F(LaneTest, CallsTooDeepAreDroppedAndCounted) {
  EXPECT_THAT(lines_of(
                  [&](Lane& lane) {
                    lane.begin(1, label("a"));
                    lane.begin(2, label("b"));
                    lane.begin(3, label("c"));
                    lane.end(4);
                    lane.end(5);
                    lane.end(6);
                  },
                  {.limits = kTestLanes.limits, .max_depth = 1}),
              ElementsAre("7/8 [1, 6] app:a"));
  EXPECT_EQ(too_deep.count, 2u);
  EXPECT_EQ(too_deep.first, label("b"));
}

TEST_F(LaneTest, InstantsTooDeepAreDroppedAndCounted) {
  const auto lines = [&](std::uint64_t calls, const LaneOptions& options) {
    return lines_of(
               [&](Lane& lane) {
                 for (std::uint64_t i = 0; i < calls; ++i) lane.begin(1, label("f"));
                 lane.instant(2, label("mark"));
                 for (std::uint64_t i = 0; i < calls; ++i) lane.end(3);
               },
               options)
        .size();
  };
  EXPECT_EQ(lines(510, kTestLanes), 511u);
  EXPECT_EQ(lines(511, kTestLanes), 513u);  // the instant is written as a pair
  EXPECT_EQ(too_deep.count, 0u);
  EXPECT_EQ(lines(512, kTestLanes), 512u);
  EXPECT_EQ(too_deep.count, 1u);
  // Only two calls are shown. The instant is inside the second one.
  EXPECT_EQ(lines(600, {.limits = kTestLanes.limits, .max_depth = 2}), 3u);
  EXPECT_EQ(too_deep.count, 598u);
}

TEST_F(LaneTest, InstantsAtOneTimeAreStacked) {
  const auto lines = lines_of([&](Lane& lane) {
    for (int i = 0; i < 600; ++i) lane.instant(5, label("mark"));
    lane.instant(6, label("mark"));
  });
  // The first 511 instants at time 5 have one line each. The other 89 are written as pairs, with two lines
  // each.
  EXPECT_EQ(lines.size(), 511u + 2 * 89u + 1u);
  EXPECT_EQ(lines[510], "7/8 @5 app:mark");
  EXPECT_EQ(lines[511], "7/8 [5 app:mark");
  EXPECT_EQ(lines[512], "7/8 5] app:mark");
  EXPECT_EQ(lines.back(), "7/8 @6 app:mark");
  EXPECT_EQ(too_deep.count, 0u);
}

TEST_F(LaneTest, ArgumentsOfBothEndsShareOneRecord) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(1, label("f"), 0, {argument("arg1", 5)});
                lane.end(9, {argument("retval", "ok")});
              }),
              ElementsAre("7/8 [1, 9] app:f arg1=5 retval=\"ok\""));
}

TEST_F(LaneTest, MoreThanFifteenArgumentsNeedTwoRecords) {
  Arguments sixteen, fifteen;
  for (int i = 1; i <= 16; ++i) sixteen.add(argument("a", i));
  for (int i = 17; i <= 31; ++i) fifteen.add(argument("r", i));
  const auto lines = lines_of([&](Lane& lane) {
    lane.begin(1, label("f"), 0, sixteen);
    lane.end(9, fifteen);
  });
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], testing::StartsWith("7/8 [1 app:f a=1 a=2"));
  EXPECT_THAT(lines[0], testing::EndsWith(" a=15"));
  EXPECT_THAT(lines[1], testing::StartsWith("7/8 9] app:f a=16 r=17"));
  EXPECT_THAT(lines[1], testing::EndsWith(" r=30"));
  EXPECT_EQ(cut_arguments, 1u);
}

TEST_F(LaneTest, ACallIsAPairIfTheArgumentsOfItsEndDoNotFit) {
  Arguments ten, six;
  for (int i = 0; i < 10; ++i) ten.add(argument("a", 1));
  for (int i = 0; i < 6; ++i) six.add(argument("r", 2));
  const auto lines = lines_of([&](Lane& lane) {
    lane.begin(1, label("f"), 0, ten);
    lane.end(9, six);
  });
  EXPECT_THAT(lines,
              ElementsAre(testing::StartsWith("7/8 [1 app:f a=1"), "7/8 9] app:f r=2 r=2 r=2 r=2 r=2 r=2"));
}

TEST_F(LaneTest, SkippedCallsFreeTheirArguments) {
  const NameId x = names.intern("x");
  const LabelId f = label("f"), g = label("g");
  EXPECT_THAT(
      lines_of([&](Lane& lane) {
        lane.store().skip_calls_before(20);
        lane.begin(1, f, 0, {{x, 1}});
        lane.end(2, {{x, 2}});  // not skipped, because it is the first event
        lane.begin(3, f, 0, {{x, 3}});
        lane.begin(4, g, 0, {{x, 4}});
        lane.end(5, {{x, 5}});  // skipped
        lane.begin(6, g);
        lane.begin(7, g, 0, {{x, 6}});
        lane.end(8);            // skipped
        lane.end(9, {{x, 7}});  // skipped
        EXPECT_EQ(lane.store().counters().skipped_calls, 3u);
        lane.begin(10, g, 0, {{x, 8}});
        lane.counter(11, g, 0, {{x, 9}});
        lane.end(12, {{x, 10}});  // not skipped, because it contains a counter value
        lane.begin(13, g, 0, {{x, 11}});
        lane.end(20, {{x, 12}});
        lane.end(30, {{x, 13}});
        EXPECT_EQ(lane.store().counters().skipped_calls, 3u);
      }),
      ElementsAre("7/8 [1, 2] app:f x=1 x=2", "7/8 [3, 30] app:f x=3 x=13", "7/8 [10, 12] app:g x=8 x=10",
                  "7/8 @11 counter app:g #0 x=9", "7/8 [13, 20] app:g x=11 x=12"));
}

TEST_F(LaneTest, EventsInARetractedCallStay) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(1, label("main"));
                lane.begin(2, label("gone"));
                lane.instant(3, label("tick"));
                lane.begin(4, label("f"));
                lane.end(5);
                EXPECT_TRUE(lane.retract(1, 6));
                EXPECT_EQ(lane.depth(), 1);
                EXPECT_EQ(lane.last_ns(), 6);
                lane.begin(7, label("gone"));
                EXPECT_TRUE(lane.retract(1, 8));
                lane.end(9);
              }),
              ElementsAre("7/8 [1, 9] app:main", "7/8 @3 app:tick", "7/8 [4, 5] app:f"));
}

TEST_F(LaneTest, ACallBelowTheTopCanBeRetracted) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(1, label("gone"), 0xa);
                lane.begin(2, label("f"), 0xb);
                lane.begin_filtered(3, 0xc);
                lane.begin(4, label("g"), 0xd);
                EXPECT_TRUE(lane.retract(0, 5));
                EXPECT_EQ(lane.calls()[0].key, 0xb);
                EXPECT_EQ(lane.calls()[2].key, 0xd);
                EXPECT_FALSE(lane.retract(1, 5));  // fails, because the call is filtered
                lane.end(6);
                EXPECT_TRUE(lane.calls().top_is_filtered());
                lane.end(7);
                EXPECT_EQ(lane.calls().unfiltered_size(), 1);
                lane.end(8);
              }),
              ElementsAre("7/8 [2, 8] app:f", "7/8 [4, 6] app:g"));
}

TEST_F(LaneTest, AReleasedCallCanNotBeRetracted) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(1, label("f"));
                lane.store().release_oldest();
                lane.begin(2, label("gone"));
                lane.begin(3, label("g"));
                lane.begin(4, label("h"));
                EXPECT_FALSE(lane.retract(0, 5));
                EXPECT_TRUE(lane.retract(1, 5));
                lane.store().release_oldest();
                EXPECT_TRUE(lane.retract(2, 6));  // retracts the call of h
                EXPECT_FALSE(lane.retract(1, 6));
                lane.end(7);
                lane.end(8);
              }),
              ElementsAre("7/8 [1 app:f", "7/8 [3 app:g", "7/8 7] app:g", "7/8 8] app:f"));
}

TEST_F(LaneTest, CallsAreSuspendedWhileFilteredCallsBegin) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin_filtered(1, 0xa);
                lane.begin(2, label("f"), 0xb);
                lane.store().release_oldest();
                lane.begin(3, label("g"), 0xc);
                lane.suspend_top(2);
                EXPECT_EQ(lane.depth(), 1);
                EXPECT_EQ(lane.calls().back().key, 0xa);
                lane.end(4);
                lane.resume_top();
                EXPECT_EQ(lane.depth(), 2);
                EXPECT_EQ(lane.calls()[0].key, 0xb);
                lane.suspend_top(2);
                lane.begin_filtered(5, 0xd);
                lane.begin_filtered(5, 0xe);
                lane.resume_top();
                EXPECT_EQ(lane.depth(), 4);
                EXPECT_EQ(lane.calls().unfiltered_size(), 2);
                EXPECT_EQ(lane.calls()[2].key, 0xb);
                EXPECT_EQ(lane.calls().back().key, 0xc);
                lane.store().release_oldest();
                lane.end(6);
                lane.end(7);
                lane.end(8);
                EXPECT_TRUE(lane.calls().top_is_filtered());
                lane.end(9);
              }),
              ElementsAre("7/8 [2 app:f", "7/8 [3 app:g", "7/8 6] app:g", "7/8 7] app:f"));
}

// The call is pending before it is suspended, and after it is resumed. Both times, seal() seals nothing.
TEST_F(LaneTest, AResumedCallIsPendingAgain) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin_filtered(1, 0xa);
                lane.begin(2, label("f"), 0xb);
                EXPECT_EQ(lane.store().seal(), 0);
                lane.suspend_top(1);
                lane.end(3);
                lane.resume_top();
                EXPECT_EQ(lane.store().seal(), 0);
                lane.end(5);
              }),
              ElementsAre("7/8 [2, 5] app:f"));
}

TEST_F(LaneTest, NamesAndAnnotationsMayComeLate) {
  const NameId repaired = names.intern("repaired");
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.begin(1, label("<unknown>"));
                EXPECT_TRUE(lane.annotate_top(repaired, "cut-by-loss"));
                EXPECT_TRUE(lane.annotate_top(repaired, "open-at-end"));
                EXPECT_TRUE(lane.rename_top(label("main"), 0xa));
                EXPECT_EQ(lane.calls().back().key, 0xau);
                lane.end(9);
              }),
              ElementsAre("7/8 [1, 9] app:main repaired=\"cut-by-loss,open-at-end\""));
}

TEST_F(LaneTest, OtherEventsKeepTheirOrder) {
  EXPECT_THAT(lines_of([&](Lane& lane) {
                lane.blob(1, "notes", std::vector<std::byte>(3));
                lane.counter(3, label("heap"), 7, {argument("bytes", 12)});
                lane.buffer_full(4);
                lane.context_switch(5, {.cpu = 1,
                                        .outgoing_state = ThreadState::Blocked,
                                        .outgoing_process = ProcessId{7},
                                        .outgoing_thread = ThreadId{8},
                                        .incoming_process = ProcessId{0},
                                        .incoming_thread = ThreadId{0}});
                lane.wakeup(6, {.cpu = 2, .thread = ThreadId{8}, .waker = ThreadId{9}});
              }),
              ElementsAre("7/8 blob notes 3 bytes", "7/8 @3 counter app:heap #7 bytes=12",
                          "7/8 @4 buffer full", "7/8 @5 cpu 1: 8 (blocked) -> 0", "7/8 @6 cpu 2: 9 wakes 8"));
}

}  // namespace
}  // namespace convert
