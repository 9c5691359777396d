#include "converters/model/timeline.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "converters/model/reading/input_error.h"
#include "tests/model/event_text.h"
#include "tests/model/story.h"

namespace convert {
namespace {

using testing::ElementsAre;

// A start or an end of a call. The source Marks emits `per_pump` marks in each pump.
struct Mark {
  std::uint64_t time_ns;
  bool is_begin;
  LabelId label;
};

class Marks : public Source {
 public:
  Marks(Lane& lane, std::vector<Mark> marks, std::size_t per_pump)
      : lane_(lane), marks_(std::move(marks)), per_pump_(per_pump) {}

  bool pump(const PumpBudget&) override {
    for (std::size_t i = 0; i < per_pump_ && next_ < marks_.size(); ++i, ++next_) {
      const Mark& mark = marks_[next_];
      if (mark.is_begin)
        lane_.begin(mark.time_ns, mark.label);
      else
        lane_.end(mark.time_ns);
    }
    return next_ < marks_.size();
  }
  std::uint64_t watermark_ns() const override { return lane_.last_ns(); }
  std::uint64_t begin_ns() const override { return knows_begin ? marks_.front().time_ns : 0; }

  std::size_t emitted() const { return next_; }

  bool knows_begin = false;

 private:
  Lane& lane_;
  std::vector<Mark> marks_;
  std::size_t per_pump_;
  std::size_t next_ = 0;
};

class TimelineTest : public testing::Test {
 protected:
  Marks* add(Timeline& timeline, std::uint64_t tid, std::vector<Mark> marks, std::size_t per_pump = 1) {
    Lane& lane = timeline.add_lane({.process = ProcessId{1},
                                    .thread = static_cast<ThreadId>(tid),
                                    .process_name = {},
                                    .thread_name = {}});
    auto source = std::make_unique<Marks>(lane, std::move(marks), per_pump);
    Marks* const borrowed = source.get();
    timeline.add_source(std::move(source), {&lane});
    return borrowed;
  }
  std::vector<std::string> run(Timeline& timeline) {
    EventText text(names);
    timeline.run(text, [] {});
    return text.lines();
  }
  Names names;
  Notes notes;
  LabelId f = names.intern_label("app", "f"), g = names.intern_label("app", "g");
};

TEST_F(TimelineTest, MergesByStartTimeAndThenByLane) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a");
  add(timeline, 1, {{10, true, f}, {30, false, f}, {40, true, f}, {41, false, f}});
  add(timeline, 2,
      {{5, true, f}, {10, true, f}, {20, false, f}, {40, false, f}, {40, true, f}, {50, false, f}});
  EXPECT_THAT(run(timeline), ElementsAre("1/2 [5, 40] app:f", "1/1 [10, 30] app:f", "1/2 [10, 20] app:f",
                                         "1/1 [40, 41] app:f", "1/2 [40, 50] app:f"));
}

TEST_F(TimelineTest, CallsThatTheSinkDoesNotNeedAreSkipped) {
  class Late : public EventText {
   public:
    using EventText::EventText;
    std::uint64_t needed_from_ns() const override { return 30; }
    bool has_enough() const override { return lines().size() >= 5; }
  };
  const auto run_late = [&](std::int64_t offset_ns) {
    Timeline timeline({.lanes = kTestLanes}, notes);
    timeline.begin_input("a");
    std::vector<Mark> marks{{1, true, f}};
    for (std::uint64_t t = 10; t < 100; t += 10) {
      marks.push_back({t, true, g});
      marks.push_back({t + 5, false, g});
    }
    marks.push_back({100, false, f});
    for (std::uint64_t t = 110; t < 200; t += 10) {
      marks.push_back({t, true, g});
      marks.push_back({t + 5, false, g});
    }
    timeline.shift_input(0, offset_ns);
    add(timeline, 1, marks);
    Late text(names);
    timeline.run(text, [] {});
    auto lines = text.lines();
    lines.push_back(std::to_string(timeline.totals().skipped_calls));
    return lines;
  };
  EXPECT_THAT(run_late(0), testing::Contains("1/1 [1, 100] app:f").Times(1)) << "the first event of all";
  const auto plain = run_late(0);
  EXPECT_EQ(plain[1], "1/1 [30, 35] app:g");
  EXPECT_EQ(plain.back(), "2");
  EXPECT_LT(plain.size(), 16u) << "and nothing when it has enough";
  const auto moved = run_late(10);
  EXPECT_EQ(moved[1], "1/1 [30, 35] app:g");
  EXPECT_EQ(moved.back(), "1");
  EXPECT_EQ(run_late(1000).back(), "0");
}

// Two of a hundred threads start at each time. For example, threads 2 and 3 start at time 20.
TEST_F(TimelineTest, SourcesThatBeginLaterAreReadLater) {
  class Watch : public EventText {
   public:
    using EventText::EventText;
    void write(std::span<const MergedRun> runs) override {
      EventText::write(runs);
      const std::uint64_t now_ns = runs.back().events.back().time_ns;
      const auto is_early = [&](const Marks* source) {
        return source->emitted() != 0 && source->begin_ns() > now_ns;
      };
      most_early = std::max(most_early, std::ranges::count_if(sources, is_early));
    }
    std::vector<const Marks*> sources;
    std::ptrdiff_t most_early = 0;
  };
  std::ptrdiff_t most_early = 0;
  const auto merged = [&](bool knows_begin, std::int64_t offset_ns) {
    Timeline timeline({.lanes = kTestLanes}, notes);
    timeline.begin_input("a");
    Watch text(names);
    for (std::uint64_t tid = 100; tid > 0; --tid) {
      const std::uint64_t begin_ns = 10 + tid / 2 * 10;
      Marks* const source = add(timeline, tid, {{begin_ns, true, f}, {begin_ns + 15, false, f}});
      source->knows_begin = knows_begin;
      text.sources.push_back(source);
    }
    timeline.shift_input(0, offset_ns);
    timeline.run(text, [] {});
    most_early = text.most_early;
    return text.lines();
  };
  const auto read_late = merged(true, 0);
  EXPECT_LE(most_early, 20);
  EXPECT_EQ(read_late, merged(false, 0));
  EXPECT_EQ(merged(true, 1000), merged(false, 1000));
}

TEST_F(TimelineTest, ACallLongerThanTheLookaheadIsAPair) {
  Timeline timeline({.lanes = kTestLanes, .lookahead_bytes = 4096}, notes);
  timeline.begin_input("a");
  std::vector<Mark> marks{{1, true, f}};
  for (std::uint64_t t = 2; t < 2000; t += 2) {
    marks.push_back({t, true, f});
    marks.push_back({t + 1, false, f});
  }
  marks.push_back({3000, false, f});
  // Measures how many events the source is ahead of the sink.
  class Watch : public EventText {
   public:
    using EventText::EventText;
    void write(std::span<const MergedRun> runs) override {
      max_ahead = std::max(max_ahead, source->emitted() - 2 * lines().size());
      EventText::write(runs);
    }
    const Marks* source = nullptr;
    std::size_t max_ahead = 0;
  };
  Watch text(names);
  text.source = add(timeline, 1, marks, 10);
  timeline.run(text, [] {});
  const auto lines = text.lines();
  EXPECT_EQ(lines.front(), "1/1 [1 app:f");
  EXPECT_EQ(lines[1], "1/1 [2, 3] app:f");
  EXPECT_EQ(lines.back(), "1/1 3000] app:f");
  EXPECT_EQ(lines.size(), 1001u);
  EXPECT_LT(text.max_ahead, 700u) << "memory is bounded, however long the call";
}

// Merges random nested calls of many lanes. With each lookahead, the result has a start and an end for each
// call, in the order of time.
TEST_F(TimelineTest, AnyLookaheadGivesTheSameCalls) {
  for (const std::size_t lookahead : {std::size_t{1}, std::size_t{20'000}, std::size_t{1} << 20}) {
    std::mt19937 random(42);
    Timeline timeline({.lanes = kTestLanes, .lookahead_bytes = lookahead}, notes);
    timeline.begin_input("a");
    std::size_t calls = 0;
    for (std::uint64_t tid = 1; tid <= 9; ++tid) {
      std::vector<Mark> marks;
      std::uint64_t now = random() % 50, open = 0;
      for (int i = 0; i < 3000 || open > 0; ++i) {
        now += random() % 3;
        const bool is_begin = i < 3000 && (open == 0 || random() % 2 == 0);
        marks.push_back({now, is_begin, f});
        calls += is_begin ? 1 : 0;
        open = is_begin ? open + 1 : open - 1;
      }
      add(timeline, tid, std::move(marks), 1 + random() % 200);
    }
    const auto lines = run(timeline);
    std::size_t begins = 0, ends = 0;
    std::uint64_t last = 0;
    for (const std::string& line : lines) {
      const auto bracket = line.find('[');
      const bool is_end = bracket == std::string::npos;
      (is_end || line.find(',') != std::string::npos ? ends : begins) += 1;
      if (!is_end && line.find(',') != std::string::npos) ++begins;
      const std::uint64_t time = std::stoull(line.substr(is_end ? line.find(' ') + 1 : bracket + 1));
      EXPECT_GE(time, last) << line;
      last = time;
    }
    EXPECT_EQ(begins, calls);
    EXPECT_EQ(ends, calls);
  }
}

TEST_F(TimelineTest, CallsWithoutAnInputAndLanesOfAnotherTimelineAreRefused) {
  Timeline timeline({.lanes = kTestLanes}, notes), other({.lanes = kTestLanes}, notes);
  const LaneInfo info{.process = ProcessId{1}, .thread = ThreadId{1}, .process_name = {}, .thread_name = {}};
  EXPECT_THROW(timeline.add_lane(info), BrokenContract);
  EXPECT_THROW(timeline.describe_input({}), BrokenContract);
  EXPECT_THROW(timeline.show_cpus_of("here"), BrokenContract);
  EXPECT_THROW(timeline.shift_clock(1), BrokenContract);
  timeline.begin_input("a");
  other.begin_input("b");
  Lane& lane = other.add_lane(info);
  EXPECT_THROW(timeline.add_source(std::make_unique<Story>(lane, [](Lane&) {}), {&lane}), BrokenContract);
}

TEST_F(TimelineTest, TwoInputsNeverShareAThread) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a.data");
  add(timeline, 1, {{10, true, f}, {20, false, f}});
  timeline.begin_input("b.data");
  add(timeline, 1, {{11, true, f}, {19, false, f}});
  EXPECT_THAT(run(timeline), ElementsAre("1/1 [10, 20] app:f", "1073741824/1073741824 [11, 19] app:f"));
  ASSERT_EQ(notes.count(kRenumbered), 2u);
  EXPECT_EQ(notes.groups().front().first.front(), "b.data: process 1 is shown as 1073741824");
}

// Viewers show a thread as the main thread if its id is the id of its process.
TEST_F(TimelineTest, OnlyAMainThreadGetsTheIdOfItsProcess) {
  ShownIds ids(std::uint64_t{1} << 32, notes);
  ids.begin_input("a.data");
  ids.shown(ProcessId{1}), ids.shown(ThreadId{1}), ids.shown(ThreadId{2});
  ids.begin_input("b.data");
  const std::uint64_t process = number_of(ids.shown(ProcessId{1}));
  EXPECT_NE(number_of(ids.shown(ThreadId{2})), process);
  EXPECT_EQ(number_of(ids.shown(ThreadId{1})), process);
}

// An importer without ids uses made-up ids. The timeline replaces them with the smallest numbers that are not
// ids of an input.
TEST_F(TimelineTest, MadeUpIdsAreSmall) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  const auto add_instant = [&](std::uint64_t id) {
    timeline.begin_input("input");
    Lane& lane = timeline.add_lane(
        {.process = ProcessId{id}, .thread = ThreadId{id}, .process_name = {}, .thread_name = {}});
    lane.instant(10, f);
    timeline.add_source(std::make_unique<Marks>(lane, std::vector<Mark>(), 1), {&lane});
  };
  add_instant(kFirstMadeUpId);
  add_instant(kFirstMadeUpId);
  add_instant(2);
  EXPECT_THAT(run(timeline), ElementsAre("4/1 @10 app:f", "5/3 @10 app:f", "2/2 @10 app:f"));
  EXPECT_EQ(notes.count(kRenumbered), 0u);
}

TEST_F(TimelineTest, AMadeUpThreadHasItsPreferredIdIfNoInputHasIt) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  std::uint64_t made_up = kFirstMadeUpId;
  for (const std::uint64_t preferred : {7U, 1U, 7U}) {
    timeline.begin_input("input");
    Lane& lane = timeline.add_lane({.process = ProcessId{kFirstMadeUpId},
                                    .thread = ThreadId{++made_up},
                                    .process_name = {},
                                    .thread_name = {}});
    lane.instant(10, f);
    timeline.add_unmatched_thread({.lane = &lane, .name = "thread", .marks = {}, .id = preferred});
    timeline.add_source(std::make_unique<Marks>(lane, std::vector<Mark>(), 1), {&lane});
  }
  timeline.begin_input("recording");
  add(timeline, 1, {{10, true, f}, {20, false, f}});
  EXPECT_THAT(run(timeline),
              ElementsAre("4/7 @10 app:f", "5/2 @10 app:f", "6/3 @10 app:f", "1/1 [10, 20] app:f"));
  EXPECT_EQ(notes.count(kRenumbered), 0u);
}

TEST_F(TimelineTest, InputsThatDoNotOverlapAreNoted) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a.data");
  add(timeline, 1, {{10, true, f}, {20, false, f}});
  timeline.begin_input("b.data");
  add(timeline, 2, {{15, true, f}, {30, false, f}});
  timeline.begin_input("c.trace");
  add(timeline, 3, {{21, true, f}, {22, false, f}});
  timeline.begin_input("empty.data");
  run(timeline);
  timeline.note_inputs_apart();
  ASSERT_EQ(notes.count(kApartInTime), 1u);
  EXPECT_EQ(notes.groups().back().first.front(),
            "c.trace: starts 0.000000001 s after a.data ends; if the clocks of the two inputs differ, use "
            "--offset 3=-11 to "
            "let both start together");
}

TEST_F(TimelineTest, CpusOfSeveralMachinesAreNoted) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  for (const auto& [input, machine] :
       {std::pair("a.data", "one"), {"b.data", "one"}, {"c.data", "two"}, {"d.data", "three"}}) {
    timeline.begin_input(input);
    timeline.show_cpus_of(machine);
  }
  run(timeline);
  ASSERT_EQ(notes.count(kSharedCpus), 2u);
  EXPECT_THAT(notes.groups().back().first,
              testing::ElementsAre(
                  R"(c.data: was recorded on the machine "two", but other inputs were recorded on "one")",
                  R"(d.data: was recorded on the machine "three", but other inputs were recorded on "one")"));
}

TEST_F(TimelineTest, AnInputThatIsMovedToTheTimeOfAnotherSharesItsCpus) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  for (const char* const input : {"a.data", "b.data", "c.data"}) {
    timeline.begin_input(input);
    timeline.show_cpus_of("one");
    add(timeline, 1, {{10, true, f}, {20, false, f}});
  }
  timeline.shift_input(0, 5);
  timeline.shift_input(2, 100);
  run(timeline);
  ASSERT_EQ(notes.count(kSharedCpus), 1u);
  EXPECT_EQ(notes.groups().back().first.front(),
            "a.data: overlaps another input because of --offset, so each CPU seems to run two threads at the "
            "same time");
}

TEST_F(TimelineTest, AnInputCanBeMoved) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a.data");
  add(timeline, 1, {{10, true, f}, {20, false, f}});
  timeline.begin_input("b.data");
  Lane& lane = timeline.add_lane(
      {.process = ProcessId{2}, .thread = ThreadId{2}, .process_name = {}, .thread_name = {}});
  lane.begin(1015, f);
  lane.end(1030);
  lane.begin(1040, g);
  lane.end(1040);
  lane.counter(1041, names.intern_label("app", "load"), 7, {{names.intern("load"), 3}});
  timeline.shift_input(1, -1000);
  EXPECT_THAT(run(timeline), ElementsAre("1/1 [10, 20] app:f", "2/2 [15, 30] app:f", "2/2 [40 app:g",
                                         "2/2 40] app:g", "2/2 @41 counter app:load #7 load=3"));
  timeline.note_inputs_apart();
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(timeline.totals().last_ns, 41u);
}

TEST_F(TimelineTest, TheAdvisedOffsetIncludesTheGivenOffset) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a.data");
  add(timeline, 1, {{2'000'000'000, true, f}, {2'000'000'020, false, f}});
  timeline.begin_input("b.data");
  add(timeline, 2, {{500, true, f}, {700, false, f}});
  timeline.shift_input(1, 100);
  EXPECT_THAT(run(timeline),
              ElementsAre("1073741824/2 [600, 800] app:f", "1/1 [2000000000, 2000000020] app:f"));
  timeline.note_inputs_apart();
  EXPECT_EQ(
      notes.groups().back().first.front(),
      "b.data: ends 1.999999200 s before a.data starts; if the clocks of the two inputs differ, use --offset "
      "2=1999999500 to let both start together");
}

TEST_F(TimelineTest, OffsetsAreAddedToTheShiftOfTheClock) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a.data");
  add(timeline, 1, {{10, true, f}, {20, false, f}});
  timeline.shift_clock(5000);
  timeline.begin_input("b.data");
  add(timeline, 2, {{500, true, g}, {700, false, g}});
  timeline.shift_clock(1000);
  timeline.shift_input(1, 100);
  EXPECT_THAT(run(timeline), ElementsAre("1073741824/2 [1600, 1800] app:g", "1/1 [5010, 5020] app:f"));
  timeline.note_inputs_apart();
  EXPECT_THAT(notes.groups().back().first.front(),
              testing::HasSubstr("--offset 2=3510 to let both start together"));
  Timeline far({}, notes);
  far.begin_input("c.data");
  add(far, 3, {{10, true, f}, {20, false, f}});
  far.shift_clock(std::numeric_limits<std::int64_t>::max());
  far.shift_input(0, 1);
  EXPECT_THAT(run(far), ElementsAre(testing::HasSubstr("9223372036854775807")));
}

TEST_F(TimelineTest, FactsAboutInputsAreMovedWithTheirTimes) {
  Timeline timeline({.lanes = {}}, notes);
  timeline.begin_input("a.data");
  timeline.describe_input({.session = "a"});
  timeline.begin_input("b.data");
  timeline.describe_input({.session = "b",
                           .system = "Linux",
                           .system_release = "6",
                           .machine = "aarch64",
                           .wall_clock = {{.time_ns = 50, .utc_ns = 7}},
                           .processes = {{.process = ProcessId{1}, .parent = ProcessId{}}}});
  Lane& lane = timeline.add_lane({.process = ProcessId{1},
                                  .thread = ThreadId{1},
                                  .process_name = {},
                                  .thread_name = {},
                                  .first_call_ns = 60});
  timeline.add_source(
      std::make_unique<Marks>(
          lane, std::vector<Mark>{{60, true, names.intern_label("app", "a")}, {70, false, {}}}, 2),
      {&lane});
  timeline.begin_input("c.data");
  timeline.describe_input(
      {.system = "other", .machine = "i686", .wall_clock = {{.time_ns = 1, .utc_ns = 1}}});
  timeline.shift_input(1, -20);
  EventText text(names);
  timeline.run(text, [] {});
  EXPECT_EQ(timeline.lanes()[0].first_call_ns, 40U);
  EXPECT_EQ(timeline.info().session, "a");
  EXPECT_EQ(timeline.info().system + timeline.info().system_release + timeline.info().machine,
            "Linux6aarch64");
  EXPECT_EQ(timeline.info().wall_clock->time_ns, 30U);
  EXPECT_EQ(timeline.info().wall_clock->utc_ns, 7U);
  EXPECT_EQ(timeline.info().processes.size(), 1U);
  EXPECT_EQ(timeline.totals().first_view->span.end_ns, 50U);
}

class NoCalls : public Marks {
 public:
  NoCalls(Lane& lane, std::vector<Mark> marks, std::optional<TimeSpan> span)
      : Marks(lane, std::move(marks), 1), span_(span) {}
  std::uint64_t calls_end_ns() const override { return 0; }
  std::optional<TimeSpan> marks() const override { return span_; }

 private:
  std::optional<TimeSpan> span_;
};

class FirstViewTest : public TimelineTest {
 protected:
  void add_input(std::uint64_t tid, std::vector<Mark> marks, std::optional<TimeSpan> span) {
    timeline.begin_input("marks");
    Lane& lane = timeline.add_lane({.process = ProcessId{1},
                                    .thread = static_cast<ThreadId>(tid),
                                    .process_name = {},
                                    .thread_name = {}});
    timeline.add_source(std::make_unique<NoCalls>(lane, std::move(marks), span), {&lane});
  }
  std::string view() {
    run(timeline);
    const auto& view = timeline.totals().first_view;
    if (!view) return "";
    return std::to_string(view->span.begin_ns) + "~" + std::to_string(view->span.end_ns) +
           (view->has_calls ? " of calls" : "");
  }
  Timeline timeline{{.lanes = kTestLanes}, notes};
};

TEST_F(FirstViewTest, CoversCallsIfThereAreAny) {
  timeline.begin_input("calls");
  Lane& lane = timeline.add_lane({.process = ProcessId{1},
                                  .thread = ThreadId{1},
                                  .process_name = {},
                                  .thread_name = {},
                                  .first_call_ns = 4000});
  timeline.add_source(std::make_unique<Marks>(lane, std::vector<Mark>{{4000, true, f}, {9000, false, f}}, 2),
                      {&lane});
  add_input(2, {{10, true, f}, {90'000, false, f}}, TimeSpan{.begin_ns = 10, .end_ns = 90'000});
  EXPECT_EQ(view(), "4000~9000 of calls");
}

TEST_F(FirstViewTest, CoversTheMarksOfAllInputs) {
  add_input(1, {{10'000, true, f}, {90'000, false, f}}, TimeSpan{.begin_ns = 20'000, .end_ns = 40'000});
  add_input(2, {{10'000, true, f}, {30'000, false, f}}, TimeSpan{.begin_ns = 10'000, .end_ns = 20'000});
  add_input(3, {{10'000, true, f}, {30'000, false, f}}, std::nullopt);
  timeline.shift_input(1, 100'000);
  EXPECT_EQ(view(), "15000~125000");
}

TEST_F(FirstViewTest, IsWithinTheTimesThatCanBeDrawn) {
  constexpr std::uint64_t kLast = kTimeLimitNs - 1;
  add_input(1, {{kLast, true, f}, {kLast, false, f}}, TimeSpan{.begin_ns = kLast, .end_ns = kLast});
  EXPECT_EQ(view(), std::to_string(kLast - 1000) + "~" + std::to_string(kLast));
}

TEST_F(FirstViewTest, IsMissingWithoutCallsAndMarks) {
  add_input(1, {{10'000, true, f}, {90'000, false, f}}, std::nullopt);
  EXPECT_EQ(view(), "");
}

TEST_F(TimelineTest, AnInputCannotBeginBeforeTimeZero) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a.data");
  add(timeline, 1, {{1010, true, f}, {1020, false, f}});
  add(timeline, 2, {{1005, true, g}, {1020, false, g}});
  timeline.shift_input(0, -2000);
  EXPECT_THAT(run(timeline), ElementsAre("1/2 [0, 15] app:g", "1/1 [5, 15] app:f"));
  EXPECT_EQ(notes.groups().back().first.front(),
            "a.data: an offset of -2000 ns would lead to times below 0, so -1005 ns is used");
}

TEST_F(TimelineTest, NoEventIsAfterTheLastTime) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a.data");
  add(timeline, 1, {{10, true, f}, {20, false, f}});
  add(timeline, 2, {{12, true, g}, {15, false, g}});
  timeline.shift_input(0, std::numeric_limits<std::int64_t>::max() - 14);
  EXPECT_THAT(run(timeline), ElementsAre("1/1 [9223372036854775803, 9223372036854775807] app:f",
                                         "1/2 [9223372036854775805, 9223372036854775807] app:g"));
  EXPECT_EQ(
      notes.groups().back().first.front(),
      "a.data: an offset of 9223372036854775793 ns leads to times after 2^63 ns, the last possible time");
  Timeline far({}, notes);
  far.begin_input("b.data");
  add(far, 3, {{10, true, f}, {20, false, f}, {30, true, g}, {40, false, g}});
  far.shift_input(0, std::numeric_limits<std::int64_t>::max());
  EXPECT_THAT(run(far), testing::SizeIs(2));
}

TEST_F(TimelineTest, IdsBeyondTheLimitAreReplaced) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a.data");
  add(timeline, 0, {{10, true, f}, {20, false, f}});
  add(timeline, std::uint64_t{1} << 32, {{11, true, f}, {19, false, f}});
  EXPECT_THAT(run(timeline), ElementsAre("1/1073741824 [10, 20] app:f", "1/1073741825 [11, 19] app:f"));
}

TEST_F(TimelineTest, ReplacedIdsAreWithinTheLimit) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a.data");
  add(timeline, (std::uint64_t{1} << 32) - 1, {{10, true, f}, {20, false, f}});
  add(timeline, 0, {{11, true, f}, {19, false, f}});
  EXPECT_THAT(run(timeline), ElementsAre("1/4294967295 [10, 20] app:f", "1/1073741824 [11, 19] app:f"));
}

TEST_F(TimelineTest, AThreadWithoutRecordsIsStillNamed) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a");
  timeline.add_lane(
      {.process = ProcessId{1}, .thread = ThreadId{2}, .process_name = "demo", .thread_name = "worker"});
  EventText text(names);
  timeline.run(text, [] {});
  EXPECT_THAT(text.threads(), ElementsAre("1/2 worker of demo"));
  EXPECT_TRUE(text.lines().empty());
}

}  // namespace
}  // namespace convert
