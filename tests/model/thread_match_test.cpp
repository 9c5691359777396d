// Tests how threads of one input are matched to threads of another input, and how matched threads are shown.
#include "converters/model/merging/thread_match.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "converters/model/timeline.h"
#include "tests/model/event_text.h"
#include "tests/model/story.h"

namespace convert {
namespace {

using testing::ElementsAre;
using In = MarkPosition::In;

// A call history that returns the given positions, and stores the requested windows in `asked`.
class FakeHistory : public CallHistory {
 public:
  explicit FakeHistory(std::map<const Lane*, std::vector<MarkPosition>> positions, bool records_ends = true)
      : positions_(std::move(positions)), records_ends_(records_ends) {}
  std::vector<const Lane*> lanes() const override {
    std::vector<const Lane*> lanes;
    for (const auto& [lane, positions] : positions_) lanes.push_back(lane);
    return lanes;
  }
  bool records_ends() const override { return records_ends_; }
  std::vector<MarkPosition> positions(const Lane& lane, std::span<const MarkWindow> windows) override {
    asked.assign(windows.begin(), windows.end());
    return positions_.at(&lane);
  }
  std::vector<MarkWindow> asked;

 private:
  std::map<const Lane*, std::vector<MarkPosition>> positions_;
  bool records_ends_;
};

class ThreadMatchTest : public testing::Test {
 protected:
  Lane& add_lane(std::uint64_t process, std::uint64_t thread, const std::string& name) {
    return timeline.add_lane({.process = static_cast<ProcessId>(process),
                              .thread = static_cast<ThreadId>(thread),
                              .process_name = "p",
                              .thread_name = name});
  }
  // Returns the positions of `count` hits. First come `misses` hits that are in no call. Then come `indirect`
  // hits that are in an open call, but not in the innermost call. All other hits have the position `in`.
  static std::vector<MarkPosition> positions(std::size_t count, std::size_t misses = 0,
                                             std::uint64_t since_ns = 10, In in = In::InnermostCall,
                                             std::size_t indirect = 0) {
    std::vector<MarkPosition> positions(count, {.in = in, .since_ns = since_ns});
    for (std::size_t i = 0; i < misses; ++i) positions[i] = {};
    for (std::size_t i = 0; i < indirect; ++i) positions[misses + i].in = In::OpenCall;
    return positions;
  }
  Lane& add_unmatched_thread(std::size_t marks, bool is_thread = true, const std::string& why_unmatched = "",
                             bool may_be_several = false) {
    Lane& lane = add_lane(kFirstMadeUpId, kFirstMadeUpId + ++unmatched_threads, "guest");
    UnmatchedThread thread{.lane = &lane,
                           .name = "guest",
                           .marks = {},
                           .is_thread = is_thread,
                           .why_unmatched = why_unmatched,
                           .may_be_several = may_be_several};
    for (std::size_t i = 0; i < marks; ++i) thread.marks.push_back({1000 + i, 0x1000});
    timeline.add_unmatched_thread(std::move(thread));
    return lane;
  }
  void add_call_history(std::map<const Lane*, std::vector<MarkPosition>> answers, bool records_ends = true) {
    timeline.add_call_history(std::make_unique<FakeHistory>(std::move(answers), records_ends));
  }
  // Returns the note about a thread that was not matched, or an empty text.
  std::string remark() {
    timeline.draw_matched_threads();
    if (notes.empty()) return {};
    EXPECT_TRUE(notes.has_only_remarks());
    EXPECT_EQ(notes.groups().front().kind->name, "kept-apart");
    return notes.groups().front().first.front();
  }
  std::vector<std::string> threads() {
    EventText text(names);
    timeline.run(text, [] {});
    lines = text.lines();
    return text.threads();
  }

  Names names;
  Notes notes;
  Timeline timeline{{.lanes = kTestLanes}, notes};
  Lane& first = add_first();
  Lane& second = timeline.add_lane(
      {.process = ProcessId{1}, .thread = ThreadId{2}, .process_name = "p", .thread_name = "second"});
  std::size_t unmatched_threads = 0;
  std::vector<std::string> lines;

 private:
  Lane& add_first() {
    timeline.begin_input("run.data");
    return timeline.add_lane(
        {.process = ProcessId{1}, .thread = ThreadId{1}, .process_name = "p", .thread_name = "first"});
  }
};

TEST_F(ThreadMatchTest, AMatchedThreadIsShownOnTheOther) {
  add_call_history({{&first, positions(3, 3)}, {&second, positions(3)}});
  timeline.begin_input("session.trace");
  Lane& unmatched = add_unmatched_thread(3);
  EXPECT_EQ(remark(), "");
  EXPECT_TRUE(unmatched.is_matched());
  unmatched.instant(15, names.intern_label("tracepoint", "f"));
  second.begin(10, names.intern_label("app", "f"));
  second.end(20);
  EXPECT_THAT(threads(), ElementsAre("1/1 first of p", "1/2 second of p", "1/2 second of p"));
  EXPECT_THAT(lines, ElementsAre("1/2 [10, 20] app:f", "1/2 @15 tracepoint:f"));
}

TEST_F(ThreadMatchTest, ThePartsOfAMatchedThreadAreThreadsOfItsProcess) {
  add_call_history({{&first, positions(3, 3)}, {&second, positions(3)}});
  timeline.begin_input("session.trace");
  Lane& unmatched = add_lane(kFirstMadeUpId, kFirstMadeUpId, "guest");
  Lane& part = add_lane(kFirstMadeUpId, kFirstMadeUpId + 1, "tracepoint 2");
  UnmatchedThread thread{.lane = &unmatched, .name = "guest", .marks = {}, .is_thread = true};
  for (std::uint64_t i = 0; i < 3; ++i) thread.marks.push_back({1000 + i, 0x1000});
  thread.parts = {{.lane = &part, .name = "tracepoint 2"}};
  timeline.add_unmatched_thread(std::move(thread));
  EXPECT_EQ(remark(), "");
  EXPECT_FALSE(part.is_matched());
  EXPECT_THAT(threads(), ElementsAre("1/1 first of p", "1/2 second of p", "1/2 second of p",
                                     "1/4 tracepoint 2 on thread 2 of p"));
}

TEST_F(ThreadMatchTest, ThreadsStayApartIfTheyAreNotMatched) {
  add_call_history({{&first, positions(3)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(3);
  EXPECT_THAT(threads(), ElementsAre("1/1 first of p", "1/2 second of p", "4/3 guest of p"));
  EXPECT_TRUE(notes.empty());
}

TEST_F(ThreadMatchTest, WithoutACallHistoryNothingIsNoted) {
  timeline.begin_input("session.trace");
  add_unmatched_thread(3, true, "it has no times");
  EXPECT_EQ(remark(), "");
}

TEST_F(ThreadMatchTest, AFewMarksPerThousandMayBeOutsideOfCalls) {
  add_call_history({{&first, positions(1000, 5)}, {&second, positions(1000, 1000)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(1000);
  EXPECT_EQ(remark(), "");
}

TEST_F(ThreadMatchTest, MoreMarksOutsideOfCallsPreventTheMatch) {
  add_call_history({{&first, positions(1000, 6)}, {&second, positions(1000, 900)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(1000);
  EXPECT_EQ(remark(),
            "session.trace: guest: the best match is thread 1, but in this thread, only 994 of 1000 hits "
            "are inside an open call of the function that was hit");
}

TEST_F(ThreadMatchTest, WithFewMarksNoneMayBeOutsideOfCalls) {
  add_call_history({{&first, positions(199, 1)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(199);
  EXPECT_EQ(remark(),
            "session.trace: guest: the best match is thread 1, but in this thread, only 198 of 199 hits "
            "are inside an open call of the function that was hit");
}

TEST_F(ThreadMatchTest, AThreadThatFitsNowhereStaysApart) {
  add_call_history({{&first, positions(2, 2)}, {&second, positions(2, 2)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(2);
  EXPECT_EQ(remark(), "session.trace: guest: no hit is inside an open call of the function that was hit");
}

// A function such as main is open all the time, so a hit in main does not identify the thread.
TEST_F(ThreadMatchTest, MostMarksMustBeInTheInnermostCall) {
  add_call_history({{&first, positions(100, 0, 10, In::InnermostCall, 11)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(100);
  EXPECT_EQ(remark(),
            "session.trace: guest: the hits match open calls of thread 1, but for only 89 of 100 hits, the "
            "innermost open call is a call of the function that was hit");
}

TEST_F(ThreadMatchTest, SomeMarksMayBeInInnerCalls) {
  add_call_history({{&first, positions(100, 0, 10, In::InnermostCall, 10)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(100);
  EXPECT_EQ(remark(), "");
}

TEST_F(ThreadMatchTest, OpenCallsAreSufficientIfEndsAreNotRecorded) {
  add_call_history({{&first, positions(100, 0, 10, In::OpenCall)}}, false);
  timeline.begin_input("session.trace");
  add_unmatched_thread(100);
  EXPECT_EQ(remark(), "");
}

TEST_F(ThreadMatchTest, OfTwoThreadsTheOneWithCloserRecordsMatches) {
  add_call_history({{&first, positions(100, 0, 800)}, {&second, positions(100, 0, 100)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(100);
  EXPECT_EQ(remark(), "");
  EXPECT_THAT(threads().back(), "1/2 second of p");
}

TEST_F(ThreadMatchTest, TwoThreadsThatFitEquallyDoNotMatch) {
  add_call_history({{&first, positions(100, 0, 500)}, {&second, positions(100, 0, 100)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(100);
  EXPECT_EQ(remark(), "session.trace: guest: the hits match open calls of both thread 2 and thread 1");
}

// Half of the hits are also inside calls of the second thread, so they may be from either thread.
TEST_F(ThreadMatchTest, MarksOfSeveralThreadsDoNotMatchIfHalfFitAnotherThread) {
  add_call_history({{&first, positions(10)}, {&second, positions(10, 5)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(10, false, "", true);
  EXPECT_EQ(remark(),
            "session.trace: guest: the hits may be from several threads, because 5 of 10 hits also match a "
            "second thread, thread 2");
}

TEST_F(ThreadMatchTest, MarksOfSeveralThreadsMatchIfTheyFitOnlyOneThread) {
  // Only 4 of the 10 hits are in the innermost call of the second thread.
  add_call_history({{&second, positions(10, 2, 10, In::InnermostCall, 4)}, {&first, positions(10)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(10, false, "", true);
  EXPECT_EQ(remark(), "");
  EXPECT_THAT(threads().back(), "1/1 first of p");
}

TEST_F(ThreadMatchTest, MarksOfOneThreadMatchEvenIfMostFitAnotherThread) {
  add_call_history({{&first, positions(10)}, {&second, positions(10, 1)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(10);
  EXPECT_EQ(remark(), "");
}

TEST_F(ThreadMatchTest, TwoThreadsDoNotMatchTheSameThread) {
  add_call_history({{&first, positions(2)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(1);
  add_unmatched_thread(1);
  EXPECT_EQ(
      remark(),
      "session.trace: guest: the hits of this thread and of another thread match open calls of thread 1");
  EXPECT_EQ(notes.count(kKeptApart), 2u);
}

TEST_F(ThreadMatchTest, ALaneThatMayBePartOfAThreadCanShareAMatchedThread) {
  add_call_history({{&first, positions(2)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(1);
  add_unmatched_thread(1, false);
  EXPECT_EQ(remark(), "");
  EXPECT_THAT(threads(),
              ElementsAre("1/1 first of p", "1/2 second of p", "1/1 first of p", "1/1 first of p"));
}

TEST_F(ThreadMatchTest, TheReasonWhyAThreadCanNotMatchIsNoted) {
  add_call_history({{&first, {}}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(0, true, "it has no times");
  EXPECT_EQ(remark(), "session.trace: guest: it has no times");
}

TEST_F(ThreadMatchTest, MarksAreMovedToTheClockOfTheHistory) {
  auto history =
      std::make_unique<FakeHistory>(std::map<const Lane*, std::vector<MarkPosition>>{{&first, positions(2)}});
  const FakeHistory& asked = *history;
  const std::vector<ThreadMark> marks{{5000, 0x10}, {6000, 0x20}};
  ThreadMatcher matcher;
  matcher.add(std::move(history), 0);
  matcher.add({.lane = &second, .name = {}, .marks = marks, .resolution_ns = 1000}, 1);
  const std::vector<TimelineInput> inputs{{.name = {}, .offset_ns = -300}, {.name = {}, .offset_ns = 200}};
  const auto matches = matcher.match(inputs, [](const Lane&) { return std::string(); });
  EXPECT_EQ(matches.front().lane, &first);
  ASSERT_EQ(asked.asked.size(), 2u);
  EXPECT_EQ(asked.asked[0].first_ns, 5500u);
  EXPECT_EQ(asked.asked[0].last_ns, 6499u);
  EXPECT_EQ(asked.asked[1].first_ns, 6500u);
  EXPECT_EQ(asked.asked[1].address, 0x20u);
}

// At equal times, the calls of a thread come before the events that are matched to the thread. The order of
// the inputs does not matter.
TEST(MatchedThreads, ComeAfterTheThreadTheyMatch) {
  Names names;
  Notes notes;
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("session.trace");
  Lane& unmatched = timeline.add_lane({.process = ProcessId{kFirstMadeUpId},
                                       .thread = ThreadId{kFirstMadeUpId},
                                       .process_name = {},
                                       .thread_name = {}});
  timeline.add_source(
      std::make_unique<Story>(unmatched,
                              [&](Lane& lane) { lane.instant(10, names.intern_label("tracepoint", "f")); }),
      {&unmatched});
  timeline.add_unmatched_thread({.lane = &unmatched, .name = {}, .marks = {{10, 0x10}}});
  timeline.begin_input("run.data");
  Lane& own = timeline.add_lane(
      {.process = ProcessId{1}, .thread = ThreadId{2}, .process_name = {}, .thread_name = {}});
  timeline.add_source(std::make_unique<Story>(own,
                                              [&](Lane& lane) {
                                                lane.begin(10, names.intern_label("app", "f"));
                                                lane.end(20);
                                              }),
                      {&own});
  timeline.add_call_history(std::make_unique<FakeHistory>(
      std::map<const Lane*, std::vector<MarkPosition>>{{&own, {{.in = In::InnermostCall}}}}));
  timeline.draw_matched_threads();
  EventText text(names);
  timeline.run(text, [] {});
  EXPECT_THAT(text.lines(), ElementsAre("1/2 [10, 20] app:f", "1/2 @10 tracepoint:f"));
}

}  // namespace
}  // namespace convert
