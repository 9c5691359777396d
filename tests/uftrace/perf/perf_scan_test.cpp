// Tests CpuMerge, which merges all perf files. Also tests PerfScan, which collects facts about threads before
// the conversion.
#include "converters/uftrace/perf/perf_scan.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"
#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Writes the files of the CPUs 0, 1 and so on. For the text "missing", no file is written.
struct Files {
  explicit Files(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const auto cpu = static_cast<std::uint32_t>(list.size());
      const std::string name = fmt::format("perf-cpu{}.dat", cpu);
      if (text != "missing") directory.file(name, text);
      list.push_back(
          {.cpu = cpu, .place = fxt::FilePlace(directory.path() / name), .size_bytes = text.size()});
    }
  }
  TextRecording directory;
  std::vector<CpuFile> list;
};

TEST(CpuMerge, IsByTimeThenByCpu) {
  const Files files({PerfBytes().in(10, 1).out(30, 1).in(31, 1).text(), "",
                     PerfBytes().in(5, 2).out(10, 2).in(40, 2).text(), "missing"});
  Notes notes;
  std::vector<std::string> lines;
  CpuMerge<PerfCursor> merge(files.list, {.notes = &notes}, 100);
  EXPECT_EQ(merge.size(), 144);
  for (; !merge.at_end(); merge.advance())
    lines.push_back(fmt::format("{} cpu {}", merge.event().time_ns, merge.cpu()));
  EXPECT_THAT(lines, ElementsAre("5 cpu 2", "10 cpu 0", "10 cpu 2", "30 cpu 0", "31 cpu 0", "40 cpu 2"));
  EXPECT_EQ(merge.bytes_read(), 144);
  EXPECT_EQ(notes.count(kUnreadableFile), 1);
}

TEST(CpuMerge, OfManyCpusIsByTimeThenByCpu) {
  constexpr std::uint32_t kCpus = 7;
  constexpr int kEvents = 500;
  std::mt19937 random(1);
  std::vector<std::string> texts;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> expected, merged;
  for (std::uint32_t cpu = 0; cpu < kCpus; ++cpu) {
    PerfBytes bytes;
    std::uint64_t time_ns = 1;
    for (int i = 0; i < kEvents; ++i) {
      time_ns += random() % 8 == 0 ? random() % 100 : random() % 2;
      bytes.in(time_ns, 1);
      expected.emplace_back(time_ns, cpu);
    }
    texts.push_back(bytes.text());
  }
  std::ranges::sort(expected);
  const Files files(texts);
  for (CpuMerge<PerfCursor> merge(files.list, {}); !merge.at_end(); merge.advance()) {
    EXPECT_EQ(merge.file_index(), merge.cpu());
    merged.emplace_back(merge.event().time_ns, merge.cpu());
  }
  EXPECT_EQ(merged, expected);
}

PerfThreads scan(const std::vector<std::string>& texts, Notes* notes = nullptr) {
  const Files files(texts);
  return scan_perf(files.list, {.notes = notes});
}

TEST(PerfScan, FindsTheLastNames) {
  const auto threads =
      scan({PerfBytes().comm(10, 1, "first").exec(30, 1, "third").comm(31, 2, "other").comm(32, 2, "").text(),
            PerfBytes().comm(20, 1, "second").text()});
  EXPECT_EQ(threads.at(ThreadId{1}).name, "third");
  EXPECT_EQ(threads.at(ThreadId{2}).name, "other");
}

TEST(PerfScan, FindsForks) {
  const auto threads = scan({PerfBytes().fork(10, 2, 1).fork(20, 3, 2).in(30, 1).text()});
  EXPECT_EQ(threads.at(ThreadId{2}).forked_ns, 10);
  EXPECT_EQ(threads.at(ThreadId{2}).parent, ThreadId{1});
  EXPECT_EQ(threads.at(ThreadId{3}).forked_ns, 20);
  EXPECT_EQ(threads.at(ThreadId{3}).parent, ThreadId{2});
  EXPECT_EQ(threads.at(ThreadId{1}).forked_ns, std::nullopt);
}

// Thread 1 leaves one CPU and comes to another CPU. Thread 2 leaves three times, but comes back only once.
// Thread 3 exits after it has left its CPU, and later another thread gets its id.
TEST(PerfScan, FindsSwitchesOutWithoutASwitchIn) {
  const auto threads =
      scan({PerfBytes().out(10, 1).out(15, 2).preempted(17, 2).out(50, 3).exit(60, 3).in(70, 3).text(),
            PerfBytes().in(12, 1).in(20, 2).out(30, 1).preempted(40, 2).text()});
  EXPECT_THAT(threads.at(ThreadId{1}).lone_outs, ElementsAre(30));
  EXPECT_THAT(threads.at(ThreadId{2}).lone_outs, ElementsAre(15, 40));
  EXPECT_THAT(threads.at(ThreadId{3}).lone_outs, ElementsAre(50));
}

// Thread 2 leaves the CPU to which thread 1 came, so the switch out of thread 1 is missing. After the fork,
// the id of thread 3 belongs to another thread.
TEST(PerfScan, FindsSwitchesThatAreMissing) {
  const auto threads = scan({PerfBytes().in(10, 1).out(20, 2).out(30, 3).fork(40, 3, 1).in(50, 3).text()});
  ASSERT_THAT(threads.at(ThreadId{1}).missing, testing::SizeIs(1));
  EXPECT_EQ(threads.at(ThreadId{1}).missing[0].time_ns, 20u);
  EXPECT_EQ(threads.at(ThreadId{1}).missing[0].kind, PerfEvent::Kind::SwitchOut);
  EXPECT_THAT(threads.at(ThreadId{2}).missing, IsEmpty());
  EXPECT_THAT(threads.at(ThreadId{3}).lone_outs, ElementsAre(30));
}

TEST(PerfScan, CountsSwitchesAndNames) {
  const auto threads = scan({PerfBytes()
                                 .exec(10, 1, "a")
                                 .out(20, 1)
                                 .in(30, 1)
                                 .preempted(40, 1)
                                 .comm(50, 1, "b")
                                 .comm(60, 1, "c")
                                 .comm(70, 2, "d")
                                 .text()});
  const PerfThread& first = threads.at(ThreadId{1});
  EXPECT_EQ(first.first_ns, 20u);
  EXPECT_EQ(first.named_ns, 50u);
  EXPECT_EQ(first.last_ns, 60u);
  EXPECT_EQ(first.switched_out, 2u);
  EXPECT_EQ(first.preempted, 1u);
  EXPECT_EQ(first.names_given, 2u);
  EXPECT_THAT(first.short_outs, IsEmpty()) << "no shortest time is set";
  const PerfThread& second = threads.at(ThreadId{2});
  EXPECT_EQ(second.first_ns, std::nullopt);
  EXPECT_EQ(second.named_ns, 70u);
  EXPECT_EQ(second.switched_out, 0u);
}

TEST(PerfScan, FindsSwitchesOutThatAreTooShort) {
  const Files files({PerfBytes().out(10, 1).in(19, 1).out(30, 1).in(40, 1).out(50, 1).out(60, 1).text()});
  const auto threads = scan_perf(files.list, {}, 10);
  EXPECT_THAT(threads.at(ThreadId{1}).short_outs, ElementsAre(true, false, false, false));
  EXPECT_THAT(threads.at(ThreadId{1}).lone_outs, ElementsAre(50, 60));
}

TEST(PerfScan, CountsLostEvents) {
  Notes notes;
  scan({PerfBytes().lost(10, 5).text(), PerfBytes().lost(10, 2).text()}, &notes);
  EXPECT_EQ(notes.count(kSwitchesLost), 7);
  EXPECT_THAT(notes.groups().front().first,
              ElementsAre("CPU 0: the kernel lost 5 perf events", "CPU 1: the kernel lost 2 perf events"));
  EXPECT_THAT(scan({PerfBytes().lost(10, 5).text()}), IsEmpty());
}

}  // namespace
}  // namespace convert::uftrace
