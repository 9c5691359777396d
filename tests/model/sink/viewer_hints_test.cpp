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

TEST(ViewerHints, MainThreadsComeFirstAndThenTheFirstCallDecides) {
  fxt::PerfettoPackets expected;
  expected.first_view_begins(10);
  expected.order_by_rank();
  expected.rank_thread(1, 1, 1);
  expected.rank_thread(1, 5, 2);
  expected.rank_thread(1, 4, 3);
  EXPECT_TRUE(equal(hints_of(std::vector{lane(1, 4, 40), lane(1, 5, 10), lane(1, 1, 30)}, {}), expected));
}

TEST(ViewerHints, LanesOfOneThreadAreOne) {
  fxt::PerfettoPackets expected;
  expected.first_view_begins(10);
  expected.order_by_rank();
  EXPECT_TRUE(equal(hints_of(std::vector{lane(1, 4, 40), lane(1, 4, 10)}, {}), expected));
}

TEST(ViewerHints, ParentsComeBeforeTheirChildren) {
  // 3 is the child of 2, which is the child of 4; the child's first record is the earliest.
  const TraceInfo info{.processes = {{.process = ProcessId{3}, .parent = ProcessId{2}},
                                     {.process = ProcessId{2}, .parent = ProcessId{4}},
                                     {.process = ProcessId{4}, .parent = ProcessId{99}}}};
  fxt::PerfettoPackets expected;
  expected.first_view_begins(5);
  expected.processes(std::vector<fxt::PerfettoProcess>{
      {.process = 3, .parent = 2}, {.process = 2, .parent = 4}, {.process = 4}});  // 99 is not in the trace
  expected.order_by_rank();
  expected.rank_process(1, "other", 1);
  expected.rank_process(4, "p", 2);
  expected.rank_process(2, "p", 3);
  expected.rank_process(3, "p", 4);
  EXPECT_TRUE(equal(
      hints_of(std::vector{lane(3, 3, 5), lane(2, 2, 20), lane(4, 4, 15), lane(1, 1, 8, "other")}, info),
      expected));
}

TEST(ViewerHints, ParentsInACircleEndNothing) {
  const TraceInfo info{.processes = {{.process = ProcessId{3}, .parent = ProcessId{2}},
                                     {.process = ProcessId{2}, .parent = ProcessId{3}}}};
  EXPECT_FALSE(hints_of(std::vector{lane(3, 3, 5), lane(2, 2, 20)}, info).bytes().empty());
}

TEST(ViewerHints, TheSystemTheClockAndTheProgram) {
  const TraceInfo info{.session = "draw \xff",
                       .system = "Linux",
                       .system_release = "6.1",
                       .wall_clock = {{.time_ns = 7, .utc_ns = 9}},
                       .processes = {{.process = ProcessId{1}, .command_line = {"./draw", "3"}},
                                     {.process = ProcessId{2}, .command_line = {"not in the trace"}}}};
  fxt::PerfettoPackets expected;
  expected.wall_clock(7, 9);
  expected.system("Linux", "6.1");
  expected.session("draw \\377");
  const std::vector<std::string> words{"./draw", "3"};
  expected.processes(std::vector<fxt::PerfettoProcess>{{.process = 1, .command_line = words}});
  EXPECT_TRUE(equal(hints_of(std::vector{lane(1, 1, kForever)}, info), expected));
}

}  // namespace
}  // namespace convert
