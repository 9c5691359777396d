#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/sink/fxt_sink.h"

namespace convert {
namespace {

LaneInfo lane(std::uint64_t process, std::uint64_t thread, std::uint64_t first_call_ns,
              std::string name = "p") {
  return {.process = ProcessId{process},
          .thread = ThreadId{thread},
          .process_name = std::move(name),
          .thread_name = "t",
          .first_call_ns = first_call_ns};
}

bool equal(const fxt::PerfettoPackets& a, const fxt::PerfettoPackets& b) {
  return std::ranges::equal(a.bytes(), b.bytes());
}

TEST(ViewerHints, AnUnknownTraceHasNoHints) {
  EXPECT_TRUE(hints_of({}, {}).bytes().empty());
  EXPECT_TRUE(hints_of(std::vector{lane(1, 1, kForever)}, {}).bytes().empty());
}

TEST(ViewerHints, TheFirstViewBeginsWithTheFirstCallOfAnyThread) {
  fxt::PerfettoPackets expected;
  expected.first_view_begins(30);
  EXPECT_TRUE(equal(hints_of(std::vector{lane(1, 1, 30)}, {}), expected));
}

TEST(ViewerHints, MainThreadsComeFirstAndOtherThreadsByTheirFirstCall) {
  fxt::PerfettoPackets expected;
  expected.first_view_begins(10'000'000);
  expected.order_by_rank();
  expected.rank_thread(1, 1, 1);
  expected.rank_thread(1, 5, 2);
  expected.rank_thread(1, 4, 3);
  EXPECT_TRUE(
      equal(hints_of(std::vector{lane(1, 4, 40'000'000), lane(1, 5, 10'000'000), lane(1, 1, 30'000'000)}, {}),
            expected));
}

TEST(ViewerHints, ThreadsThatStartWithinAMillisecondAreOrderedById) {
  fxt::PerfettoPackets expected;
  expected.first_view_begins(5);
  expected.order_by_rank();
  std::uint64_t rank = 0;
  for (const std::uint64_t thread : {1U, 4U, 8U, 9U, 2U, 3U, 7U}) expected.rank_thread(1, thread, ++rank);
  EXPECT_TRUE(equal(
      hints_of(std::vector{lane(1, 9, 5), lane(1, 8, 1'000'000), lane(1, 4, 1'000'004), lane(1, 3, 2'000'004),
                           lane(1, 2, 1'000'005), lane(1, 1, 9), lane(1, 7, kForever)},
               {}),
      expected));
}

TEST(ViewerHints, LanesOfOneThreadCountAsOneThread) {
  fxt::PerfettoPackets expected;
  expected.first_view_begins(10);
  expected.order_by_rank();
  EXPECT_TRUE(equal(hints_of(std::vector{lane(1, 4, 40), lane(1, 4, 10)}, {}), expected));
}

TEST(ViewerHints, ParentsComeBeforeTheirChildren) {
  // Process 4 is the parent of process 2, and process 2 is the parent of process 3. The first call of process
  // 3 is the earliest, but its parents come first.
  const TraceInfo info{.processes = {{.process = ProcessId{3}, .parent = ProcessId{2}},
                                     {.process = ProcessId{2}, .parent = ProcessId{4}},
                                     {.process = ProcessId{4}, .parent = ProcessId{99}}}};
  fxt::PerfettoPackets expected;
  expected.first_view_begins(5);
  expected.processes(
      std::vector<fxt::PerfettoProcess>{{.process = 3, .parent = 2, .command_line = {"p"}},
                                        {.process = 2, .parent = 4, .command_line = {"p"}},
                                        {.process = 4, .command_line = {"p"}}});  // 99 is not in the trace
  expected.order_by_rank();
  expected.rank_process(1, "other", 1);
  expected.rank_process(4, "p", 2);
  expected.rank_process(2, "p", 3);
  expected.rank_process(3, "p", 4);
  EXPECT_TRUE(equal(
      hints_of(std::vector{lane(3, 3, 5), lane(2, 2, 20), lane(4, 4, 15), lane(1, 1, 8, "other")}, info),
      expected));
}

TEST(ViewerHints, HintsAreWrittenEvenIfParentsFormACircle) {
  const TraceInfo info{.processes = {{.process = ProcessId{3}, .parent = ProcessId{2}},
                                     {.process = ProcessId{2}, .parent = ProcessId{3}}}};
  EXPECT_FALSE(hints_of(std::vector{lane(3, 3, 5), lane(2, 2, 20)}, info).bytes().empty());
}

TEST(ViewerHints, IncludeTheSystemTheClockAndTheProgram) {
  const TraceInfo info{.session = "draw \xff",
                       .system = "Linux",
                       .system_release = "6.1",
                       .machine = "aarch64",
                       .wall_clock = {{.time_ns = 7, .utc_ns = 9}},
                       .processes = {{.process = ProcessId{1}, .command_line = {"./draw", "3"}},
                                     {.process = ProcessId{2}, .command_line = {"not in the trace"}}}};
  fxt::PerfettoPackets expected;
  expected.wall_clock(7, 9);
  expected.system("Linux", "6.1", "aarch64");
  expected.session("draw \\377");
  const std::vector<std::string> words{"p", "3"};
  expected.processes(std::vector<fxt::PerfettoProcess>{{.process = 1, .command_line = words}});
  EXPECT_TRUE(equal(hints_of(std::vector{lane(1, 1, kForever)}, info), expected));
}

// In a container, the program can be process 2. If the trace names Linux as the system, Perfetto treats
// process 2 as kthreadd. Therefore, this trace does not name the system.
TEST(ViewerHints, TheSystemIsNotNamedIfPerfettoWouldTreatAProcessAsTheKernel) {
  const TraceInfo info{.system = "Linux", .system_release = "6.1", .machine = "x86_64"};
  fxt::PerfettoPackets expected;
  expected.first_view_begins(5);
  EXPECT_TRUE(equal(hints_of(std::vector{lane(2, 2, 5)}, info), expected));
  expected.system("Linux", "6.1", "x86_64");
  EXPECT_TRUE(equal(hints_of(std::vector{lane(3, 3, 5)}, info), expected));
}

// Perfetto shows the first word of a command line as the name. If there is only one word, Perfetto cuts it at
// the first blank. Therefore, an empty word is added.
TEST(ViewerHints, TheCommandLineBeginsWithTheNameThatOtherReadersShow) {
  const TraceInfo info{.processes = {{.process = ProcessId{1}, .command_line = {"./a b"}},
                                     {.process = ProcessId{2}, .command_line = {"./unnamed"}}}};
  fxt::PerfettoPackets expected;
  const std::vector<std::string> words{"a b", ""};
  const std::vector<std::string> made_up{"process 2", ""};
  expected.processes(std::vector<fxt::PerfettoProcess>{{.process = 1, .command_line = words},
                                                       {.process = 2, .command_line = made_up}});
  expected.order_by_rank();
  expected.rank_process(1, "a b", 1);
  expected.rank_process(2, "process 2", 2);
  EXPECT_TRUE(
      equal(hints_of(std::vector{lane(1, 1, kForever, "a b"), lane(2, 2, kForever, "")}, info), expected));
}

}  // namespace
}  // namespace convert
