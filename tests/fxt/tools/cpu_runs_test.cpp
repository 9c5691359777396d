// Tests the runs of threads on CPUs.
#include "fxt/tools/cpu_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace fxt::test {
namespace {

// One line for each run: "cpu 0: 3 from 300 to 400".
std::string runs_of(const std::vector<Record>& records, std::uint64_t last_ns) {
  std::string text;
  tools::CpuRuns runs([&text](const tools::CpuRun& run) {
    text += fmt::format("cpu {}: {} from {} to {}{}{}\n", run.cpu, run.thread, run.begin_ns, run.end_ns,
                        run.woken_ns ? fmt::format(", woken at {}", *run.woken_ns) : "",
                        run.has_end ? "" : ", without an end");
  });
  for (const Record& record : records) runs.add(record, time_of(record).value_or(0));
  runs.finish(last_ns);
  return text;
}
ContextSwitch change(std::uint64_t time, std::uint64_t out, std::uint64_t in, std::uint16_t cpu = 0) {
  return {.time = time, .cpu = cpu, .outgoing_thread = out, .incoming_thread = in};
}

TEST(CpuRuns, LastFromOneContextSwitchToTheNext) {
  EXPECT_EQ(runs_of({change(300, 2, 3), change(400, 3, 2), change(600, 2, 0)}, 900),
            "cpu 0: 3 from 300 to 400\ncpu 0: 2 from 400 to 600\n");
  EXPECT_EQ(runs_of({LegacyContextSwitch{.time = 5, .incoming = {.process = 1, .thread = 2}},
                     LegacyContextSwitch{.time = 9, .outgoing = {.process = 1, .thread = 2}}},
                    20),
            "cpu 0: 2 from 5 to 9\n");
}

TEST(CpuRuns, AreSeparateForEachCpu) {
  EXPECT_EQ(runs_of({change(1, 0, 2), change(2, 0, 3, 7), change(4, 2, 0), change(5, 3, 0, 7)}, 9),
            "cpu 0: 2 from 1 to 4\ncpu 7: 3 from 2 to 5\n");
}

TEST(CpuRuns, EndWithTheTraceAtTheLatest) {
  EXPECT_EQ(runs_of({change(1, 0, 2)}, 9), "cpu 0: 2 from 1 to 9, without an end\n");
}

TEST(CpuRuns, ExcludeTheIdleThread) {
  ContextSwitch to_idle = change(4, 2, 1234);
  const std::vector<Argument> arguments{{"incoming_weight", std::numeric_limits<std::int32_t>::min()}};
  to_idle.arguments = Arguments(arguments);
  EXPECT_EQ(runs_of({change(1, 0, 2), to_idle}, 9), "cpu 0: 2 from 1 to 4\n");
}

TEST(CpuRuns, HaveTheirWakeup) {
  EXPECT_EQ(runs_of({ThreadWakeup{.time = 1, .thread = 2}, ThreadWakeup{.time = 2, .thread = 2},
                     change(4, 0, 2), change(5, 2, 0), change(6, 0, 2), change(7, 2, 0)},
                    9),
            "cpu 0: 2 from 4 to 5, woken at 1\ncpu 0: 2 from 6 to 7\n");
}

}  // namespace
}  // namespace fxt::test
