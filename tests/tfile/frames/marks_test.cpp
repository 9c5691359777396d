// Tests the sample of hits that is used to find the thread of the hits in another input. Also tests how
// frames are shown on such a thread.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/merging/thread_match.h"
#include "converters/tfile/importer.h"
#include "converters/tfile/threads/survey.h"
#include "tests/model/event_text.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(MarkSample, KeepsAFewMarks) {
  MarkSample sample;
  for (std::uint64_t i = 0; i < 5; ++i) sample.add(i, 0x10);
  const auto& marks = sample.marks();
  ASSERT_THAT(marks, SizeIs(5));
  EXPECT_EQ(marks[3].time_ns, 3u);
  EXPECT_EQ(marks[3].address, 0x10u);
}

TEST(MarkSample, KeepsAnEvenSampleOfManyMarks) {
  for (const std::uint64_t count : {2048u, 2049u, 4096u, 4097u, 10'000u, 100'000u}) {
    MarkSample sample;
    for (std::uint64_t i = 0; i < count; ++i) sample.add(i, 0);
    const auto& marks = sample.marks();
    EXPECT_LE(marks.size(), MarkSample::kMaxMarks);
    EXPECT_GE(marks.size(), std::min<std::size_t>(count, MarkSample::kMaxMarks / 2)) << count;
    const std::uint64_t between = marks[1].time_ns;
    for (std::size_t i = 0; i < marks.size(); ++i) ASSERT_EQ(marks[i].time_ns, i * between) << count;
    EXPECT_LT(count - 1 - marks.back().time_ns, between) << count;
  }
}

// A call history that stores the requested time windows, and always finds the same thread.
class MatchingThread : public CallHistory {
 public:
  MatchingThread(const Lane& lane, std::vector<MarkWindow>& windows) : lane_(lane), windows_(windows) {}
  std::vector<const Lane*> lanes() const override { return {&lane_}; }
  bool records_ends() const override { return true; }
  std::vector<MarkPosition> positions(const Lane&, std::span<const MarkWindow> windows) override {
    windows_.assign(windows.begin(), windows.end());
    return std::vector<MarkPosition>(windows.size(), {.in = MarkPosition::In::InnermostCall});
  }

 private:
  const Lane& lane_;
  std::vector<MarkWindow>& windows_;
};

class TraceMarks : public testing::Test {
 protected:
  TraceMarks() {
    trace.line("R 40").line("status 0;tstop::0").line(kStamp);
    trace.line("tp T2:401000:E:0:0").line("tp A2:401000:X00000008,2c00012e00012927");
    trace.line("tp T3:402000:E:2:0").line("tp A3:402000:X00000008,2c00012e00012927");
    trace.line("tp S3:402000:X00000008,2c00012e00012927M-1,404040,1");
    for (const std::string_view location : {"2:401000", "3:402000"})
      trace.source(location, "cmd", "collect $trace_timestamp");
    trace.source("2:401000", "at", "tick").source("3:402000", "at", "tock");
  }

  // Converts the trace together with a recording. Thread 8 in process 7 of the recording matches all threads
  // of the trace.
  std::vector<std::string> lines() {
    Names names;
    Notes notes;
    ImportStats stats;
    Timeline timeline({.lanes = kTestLanes}, notes);
    const ImportOptions options{.blobs = Blobs::None};
    ImportContext context{names, notes, timeline, stats, options};
    timeline.begin_input("run.data");
    const Lane& lane = timeline.add_lane(
        {.process = ProcessId{7}, .thread = ThreadId{8}, .process_name = "p", .thread_name = "t"});
    timeline.add_call_history(std::make_unique<MatchingThread>(lane, windows));
    import(trace.write(), context);
    timeline.draw_matched_threads();
    EventText text(names);
    timeline.run(text, [] {});
    threads = text.threads();
    why_unmatched.clear();
    for (const Notes::Group& group : notes.groups())
      if (group.kind->name == "kept-apart") why_unmatched = group.first.front();
    std::vector<std::string> lines;
    for (const std::string& line : text.lines())
      if (line.find(" session:") == std::string::npos) lines.push_back(line);
    return lines;
  }

  TraceBuilder trace;
  std::vector<MarkWindow> windows;
  std::vector<std::string> threads;
  std::string why_unmatched;
};

TEST_F(TraceMarks, AreHitsWithTheirMicrosecond) {
  trace.frame(2).variable(1, 1000).frame(2).frame(2).variable(1, 1002).end();
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("7/8 @1000000 tracepoint:tick frame=0"),
                                   HasSubstr("7/8 @1001000 tracepoint:tick frame=1"),
                                   HasSubstr("7/8 @1002000 tracepoint:tick frame=2")));
  ASSERT_THAT(windows, SizeIs(2)) << "a frame without a stamp is no mark";
  EXPECT_EQ(windows[0].first_ns, 1'000'000u);
  EXPECT_EQ(windows[0].last_ns, 1'000'999u);
  EXPECT_EQ(windows[0].address, 0x401000u);
  EXPECT_EQ(windows[1].first_ns, 1'002'000u);
  EXPECT_THAT(threads, ElementsAre("7/8 t of p", "7/8 t of p"));
}

TEST_F(TraceMarks, ManyFramesOfAPatternAreSampled) {
  for (int i = 0; i < 5000; ++i) trace.frame(2).variable(1, 1000 + i);
  trace.end();
  EXPECT_THAT(lines(), SizeIs(5000));
  ASSERT_THAT(windows, SizeIs(1250));
  EXPECT_EQ(windows[1].first_ns, 1'004'000u);
}

TEST_F(TraceMarks, AreSortedByTime) {
  trace.frame(2).variable(1, 1005).frame(2).variable(1, 1001).end();
  lines();
  ASSERT_THAT(windows, SizeIs(2));
  EXPECT_EQ(windows[0].first_ns, 1'001'000u);
}

// Usually, a hit with steps is a call that ends at the last step. Here, such a call could cross calls of the
// other input.
TEST_F(TraceMarks, StepsOnAThreadWithCallsAreInstants) {
  trace.frame(3).variable(1, 1000);
  trace.frame(3).variable(1, 1001).memory(0x404040, "a").frame(3).variable(1, 1002).memory(0x404040, "b");
  trace.frame(2).variable(1, 1003).end();
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("7/8 @1000000 tracepoint:tock frame=0"),
                                   HasSubstr("7/8 @1001000 tracepoint:step frame=1"),
                                   HasSubstr("7/8 @1002000 tracepoint:step frame=2"),
                                   HasSubstr("7/8 @1003000 tracepoint:tick frame=3")));
  EXPECT_THAT(windows, SizeIs(2)) << "steps are no marks";
}

TEST_F(TraceMarks, FramesWithoutStampsStayApart) {
  trace.frame(2).frame(2).end();
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("2/1 @"), HasSubstr("2/1 @")));
  EXPECT_THAT(why_unmatched,
              HasSubstr(": unknown thread: the frames have no timestamps; use collect $trace_timestamp"));
}

}  // namespace
}  // namespace convert::tfile
