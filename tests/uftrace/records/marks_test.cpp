// Tests how hits of another input are compared with the calls of a recording, to find the thread of the hits.
#include <cstdint>
#include <filesystem>
#include <gmock/gmock.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/merging/thread_match.h"
#include "converters/uftrace/importer.h"
#include "tests/model/event_text.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using R = RecordingBuilder;

// A function of RecordingBuilder has 0x100 bytes. A recorded address is after the first instructions of the
// function. A tracepoint can be anywhere in the function.
constexpr std::uint64_t kInMain = R::kMain + 0x40, kInF = R::kF + 0x80, kInG = R::kG + 0xff;

class Marks : public testing::Test {
 protected:
  // Returns the thread on which these hits of another input are shown, such as "100/100". Returns kApart if
  // the hits match no thread.
  std::string seat_of(std::vector<ThreadMark> marks, std::uint64_t resolution_ns = 1000,
                      std::int64_t offset_ns = 0) {
    recording_.lines();  // this call writes the files
    Names names;
    Notes notes;
    ImportStats stats;
    Timeline timeline({.lanes = kTestLanes}, notes);
    const ImportOptions options;
    ImportContext context{names, notes, timeline, stats, options};
    import(recording_.path(), context);
    if (!lost_file_.empty()) std::filesystem::remove(recording_.path() / lost_file_);
    timeline.begin_input("session.trace");
    const Lane& lane = timeline.add_lane({.process = ProcessId{kFirstMadeUpId},
                                          .thread = ThreadId{kFirstMadeUpId},
                                          .process_name = "demo",
                                          .thread_name = "guest"});
    timeline.add_unmatched_thread(
        {.lane = &lane, .name = "guest", .marks = std::move(marks), .resolution_ns = resolution_ns});
    timeline.shift_input(1, offset_ns);
    timeline.draw_matched_threads();
    EventText text(names);
    timeline.run(text, [] {});
    said_ = notes.count(kKeptApart) != 0 ? notes.groups().back().first.front() : "";
    const std::string& last = text.threads().back();
    return last.substr(0, last.find(' '));
  }
  static constexpr std::string_view kApart = "2/1";

  R recording_;
  std::string lost_file_;  // this file is removed before the hits are matched
  std::string said_;
};

TEST_F(Marks, BelongToTheThreadWithACallOfTheirFunction) {
  recording_.entry(10'000, 0, R::kMain + 8).entry(20'000, 1, R::kF + 8).exit(30'000, 1, R::kF + 8);
  recording_.exit(90'000, 0, R::kMain + 8);
  EXPECT_EQ(seat_of({{25'000, kInF}}), "100/100");
  EXPECT_EQ(seat_of({{15'000, kInMain}, {25'000, kInF}, {40'000, kInMain}}), "100/100");
  EXPECT_EQ(seat_of({{35'000, kInF}}), kApart);
  EXPECT_EQ(seat_of({{25'000, kInG}}), kApart);
  EXPECT_EQ(seat_of({{5'000, kInMain}}), kApart);
  EXPECT_EQ(seat_of({{95'000, kInMain}}), kApart);
  EXPECT_EQ(said_, "session.trace: guest: no hit is inside an open call of the function that was hit");
}

// A tracepoint in the first instructions of a function is hit before the recorder records the call.
TEST_F(Marks, BeforeTheirCallIsRecordedBelongToTheNextEntry) {
  recording_.entry(10'000, 0, R::kMain + 8).entry(20'000, 1, R::kF + 8).exit(30'000, 1, R::kF + 8);
  recording_.exit(90'000, 0, R::kMain + 8);
  EXPECT_EQ(seat_of({{15'000, R::kF}}), "100/100");
  EXPECT_EQ(seat_of({{5'000, R::kMain + 4}, {15'000, R::kF + 4}}), "100/100");
  EXPECT_EQ(seat_of({{35'000, R::kF}}), kApart) << "none follows";
  EXPECT_EQ(seat_of({{15'000, R::kG}}), kApart) << "another follows";
  EXPECT_EQ(seat_of({{15'000, R::kF + 9}}), kApart) << "the call had been noticed there";
}

// If timestamps are in microseconds, a hit may be anywhere in its microsecond.
TEST_F(Marks, MayBeAnywhereInTheirMicrosecond) {
  recording_.entry(10'500, 0, R::kMain)
      .entry(20'400, 1, R::kF)
      .exit(20'500, 1, R::kF)
      .entry(30'999, 1, R::kG);
  recording_.exit(31'000, 1, R::kG).exit(90'000, 0, R::kMain);
  EXPECT_EQ(seat_of({{10'000, kInMain}}), "100/100");
  EXPECT_EQ(seat_of({{20'000, kInF}}), "100/100");
  EXPECT_EQ(seat_of({{30'000, kInG}}), "100/100");
  EXPECT_EQ(seat_of({{20'000, kInF}, {20'000, kInMain}}), "100/100");
  EXPECT_EQ(seat_of({{20'000, kInF}}, 1), kApart);
  EXPECT_EQ(seat_of({{20'400, kInF}}, 1), "100/100");
  EXPECT_EQ(seat_of({{20'500, kInF}}, 1), kApart);
  EXPECT_EQ(seat_of({{9'000, kInMain}}), kApart);
  EXPECT_EQ(seat_of({{31'000, kInG}}), kApart);
}

TEST_F(Marks, AreMovedWithTheirInput) {
  recording_.entry(10'000, 0, R::kMain)
      .entry(20'000, 1, R::kF)
      .exit(30'000, 1, R::kF)
      .exit(90'000, 0, R::kMain);
  EXPECT_EQ(seat_of({{5'000, kInF}}, 1000, 20'000), "100/100");
  EXPECT_EQ(seat_of({{125'000, kInF}}, 1000, -100'000), "100/100");
  EXPECT_EQ(seat_of({{125'000, kInF}}, 1000, -90'000), kApart);
}

TEST_F(Marks, InAFunctionThatIsAlwaysOpenDoNotMatch) {
  recording_.entry(10'000, 0, R::kMain)
      .entry(20'000, 1, R::kF)
      .exit(80'000, 1, R::kF)
      .exit(90'000, 0, R::kMain);
  EXPECT_EQ(seat_of({{30'000, kInMain}, {40'000, kInMain}}), kApart);
  EXPECT_EQ(said_,
            "session.trace: guest: the hits match open calls of thread 100, but for only 0 of 2 hits, the "
            "innermost open call is a call of the function that was hit");
}

TEST_F(Marks, WithEstimatedExitsOnlyNeedOpenCalls) {
  recording_.estimated_exits();
  recording_.entry(10'000, 0, R::kMain)
      .entry(20'000, 1, R::kF)
      .exit(80'000, 1, R::kF)
      .exit(90'000, 0, R::kMain);
  EXPECT_EQ(seat_of({{30'000, kInMain}, {40'000, kInMain}}), "100/100");
}

TEST_F(Marks, DistinguishThreads) {
  recording_.task_line("TASK timestamp=0.000000001 tid=101 pid=100");
  for (const std::uint64_t tid : {100u, 101u}) {
    recording_.thread(tid);
    recording_.entry(10'000, 0, R::kMain);
    for (std::uint64_t i = 0; i < 10; ++i) {
      const std::uint64_t begin = 20'000 + i * 10'000 + (tid == 100 ? 0 : 5'000);
      recording_.entry(begin, 1, R::kF).exit(begin + 4'000, 1, R::kF);
    }
    recording_.exit(900'000, 0, R::kMain);
  }
  EXPECT_EQ(seat_of({{22'000, kInF}, {32'000, kInF}, {92'000, kInF}}), "100/100");
  EXPECT_EQ(seat_of({{27'000, kInF}, {37'000, kInF}, {97'000, kInF}}), "100/101");
  EXPECT_EQ(seat_of({{22'000, kInF}, {37'000, kInF}, {97'000, kInF}}), kApart);
  EXPECT_EQ(said_,
            "session.trace: guest: the best match is thread 101, but in this thread, only 2 of 3 hits are "
            "inside an open call of the function that was hit");
}

// Both threads are always in f. The hits come shortly after entries of one of the threads.
TEST_F(Marks, InTwoThreadsBelongToTheThreadWithTheMostRecentEntries) {
  recording_.task_line("TASK timestamp=0.000000001 tid=101 pid=100");
  for (const std::uint64_t tid : {100u, 101u}) {
    recording_.thread(tid);
    std::uint64_t time_ns = tid == 100 ? 10'000 : 60'000;
    for (int i = 0; i < 10; ++i, time_ns += 100'000)
      recording_.entry(time_ns, 0, R::kF).exit(time_ns + 99'999, 0, R::kF);
  }
  EXPECT_EQ(seat_of({{112'000, kInF}, {213'000, kInF}, {311'000, kInF}}), "100/100");
  EXPECT_EQ(seat_of({{162'000, kInF}, {263'000, kInF}, {361'000, kInF}}), "100/101");
  EXPECT_EQ(seat_of({{150'000, kInF}, {250'000, kInF}}), kApart);
  EXPECT_EQ(said_, "session.trace: guest: the hits match open calls of both thread 100 and thread 101");
}

TEST_F(Marks, OfAChildMayBeInInheritedCalls) {
  recording_.task_line("FORK timestamp=0.000030000 pid=200 ppid=100");
  recording_.entry(10'000, 0, R::kMain)
      .entry(20'000, 1, R::kFork)
      .exit(90'000, 1, R::kFork)
      .exit(99'000, 0, R::kMain);
  recording_.thread(200).exit(40'000, 1, R::kFork).entry(50'000, 1, R::kF).exit(60'000, 1, R::kF);
  recording_.exit(70'000, 0, R::kMain);
  EXPECT_EQ(seat_of({{45'000, kInMain}, {55'000, kInF}, {65'000, kInMain}}), "200/200");
}

TEST_F(Marks, AnUnreadableFileHasNoCalls) {
  recording_.task_line("TASK timestamp=0.000000001 tid=101 pid=100");
  recording_.entry(10'000, 0, R::kF).exit(90'000, 0, R::kF);
  recording_.thread(101).bytes(std::string(1000, '\x7f'));
  EXPECT_EQ(seat_of({{25'000, kInF}}), "100/100");
}

TEST_F(Marks, AMissingFileHasNoCalls) {
  recording_.task_line("TASK timestamp=0.000000001 tid=101 pid=100");
  recording_.entry(10'000, 0, R::kF).exit(90'000, 0, R::kF);
  recording_.thread(101).entry(10'000, 0, R::kG).exit(90'000, 0, R::kG);
  lost_file_ = "101.dat";
  EXPECT_EQ(seat_of({{25'000, kInF}}), "100/100");
  lost_file_ = "100.dat";
  EXPECT_EQ(seat_of({{25'000, kInF}}), kApart);
}

TEST_F(Marks, CallsThatAreStillOpenEndWithTheLastRecord) {
  recording_.entry(10'000, 0, R::kMain).entry(20'000, 1, R::kF);
  EXPECT_EQ(seat_of({{20'000, kInF}}), "100/100");
  EXPECT_EQ(seat_of({{21'000, kInF}}), kApart);
}

TEST_F(Marks, WithoutSymbolsDoNotMatch) {
  recording_.file("demo.sym", "");
  recording_.entry(10'000, 0, R::kF).exit(90'000, 0, R::kF);
  EXPECT_EQ(seat_of({{25'000, kInF}}), kApart);
}

}  // namespace
}  // namespace convert::uftrace
