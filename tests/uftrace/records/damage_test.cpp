// Files with unknown payloads, or with bytes that are not records. All other records must still be converted.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "converters/model/reading/input_error.h"
#include "converters/uftrace/importer.h"
#include "tests/number_bytes.h"
#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::Not;
using R = RecordingBuilder;

TEST(UftracePayload, IsSkippedButTheCallIsKept) {
  R r;
  r.entry(10, 0, R::kMain).entry_with_payload(11, 1, R::kF, 40).exit(13, 1, R::kF).exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 13] demo:f"));
  EXPECT_THAT(r.notes(), ElementsAre("payload-skipped 1",
                                     "DIR/100.dat:+0x10: 40 bytes of arguments or return value of f@demo, "
                                     "whose module has no .dbg file"));
}

TEST(UftracePayload, OfTheLastRecordEndsAtTheEndOfTheFile) {
  R r;
  r.entry(10, 0, R::kMain).entry_with_payload(11, 1, R::kF, 1024);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10 demo:main repaired=\"open-at-end\"",
                                     "100/100 [11 demo:f repaired=\"open-at-end\"", "100/100 11] demo:f",
                                     "100/100 11] demo:main"));
}

TEST(UftraceEvents, UnknownEventsAreSkippedByTheirLength) {
  R r;
  r.entry(10, 0, R::kMain).event(11, 100001, 4).event(12, 999, 0).event(12, 777, 100).exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(r.notes(),
              ElementsAre("event-skipped 3",
                          "DIR/100.dat:+0x10: event 100001 with 4 bytes of data is unknown or too short",
                          "DIR/100.dat:+0x28: event 999 with 0 bytes of data is unknown or too short",
                          "DIR/100.dat:+0x38: event 777 with 100 bytes of data is unknown or too short"));
}

TEST(UftraceDamage, UndamagedRecordsAreKept) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(12, 1, R::kF).bytes("these are 24 bad bytes..");
  r.entry(14, 1, R::kG).exit(15, 1, R::kG).exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 12] demo:f",
                                     "100/100 [14, 15] demo:g"));
  EXPECT_THAT(r.notes(), ElementsAre("damaged-bytes 24", "DIR/100.dat:+0x30: not records, up to +0x48"));
}

// Besides the 16 damaged bytes, the time 60,000 is wrong, but this error is too small to be noticed.
TEST(UftraceDamage, UndamagedRecordsAfterATooLateTimeAreKept) {
  RecordingBuilder r;
  r.entry(10, 0, RecordingBuilder::kMain).entry(60'000, 1, RecordingBuilder::kF);
  r.exit(30, 1, RecordingBuilder::kF).bytes(std::string(16, '\x5d'));
  for (std::uint64_t time = 40; time < 200; time += 2)
    r.entry(time, 1, RecordingBuilder::kG).exit(time + 1, 1, RecordingBuilder::kG);
  r.exit(70'000, 0, RecordingBuilder::kMain);
  const auto lines = r.lines();
  EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.ends_with("demo:g"); }), 160)
      << "80 begins and ends at one time, as times can't go back";
  EXPECT_THAT(r.notes(), testing::Contains("damaged-bytes 16"));
}

TEST(UftraceDamage, AHoleOfZerosIsSkipped) {
  R r;
  r.entry(10, 0, R::kMain)
      .bytes(std::string(8192, '\0'))
      .entry(14, 1, R::kG)
      .exit(15, 1, R::kG)
      .exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 [14, 15] demo:g"));
  EXPECT_THAT(r.notes(), ElementsAre("zero-filled 8192", "DIR/100.dat:+0x10: zeros instead of records"));
}

TEST(UftraceDamage, AHoleOfZerosMayBeLongerThanABlock) {
  R hole;
  hole.entry(10, 0, R::kMain).bytes(std::string(1'000'000, '\0')).exit(20, 0, R::kMain);
  EXPECT_THAT(hole.lines(), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(hole.notes(),
              ElementsAre("zero-filled 1000000", "DIR/100.dat:+0x10: zeros instead of records"));
  R tail;
  tail.entry(10, 0, R::kMain).exit(20, 0, R::kMain).bytes(std::string(1'000'000, '\0'));
  EXPECT_THAT(tail.lines(), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(tail.notes(),
              ElementsAre("truncated-tail 1000000", "DIR/100.dat:+0x20: zeros instead of records"));
}

TEST(UftraceDamage, ATaskLineWhoseTimeCannotBeDrawnIsSkipped) {
  R r;
  r.task_line(
      "DLOP timestamp=9223372036.854775808 tid=100 sid=0123456789abcdef base=1000 libname=\"libx.so\"");
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(r.notes(),
              ElementsAre("damaged-line 1",
                          testing::StartsWith("DIR/task.txt:3: the timestamp is too large to be shown")));
}

TEST(UftraceDamage, ZerosAtTheEndAreNoted) {
  R r;
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).bytes(std::string(64, '\0'));
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(r.notes(), ElementsAre("truncated-tail 64", "DIR/100.dat:+0x20: zeros instead of records"));
}

// While a recorder runs, the last bytes of a file may not be written yet.
TEST(UftraceDamage, ATailThatIsStillBeingWrittenIsNotDamage) {
  for (const std::string& tail : {std::string(64, '\0'), std::string(8, '\1')}) {
    R r;
    r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).bytes(tail).file("info", "");
    EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main"));
    EXPECT_THAT(r.notes(), testing::Contains(testing::StartsWith("truncated-tail")));
    std::filesystem::remove(r.path() / "info");
    ASSERT_EQ(::mkfifo((r.path() / ".channel").c_str(), 0600), 0);
    const int recorder = ::open((r.path() / ".channel").c_str(), O_RDWR | O_NONBLOCK);
    r.without("info");
    EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main"));
    EXPECT_THAT(r.notes(),
                ElementsAre("still-recording 1", testing::StartsWith("DIR: is still being recorded")));
    ::close(recorder);
  }
}

TEST(UftraceDamage, ATruncatedRecordIsNoted) {
  R r;
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).word(30);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(r.notes(),
              ElementsAre("truncated-tail 8",
                          "DIR/100.dat:+0x20: truncated: a record needs 16 bytes, but 8 are left"));
}

TEST(UftraceDamage, AFileOfGarbageHasNoCalls) {
  R r;
  r.bytes(std::string(10'000, '\x5d'));
  EXPECT_THAT(r.lines(), IsEmpty());
  EXPECT_THAT(r.notes(),
              ElementsAre("damaged-bytes 10000", "DIR/100.dat:+0x0: not records, up to the end of the file"));
}

TEST(UftraceDamage, AnEmptyFileHasNoCalls) {
  R r;
  r.thread(100);
  EXPECT_THAT(r.lines(), IsEmpty());
  EXPECT_THAT(r.notes(), IsEmpty());
  EXPECT_THAT(r.threads(), ElementsAre("100/100 demo of demo"));
}

// A few damaged bytes must not become gigabytes of calls.
TEST(UftraceDamage, DepthsThatJumpUpAndDownAreRejected) {
  R r;
  constexpr std::uint64_t kJumps = 1000;
  for (std::uint64_t i = 0; i < kJumps; ++i) r.entry(10 + 2 * i, 500, R::kF).entry(11 + 2 * i, 0, R::kMain);
  EXPECT_LT(r.lines().size(), 30'000u);
  EXPECT_THAT(r.notes(), testing::Contains(testing::StartsWith("bad-depth ")));
}

// The file has all kinds of records. For each prefix, starts and ends must be balanced.
TEST(UftraceDamage, EveryPrefixGivesBalancedCalls) {
  const auto tell = [](R& r) {
    r.entry(10, 0, R::kMain).entry_with_payload(11, 1, R::kF, 16).event(12, 100011, 4).lost(3);
    r.exit(13, 1, R::kF)
        .bytes("garbage, 16 byte")
        .entry(14, 1, R::kG)
        .exit(15, 1, R::kG)
        .exit(20, 0, R::kMain);
  };
  R whole;
  tell(whole);
  whole.lines();
  const auto size = std::filesystem::file_size(whole.path() / "100.dat");
  for (std::uintmax_t length = 0; length <= size; ++length) {
    R r;
    tell(r);
    r.lines();
    std::filesystem::resize_file(r.path() / "100.dat", length);
    Names names;
    Notes notes;
    ImportStats stats;
    Timeline timeline({}, notes);
    const ImportOptions options;
    ImportContext context{names, notes, timeline, stats, options};
    import(r.path(), context);
    struct Count : EventSink {
      void add_lanes(std::span<const LaneInfo>) override {}
      void write(std::span<const MergedRun> runs) override {
        for (const auto& [events, lane] : runs) {
          begins += std::ranges::count(events, EventKind::Begin, &PendingEvent::kind);
          ends += std::ranges::count(events, EventKind::End, &PendingEvent::kind);
        }
      }
      std::uint64_t events_written() const override { return 0; }
      std::ptrdiff_t begins = 0, ends = 0;
    } count;
    timeline.run(count, [] {});
    EXPECT_EQ(count.begins, count.ends) << "cut at " << length;
    EXPECT_EQ(stats.bytes_read, length);
  }
}

// In the next tests, bits of times are flipped. Later records with right times must still be converted.
constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(UftraceTimes, AFirstRecordFromTheFutureIsDropped) {
  R r;
  r.entry(10 + (std::uint64_t{1} << 40), 0, R::kMain)
      .entry(11, 1, R::kF)
      .exit(13, 1, R::kF)
      .exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [11, 20] demo:main repaired=\"entry-missing\"",
                                     "100/100 [11, 13] demo:f"));
  EXPECT_THAT(r.notes(), ElementsAre("bad-time 1", testing::StartsWith("DIR/100.dat:+0x0: a record time of"),
                                     "entry-missing 1", testing::_));
}

// The argument 5 and the time of the next record together look like a record at 5 ns. This time is before the
// start of the program.
TEST(UftraceTimes, AFirstRecordIsNotComparedWithArguments) {
  constexpr std::uint64_t kBegin = 8084'352'789'000;
  constexpr std::uint64_t kLikeARecord = kBegin / 64 * 64 + 0x2d;  // looks like an exit with a payload
  R r;
  r.file("task.txt",
         "SESS timestamp=8084.348413785 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"\n"
         "TASK timestamp=8084.348473675 tid=100 pid=100\n");
  r.info_line("argspec:f@arg1");
  const std::string five = number_bytes(std::uint64_t{5});
  r.entry_with(kLikeARecord - 64, 0, R::kF, five).entry_with(kLikeARecord, 1, R::kF, five);
  r.entry_with(kLikeARecord + 64, 2, R::kF, five).exit(kLikeARecord + 128, 2, R::kF);
  r.exit(kLikeARecord + 192, 1, R::kF).exit(kLikeARecord + 256, 0, R::kF);
  EXPECT_THAT(r.lines(), testing::SizeIs(3));
  EXPECT_THAT(r.notes(), testing::IsEmpty());
}

TEST(UftraceTimes, ARecordFromTheFutureIsDropped) {
  R r;
  r.entry(10, 0, R::kMain).entry(11 + 274 * kSecond, 1, R::kF).exit(13, 1, R::kF).entry(14, 1, R::kG);
  r.exit(15, 1, R::kG).exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [13 demo:f repaired=\"cut-by-loss\"",
                          "100/100 13] demo:f", "100/100 [14, 15] demo:g"));
  EXPECT_THAT(r.notes(), testing::Contains("bad-time 1"));
}

// The last record is days later than all other records. No later record could contradict its time.
TEST(UftraceTimes, ALastRecordAfterTheEndOfTheRecordingIsDropped) {
  constexpr std::uint64_t kDays = 200'000 * kSecond;
  const auto recorded_in = [](std::string_view seconds) {
    R r;
    r.elapsed(seconds);
    r.entry(10, 0, R::kMain).entry(12, 1, R::kF).exit(13, 1, R::kF).exit(20 + kDays, 0, R::kMain);
    return r.lines();
  };
  EXPECT_THAT(recorded_in("0.010904173"),
              ElementsAre("100/100 [10, 13] demo:main repaired=\"open-at-end\"", "100/100 [12, 13] demo:f"));
  EXPECT_THAT(recorded_in("200000.500000000"),
              ElementsAre("100/100 [10, 200000000000020] demo:main", "100/100 [12, 13] demo:f"));
  EXPECT_THAT(recorded_in(""),
              ElementsAre("100/100 [10, 200000000000020] demo:main", "100/100 [12, 13] demo:f"));
}

TEST(UftraceTimes, ALeapIsAcceptedIfTheNextRecordsAreAlsoLate) {
  constexpr std::uint64_t kDays = 200'000 * kSecond;
  R r;
  r.entry(10, 0, R::kMain)
      .entry(12 + kDays, 1, R::kF)
      .exit(13 + kDays, 1, R::kF)
      .exit(20 + kDays, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 200000000000020] demo:main",
                                     "100/100 [200000000000012, 200000000000013] demo:f"));
}

// ---- Times from other files ----

constexpr std::uint64_t kBegun = 1000 * kSecond;  // start of the session and the task

R& recorded(R& r) {
  r.file("task.txt",
         "SESS timestamp=1000.000000000 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"\n"
         "TASK timestamp=1000.000000000 tid=100 pid=100\n");
  r.entry(kBegun + 10, 0, R::kMain).entry(kBegun + 12, 1, R::kF).exit(kBegun + 13, 1, R::kF);
  return r;
}
const std::vector<std::string> kRecorded = {
    "100/100 [1000000000010, 1000000000013] demo:main repaired=\"open-at-end\"",
    "100/100 [1000000000012, 1000000000013] demo:f"};

TEST(UftraceTimes, RecordsBeforeTheSessionAreDropped) {
  R r;
  recorded(r).entry(0, 0, 0).exit(500 * kSecond, 0, 0).exit(500 * kSecond + 20, 0, 0);
  r.exit(kBegun - 5'000'000, 0, 0);
  EXPECT_THAT(r.lines(), ElementsAreArray(kRecorded));
  EXPECT_THAT(r.notes(), testing::Contains("bad-time 4"));
  EXPECT_THAT(r.notes(), Not(testing::Contains(testing::StartsWith("time-went-back"))));
}

// A pointer looks like a time, but this time is hours after the end of the recording.
TEST(UftraceTimes, RecordsAfterTheRecordingAreDropped) {
  constexpr std::uint64_t kPointer = 0x5618'b5fc'7dbe;
  R r;
  r.elapsed("0.003067967");
  recorded(r).entry(kPointer, 3, R::kF).entry(kPointer + 8, 2, R::kG).exit(kPointer + 64, 5, R::kG);
  EXPECT_THAT(r.lines(), ElementsAreArray(kRecorded));
  EXPECT_THAT(r.notes(), testing::Contains("bad-time 3"));
  // Without the length of the recording, these times are possible.
  r.elapsed("");
  EXPECT_THAT(r.lines(), testing::SizeIs(testing::Gt(kRecorded.size())));
  // The recorder may measure the length with another clock, so the length may differ slightly.
  R longer;
  longer.elapsed("0.003067967");
  recorded(longer).exit(kBegun + kSecond / 2, 0, R::kMain);
  EXPECT_THAT(longer.lines(), testing::Contains("100/100 [1000000000010, 1000500000000] demo:main"));
  R sleeping;
  sleeping.elapsed("0.003067967");
  sleeping.info_line("cmdline:uftrace record --clock=boot demo");
  recorded(sleeping).exit(kBegun + 100 * kSecond, 0, R::kMain);
  EXPECT_THAT(sleeping.lines(), testing::Contains("100/100 [1000000000010, 1100000000000] demo:main"));
}

TEST(UftraceTimes, RecordsAfterTheExitOfTheTaskAreDropped) {
  for (const bool is_last : {true, false}) {
    R r;
    PerfBytes perf;
    perf.in(kBegun + 5, 100).exit(kBegun + 20, 100).out(kBegun + 30, 100);
    if (!is_last) perf.in(kBegun + 40, 100);  // another task has the id
    r.file("perf-cpu0.dat", perf.text());
    recorded(r).entry(kBegun + 10'000'000, 1, R::kG).exit(kBegun + 10'000'001, 1, R::kG);
    const auto lines = r.lines({}, {.no_sched = true});
    if (is_last)
      EXPECT_THAT(lines, Not(testing::Contains(testing::HasSubstr("demo:g"))));
    else
      EXPECT_THAT(lines, testing::Contains(testing::HasSubstr("demo:g")));
  }
}

// If the first record already contradicts the other files, those files are wrong, or belong to another
// recording.
TEST(UftraceTimes, AFirstRecordThatContradictsTheFilesIsRight) {
  R r;
  r.elapsed("0.003067967");
  r.file("task.txt",
         "SESS timestamp=1000.000000000 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"\n"
         "TASK timestamp=1000.000000000 tid=100 pid=100\n");
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main"));
}

TEST(UftraceTimes, ARecordWithArgumentsFromTheFutureIsDropped) {
  R r;
  r.entry(10, 0, R::kMain).entry_with_payload(11 + 274 * kSecond, 1, R::kF, 40).exit(13, 1, R::kF);
  r.exit(20, 0, R::kMain);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 20] demo:main",
                                     "100/100 [13 demo:f repaired=\"cut-by-loss\"", "100/100 13] demo:f"));
}

TEST(UftraceTimes, LongSleepsAreNotDamage) {
  R r;
  r.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(7200 * kSecond, 1, R::kF);
  r.entry(7201 * kSecond, 1, R::kG).exit(9000 * kSecond, 1, R::kG).exit(20'000 * kSecond, 0, R::kMain);
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 20000000000000] demo:main", "100/100 [11, 7200000000000] demo:f",
                          "100/100 [7201000000000, 9000000000000] demo:g"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST(UftraceDamage, AWrongLengthOfAnEventLosesNoRecord) {
  constexpr std::uint64_t kCalls = 4000;
  constexpr std::uint64_t kWatchCpuWithData = 100011 * 65536ull + 5 * 8 + 4 + 3;
  R r;  // the event has 4 bytes of data, but its length has a flipped bit
  r.entry(10, 0, R::kMain).word(11).word(kWatchCpuWithData).word(0x8004);
  for (std::uint64_t i = 0; i < kCalls; ++i) r.entry(12 + 2 * i, 1, R::kF).exit(13 + 2 * i, 1, R::kF);
  r.exit(20'000, 0, R::kMain);
  EXPECT_EQ(r.lines().size(), 1 + kCalls);
}

TEST(UftraceDamage, ConsecutiveLossesAreOneLoss) {
  R r;
  r.lost(1).lost(2).entry(10, 0, R::kMain).lost(3).lost(4).lost(5).exit(20, 0, R::kMain).thread(101).lost(6);
  EXPECT_THAT(r.lines(), ElementsAre("100/100 @10 event:records lost count=3", "100/100 @10 buffer full",
                                     "100/100 [10, 20] demo:main", "100/100 @10 event:records lost count=3",
                                     "100/100 @10 buffer full", "100/100 @10 event:records lost count=9",
                                     "100/100 @10 buffer full"));
  EXPECT_THAT(r.notes(), testing::Contains("records-lost 21"));
}

TEST(UftraceDamage, DamageAtTheStartOfAForkedChildDoesNotLoseInheritedCalls) {
  R r;
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(25, 1, R::kFork).exit(40, 0, R::kMain);
  r.thread(101).bytes(std::string(16, '\0')).exit(22, 1, R::kFork).exit(24, 0, R::kMain);
  EXPECT_THAT(r.lines(), testing::Contains("101/101 [22, 24] demo:main repaired=\"inherited-call\""));
}

TEST(UftraceFiles, FilesThatAreNotNeededMayBeUnreadable) {
  R r;
  for (const char* name : {"note.txt", "extern.dat", "default.opts"})
    std::filesystem::create_symlink(name, r.path() / name);  // a link to itself
  EXPECT_THAT(r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).lines(),
              ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(r.notes(), testing::Contains("DIR/note.txt: can't open: Too many levels of symbolic links"));
}

TEST(UftraceFiles, UnreadableRecordFilesAreNoted) {
  for (const char* name : {"7.dat", "perf-cpu0.dat", "kernel-cpu0.dat"}) {
    R r;
    std::filesystem::create_symlink(name, r.path() / name);  // a link to itself
    EXPECT_THAT(r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).lines(),
                ElementsAre("100/100 [10, 20] demo:main"));
    EXPECT_THAT(r.notes(),
                ElementsAre("unreadable-file 1",
                            fmt::format("DIR/{}: can't open: Too many levels of symbolic links", name)));
  }
}

TEST(UftraceFiles, MissingRecordFilesAreNoted) {
  R r;
  r.lines();
  EXPECT_THAT(r.notes(),
              ElementsAre("no-records 1", "DIR: has no .dat file, although task.txt lists a thread"));
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100").lines();
  EXPECT_THAT(r.notes(),
              ElementsAre("no-records 1", "DIR: has no .dat file, although task.txt lists 2 threads"));
  EXPECT_THAT(r.description(),
              testing::IsSupersetOf({testing::HasSubstr("blob uftrace/task.txt"),
                                     testing::HasSubstr("blob uftrace/sid-0123456789abcdef.map")}));
}

TEST(UftraceFiles, WithoutTasksAndRecordsThereIsNothingToShow) {
  R r;
  r.without("task.txt");
  EXPECT_THROW(r.lines(), InputError);
  r.file("perf-cpu0.dat", "");
  EXPECT_THAT(r.lines(), IsEmpty());
}

TEST(UftraceFiles, FilesOfDeselectedThreadsAreNotShown) {
  R r;
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).thread(101).entry(10, 0, R::kF).exit(20, 0, R::kF);
  EXPECT_THAT(r.lines({.tids = {101}}), ElementsAre("100/101 [10, 20] demo:f"));
  EXPECT_THAT(r.notes(), ElementsAre("threads-left-out 1", "DIR: thread 100"));
}

TEST(UftraceRecognition, IsByContent) {
  R r;
  r.entry(10, 0, R::kMain).lines();
  EXPECT_TRUE(recognizes(r.path()));
  std::filesystem::remove(r.path() / "info");
  EXPECT_TRUE(recognizes(r.path())) << "a killed recorder leaves no info";
  std::filesystem::remove(r.path() / "task.txt");
  EXPECT_TRUE(recognizes(r.path())) << "by its records";
  std::filesystem::remove(r.path() / "100.dat");
  EXPECT_FALSE(recognizes(r.path()));
  EXPECT_FALSE(recognizes("/dev/null"));
  EXPECT_FALSE(recognizes("/nonexistent"));
}

}  // namespace
}  // namespace convert::uftrace
