// Tests the program fxt-cut as a user runs it: files, reports and exit codes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fxt/checking/value_rules.h"
#include "fxt/tools/trace_files.h"
#include "tests/fxt/tool_test.h"

namespace fxt::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FxtCut : public ToolTest {
 protected:
  static Outcome run(const std::string& arguments) { return shell(FXT_CUT " " + arguments); }
  static std::string dump(const std::string& path) { return shell(FXT_DUMP " --type event " + path).output; }
  std::string trace() {
    return file("in.fxt", file_of([](Writer& writer) {
                  const Thread main{.process = 1, .thread = 2}, other{.process = 1, .thread = 3};
                  const auto call = [&](std::uint64_t begin, std::uint64_t end, std::string_view name,
                                        const Thread& thread) {
                    writer.write(Event{.type = EventType::DurationComplete,
                                       .time = begin,
                                       .thread = thread,
                                       .category = "c",
                                       .name = name,
                                       .end = end});
                  };
                  call(1000, 4000, "work", main);
                  call(1100, 1200, "step", main);
                  call(1500, 1600, "step", other);
                  call(2500, 2600, "other", main);
                }));
  }
};

TEST_F(FxtCut, SelectsARange) {
  const Outcome outcome = run("-r 400ns~700ns " + trace() + " " + folder() + "out.fxt");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(
      outcome.output,
      "2 records (events, switches, logs, blobs) in 1 file\n  " + folder() +
          "out.fxt\n1 duration cut at an edge of the range or of a piece\n2 records outside of the range\n");
  EXPECT_EQ(dump(folder() + "out.fxt"),
            "begin 1400 1/2 \"c\" \"work\"\n"
            "complete 1500..1600 1/3 \"c\" \"step\"\n"
            "end 1700 1/2 \"c\" \"work\" \"cut\"=\"both\"\n");
}

TEST_F(FxtCut, CutsFlowsToOtherThreads) {
  const std::string sample = file("sample.fxt", sample_trace()), out = folder() + "out.fxt";
  EXPECT_THAT(run("--tid 102 " + sample + " " + out).output,
              HasSubstr("\n1 flow cut because the start and the end are in different pieces, or because only "
                        "one of them is selected\n"));
  EXPECT_THAT(shell(FXT_DUMP " --check " + out).output, Not(HasSubstr("W21")));
  // Both ends of the flow are on thread 101.
  EXPECT_THAT(run("--tid 101 " + sample + " " + out).output, Not(HasSubstr("flow")));
  EXPECT_THAT(dump(out), HasSubstr("flow-end 1700"));
}

// If a short run of a thread is left out, the idle thread replaces the thread, and the switch becomes larger.
TEST_F(FxtCut, FitsSwitchesWithTheIdleThread) {
  const std::array<Argument, 1> from_idle{Argument{kOutgoingWeight, kIdleWeight}};
  for (const bool is_legacy : {true, false}) {
    const Words words = file_of([&](Writer& writer) {
      std::uint64_t time = 1000;
      const auto show = [&](std::uint64_t thread, std::uint64_t length) {
        if (is_legacy)
          writer.write(LegacyContextSwitch{
              .time = time, .incoming = {.process = 1, .thread = thread}, .incoming_priority = 1});
        else
          writer.write(ContextSwitch{
              .time = time, .incoming_thread = thread, .arguments = std::span<const Argument>(from_idle)});
        time += length;
      };
      for (std::uint64_t i = 0; i < 2000; ++i) {
        show(2, 1000 + i);
        show(3, 1);
      }
    });
    for (const std::size_t percent : {90u, 60u, 30u}) {
      const std::size_t most = words.size() * sizeof(std::uint64_t) * percent / 100;
      run(fmt::format("-q --force --fit={} {} {}out.fxt", most, file("in.fxt", words), folder()));
      const std::size_t size = std::filesystem::file_size(folder() + "out.fxt");
      EXPECT_LE(size, most);
      EXPECT_GE(size, most * 95 / 100);
    }
  }
}

TEST_F(FxtCut, Splits) {
  EXPECT_EQ(run("-q --split-time 1us " + trace() + " " + folder() + "out.fxt").output, "");
  EXPECT_EQ(dump(folder() + "out.001.fxt"),
            "begin 2000 1/2 \"c\" \"work\"\n"
            "complete 2500..2600 1/2 \"c\" \"other\"\n"
            "end 3000 1/2 \"c\" \"work\" \"cut\"=\"both\"\n");
  EXPECT_TRUE(std::filesystem::exists(folder() + "out.002.fxt"));
  EXPECT_FALSE(std::filesystem::exists(folder() + "out.003.fxt"));
  EXPECT_EQ(run("-q --split-size 1M " + trace() + " " + folder() + "big.fxt").output, "");
  EXPECT_EQ(dump(folder() + "big.000.fxt"),
            "complete 1000..4000 1/2 \"c\" \"work\"\n"
            "complete 1100..1200 1/2 \"c\" \"step\"\n"
            "complete 1500..1600 1/3 \"c\" \"step\"\n"
            "complete 2500..2600 1/2 \"c\" \"other\"\n");
}

TEST_F(FxtCut, ARangeCountsFromTheFirstRecordOfTheWholeTrace) {
  EXPECT_EQ(run("-q -r 500ns~700ns --tid 3 " + trace() + " " + folder() + "out.fxt").exit_code, 0);
  EXPECT_EQ(dump(folder() + "out.fxt"), "complete 1500..1600 1/3 \"c\" \"step\"\n");
}

TEST_F(FxtCut, WritesAtMostTenThousandPieces) {
  const std::string long_trace =
      file("long.in", file_of([](Writer& writer) {
             for (std::uint64_t time = 0; time < 10'002; ++time)
               writer.write(Event{.time = time, .thread = {.process = 1, .thread = 2}, .name = "x"});
           }));
  const std::string split = "-q --split-time 1 " + long_trace + " " + folder();
  const Outcome refused = run(split + "many.fxt");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.output,
            "fxt-cut: these pieces are complete: " + folder() + "many.000.fxt to " + folder() +
                "many.9999.fxt\nfxt-cut: more than 10000 pieces; use --force to write them all\n");
  EXPECT_EQ(run("--force " + split + "all.fxt").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder() + "all.10001.fxt"));
}

TEST_F(FxtCut, RefusesASizeThatIsTooSmallForNames) {
  const std::string names = file("names.in", file_of([](Writer& writer) {
                                   for (std::uint64_t thread = 2; thread < 52; ++thread)
                                     writer.name_thread(1, thread, "worker");
                                   for (std::uint64_t time = 0; time < 2000; ++time)
                                     writer.write(Event{.time = time, .thread = {.process = 1, .thread = 2}});
                                 }));
  const std::string out = folder() + "out.fxt";
  const Outcome refused = run("--split-size 2089 " + names + " " + out);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(
      refused.output,
      "fxt-cut: --split-size is 2089 bytes, but the names and open calls that each piece repeats already "
      "take 2090 bytes; use a much larger --split-size, or --force for larger pieces\nTry 'fxt-cut "
      "--help'.\n");
  EXPECT_THAT(run("--split-size 1 " + names + " " + out).output, HasSubstr("--split-size is 1 byte, but"));
  EXPECT_FALSE(std::filesystem::exists(folder() + "out.000.fxt"));
  EXPECT_EQ(run("-q --split-size 2090 " + names + " " + out).output, "");
  EXPECT_THAT(run("--force --split-size 1k " + names + " " + out).output,
              HasSubstr("out.019.fxt\n  and 64 more\n84 files larger than --split-size, up to "));
}

// The first piece is written, because no call is open at its start. The next piece is refused, because it
// would have to repeat all open calls.
TEST_F(FxtCut, RefusesASizeThatIsTooSmallForOpenDurations) {
  const std::string deep = file("deep.in", file_of([](Writer& writer) {
                                  for (std::uint64_t i = 0; i < 300; ++i)
                                    writer.write(Event{.type = EventType::DurationComplete,
                                                       .time = i,
                                                       .thread = {.process = 1, .thread = 2},
                                                       .end = 1000 - i});
                                }));
  const Outcome refused = run("--split-size 1k " + deep + " " + folder() + "out.fxt");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.output, "fxt-cut: these pieces are complete: " + folder() +
                                "out.000.fxt\nfxt-cut: --split-size is 1000 bytes, but the names and open "
                                "calls that each piece repeats already take 1088 bytes; use a much larger "
                                "--split-size, or --force for larger pieces\nTry 'fxt-cut --help'.\n");
}

TEST_F(FxtCut, SelectsThreadsKindsAndNames) {
  EXPECT_EQ(run("-q --tid 3 " + trace() + " -").exit_code, 0);
  EXPECT_EQ(
      shell(FXT_CUT " -q --tid 2 -n 's*' -n work -c '?' " + trace() + " - | " FXT_DUMP " --type event -")
          .output,
      "complete 1000..4000 1/2 \"c\" \"work\"\n"
      "complete 1100..1200 1/2 \"c\" \"step\"\n");
}

TEST_F(FxtCut, ATraceOutsideOfTheRangeLeavesNoFile) {
  for (const std::string range : {"-r 4001ns~ ", "-r ~0.000000999 "}) {
    const Outcome outcome = run(range + trace() + " " + folder() + "out.fxt");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.output,
              "fxt-cut: " + folder() +
                  "in.fxt: no event is in the requested range; the trace is from 1 µs to 4 µs\n");
    EXPECT_FALSE(std::filesystem::exists(folder() + "out.fxt"));
  }
  EXPECT_EQ(run("-q -r 3us~ " + trace() + " " + folder() + "out.fxt").exit_code, 0) << "the end of a call";
  EXPECT_EQ(run("-q -r 0.000003500~0.000003600 " + trace() + " " + folder() + "out2.fxt").exit_code, 0)
      << "the middle of a call";
}

TEST_F(FxtCut, ATraceWithoutTheThreadsLeavesNoFile) {
  const Outcome outcome = run("--tid 98 --tid 99 " + trace() + " " + folder() + "out.fxt");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output, "fxt-cut: " + folder() +
                                "in.fxt: has none of the requested threads: 98, 99; its threads: 2, 3\n");
  EXPECT_FALSE(std::filesystem::exists(folder() + "out.fxt"));
  const Outcome one = run("-q --tid 98 --tid 2 " + trace() + " " + folder() + "out.fxt");
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_EQ(one.output,
            "fxt-cut: " + folder() + "in.fxt: lacks these requested threads: 98; its threads: 2, 3\n");
  EXPECT_TRUE(std::filesystem::exists(folder() + "out.fxt")) << "with the other thread";
}

TEST_F(FxtCut, KeepsTheReadablePartOfADamagedFile) {
  const std::string damaged = file("damaged.fxt", file_of([](Writer& writer) {
                                     writer.write(Event{.time = 5, .thread = {.process = 1, .thread = 2}});
                                     writer.write(Event{.time = 6, .thread = {.process = 1, .thread = 2}});
                                   }),
                                   3);
  const Outcome outcome = run("-q " + damaged + " " + folder() + "out.fxt");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, StartsWith("fxt-cut: " + damaged + ":+0x"));
  EXPECT_EQ(dump(folder() + "out.fxt"), "instant 5 1/2 \"\" \"\"\n");
}

TEST_F(FxtCut, CompressesByName) {
  for (const auto& [name, magic] : {std::pair{"out.fxt.gz", "\x1f\x8b"}, {"out.fxt.zst", "\x28\xb5"}}) {
    EXPECT_EQ(run("-q " + trace() + " " + folder() + name).exit_code, 0);
    EXPECT_EQ(dump(folder() + name), dump(trace()));
    EXPECT_EQ(shell("head -c 2 " + folder() + name).output, magic);
  }
}

TEST_F(FxtCut, WritesToAFifo) {
  const std::string fifo = folder() + "fifo";
  ASSERT_EQ(shell("mkfifo " + fifo).exit_code, 0);
  EXPECT_EQ(shell(FXT_CUT " -q " + trace() + " " + fifo + " & " FXT_DUMP " --type event " + fifo).output,
            dump(trace()));
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

TEST_F(FxtCut, ReplacesOnlyTraces) {
  const std::string notes = file_with("notes.txt", "text"), in = trace();
  const std::string no_trace =
      "fxt-cut: '" + notes +
      "' exists and is not an FXT trace; use --force to overwrite it\nTry 'fxt-cut --help'.\n";
  EXPECT_EQ(run(in + " " + notes).output, no_trace);
  EXPECT_EQ(run("-q --force " + in + " " + notes).output, "");
  EXPECT_EQ(dump(notes), dump(in));
  EXPECT_EQ(run("-q --tid 3 " + in + " " + notes).exit_code, 0) << "a trace now";

  const std::string piece = file_with("out.001.fxt", "text");
  EXPECT_EQ(run("--split-time 1us " + in + " " + folder() + "out.fxt").output,
            "fxt-cut: '" + piece +
                "' exists and is not an FXT trace; use --force to overwrite it\nTry 'fxt-cut --help'.\n");
  EXPECT_FALSE(std::filesystem::exists(folder() + "out.000.fxt")) << "known before any is written";
}

TEST_F(FxtCut, DoesNotReplaceAnInput) {
  const std::string in = trace();
  std::filesystem::rename(in, folder() + "out.002.fxt");
  const Outcome outcome = run("--force --split-time 1us " + folder() + "out.002.fxt " + folder() + "out.fxt");
  EXPECT_EQ(outcome.output, "fxt-cut: '" + folder() +
                                "out.002.fxt' is an input, and would be overwritten; choose another "
                                "output\nTry 'fxt-cut --help'.\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder() + "out.000.fxt"));
}

TEST_F(FxtCut, AFileThatIsNotATraceLeavesNoOutput) {
  const std::string out = trace(), before = dump(out);
  const Outcome outcome = run(file_with("x.c", "int main() { return 0; }") + " " + out);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              EndsWith("x.c: not an FXT trace, because it does not start with the magic number\n"));
  EXPECT_EQ(dump(out), before);
  // The texts start with bytes that look like the header of a record of an unknown type.
  for (const std::string& json :
       {"[\n{\"ph\": \"X\"}" + std::string(10'000, ' '), "\x1f" + std::string(10'000, '\x2f')}) {
    EXPECT_EQ(run(file_with("x.json", json) + " " + out).exit_code, 1);
    EXPECT_EQ(dump(out), before);
  }
}

TEST_F(FxtCut, AnEmptyFileLeavesNoOutput) {
  const Outcome outcome = run(file_with("empty", "") + " " + folder() + "out.fxt");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, EndsWith("empty: is empty\n"));
  EXPECT_FALSE(std::filesystem::exists(folder() + "out.fxt"));
}

TEST_F(FxtCut, NamesThePiecesOfAnEarlierTrace) {
  EXPECT_EQ(run("-q --split-time 1us " + trace() + " " + folder() + "out.fxt").exit_code, 0);
  EXPECT_THAT(run("--split-time 2us " + trace() + " " + folder() + "out.fxt").output,
              HasSubstr("1 file from an earlier trace, with a name like the pieces of this trace\n  " +
                        folder() + "out.002.fxt\n"));
}

TEST_F(FxtCut, NamesThePiecesThatAreComplete) {
  std::filesystem::create_directory(folder() + "out.001.fxt");
  const Outcome outcome = run("--split-time 1us " + trace() + " " + folder() + "out.fxt");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output, "fxt-cut: these pieces are complete: " + folder() + "out.000.fxt\nfxt-cut: " +
                                folder() + "out.001.fxt: can't write: Is a directory\n");
}

TEST_F(FxtCut, RefusesNamesOfOtherFormats) {
  const Outcome outcome = run(trace() + " out.html");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.output,
            "fxt-cut: 'out.html': the output is an FXT trace, not a .html file; name it out.fxt, or use "
            "--force to write it under this name\nTry 'fxt-cut --help'.\n");
  EXPECT_EQ(run("-q --force " + trace() + " " + folder() + "out.html").exit_code, 0);
}

TEST_F(FxtCut, ReportsThatNoEventHasTheNames) {
  const Outcome outcome = run("-n wrok -n 'st?p.' " + trace() + " " + folder() + "out.fxt");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              EndsWith("in.fxt: has nothing with the name 'wrok' or 'st?p.'; similar names: work\n"));
  EXPECT_FALSE(std::filesystem::exists(folder() + "out.fxt"));
  EXPECT_THAT(run("-n work --category d " + trace() + " " + folder() + "out.fxt").output,
              EndsWith("in.fxt: has nothing with the name 'work' and the category 'd'\n"));
}

TEST_F(FxtCut, ReportsProblemsOfItsInput) {
  const Outcome outcome = run(folder() + "none.fxt out.fxt");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output, "fxt-cut: " + folder() + "none.fxt: can't open: No such file or directory\n");
}

TEST_F(FxtCut, ReportsWrongUsage) {
  const auto error = [&](const std::string& options) {
    const Outcome outcome = run(options);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.output;
  };
  const std::string help = "Try 'fxt-cut --help'.\n";
  EXPECT_EQ(error("x.fxt"), "fxt-cut: OUT is missing\n" + help);
  EXPECT_EQ(error(""), "fxt-cut: IN and OUT are missing\n" + help);
  EXPECT_EQ(error("-r 20us~0.000000001 " + trace() + " " + folder() + "out.fxt"),
            "fxt-cut: --time-range: the range ends before it starts\n" + help);
  EXPECT_EQ(error("-r 5~3 a b"), "fxt-cut: --time-range: '5~3' ends before it starts\n" + help);
  EXPECT_EQ(error("--split-time 0 a b"), "fxt-cut: --split-time takes more than 0, not '0'\n" + help);
  EXPECT_EQ(error("--split-size many a b"),
            "fxt-cut: --split-size takes a size such as 500k, 100M or 1.5GiB (k, M and G are powers of 1000, "
            "Ki, Mi and Gi are powers of 1024), not 'many'\n" +
                help);
  EXPECT_EQ(error("--split-size 5k a -"),
            "fxt-cut: --split-time and --split-size write several files, so OUT can't be -\n" + help);
  EXPECT_EQ(error(trace() + " " + trace()),
            "fxt-cut: '" + trace() +
                "' is an input, and would be overwritten; choose another output\nTry 'fxt-cut --help'.\n");
  EXPECT_THAT(error("--split-time '' a b"), StartsWith("fxt-cut: --split-time takes a time"));
  EXPECT_THAT(run("--help").output, HasSubstr("--split-size"));
  EXPECT_THAT(run("--version").output, StartsWith("fxt-cut "));
}

TEST(PieceFilesTest, AFileThatCannotBeOpenedIsNotComplete) {
  tools::PieceFiles files({.target = "/no/such/folder/out.fxt"});
  EXPECT_THROW(files.next(0), std::system_error);
  EXPECT_THAT(files.complete(), testing::IsEmpty());
}

}  // namespace
}  // namespace fxt::test
