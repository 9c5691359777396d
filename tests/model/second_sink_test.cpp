// Tests a sink that writes another format than FXT. The sink gets all data through EventSink, within its own
// limits. Events outside of the requested range are cut off. Notes report lost data.
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/app/range_sink.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/merging/sink.h"
#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/model/timeline.h"
#include "tests/model/story.h"

namespace convert {
namespace {

using testing::ElementsAre;

// Writes a line for each function, with the number and the total time of its calls.
class CallTimes final : public EventSink {
 public:
  static constexpr SinkLimits kLimits{.arguments_per_record = 1, .depth = 2};

  explicit CallTimes(const Names& names) : names_(names) {}

  void add_lanes(std::span<const LaneInfo> lanes) override {
    for (const LaneInfo& lane : lanes) lines_.push_back("thread " + lane.thread_name);
    open_.resize(lanes.size());
  }
  void write(std::span<const MergedRun> runs) override {
    for (const auto& [events, lane] : runs) {
      for (const PendingEvent& event : events) add(event, open_[lane]);
    }
  }
  void finish(const TimelineTotals& totals) override {
    for (const auto& [name, time] : times_)
      lines_.push_back(fmt::format("{} {} {} ns", name, time.calls, time.length_ns));
    lines_.push_back(fmt::format("from {} to {}", totals.first_ns.value_or(0), totals.last_ns));
    if (const auto& view = totals.first_view)
      lines_.push_back(fmt::format("first {} to {}", view->span.begin_ns, view->span.end_ns));
  }
  std::uint64_t events_written() const override { return events_; }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  struct Time {
    std::uint64_t calls = 0, length_ns = 0;
  };
  using OpenCalls = std::vector<std::pair<LabelId, std::uint64_t>>;  // the label and the start of each call

  void add(const PendingEvent& event, OpenCalls& open) {
    ++events_;
    if (event.kind == EventKind::Begin) {
      open.emplace_back(event.label, event.time_ns);
    } else if (event.kind == EventKind::End) {
      add_call(open.back().first, event.time_ns - open.back().second);
      open.pop_back();
    } else if (event.kind == EventKind::Complete) {
      add_call(event.label, event.end_ns() - event.time_ns);
    } else {
      --events_;
    }
  }
  void add_call(LabelId label, std::uint64_t length_ns) {
    Time& time = times_[std::string(names_.text(names_.label(label).name))];
    ++time.calls;
    time.length_ns += length_ns;
  }

  const Names& names_;
  std::map<std::string, Time> times_;
  std::vector<OpenCalls> open_;  // indexed by lane
  std::uint64_t events_ = 0;
  std::vector<std::string> lines_;
};

class SecondSink : public testing::Test {
 protected:
  std::vector<std::string> lines_of(const fxt::TimeRange& range) {
    Timeline timeline({.lanes = {.limits = CallTimes::kLimits}}, notes);
    timeline.begin_input("story");
    for (const std::uint64_t thread : {1U, 2U}) {
      Lane& lane = timeline.add_lane({.process = ProcessId{7},
                                      .thread = ThreadId{thread},
                                      .process_name = "p",
                                      .thread_name = thread == 1 ? "a" : "b",
                                      .first_call_ns = 10});
      timeline.add_source(std::make_unique<Story>(lane, [&](Lane& l) { fill(l); }), {&lane});
    }
    CallTimes sink(names);
    RangeSink stage(sink, range);
    timeline.run(stage, [] {});
    timeline.note_losses(names, "out.txt");
    events_written = stage.events_written();
    dropped = stage.dropped() + timeline.totals().skipped_calls;
    return sink.lines();
  }
  // `main` and the second `f` each become two events, Begin and End, instead of one Complete event. `main`
  // has too many arguments, and the second `f` has no length.
  void fill(Lane& lane) {
    const NameId n = names.intern("n");
    lane.begin(10, label("main"), 0, {{n, 1}, {n, 2}, {n, 3}});
    lane.begin(20, label("f"));
    lane.begin(30, label("deep"));
    lane.end(40);
    lane.end(50);
    lane.begin(60, label("f"));
    lane.end(60);
    lane.end(90);
    lane.instant(95, label("mark"));
  }
  LabelId label(std::string_view name) { return names.intern_label("app", name); }

  Names names;
  Notes notes;
  std::uint64_t events_written = 0, dropped = 0;
};

TEST_F(SecondSink, GetsThreadsEventsTotalsAndTheFirstView) {
  EXPECT_THAT(lines_of({}), ElementsAre("thread a", "thread b", "f 4 60 ns", "main 2 160 ns", "from 10 to 95",
                                        "first 10 to 95"));
  EXPECT_EQ(events_written, 10U) << "of each thread: a call in one event, and two in two";
}

TEST_F(SecondSink, LimitsAreKeptAndNoted) {
  lines_of({});
  ASSERT_EQ(notes.groups().size(), 2U);
  EXPECT_THAT(notes.groups()[0].first,
              ElementsAre("out.txt: 1 call or instant in thread 1 (a), the first is deep",
                          "out.txt: 1 call or instant in thread 2 (b), the first is deep"));
  EXPECT_THAT(notes.groups()[1].first,
              ElementsAre("out.txt: 2 arguments beyond the 30 that a call can have"));
}

TEST_F(SecondSink, ARangeIsCutBeforeTheSink) {
  EXPECT_THAT(lines_of({.from = fxt::TraceTime{.ns = 55}, .to = fxt::TraceTime{.ns = 65}}),
              ElementsAre("thread a", "thread b", "f 2 0 ns", "main 2 160 ns", "from 10 to 95"))
      << "without the first f; the first view is not known if the rest is not read";
  EXPECT_EQ(dropped, 2U);
}

}  // namespace
}  // namespace convert
