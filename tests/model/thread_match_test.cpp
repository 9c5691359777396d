// Threads of one input that are threads of another: which one, and how they are shown.
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

// Answers for each thread as it was told, window by window.
class FakeHost : public CallHistory {
 public:
  explicit FakeHost(std::map<const Lane*, std::vector<MarkPosition>> places, bool records_ends = true)
      : places_(std::move(places)), records_ends_(records_ends) {}
  std::vector<const Lane*> lanes() const override {
    std::vector<const Lane*> lanes;
    for (const auto& [lane, places] : places_) lanes.push_back(lane);
    return lanes;
  }
  bool records_ends() const override { return records_ends_; }
  std::vector<MarkPosition> positions(const Lane& lane, std::span<const MarkWindow> windows) override {
    asked.assign(windows.begin(), windows.end());
    return places_.at(&lane);
  }
  std::vector<MarkWindow> asked;

 private:
  std::map<const Lane*, std::vector<MarkPosition>> places_;
  bool records_ends_;
};

class GuestsTest : public testing::Test {
 protected:
  Lane& add_lane(std::uint64_t process, std::uint64_t thread, const std::string& name) {
    return timeline.add_lane({.process = static_cast<ProcessId>(process),
                              .thread = static_cast<ThreadId>(thread),
                              .process_name = "p",
                              .thread_name = name});
  }
  // Of `count` marks, those before `misses` lie nowhere, those behind them are `in` a call of their function.
  static std::vector<MarkPosition> places(std::size_t count, std::size_t misses = 0,
                                          std::uint64_t since_ns = 10, In in = In::InnermostCall,
                                          std::size_t indirect = 0) {
    std::vector<MarkPosition> places(count, {.in = in, .since_ns = since_ns});
    for (std::size_t i = 0; i < misses; ++i) places[i] = {};
    for (std::size_t i = 0; i < indirect; ++i) places[misses + i].in = In::OpenCall;
    return places;
  }
  Lane& add_unmatched_thread(std::size_t marks, bool is_thread = true,
                             const std::string& why_unmatched = "") {
    Lane& lane = add_lane(kFirstMadeUpId, kFirstMadeUpId + ++guests, "guest");
    UnmatchedThread guest{
        .lane = &lane, .name = "guest", .marks = {}, .is_thread = is_thread, .why_unmatched = why_unmatched};
    for (std::size_t i = 0; i < marks; ++i) guest.marks.push_back({1000 + i, 0x1000});
    timeline.add_unmatched_thread(std::move(guest));
    return lane;
  }
  void add_call_history(std::map<const Lane*, std::vector<MarkPosition>> answers, bool records_ends = true) {
    timeline.add_call_history(std::make_unique<FakeHost>(std::move(answers), records_ends));
  }
  // What is said of a guest of `marks` that stays apart; empty if it does not.
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
  Timeline timeline{{}, notes};
  Lane& first = add_first();
  Lane& second = timeline.add_lane(
      {.process = ProcessId{1}, .thread = ThreadId{2}, .process_name = "p", .thread_name = "second"});
  std::size_t guests = 0;
  std::vector<std::string> lines;

 private:
  Lane& add_first() {
    timeline.begin_input("run.data");
    return timeline.add_lane(
        {.process = ProcessId{1}, .thread = ThreadId{1}, .process_name = "p", .thread_name = "first"});
  }
};

TEST_F(GuestsTest, AreShownOnTheThreadThatTheyAre) {
  add_call_history({{&first, places(3, 3)}, {&second, places(3)}});
  timeline.begin_input("session.trace");
  Lane& guest = add_unmatched_thread(3);
  EXPECT_EQ(remark(), "");
  EXPECT_TRUE(guest.is_matched());
  guest.instant(15, names.intern_label("tracepoint", "f"));
  second.begin(10, names.intern_label("app", "f"));
  second.end(20);
  EXPECT_THAT(threads(), ElementsAre("1/1 first of p", "1/2 second of p", "1/2 second of p"));
  EXPECT_THAT(lines, ElementsAre("1/2 [10, 20] app:f", "1/2 @15 tracepoint:f"));
}

TEST_F(GuestsTest, StayApartWhenNobodyAsks) {
  add_call_history({{&first, places(3)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(3);
  EXPECT_THAT(threads(),
              ElementsAre("1/1 first of p", "1/2 second of p", "1073741824/1073741825 guest of p"));
  EXPECT_TRUE(notes.empty());
}

TEST_F(GuestsTest, NothingIsSaidWhereThereIsNoHost) {
  timeline.begin_input("session.trace");
  add_unmatched_thread(3, true, "it has no times");
  EXPECT_EQ(remark(), "");
}

TEST_F(GuestsTest, AFewPerThousandMayLieElsewhere) {
  add_call_history({{&first, places(1000, 5)}, {&second, places(1000, 1000)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(1000);
  EXPECT_EQ(remark(), "");
}

TEST_F(GuestsTest, MoreMayNot) {
  add_call_history({{&first, places(1000, 6)}, {&second, places(1000, 900)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(1000);
  EXPECT_EQ(
      remark(),
      "session.trace: guest: 994 of 1000 hits lie in open calls of their functions, at most (thread 1)");
}

TEST_F(GuestsTest, OfFewMarksNoneMay) {
  add_call_history({{&first, places(199, 1)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(199);
  EXPECT_EQ(remark(),
            "session.trace: guest: 198 of 199 hits lie in open calls of their functions, at most (thread 1)");
}

TEST_F(GuestsTest, WhoFitsNowhereStaysApart) {
  add_call_history({{&first, places(2, 2)}, {&second, places(2, 2)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(2);
  EXPECT_EQ(remark(), "session.trace: guest: no hit lies in an open call of its function");
}

// A function like main is open all the time, whoever was in it.
TEST_F(GuestsTest, MostMarksLieDirectlyInTheirCalls) {
  add_call_history({{&first, places(100, 0, 10, In::InnermostCall, 11)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(100);
  EXPECT_EQ(remark(),
            "session.trace: guest: its functions are open in thread 1, but only 89 of 100 hits lie directly "
            "in them");
}

TEST_F(GuestsTest, SomeMayLieInWhatTheirCallsCalled) {
  add_call_history({{&first, places(100, 0, 10, In::InnermostCall, 10)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(100);
  EXPECT_EQ(remark(), "");
}

TEST_F(GuestsTest, WhereEndsAreNotKnownOpenCallsAreEnough) {
  add_call_history({{&first, places(100, 0, 10, In::OpenCall)}}, false);
  timeline.begin_input("session.trace");
  add_unmatched_thread(100);
  EXPECT_EQ(remark(), "");
}

TEST_F(GuestsTest, OfTwoThreadsTheOneWhoseRecordsAreCloserIsIt) {
  add_call_history({{&first, places(100, 0, 800)}, {&second, places(100, 0, 100)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(100);
  EXPECT_EQ(remark(), "");
  EXPECT_THAT(threads().back(), "1/2 second of p");
}

TEST_F(GuestsTest, WhereTwoThreadsFitAlikeNobodyKnows) {
  add_call_history({{&first, places(100, 0, 500)}, {&second, places(100, 0, 100)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(100);
  EXPECT_EQ(remark(), "session.trace: guest: its hits lie in open calls of thread 2 and of thread 1 alike");
}

TEST_F(GuestsTest, TwoThreadsAreNotOne) {
  add_call_history({{&first, places(2)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(1);
  add_unmatched_thread(1);
  EXPECT_EQ(
      remark(),
      "session.trace: guest: its hits lie in open calls of thread 1, and so do those of another thread");
  EXPECT_EQ(notes.count(kKeptApart), 2u);
}

TEST_F(GuestsTest, WhatIsNoThreadMayBePartOfOne) {
  add_call_history({{&first, places(2)}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(1);
  add_unmatched_thread(1, false);
  EXPECT_EQ(remark(), "");
  EXPECT_THAT(threads(),
              ElementsAre("1/1 first of p", "1/2 second of p", "1/1 first of p", "1/1 first of p"));
}

TEST_F(GuestsTest, WhoCanNotBeFoundSaysWhy) {
  add_call_history({{&first, {}}});
  timeline.begin_input("session.trace");
  add_unmatched_thread(0, true, "it has no times");
  EXPECT_EQ(remark(), "session.trace: guest: it has no times");
}

TEST_F(GuestsTest, MarksAreMovedToTheClockOfTheHost) {
  auto host =
      std::make_unique<FakeHost>(std::map<const Lane*, std::vector<MarkPosition>>{{&first, places(2)}});
  const FakeHost& asked = *host;
  const std::vector<ThreadMark> marks{{5000, 0x10}, {6000, 0x20}};
  const std::vector<CallHistoryOfInput> hosts = [&] {
    std::vector<CallHistoryOfInput> all;
    all.push_back({std::move(host), 0});
    return all;
  }();
  const std::vector<UnmatchedThreadOfInput> all{
      {{.lane = &second, .name = {}, .marks = marks, .resolution_ns = 1000}, 1}};
  const std::vector<std::int64_t> offsets_ns{-300, 200};
  const auto seats = match_threads(all, hosts, offsets_ns, [](const Lane&) { return std::string(); });
  EXPECT_EQ(seats.front().lane, &first);
  ASSERT_EQ(asked.asked.size(), 2u);
  EXPECT_EQ(asked.asked[0].first_ns, 5500u);
  EXPECT_EQ(asked.asked[0].last_ns, 6499u);
  EXPECT_EQ(asked.asked[1].first_ns, 6500u);
  EXPECT_EQ(asked.asked[1].address, 0x20u);
}

// At equal times a thread's own calls go first, in whatever order the inputs came.
TEST(Guests, ComeBehindTheirHosts) {
  Names names;
  Notes notes;
  Timeline timeline({}, notes);
  timeline.begin_input("session.trace");
  Lane& guest = timeline.add_lane({.process = ProcessId{kFirstMadeUpId},
                                   .thread = ThreadId{kFirstMadeUpId},
                                   .process_name = {},
                                   .thread_name = {}});
  timeline.add_source(
      std::make_unique<Story>(guest,
                              [&](Lane& lane) { lane.instant(10, names.intern_label("tracepoint", "f")); }),
      {&guest});
  timeline.add_unmatched_thread({.lane = &guest, .name = {}, .marks = {{10, 0x10}}});
  timeline.begin_input("run.data");
  Lane& host = timeline.add_lane(
      {.process = ProcessId{1}, .thread = ThreadId{2}, .process_name = {}, .thread_name = {}});
  timeline.add_source(std::make_unique<Story>(host,
                                              [&](Lane& lane) {
                                                lane.begin(10, names.intern_label("app", "f"));
                                                lane.end(20);
                                              }),
                      {&host});
  timeline.add_call_history(std::make_unique<FakeHost>(
      std::map<const Lane*, std::vector<MarkPosition>>{{&host, {{.in = In::InnermostCall}}}}));
  timeline.draw_matched_threads();
  EventText text(names);
  timeline.run(text, [] {});
  EXPECT_THAT(text.lines(), ElementsAre("1/2 [10, 20] app:f", "1/2 @10 tracepoint:f"));
}

}  // namespace
}  // namespace convert
