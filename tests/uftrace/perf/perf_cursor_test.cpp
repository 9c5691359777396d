// Tests how the events of a perf file are read. If the file is damaged, the undamaged events are read.
#include "converters/uftrace/perf/perf_cursor.h"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/reading/input_error.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "tests/number_bytes.h"
#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::IsEmpty;

std::string text_of(const PerfEvent& event) {
  constexpr std::array kNames{"in", "out", "preempted", "fork", "exit", "comm", "exec", "lost"};
  std::string text = fmt::format("{} {} {}", event.time_ns, kNames[static_cast<std::size_t>(event.kind)],
                                 static_cast<std::uint64_t>(event.tid));
  if (event.kind == PerfEvent::Kind::Fork)
    text += fmt::format(" by {}", static_cast<std::uint64_t>(event.parent));
  if (!event.comm.empty()) text += fmt::format(" {}", event.comm);
  if (event.kind == PerfEvent::Kind::Lost) text += fmt::format(" {}", event.lost);
  return text;
}

struct Events {
  std::vector<std::string> lines;
  std::vector<std::string> notes;
};

Events events_of(std::string_view bytes, std::endian order = std::endian::little, std::size_t block = 4096) {
  static TextRecording directory;
  directory.file("perf-cpu0.dat", bytes);
  const auto path = directory.path() / "perf-cpu0.dat";
  Notes notes;
  PerfCursor cursor({.cpu = 0, .place = fxt::FilePlace(path), .size_bytes = bytes.size()},
                    {.order = order, .notes = &notes}, block);
  Events events;
  while (cursor.next()) events.lines.push_back(text_of(cursor.event()));
  EXPECT_EQ(cursor.offset(), bytes.size());
  for (const Notes::Group& group : notes.groups()) {
    events.notes.push_back(fmt::format("{} {}", group.kind->name, group.count));
    for (const std::string& first : group.first)
      events.notes.push_back(first.substr(directory.path().native().size() + 1));
  }
  return events;
}

// Returns a file with each kind of event. The times begin at 1 s.
PerfBytes whole_file(std::endian order) {
  PerfBytes bytes(order);
  bytes.exec(1'000'000'010, 100, "demo").in(1'000'000'020, 100).fork(1'000'000'030, 101, 100);
  bytes.other(11, 24).preempted(1'000'000'040, 100).lost(1'000'000'045, 3).in(1'000'000'050, 101);
  bytes.comm(1'000'000'055, 101, "a longer name x").out(1'000'000'060, 101).other(68, 0);
  return bytes.exit(1'000'000'070, 101);
}
const std::vector<std::string> kWholeFile{"1000000010 exec 100 demo",
                                          "1000000020 in 100",
                                          "1000000030 fork 101 by 100",
                                          "1000000040 preempted 100",
                                          "1000000045 lost 0 3",
                                          "1000000050 in 101",
                                          "1000000055 comm 101 a longer name x",
                                          "1000000060 out 101",
                                          "1000000070 exit 101"};

// These bytes are from a real recording.
TEST(PerfCursor, ReadsSwitchesAsTheKernelWritesThem) {
  const auto events = events_of(
      "\x0e\0\0\0\0\x60\x18\0\x48\x61\0\0\x48\x61\0\0\xbb\x42\xb6\xc9\xf8\0\0\0"
      "\x0e\0\0\0\0\0\x18\0\x48\x61\0\0\x48\x61\0\0\xbc\x42\xb6\xc9\xf8\0\0\0"
      "\x0e\0\0\0\0\x20\x18\0\x48\x61\0\0\x49\x61\0\0\xbd\x42\xb6\xc9\xf8\0\0\0"sv);
  EXPECT_THAT(events.lines, ElementsAre("1068536054459 preempted 24904", "1068536054460 in 24904",
                                        "1068536054461 out 24905"));
  EXPECT_THAT(events.notes, IsEmpty());
}

TEST(PerfCursor, ReadsTasksAsTheKernelWritesThem) {
  const auto events = events_of(
      "\x07\0\0\0\0\0\x30\0"                              // Fork, 48 bytes
      "\x48\x61\0\0\x47\x61\0\0\x4a\x61\0\0\x49\x61\0\0"  // pid, ppid, tid, ptid
      "\x01\0\0\0\0\0\0\0"                                // time of the fork
      "\x48\x61\0\0\x49\x61\0\0\x05\0\0\0\0\0\0\0"        // pid, tid, time
      "\x04\0\0\0\0\0\x30\0"                              // Exit
      "\x48\x61\0\0\x47\x61\0\0\x4a\x61\0\0\x49\x61\0\0\x01\0\0\0\0\0\0\0"
      "\x48\x61\0\0\x4b\x61\0\0\x06\0\0\0\0\0\0\0"
      "\x03\0\0\0\0\x20\x28\0\x48\x61\0\0\x4a\x61\0\0threads\0"
      "\x48\x61\0\0\x4b\x61\0\0\x07\0\0\0\0\0\0\0"
      "\x03\0\0\0\0\0\x28\0\x48\x61\0\0\x4a\x61\0\0renamed\0"
      "\x48\x61\0\0\x4b\x61\0\0\x07\0\0\0\0\0\0\0"
      "\x02\0\0\0\0\0\x28\0\x09\0\0\0\0\0\0\0\x11\0\0\0\0\0\0\0"
      "\x48\x61\0\0\x4b\x61\0\0\x08\0\0\0\0\0\0\0"sv);
  EXPECT_THAT(events.lines, ElementsAre("1 fork 24906 by 24905", "1 exit 24906", "7 exec 24906 threads",
                                        "7 comm 24906 renamed", "8 lost 0 17"));
  EXPECT_THAT(events.notes, IsEmpty());
}

TEST(PerfCursor, ReadsBothByteOrdersInBlocksOfAnySize) {
  for (const auto order : {std::endian::little, std::endian::big})
    for (const std::size_t block : std::initializer_list<std::size_t>{1, 7, 16, 64, 4096}) {
      const Events events = events_of(whole_file(order), order, block);
      EXPECT_EQ(events.lines, kWholeFile) << block;
      EXPECT_THAT(events.notes, IsEmpty()) << block;
    }
}

TEST(PerfCursor, ReadsAnEmptyFile) { EXPECT_THAT(events_of("").lines, IsEmpty()); }

// All complete events of the prefix are read. If the prefix ends inside an event, a note reports this.
TEST(PerfCursor, ReadsEveryPrefix) {
  const std::string whole = whole_file(std::endian::little).text();
  std::size_t ends_clean = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Events events = events_of(std::string_view(whole).substr(0, size), std::endian::little, 16);
    ASSERT_LE(events.lines.size(), kWholeFile.size());
    EXPECT_EQ(events.lines, std::vector(kWholeFile.begin(), kWholeFile.begin() + static_cast<std::ptrdiff_t>(
                                                                                     events.lines.size())));
    if (events.notes.empty()) ++ends_clean;
  }
  EXPECT_EQ(ends_clean, 12);  // an empty prefix, or 1 to 11 complete records
}

TEST(PerfCursor, NotesATruncatedRecord) {
  PerfBytes bytes;
  bytes.in(10, 100).out(20, 100).exit(30, 100);
  EXPECT_THAT(events_of(bytes.text().substr(0, 60)).notes,
              ElementsAre("truncated-tail 12",
                          "perf-cpu0.dat:+0x30: truncated: a perf event needs 48 bytes, but 12 are left"));
  const Events events = events_of(bytes.text().substr(0, 52));
  EXPECT_THAT(events.lines, ElementsAre("10 in 100", "20 out 100"));
  EXPECT_THAT(events.notes,
              ElementsAre("truncated-tail 4",
                          "perf-cpu0.dat:+0x30: truncated: a perf event needs 8 bytes, but 4 are left"));
}

TEST(PerfCursor, ContinuesAfterDamage) {
  for (const std::size_t block : std::initializer_list<std::size_t>{1, 16, 4096}) {
    PerfBytes bytes;
    bytes.in(10, 100).bytes("these are 24 bad bytes..").out(20, 100).in(30, 100);
    const Events events = events_of(bytes, std::endian::little, block);
    EXPECT_THAT(events.lines, ElementsAre("10 in 100", "20 out 100", "30 in 100"));
    EXPECT_THAT(events.notes,
                ElementsAre("damaged-bytes 24", "perf-cpu0.dat:+0x18: not perf events, up to +0x30"));
  }
}

TEST(PerfCursor, ContinuesAfterAHoleOfZeros) {
  PerfBytes bytes;
  bytes.in(10, 100).bytes(std::string(8192, '\0')).out(20, 100);
  const Events events = events_of(bytes);
  EXPECT_THAT(events.lines, ElementsAre("10 in 100", "20 out 100"));
  EXPECT_THAT(events.notes,
              ElementsAre("zero-filled 8192", "perf-cpu0.dat:+0x18: not perf events, up to +0x2018"));
}

// After damage, reading resumes at a record with a plausible time. After this record, there must be another
// plausible record or the end of the file.
TEST(PerfCursor, ResumesOnlyAtPlausibleRecords) {
  PerfBytes bytes;
  bytes.in(10, 100).bytes("12345678").in(9, 100).bytes("12345678");  // the time is too early
  bytes.in(std::uint64_t{1} << 63, 100).bytes("12345678");           // the time is too late
  bytes.out(20, 100).bytes("12345678").in(30, 100);                  // out() has no record directly after it
  for (std::size_t block = 1; block < 64; ++block) {
    const Events events = events_of(bytes, std::endian::little, block);
    EXPECT_THAT(events.lines, ElementsAre("10 in 100", "30 in 100")) << block;
    EXPECT_THAT(events.notes,
                ElementsAre("damaged-bytes 104", "perf-cpu0.dat:+0x18: not perf events, up to +0x80"));
  }
}

TEST(PerfCursor, RejectsSizesThatATypeDoesNotHave) {
  for (const auto& [type, size] : {std::pair{14, 32},
                                   {7, 40},
                                   {4, 56},
                                   {2, 48},
                                   {3, 24},
                                   {3, 120},
                                   {11, 4},
                                   {11, 0},
                                   {0, 24},
                                   {128, 24},
                                   {11, 25}}) {
    PerfBytes bytes;
    bytes.in(10, 100).header(static_cast<std::uint32_t>(type), 0, static_cast<std::uint16_t>(size));
    bytes.bytes(std::string(112, '\xff')).out(20, 100);
    const Events events = events_of(bytes);
    EXPECT_THAT(events.lines, ElementsAre("10 in 100", "20 out 100"));
    EXPECT_THAT(events.notes, ElementsAre("damaged-bytes 120", testing::_)) << type << ' ' << size;
  }
}

TEST(PerfCursor, ReadsTheSmallestAndTheLargestRecords) {
  PerfBytes bytes;
  bytes.header(3, 0, 32).bytes("\x64\0\0\0\x64\0\0\0\x64\0\0\0\x64\0\0\0\x0a\0\0\0\0\0\0\0"sv);
  bytes.comm(11, 100, std::string(63, 'x')).other(127, 0).in(12, 100);
  const Events events = events_of(bytes);
  EXPECT_THAT(events.lines, ElementsAre("10 comm 100", "11 comm 100 " + std::string(63, 'x'), "12 in 100"));
  EXPECT_THAT(events.notes, IsEmpty());
}

// The last record before damage is accepted if its type has a fixed size. A record of any other type must be
// followed by a plausible record or by the end of the file.
TEST(PerfCursor, ReadsRecordsBeforeDamage) {
  for (const std::string& record : {PerfBytes().in(10, 100).text(), PerfBytes().fork(10, 100, 1).text(),
                                    PerfBytes().exit(10, 100).text(), PerfBytes().lost(10, 100).text()}) {
    PerfBytes bytes;
    bytes.bytes(record).bytes("these are 24 bad bytes..").out(20, 100);
    const Events events = events_of(bytes);
    EXPECT_EQ(events.lines.size(), 2);
    EXPECT_THAT(events.notes, ElementsAre("damaged-bytes 24", testing::_));
  }
  PerfBytes bytes;
  bytes.comm(10, 100, "name").bytes("these are 24 bad bytes..").out(20, 100);
  for (const std::size_t block : std::initializer_list<std::size_t>{1, 16, 4096})
    EXPECT_THAT(events_of(bytes, std::endian::little, block).notes,
                ElementsAre("damaged-bytes 64", testing::_));
}

TEST(PerfCursor, AfterDamageATruncatedRecordIsAlsoDamage) {
  PerfBytes bytes;
  bytes.in(10, 100).bytes("these are 24 bad bytes..").bytes(PerfBytes().out(20, 100).text().substr(0, 12));
  EXPECT_THAT(events_of(bytes).notes,
              ElementsAre("damaged-bytes 36", "perf-cpu0.dat:+0x18: not perf events, up to +0x3c"));
}

TEST(PerfCursor, AWrongSizeLosesOneRecord) {
  std::string bytes = PerfBytes().in(10, 100).text();
  const std::size_t at = bytes.size();
  bytes += PerfBytes().comm(20, 100, "name").text();
  bytes[at + 6] = 32;  // the correct size is 40
  bytes += PerfBytes().out(30, 100).in(40, 100).text();
  const Events events = events_of(bytes);
  EXPECT_THAT(events.lines, ElementsAre("10 in 100", "30 out 100", "40 in 100"));
  EXPECT_THAT(events.notes, ElementsAre("damaged-bytes 40", testing::_));
}

// If a header has an unknown type, and its size is larger than the file, the header is damage.
TEST(PerfCursor, KeepsRecordsThatAWrongSizeWouldSkip) {
  PerfBytes bytes;
  bytes.in(10, 100).header(99, 0, 0x8000).out(20, 100).in(30, 100);
  const Events events = events_of(bytes);
  EXPECT_THAT(events.lines, ElementsAre("10 in 100", "20 out 100", "30 in 100"));
  EXPECT_THAT(events.notes,
              ElementsAre("damaged-bytes 8", "perf-cpu0.dat:+0x18: not perf events, up to +0x20"));
}

TEST(PerfCursor, DropsTimesThatTheNextRecordContradicts) {
  constexpr std::uint64_t kFlip = std::uint64_t{1} << 45;
  PerfBytes bytes;
  bytes.in(10 + kFlip, 100).in(20, 100).out(30 + kFlip, 100).other(11, 8).in(40, 100);
  const Events events = events_of(bytes);
  EXPECT_THAT(events.lines, ElementsAre("20 in 100", "40 in 100"))
      << "a first record, and one with nothing but an unknown record behind it";
}

TEST(PerfCursor, AContradictingRecordMustBePlausible) {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  PerfBytes low;
  low.in(kHour, 100).in(kHour, 100).out(2 * kHour, 100).in(5, 100).in(2 * kHour + 1, 100);
  EXPECT_THAT(events_of(low).lines, ElementsAre("3600000000000 in 100", "3600000000000 in 100",
                                                "7200000000000 out 100", "7200000000001 in 100"));
  PerfBytes little_before;
  little_before.in(10, 100).out(10'000'000, 100).in(9'000'000, 100);
  EXPECT_THAT(events_of(little_before).lines,
              ElementsAre("10 in 100", "10000000 out 100", "10000000 in 100"));
  PerfBytes no_witness;
  no_witness.in(10, 100).in(10, 100).out(kHour, 100).bytes("these are 24 bad bytes..").in(20, 100);
  EXPECT_THAT(events_of(no_witness).lines, ElementsAre("10 in 100", "10 in 100", "20 in 100"));
  PerfBytes likely_without;
  likely_without.in(10, 100).in(10, 100).out(999'999'999, 100).bytes("these are 24 bad bytes..");
  EXPECT_THAT(events_of(likely_without).lines, ElementsAre("10 in 100", "10 in 100", "999999999 out 100"));
  PerfBytes cut;
  cut.in(10, 100).in(10, 100).out(kHour, 100).in(20, 100);
  EXPECT_THAT(events_of(cut.text().substr(0, 90)).lines, ElementsAre("10 in 100", "10 in 100"));
  PerfBytes too_far_before;
  too_far_before.in(10, 100).out(10'000'000, 100).in(8'999'999, 100);
  EXPECT_THAT(events_of(too_far_before).lines, ElementsAre("10 in 100", "8999999 in 100"));
}

TEST(PerfCursor, AContradictingRecordMayComeAfterSevenUnknownRecords) {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  const auto lines_with = [](int unknown) {
    PerfBytes bytes;
    bytes.in(10, 100).in(10, 100).out(kHour, 100);
    for (int i = 0; i < unknown; ++i) bytes.other(11, 8);
    return events_of(bytes.in(20, 100)).lines;
  };
  EXPECT_THAT(lines_with(7), ElementsAre("10 in 100", "10 in 100", "20 in 100"));
  EXPECT_THAT(lines_with(8), ElementsAre("10 in 100", "10 in 100", "3600000000000 out 100"));
}

TEST(PerfCursor, APauseOfASecondNeedsAReadableRecordAfterIt) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto count_with = [](std::uint64_t time_ns) {
    PerfBytes bytes;
    bytes.in(10, 100).in(10, 100).out(time_ns, 100).bytes("these are 24 bad bytes..");
    return events_of(bytes).lines.size();
  };
  EXPECT_EQ(count_with(kSecond + 9), 3u);
  EXPECT_EQ(count_with(kSecond + 10), 2u);
}

// The record of a fork or an exit has two times: the time of the event, and the time at which the record was
// written. The time of the event is used only if both times are close to each other.
TEST(PerfCursor, UsesTheTimeOfAnEventIfItIsClose) {
  const auto exit_at = [](std::uint64_t time_ns) {
    PerfBytes bytes;
    bytes.in(5'000'000, 100).in(5'000'000, 100).exit(5'000'000, 100);
    std::string text = bytes.text();
    text.replace(48 + 24, sizeof time_ns, number_bytes(time_ns));
    return events_of(text).lines.back();
  };
  EXPECT_EQ(exit_at(4'000'000), "4000000 exit 100");
  EXPECT_EQ(exit_at(6'000'000), "6000000 exit 100");
  EXPECT_EQ(exit_at(3'999'999), "5000000 exit 100");
  EXPECT_EQ(exit_at(6'000'001), "5000000 exit 100");
}

TEST(PerfCursor, DropsImpossibleTimes) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  PerfBytes bytes;
  bytes.in(10 * kSecond, 100).in(10 * kSecond, 100).out(9 * kSecond, 100).out(std::uint64_t{1} << 63, 100);
  bytes.in(11 * kSecond, 100).out(99 * kSecond, 100).in(12 * kSecond, 100);
  const Events events = events_of(bytes);
  EXPECT_THAT(events.lines, ElementsAre("10000000000 in 100", "10000000000 in 100", "11000000000 in 100",
                                        "12000000000 in 100"));
  EXPECT_THAT(
      events.notes,
      ElementsAre("bad-time 3",
                  "perf-cpu0.dat:+0x30: the perf event's time of 9000000000 ns is impossible here",
                  "perf-cpu0.dat:+0x48: the perf event's time of 9223372036854775808 ns is impossible here",
                  "perf-cpu0.dat:+0x78: the perf event's time of 99000000000 ns is impossible here"));
}

TEST(PerfCursor, AcceptsALongPause) {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  PerfBytes bytes;
  bytes.in(10, 100).out(kHour, 100).in(2 * kHour, 100);
  EXPECT_THAT(events_of(bytes).lines,
              ElementsAre("10 in 100", "3600000000000 out 100", "7200000000000 in 100"));
}

// The clock of perf may go back slightly. An event with such a time gets the time of the previous event.
TEST(PerfCursor, NeverGoesBackInTime) {
  PerfBytes bytes;
  bytes.in(5'000'000, 100).out(4'000'000, 100).in(5'000'001, 100);
  const Events events = events_of(bytes);
  EXPECT_THAT(events.lines, ElementsAre("5000000 in 100", "5000000 out 100", "5000001 in 100"));
  EXPECT_THAT(events.notes, IsEmpty());
  PerfBytes too_far;
  too_far.in(5'000'000, 100).in(5'000'000, 100).out(3'999'999, 100).in(5'000'001, 100);
  EXPECT_THAT(events_of(too_far).lines, ElementsAre("5000000 in 100", "5000000 in 100", "5000001 in 100"));
}

TEST(PerfCursor, SurvivesEveryFlippedBit) {
  const std::string whole = whole_file(std::endian::little).text();
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const Events events = events_of(flipped);
    EXPECT_GE(events.lines.size(), kWholeFile.size() - 2) << bit;  // a wrong size may hide a second record
  }
}

TEST(PerfCursor, EndsAtTheUnreadablePartOfAFile) {
  TextRecording directory;
  PerfBytes bytes;
  bytes.in(10, 100).out(20, 100);
  directory.file("perf-cpu0.dat", bytes);
  const auto path = directory.path() / "perf-cpu0.dat";
  Notes notes;
  PerfCursor cursor({.cpu = 0, .place = fxt::FilePlace(path), .size_bytes = 48}, {.notes = &notes}, 8);
  EXPECT_TRUE(cursor.next());
  std::filesystem::resize_file(path, 30);
  EXPECT_FALSE(cursor.next());
  EXPECT_FALSE(cursor.next());
  EXPECT_EQ(notes.count(kUnreadableFile), 1);
}

TEST(PerfCursor, MayBeUsedWithoutNotes) {
  TextRecording directory;
  directory.file("perf-cpu0.dat", "x");
  PerfCursor cursor({.cpu = 0, .place = fxt::FilePlace(directory.path() / "perf-cpu0.dat"), .size_bytes = 1},
                    {});
  EXPECT_FALSE(cursor.next());
  EXPECT_THROW(
      PerfCursor({.cpu = 0, .place = fxt::FilePlace(directory.path() / "none"), .size_bytes = 1}, {}),
      InputError);
}

}  // namespace
}  // namespace convert::uftrace
