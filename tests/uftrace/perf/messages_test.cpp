// On the way from the perf files to a thread: the shared source and the queues.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converters/uftrace/perf/perf_file_source.h"
#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = PerfEvent::Kind;

TEST(PerfQueue, GivesMessagesInTheirOrder) {
  PerfQueue queue;
  EXPECT_EQ(queue.first(), nullptr);
  std::uint64_t put = 0, taken = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 100; ++i) queue.put({.time_ns = ++put, .cpu = 1, .kind = Kind::SwitchIn});
    for (int i = 0; i < 95; ++i, queue.take_first()) ASSERT_EQ(queue.first()->time_ns, ++taken);
    ASSERT_EQ(queue.waiting_bytes(), (put - taken) * sizeof(PerfMessage));
  }
  for (; queue.first() != nullptr; queue.take_first()) ASSERT_EQ(queue.first()->time_ns, ++taken);
  EXPECT_EQ(taken, put);
  EXPECT_EQ(queue.waiting_bytes(), 0);
}

// Takes all that waits.
std::vector<std::string> taken(PerfQueue& queue) {
  std::vector<std::string> lines;
  for (; queue.first() != nullptr; queue.take_first())
    lines.push_back(fmt::format("{} cpu {} kind {}", queue.first()->time_ns, queue.first()->cpu,
                                static_cast<int>(queue.first()->kind)));
  return lines;
}

struct Feeding {
  explicit Feeding(bool has_switches = true, Names* wanted_names = nullptr) {
    directory.file("perf-cpu0.dat", PerfBytes().exec(1, 1, "x").out(10, 1).in(30, 2).exit(50, 1).text());
    directory.file("perf-cpu7.dat",
                   PerfBytes().fork(2, 2, 1).in(20, 1).preempted(25, 3).comm(40, 1, "y").text());
    std::vector<CpuFile> files;
    for (const std::uint32_t cpu : {0U, 7U}) {
      const auto path = directory.path() / fmt::format("perf-cpu{}.dat", cpu);
      files.push_back({.cpu = cpu, .path = path, .size_bytes = std::filesystem::file_size(path)});
      bytes += files.back().size_bytes;
    }
    perf_queues.emplace(ThreadId{1}, &first);
    perf_queues.emplace(ThreadId{2}, &second);
    feeder.emplace(files, PerfReading{}, perf_queues, PerfFileSource::Wanted{has_switches, wanted_names},
                   stats);
  }
  TextRecording directory;
  std::uint64_t bytes = 0;
  ImportStats stats;
  PerfQueue first, second;
  std::unordered_map<ThreadId, PerfQueue*> perf_queues;
  std::optional<PerfFileSource> feeder;
};

TEST(PerfFileSource, HandsThreadsWhatTheyNeed) {
  Feeding feeding;
  EXPECT_EQ(feeding.stats.bytes_total, feeding.bytes);
  EXPECT_EQ(feeding.feeder->watermark_ns(), 1);
  EXPECT_FALSE(feeding.feeder->pump({.lane_bytes = 1}));
  EXPECT_EQ(feeding.feeder->waiting_bytes(), 0) << "nothing is delivered yet";
  feeding.feeder->deliver();
  EXPECT_EQ(feeding.feeder->waiting_bytes(), 5 * sizeof(PerfMessage));
  EXPECT_EQ(feeding.feeder->watermark_ns(), kForever);
  EXPECT_THAT(taken(feeding.first),
              ElementsAre("1 cpu 0 kind 6", "10 cpu 0 kind 1", "20 cpu 7 kind 0", "50 cpu 0 kind 4"));
  EXPECT_THAT(taken(feeding.second), ElementsAre("30 cpu 0 kind 0"));
  feeding.feeder->deliver();
  EXPECT_EQ(feeding.feeder->waiting_bytes(), 0) << "nothing is delivered twice";
  EXPECT_EQ(feeding.stats.bytes_read, feeding.bytes);
  EXPECT_EQ(feeding.stats.records_read, 0) << "those are the threads' own";
}

TEST(PerfFileSource, LeavesSwitchesOut) {
  Feeding feeding(false);
  feeding.feeder->pump({.lane_bytes = 1});
  feeding.feeder->deliver();
  EXPECT_THAT(taken(feeding.first), ElementsAre("1 cpu 0 kind 6", "50 cpu 0 kind 4"));
  EXPECT_THAT(taken(feeding.second), IsEmpty());
}

TEST(PerfFileSource, HandsOnNames) {
  Names names;
  Feeding feeding(false, &names);
  feeding.feeder->pump({.lane_bytes = 1});
  feeding.feeder->deliver();
  feeding.first.take_first();
  ASSERT_NE(feeding.first.first(), nullptr);
  EXPECT_EQ(feeding.first.first()->kind, Kind::Comm);
  EXPECT_EQ(feeding.first.first()->time_ns, 40);
  EXPECT_EQ(names.text(feeding.first.first()->name), "y");
}

TEST(PerfFileSource, ReadsAsMuchAsItMay) {
  TextRecording directory;
  PerfBytes bytes;
  for (std::uint64_t time = 1; time <= 200; ++time) bytes.in(time, 1);
  directory.file("perf-cpu0.dat", bytes);
  ImportStats stats;
  PerfQueue queue;
  PerfFileSource feeder(
      {{.cpu = 0, .path = directory.path() / "perf-cpu0.dat", .size_bytes = bytes.text().size()}}, {},
      {{ThreadId{1}, &queue}}, {}, stats);
  EXPECT_TRUE(feeder.pump({.lane_bytes = 100 * sizeof(PerfMessage)}));
  feeder.deliver();
  EXPECT_EQ(queue.waiting_bytes(), 100 * sizeof(PerfMessage));
  EXPECT_EQ(feeder.watermark_ns(), 101);
  EXPECT_FALSE(feeder.pump({.lane_bytes = 100 * sizeof(PerfMessage)}));
  feeder.deliver();
  EXPECT_EQ(queue.waiting_bytes(), 200 * sizeof(PerfMessage));
}

}  // namespace
}  // namespace convert::uftrace
