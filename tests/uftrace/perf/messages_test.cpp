// Tests the shared source that reads the perf files, and the queues that pass its messages to the threads.
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "converters/uftrace/perf/perf_scan.h"
#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = PerfEvent::Kind;

TEST(MessageQueue, ReturnsMessagesInOrder) {
  PerfQueue queue;
  EXPECT_EQ(queue.first(), nullptr);
  std::uint64_t put = 0, consumed = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 100; ++i) queue.stage({.time_ns = ++put, .cpu = 1, .kind = Kind::SwitchIn});
    queue.deliver();
    for (int i = 0; i < 95; ++i, queue.pop_front()) ASSERT_EQ(queue.first()->time_ns, ++consumed);
    ASSERT_EQ(queue.waiting_bytes(), (put - consumed) * sizeof(PerfMessage));
  }
  for (; queue.first() != nullptr; queue.pop_front()) ASSERT_EQ(queue.first()->time_ns, ++consumed);
  EXPECT_EQ(consumed, put);
  EXPECT_EQ(queue.waiting_bytes(), 0);
}

// Removes all messages from the queue. Returns them as texts.
std::vector<std::string> consume(PerfQueue& queue) {
  std::vector<std::string> lines;
  for (; queue.first() != nullptr; queue.pop_front())
    lines.push_back(fmt::format("{} cpu {} kind {}", queue.first()->time_ns, queue.first()->cpu,
                                static_cast<int>(queue.first()->kind)));
  return lines;
}

struct PerfSource {
  explicit PerfSource(bool has_switches = true, Names* names = nullptr) {
    directory.file("perf-cpu0.dat", PerfBytes().exec(1, 1, "x").out(10, 1).in(30, 2).exit(50, 1).text());
    directory.file("perf-cpu7.dat",
                   PerfBytes().fork(2, 2, 1).in(20, 1).preempted(25, 3).comm(40, 1, "y").text());
    std::vector<CpuFile> files;
    for (const std::uint32_t cpu : {0U, 7U}) {
      const auto path = directory.path() / fmt::format("perf-cpu{}.dat", cpu);
      files.push_back(
          {.cpu = cpu, .place = fxt::FilePlace(path), .size_bytes = std::filesystem::file_size(path)});
      bytes += files.back().size_bytes;
    }
    source.emplace(files, PerfReading{}, queues, PerfFileSource::Shown{has_switches, names}, stats);
  }
  TextRecording directory;
  std::uint64_t bytes = 0;
  ImportStats stats;
  QueuesByThread<PerfQueue> queues{{ThreadId{1}, {}}, {ThreadId{2}, {}}};
  PerfQueue& first = queues.at(ThreadId{1});
  PerfQueue& second = queues.at(ThreadId{2});
  std::optional<PerfFileSource> source;
};

TEST(PerfFileSource, PassesEventsToThreads) {
  PerfSource perf;
  EXPECT_EQ(perf.stats.bytes_total, perf.bytes);
  EXPECT_EQ(perf.source->watermark_ns(), 1);
  EXPECT_FALSE(perf.source->pump({.bytes = 1}));
  EXPECT_EQ(perf.source->waiting_bytes(), 0) << "nothing is delivered yet";
  perf.source->deliver();
  EXPECT_EQ(perf.source->waiting_bytes(), 5 * sizeof(PerfMessage));
  EXPECT_EQ(perf.source->watermark_ns(), kForever);
  EXPECT_THAT(consume(perf.first),
              ElementsAre("1 cpu 0 kind 6", "10 cpu 0 kind 1", "20 cpu 7 kind 0", "50 cpu 0 kind 4"));
  EXPECT_THAT(consume(perf.second), ElementsAre("30 cpu 0 kind 0"));
  perf.source->deliver();
  EXPECT_EQ(perf.source->waiting_bytes(), 0) << "nothing is delivered twice";
  EXPECT_EQ(perf.stats.bytes_read, perf.bytes);
  EXPECT_EQ(perf.stats.records_read, 0) << "those are the threads' own";
}

TEST(PerfFileSource, MayLeaveOutSwitches) {
  PerfSource perf(false);
  perf.source->pump({.bytes = 1});
  perf.source->deliver();
  EXPECT_THAT(consume(perf.first), ElementsAre("1 cpu 0 kind 6", "50 cpu 0 kind 4"));
  EXPECT_THAT(consume(perf.second), IsEmpty());
}

TEST(PerfFileSource, MayPassNamesToThreads) {
  Names names;
  PerfSource perf(false, &names);
  perf.source->pump({.bytes = 1});
  perf.source->deliver();
  perf.first.pop_front();
  ASSERT_NE(perf.first.first(), nullptr);
  EXPECT_EQ(perf.first.first()->kind, Kind::Comm);
  EXPECT_EQ(perf.first.first()->time_ns, 40);
  EXPECT_EQ(names.text(perf.first.first()->name), "y");
}

TEST(PerfFileSource, ReadsAsMuchAsTheBudgetAllows) {
  TextRecording directory;
  PerfBytes bytes;
  for (std::uint64_t time = 1; time <= 200; ++time) bytes.in(time, 1);
  directory.file("perf-cpu0.dat", bytes);
  ImportStats stats;
  QueuesByThread<PerfQueue> queues;
  PerfQueue& queue = queues[ThreadId{1}];
  PerfFileSource source({{.cpu = 0,
                          .place = fxt::FilePlace(directory.path() / "perf-cpu0.dat"),
                          .size_bytes = bytes.text().size()}},
                        {}, queues, {}, stats);
  EXPECT_TRUE(source.pump({.bytes = 100 * sizeof(PerfMessage)}));
  source.deliver();
  EXPECT_EQ(queue.waiting_bytes(), 100 * sizeof(PerfMessage));
  EXPECT_EQ(source.watermark_ns(), 101);
  EXPECT_FALSE(source.pump({.bytes = 100 * sizeof(PerfMessage)}));
  source.deliver();
  EXPECT_EQ(queue.waiting_bytes(), 200 * sizeof(PerfMessage));
}

}  // namespace
}  // namespace convert::uftrace
