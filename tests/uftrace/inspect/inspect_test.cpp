// inspect() counts all records of a recording without a conversion, and reports the positions of damage.
#include "converters/uftrace/inspect.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "converters/model/reading/input_error.h"
#include "tests/uftrace/kernel/kernel_bytes.h"
#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using R = RecordingBuilder;
using Json = nlohmann::ordered_json;

std::string section(const R& r, std::string_view name) {
  Notes notes;
  return text_of(*inspect(r.path(), notes).find(name));
}

TEST(UftraceInspect, CountsTheRecordsOfAThread) {
  R r;
  r.entry(10, 0, R::kMain).entry_with_payload(11, 1, R::kF, 40).exit(13, 1, R::kF).exit(20, 0, R::kMain);
  const Json thread = r.inspected()["threads"][0];
  EXPECT_EQ(thread["thread"], 100);
  EXPECT_EQ(thread["name"], "demo");
  EXPECT_EQ(thread["file"], "100.dat");
  EXPECT_EQ(thread["bytes"], 4 * 16 + 40);
  EXPECT_EQ(thread["records"], 4);
  EXPECT_EQ(thread["entries"], 2);
  EXPECT_EQ(thread["exits"], 2);
  EXPECT_EQ(thread["with arguments"], 1);
  EXPECT_EQ(thread["calls open at once"], 2);
  EXPECT_EQ(thread["first ns"], 10);
  EXPECT_EQ(thread["last ns"], 20);
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST(UftraceInspect, NamesTheEvents) {
  R r;
  r.entry(10, 0, R::kMain)
      .event(11, 100011, 4)
      .event(12, 100011, 4)
      .event(13, 1000000, 0)
      .event(14, 777, 100);
  r.exit(20, 0, R::kMain).file("events.txt", "EVENT: 1000000 demo:tick\nnonsense\n");
  const Json outline = r.inspected();
  EXPECT_EQ(outline["records"]["events"], 4);
  EXPECT_EQ(outline["records"]["events by kind"],
            (Json{{"event 777", 1}, {"watch:cpu", 2}, {"demo:tick", 1}}));
  EXPECT_THAT(r.notes(),
              ElementsAre("damaged-line 1", "DIR/events.txt:2: expected \"EVENT: \", found \"nonsense\""));
}

TEST(UftraceInspect, CountsLostRecords) {
  R r;
  r.entry(10, 0, R::kMain).lost(5).lost(2).exit(20, 0, R::kMain);
  const Json records = r.inspected()["records"];
  EXPECT_EQ(records["gaps"], 2);
  EXPECT_EQ(records["lost records"], 7);
  EXPECT_THAT(r.notes(), ElementsAre("records-lost 7", "DIR/100.dat:+0x10: the recorder lost 5 records",
                                     "DIR/100.dat:+0x20: the recorder lost 2 records"));
}

TEST(UftraceInspect, LocatesDamageLikeTheConversion) {
  R r;
  r.entry(10, 0, R::kMain).bytes("these are 24 bad bytes..").entry(14, 1, R::kG).exit(15, 1, R::kG);
  r.bytes(std::string(64, '\0')).exit(20, 0, R::kMain).bytes("tail");
  const Json outline = r.inspected();
  EXPECT_EQ(section(r, "damage"),
            "- file: 100.dat\n  problem: not records\n  begin: 0x10\n  end: 0x28\n"
            "- file: 100.dat\n  problem: zeros instead of records\n  begin: 0x48\n  end: 0x88\n"
            "- file: 100.dat\n  problem: truncated\n  begin: 0x98\n  end: 0x9c\n");
  EXPECT_EQ(outline["threads"][0]["records"], 4);
  EXPECT_EQ(outline["threads"][0]["damaged bytes"], 24 + 64 + 4);
  const auto notes = r.notes();
  EXPECT_THAT(notes,
              ElementsAre("damaged-bytes 24", "DIR/100.dat:+0x10: not records, up to +0x28", "zero-filled 64",
                          "DIR/100.dat:+0x48: zeros instead of records", "truncated-tail 4",
                          "DIR/100.dat:+0x98: truncated: a record needs 16 bytes, but 4 are left"));
  EXPECT_THAT(r.lines(), testing::SizeIs(2));
  EXPECT_EQ(r.notes(), notes);
}

// The specs determine the size of arguments. Only bytes after the arguments are damage.
TEST(UftraceInspect, ArgumentsAreNotDamage) {
  R r;
  r.info_line("argspec:f@arg1/u64,arg2/u64").entry(10, 0, R::kMain);
  r.entry_with(11, 1, R::kF, std::string(16, '\xff')).bytes("tail");
  EXPECT_EQ(r.inspected()["threads"][0]["damaged bytes"], 4);
  EXPECT_THAT(r.notes(),
              ElementsAre("truncated-tail 4",
                          "DIR/100.dat:+0x30: truncated: a record needs 16 bytes, but 4 are left"));
}

TEST(UftraceInspect, DamageLongerThanABlockIsOneRange) {
  R r;
  r.entry(10, 0, R::kMain).bytes(std::string(1'000'000, '\xff')).exit(20, 0, R::kMain);
  r.entry(21, 0, R::kF).bytes(std::string(1'000'000, '\0'));
  const Json outline = r.inspected();
  EXPECT_EQ(outline["threads"][0]["damaged ranges"], 2);
  EXPECT_EQ(outline["damage"][0]["end"], "0xf4250");
  EXPECT_THAT(r.notes(),
              ElementsAre("damaged-bytes 1000000", "DIR/100.dat:+0x10: not records, up to +0xf4250",
                          "truncated-tail 1000000", "DIR/100.dat:+0xf4270: zeros instead of records"));
}

// All events are counted, but only the first thousand ids are listed.
TEST(UftraceInspect, ListsAThousandEventIdsOfADamagedFile) {
  constexpr std::uint64_t kMost = 1000;
  R r;
  for (std::uint64_t i = 0; i <= kMost; ++i)
    r.event(64 * (i + 1), 1'000'000 + i, 0).bytes(std::string(8, '\0'));
  r.event(100'000, 1'000'000, 0).event(100'000, 1'000'000 + kMost, 0);
  const Json outline = r.inspected();
  EXPECT_EQ(outline["threads"][0]["damaged ranges"], kMost + 1);
  EXPECT_EQ(outline["damage"].size(), kMost);
  EXPECT_EQ(outline["records"]["events"], kMost + 3);
  EXPECT_EQ(outline["records"]["events by kind"].size(), kMost);
}

TEST(UftraceInspect, AnImpossibleTimeIsNotPartOfTheSpan) {
  R r;
  r.entry(10, 0, R::kMain).entry(std::uint64_t{1} << 63, 1, R::kF).exit(12, 1, R::kF).exit(20, 0, R::kMain);
  const Json outline = r.inspected();
  EXPECT_EQ(outline["time"]["first ns"], 10);
  EXPECT_EQ(outline["time"]["last ns"], 20);
  EXPECT_EQ(outline["damage"][0]["problem"], "impossible time");
  EXPECT_THAT(r.notes(), ElementsAre("bad-time 1", HasSubstr("DIR/100.dat:+0x10: ")));
}

TEST(UftraceInspect, ListsTheProcessesOfAFamily) {
  R r;
  r.task_line("FORK timestamp=0.000000100 pid=101 ppid=100");
  r.task_line("SESS timestamp=0.000000200 pid=101 sid=0123456789abcdee exename=\"/bin/other\"");
  r.task_line("TASK timestamp=0.000000210 tid=101 pid=101");
  r.file("sid-0123456789abcdee.map",
         "00400000-00401000 r--p 00000000 00:00 0 /bin/other\n"
         "00401000-00402000 r-xp 00000000 00:00 0 /bin/other\n");
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain);
  const Json outline = r.inspected();
  const Json parent = outline["threads"][0], child = outline["threads"][1];
  EXPECT_EQ(parent["forks"], 1);
  EXPECT_EQ(child["forked by"], 100);
  EXPECT_EQ(child["execs"], 1);
  EXPECT_EQ(child["name"], "other");
  EXPECT_EQ(child["file"], "none");
  EXPECT_EQ(outline["sessions"][1]["program"], "/bin/other");
  EXPECT_EQ(outline["sessions"][1]["mappings"], 2);
  EXPECT_EQ(outline["sessions"][1]["modules"], 1);
}

TEST(UftraceInspect, CountsSymbolsAndDebugInformation) {
  R r;
  r.file("demo.sym",
         "# symbols: 3\n# path name: /bin/demo\n# build-id: 12ab\n0000000000001000 00000100 T main\n"
         "0000000000001100 00000010 P free\n0000000000002000 00000008 D table\n");
  r.file("demo.dbg",
         "# path name: /bin/demo\nE: enum color {RED,GREEN}\nF: 1000 main\nL: 3 demo.c\nA: @arg1\n"
         "R: @retval\nF: 1100 f\n???\n");
  const Json outline = r.inspected();
  EXPECT_EQ(outline["symbols"][0], (Json{{"file", "demo.sym"},
                                         {"module", "/bin/demo"},
                                         {"build id", "12ab"},
                                         {"bytes", 153},
                                         {"symbols", 3},
                                         {"functions", 1},
                                         {"library calls", 1},
                                         {"variables", 1}}));
  EXPECT_EQ(outline["debug information"][0], (Json{{"file", "demo.dbg"},
                                                   {"bytes", 108},
                                                   {"functions", 2},
                                                   {"source lines", 1},
                                                   {"argument lists", 1},
                                                   {"return values", 1},
                                                   {"enums", 1}}));
  EXPECT_THAT(
      r.notes(),
      ElementsAre("damaged-line 1", "DIR/demo.dbg:8: expected a line that starts with E:, F:, L:, A: or R:"));
}

// A .dbg file is read twice: to decode the values of a function, and to count its lines. The damaged line
// must be noted only once.
TEST(UftraceInspect, NotesADamagedLineOfDebugInformationOnce) {
  R r;
  r.info_line("auto-args:1").file("demo.dbg", "F: 1100 f\nA: @arg1/i32\n???\n");
  r.entry_with(10, 0, R::kF, "\7").exit(20, 0, R::kF);
  r.inspected();
  EXPECT_THAT(
      r.notes(),
      ElementsAre("damaged-line 1", "DIR/demo.dbg:3: expected a line that starts with E:, F:, L:, A: or R:"));
}

TEST(UftraceInspect, TextsHaveNoControlCharacters) {
  R r;
  r.file("note.txt", "first line\nred \x1b[31m\n").file("extern.dat", "# head\n1.5 one\n1.6 two\n");
  const Json texts = r.inspected()["texts"];
  EXPECT_EQ(section(r, "texts"), "note:\n  first line\n  red \\x1b[31m\nexternal messages: 2\n");
  EXPECT_EQ(texts["note"], "first line\nred \x1b[31m\n");
}

TEST(UftraceInspect, CountsTheEventsOfPerfFiles) {
  R r;
  r.entry(10, 0, R::kMain).exit(60, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes()
                              .exec(5, 100, "demo")
                              .comm(11, 100, "first")
                              .out(20, 100)
                              .in(25, 100)
                              .preempted(30, 100)
                              .comm(35, 100, "second")
                              .in(40, 100)
                              .text());
  const Json thread = r.inspected()["threads"][0];
  EXPECT_EQ(thread["name"], "second");
  EXPECT_EQ(thread["switched out"], 2);
  EXPECT_EQ(thread["preempted"], 1);
  EXPECT_EQ(thread["names given"], 2);
}

TEST(UftraceInspect, TheListOfDamageIsEmptyOnlyIfNoNoteReportsDamage) {
  R r;
  r.entry(10, 0, R::kMain).exit(60, 0, R::kMain);
  EXPECT_EQ(r.inspected()["damage"], Json::array());
  r.file("perf-cpu0.dat", PerfBytes().in(5, 100).bytes(std::string(24, '\xff')).in(25, 100).text());
  EXPECT_FALSE(r.inspected().contains("damage"));
  EXPECT_THAT(r.notes(), testing::Contains("damaged-bytes 24"));
}

TEST(UftraceInspect, CountsTheEventsOfKernelFiles) {
  R r;
  r.entry(10, 0, R::kMain).exit(60, 0, R::kMain);
  KernelBytes bytes;
  bytes.page(20).entry(0, 100, 0x1000, 0).entry(1, 100, 0x1010, 1);
  bytes.page(30)
      .lost(7)
      .exit(0, 100, 0x1010, 1)
      .exit(5, 100, 0x1000, 0)
      .event(1, bytes.common(99, 100).text());
  r.file("kernel_header", header_text()).file("kernel-cpu3.dat", bytes.text());
  const Json kernel = r.inspected()["kernel"];
  EXPECT_EQ(kernel["page bytes"], 256);
  EXPECT_EQ(kernel["long bytes"], 8);
  EXPECT_EQ(kernel["byte order"], "little");
  EXPECT_EQ(kernel["formats"][0], (Json{{"format", "ftrace:funcgraph_entry"}, {"type", 11}, {"fields", 6}}));
  EXPECT_EQ(kernel["cpus"].size(), 1u);
  EXPECT_EQ(
      kernel["cpus"][0],
      (Json{{"file", "kernel-cpu3.dat"},
            {"cpu", 3},
            {"bytes", 512},
            {"pages", 2},
            {"events", 5},
            {"gaps", 1},
            {"lost events", 7},
            {"events by kind", {{"ftrace:funcgraph_exit", 2}, {"ftrace:funcgraph_entry", 2}, {"type 99", 1}}},
            {"first ns", 20},
            {"last ns", 36}}));
}

TEST(UftraceInspect, AKernelFileWithoutEventsHasNoTimes) {
  R r;
  r.entry(10, 0, R::kMain).exit(60, 0, R::kMain);
  r.file("kernel_header", header_text()).file("kernel-cpu0.dat", KernelBytes().page(20).text());
  const Json cpu = r.inspected()["kernel"]["cpus"][0];
  EXPECT_EQ(cpu["events"], 0);
  EXPECT_FALSE(cpu.contains("first ns"));
}

TEST(UftraceInspect, SurvivesEveryCutOfItsRecords) {
  for (std::size_t size = 0; size < 200; size += 3) {
    R r;
    r.entry(10, 0, R::kMain).entry_with_payload(11, 1, R::kF, 40).event(12, 100001, 24).exit(13, 1, R::kF);
    r.lost(3).exit(20, 0, R::kMain);
    r.inspected();
    std::filesystem::resize_file(r.path() / "100.dat", size);
    Notes notes;
    const Json outline = inspect(r.path(), notes);
    EXPECT_EQ(outline["records"]["bytes"], size);
  }
}

TEST(UftraceInspect, ARecordFileMayBeMissingOrADirectory) {
  R r;
  r.entry(10, 0, R::kMain).inspected();
  std::filesystem::remove(r.path() / "100.dat");
  std::filesystem::create_directory(r.path() / "100.dat");
  Notes notes;
  const Json outline = inspect(r.path(), notes);
  EXPECT_EQ(outline["threads"][0]["file"], "none");
  EXPECT_EQ(outline["time"], Json::object());
  EXPECT_THROW(inspect(r.path() / "nothing", notes), InputError);
}

}  // namespace
}  // namespace convert::uftrace
