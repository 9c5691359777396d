// Tests several lanes that are shown on the same thread. Together, their events must nest, and must not
// exceed the depth limit of the sink.
#include "converters/model/merging/shared_threads.h"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "converters/model/sink/fxt_sink.h"
#include "fxt/output.h"
#include "fxt/reader.h"
#include "tests/fxt/check_words.h"
#include "tests/model/event_text.h"
#include "tests/model/story.h"

namespace convert {
namespace {

// Each story fills a lane. All lanes are matched to the thread of the first lane.
class SharedThread : public testing::Test {
 protected:
  using Fill = std::function<void(Lane&)>;
  void run(EventSink& sink, const std::vector<Fill>& stories) {
    Timeline timeline({.lanes = kTestLanes}, notes);
    for (const Fill& story : stories) {
      timeline.begin_input("input");
      Lane& lane = timeline.add_lane({.process = ProcessId{1},
                                      .thread = static_cast<ThreadId>(timeline.lanes().size() + 1),
                                      .process_name = "p",
                                      .thread_name = "t"});
      if (timeline.lanes().size() == 1) {
        first = &lane;
        timeline.add_call_history(std::make_unique<Anywhere>(lane));
      } else {
        timeline.add_unmatched_thread({.lane = &lane, .name = {}, .marks = {{10, 0x10}}});
      }
      timeline.add_source(std::make_unique<Story>(lane, story), {&lane});
    }
    timeline.draw_matched_threads();
    timeline.run(sink, [] {});
    too_deep = {};
    for (const TooDeepCount& of_lane : timeline.totals().too_deep) too_deep.join(of_lane);
  }
  std::vector<std::string> lines_of(const std::vector<Fill>& stories) {
    EventText text(names);
    run(text, stories);
    return text.lines();
  }
  // Returns the rules that the trace of these lanes breaks.
  std::string broken_rules(const std::vector<Fill>& stories) {
    fxt::MemoryOutput output;
    fxt::Writer writer(output, {.provider_name = "t"});
    FxtSink sink(writer, names);
    run(sink, stories);
    writer.flush();
    return fxt::test::broken_rules(output.words());
  }
  Fill calls(std::size_t depth, std::uint64_t from_ns, std::uint64_t to_ns) {
    return [this, depth, from_ns, to_ns](Lane& lane) {
      for (std::size_t i = 0; i < depth; ++i) lane.begin(from_ns, f);
      for (std::size_t i = 0; i < depth; ++i) lane.end(to_ns);
    };
  }
  Fill instants(std::size_t count, std::uint64_t time_ns) {
    return [this, count, time_ns](Lane& lane) {
      for (std::size_t i = 0; i < count; ++i) lane.instant(time_ns, g);
    };
  }
  static std::size_t count(const std::vector<std::string>& lines, const std::string& line) {
    return static_cast<std::size_t>(std::ranges::count(lines, line));
  }

  class Anywhere : public CallHistory {
   public:
    explicit Anywhere(const Lane& lane) : lane_(lane) {}
    std::vector<const Lane*> lanes() const override { return {&lane_}; }
    bool records_ends() const override { return true; }
    std::vector<MarkPosition> positions(const Lane&, std::span<const MarkWindow> windows) override {
      return std::vector<MarkPosition>(windows.size(), {.in = MarkPosition::In::InnermostCall});
    }

   private:
    const Lane& lane_;
  };

  Names names;
  Notes notes;
  LabelId f = names.intern_label("app", "f"), g = names.intern_label("tracepoint", "g");
  Lane* first = nullptr;
  TooDeepCount too_deep;
};

TEST_F(SharedThread, InstantsAreStackedOnCallsOfAnotherLane) {
  const auto lines = lines_of({calls(100, 1000, 3000), instants(600, 2000)});
  EXPECT_EQ(count(lines, "1/1 @2000 tracepoint:g"), 411u);
  EXPECT_EQ(count(lines, "1/1 [2000 tracepoint:g"), 189u) << "as many as there are, in the last place";
  EXPECT_EQ(count(lines, "1/1 2000] tracepoint:g"), 189u);
  EXPECT_EQ(count(lines, "1/1 [1000, 3000] app:f"), 100u);
  EXPECT_EQ(too_deep.count, 0u);
}

TEST_F(SharedThread, ReadersFindNothingWrong) {
  for (const std::size_t depth : {0u, 1u, 100u, 511u})
    for (const std::size_t frames : {1u, 600u})
      for (const std::uint64_t time_ns : {1000u, 2000u, 3000u})
        EXPECT_EQ(broken_rules({calls(depth, 1000, 3000), instants(frames, time_ns)}), "")
            << depth << " calls, " << frames << " frames at " << time_ns;
}

TEST_F(SharedThread, OnAFullStackInstantsAndPairsAreDropped) {
  const Fill matched = [&](Lane& lane) {
    lane.instant(1500, g);
    lane.begin(2000, g);
    lane.end(2000);
    lane.instant(4000, g);
  };
  const auto lines = lines_of({calls(512, 1000, 3000), matched});
  EXPECT_EQ(lines.size(), 513u);
  EXPECT_EQ(lines.back(), "1/1 @4000 tracepoint:g");
  EXPECT_EQ(too_deep.count, 2u);
  EXPECT_EQ(too_deep.first, g);
}

TEST_F(SharedThread, TheDepthsOfLanesAreAdded) {
  const auto lines = lines_of({calls(100, 1000, 3000), instants(300, 2000), instants(300, 2000)});
  EXPECT_EQ(count(lines, "1/1 @2000 tracepoint:g"), 411u);
  EXPECT_EQ(count(lines, "1/1 [2000 tracepoint:g"), 189u);
}

TEST_F(SharedThread, OpenCallsThatEndLaterCountAndEndedCallsDoNot) {
  const Fill host = [&](Lane& lane) {
    lane.begin(1000, f);
    lane.begin(1000, f);
    lane.end(1500);
    lane.begin(1500, f);
    lane.begin(1500, f);
    lane.end(1500);  // written as a start and an end, because the call has no length
    lane.end(2500);
    lane.end(3000);
  };
  const auto lines = lines_of({host, instants(511, 2000)});
  EXPECT_EQ(count(lines, "1/1 @2000 tracepoint:g"), 509u);
  EXPECT_EQ(count(lines, "1/1 [2000 tracepoint:g"), 2u);
}

// The trace names a shared thread once, although two lanes are shown on it.
TEST_F(SharedThread, OneThreadIsNamedOnce) {
  fxt::MemoryOutput output;
  fxt::Writer writer(output, {.provider_name = "t"});
  FxtSink sink(writer, names);
  run(sink, {calls(1, 1000, 3000), instants(1, 2000)});
  writer.flush();
  fxt::Reader reader(std::as_bytes(output.words()));
  std::size_t objects = 0, threads = 0;
  for (const fxt::Entry& entry : reader) {
    objects += std::holds_alternative<fxt::KernelObject>(entry.record) ? 1u : 0u;
    threads += std::holds_alternative<fxt::ThreadRecord>(entry.record) ? 1u : 0u;
  }
  EXPECT_EQ(objects, 2u) << "a process and a thread";
  EXPECT_EQ(threads, 1u);
}

}  // namespace
}  // namespace convert
