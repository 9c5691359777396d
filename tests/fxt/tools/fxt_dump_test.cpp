// Tests the program fxt-dump as a user runs it: outputs and exit codes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "fxt/records.h"
#include "tests/fxt/sample_trace.h"
#include "tests/fxt/tool_test.h"

namespace fxt::test {
namespace {

using testing::HasSubstr;

class FxtDump : public ToolTest {
 protected:
  static Outcome run(const std::string& arguments) { return shell(FXT_DUMP " " + arguments); }
};

// Returns a trace without findings. It has one complete event. bad_trace() adds a complete event that
// overlaps it.
Words good_trace() {
  return file_of([](Writer& writer) {
    writer.write(Event{.type = EventType::DurationComplete,
                       .time = 1000,
                       .thread = {.process = 100, .thread = 101},
                       .category = "app",
                       .name = "work",
                       .end = 2000});
  });
}
Words bad_trace() { return joined(good_trace(), {0x0002'0001'0104'0034, 1500, 2500}); }

TEST_F(FxtDump, PrintsOneLinePerRecord) {
  EXPECT_EQ(run(file("good", good_trace())).output,
            "magic\n"
            "provider-info id=1 name=\"fxt\"\n"
            "initialization ticks_per_second=1000000000\n"
            "thread 1=100/101\n"
            "string 1=\"app\"\n"
            "string 2=\"work\"\n"
            "complete 1000..2000 100/101 \"app\" \"work\"\n");
}

TEST_F(FxtDump, PrintsOffsets) {
  EXPECT_THAT(run("--offsets " + file("good", good_trace())).output, HasSubstr("0x00000008 provider-info"));
}

TEST_F(FxtDump, Selects) {
  const std::string sample = file("sample", sample_trace());
  EXPECT_EQ(run("--type flow-begin " + sample).output, "flow-begin 1300 100/101 \"app\" \"request\" id=7\n");
  EXPECT_EQ(run("--tid 102 --type event " + sample).output,
            "complete 1400..1600 100/102 \"app\" \"serve\"\n"
            "flow-step 1450 100/102 \"app\" \"request\" id=7\n");
  EXPECT_EQ(run("-r 750ns~800ns --type event --name 'm*' " + sample).output,
            "instant 1750 100/101 \"app\" \"mark\"\n");
  EXPECT_EQ(run("-r 0.000001750~0.0000018 --type event --name 'm*' " + sample).output,
            "instant 1750 100/101 \"app\" \"mark\"\n");
  EXPECT_EQ(run("-r ~30ns --type event " + sample).output,
            run("-r 0~0.00000103 --type event " + sample).output);
  EXPECT_EQ(run("-r 1 " + sample).output,
            "fxt-dump: --time-range: '1' is not a range of time; use A~B, A~ or ~B\n"
            "Try 'fxt-dump --help'.\n");
  EXPECT_EQ(run("-r 1 " + sample).exit_code, 2);
}

TEST_F(FxtDump, PrintsJsonLines) {
  const Outcome outcome = run("--json " + file("sample", joined(sample_trace(), kUncommonRecords)));
  std::istringstream lines(outcome.output);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_TRUE(nlohmann::json::parse(line).contains("kind")) << line;
  EXPECT_EQ(count, 69);
}

TEST_F(FxtDump, ChecksWithExitCodes) {
  EXPECT_EQ(run("--check " + file("good", good_trace())).exit_code, 0);
  EXPECT_EQ(run("--check " + file("good", good_trace())).output, "");
  const Outcome bad = run("--check " + file("bad", bad_trace()));
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.output, HasSubstr("bad:+0x78: error W15 complete: partly overlaps the complete event at "
                                    "+0x60: Perfetto drops the event\n"));
  const Outcome warned =
      run("--check " + file("warned", joined(good_trace(), {0x0002'0001'0103'0024, 3000})));
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_THAT(warned.output, HasSubstr("warned: 0 errors, 1 warnings\n"));
  EXPECT_EQ(run("--check --werror " + folder() + "warned").exit_code, 1);
  EXPECT_THAT(run("--check " + file("empty", {})).output, HasSubstr("W1 file: the file is empty: no reader"));
  EXPECT_THAT(run("--check " + file("zero", {0}, 5)).output,
              HasSubstr("W1 file: the file does not begin with the magic word: "));
  EXPECT_EQ(run("--check no-such-file").exit_code, 1);
  EXPECT_EQ(run("--check no-such-file").output,
            "fxt-dump: no-such-file: can't open: No such file or directory\n");
}

TEST_F(FxtDump, ChecksForTheSelectedReaders) {
  const std::string path = file("bad", bad_trace());  // the calls overlap, so Perfetto drops one of them
  EXPECT_EQ(run("--check --for perfetto " + path).exit_code, 1);
  EXPECT_EQ(run("--check --for tracy,fuchsia-cpp,fuchsia-rust,spec " + path).output, "");
  // A flow without an end breaks only the spec. If only the spec is selected, this is an error, otherwise a
  // warning.
  const std::string long_string =
      file("long", file_of([](Writer& writer) {
             writer.write(Event{.type = EventType::DurationBegin, .thread = {.process = 1, .thread = 2}});
             writer.write(Event{.type = EventType::FlowBegin, .thread = {.process = 1, .thread = 2}});
           }));
  EXPECT_EQ(run("--check --for perfetto,spec " + long_string).exit_code, 1);
  EXPECT_THAT(run("--check --for spec " + long_string).output,
              HasSubstr("error W21 flow-begin: flow 0 never ends: the spec requires an end\n"));
  EXPECT_THAT(run("--check " + long_string).output, HasSubstr("warning W21 flow-begin"));
  EXPECT_EQ(run("--check --for vlc " + path).exit_code, 2);
}

TEST_F(FxtDump, NotesRecordsThatTheSelectedReadersIgnore) {
  const std::string path = file(
      "log", file_of([](Writer& writer) { writer.write(Log{.time = 1, .thread = kMain, .message = "hi"}); }));
  EXPECT_EQ(run("--check " + path).output, "");
  const Outcome text = run("--check --werror --for perfetto,tracy " + path);
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.output, path + ":+0x40: note W29 log: log messages (1): ignored by Perfetto and Tracy\n");
  const auto json = nlohmann::json::parse(run("--check --json --for tracy " + path).output);
  EXPECT_EQ(json["severity"], "note");
  EXPECT_EQ(json["fault"], "Ignored");
  EXPECT_EQ(json["readers"], nlohmann::json({"tracy"}));
}

TEST_F(FxtDump, ChecksToTheEndOrReportsTheReason) {
  const Outcome cut = run("--check " + file("cut", good_trace(), 4));
  EXPECT_EQ(cut.exit_code, 1);
  EXPECT_THAT(cut.output, HasSubstr("error W11 file: truncated: the last record lacks 4 bytes"));
  EXPECT_EQ(run("--check " + file("zeros", joined(good_trace(), {0}))).exit_code, 1);
}

TEST_F(FxtDump, ChecksOnlyWholeFiles) {
  const Outcome outcome = run("--check --tid 101 " + file("good", good_trace()));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.output,
            "fxt-dump: --check always checks the whole file; omit options that select records\nTry 'fxt-dump "
            "--help'.\n");
}

TEST_F(FxtDump, DoesOneThingAtATime) {
  const std::string path = file("good", good_trace());
  for (const char* const both : {"--check --stats ", "--stats --rules ", "--rules --check "}) {
    const Outcome outcome = run(both + path);
    EXPECT_EQ(outcome.exit_code, 2) << both;
    EXPECT_EQ(outcome.output,
              "fxt-dump: only one of --stats, --tree, --folded, --callers, --callees, --check and --rules "
              "can be given\n"
              "Try 'fxt-dump --help'.\n")
        << both;
  }
}

TEST_F(FxtDump, RefusesOptionsWithoutEffect) {
  const std::string path = file("good", good_trace());
  const auto error = [&](const std::string& options) {
    const Outcome outcome = run(options + path);
    EXPECT_EQ(outcome.exit_code, 2) << options;
    return outcome.output.substr(0, outcome.output.find('\n'));
  };
  EXPECT_EQ(error("--sort self "), "fxt-dump: --sort has no effect without --stats");
  EXPECT_EQ(error("--check --sort total "), "fxt-dump: --sort has no effect without --stats");
  EXPECT_EQ(error("--tree --columns self "), "fxt-dump: --columns has no effect without --stats");
  EXPECT_EQ(error("--diff x --columns self "), "fxt-dump: --columns has no effect without --stats");
  EXPECT_EQ(error("--stats --diff x --sort self "), "fxt-dump: --sort has no effect with --diff");
  EXPECT_EQ(error("--tree --by thread "), "fxt-dump: --by has no effect without --stats or --diff");
  EXPECT_EQ(error("--top 3 "), "fxt-dump: --top has no effect without --stats or --diff");
  EXPECT_EQ(error("--csv "), "fxt-dump: --csv has no effect without --stats");
  EXPECT_EQ(error("--stats --csv --json "), "fxt-dump: --csv has no effect with --json");
  EXPECT_EQ(error("--stats --all "), "fxt-dump: --all has no effect without --check");
  EXPECT_EQ(error("--stats --werror "), "fxt-dump: --werror has no effect without --check");
  EXPECT_EQ(error("--for spec "), "fxt-dump: --for has no effect without --check");
  EXPECT_EQ(error("--tree --offsets "), "fxt-dump: --offsets has no effect with --tree");
  EXPECT_EQ(error("--tree --json "),
            "fxt-dump: --json can't be combined with --tree, --folded, --callers, --callees or --rules");
  EXPECT_EQ(error("--rules --json "),
            "fxt-dump: --json can't be combined with --tree, --folded, --callers, --callees or --rules");
  EXPECT_EQ(error("--tree --diff x "), "fxt-dump: --diff has no effect with --tree");
  EXPECT_EQ(error("--diff --json x "), "fxt-dump: --diff has no effect with --json");
  EXPECT_EQ(error("--diff "), "fxt-dump: --diff takes two files: BEFORE and AFTER");
  EXPECT_EQ(error("--diff x y "), "fxt-dump: --diff takes two files: BEFORE and AFTER");
  EXPECT_EQ(error("--unit us "),
            "fxt-dump: --unit has no effect without --stats, --diff, --tree, --callers or --callees");
}

TEST_F(FxtDump, ReportsAFullOutput) {
  const std::string path = file("good", good_trace());
  for (const std::string options : {"--help", "--stats", "--rules", ""}) {
    const Outcome outcome = shell(std::string(FXT_DUMP) + " " + options + " " + path + " >/dev/full");
    EXPECT_EQ(outcome.exit_code, 1) << options;
    EXPECT_THAT(outcome.output, HasSubstr("fxt-dump: standard output: ")) << options;
  }
}

TEST_F(FxtDump, AcceptsAllKinds) {
  const Outcome outcome = run("--type durations " + file("good", good_trace()));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(
      outcome.output,
      HasSubstr("fxt-dump: --type: 'durations' is not a kind of record; kinds are instant, counter, begin,"));
  for (const std::string_view kind : kinds())
    EXPECT_NE(run("--type " + std::string(kind) + ' ' + file("good", good_trace())).exit_code, 2) << kind;
}

TEST_F(FxtDump, SummarizesAsJson) {
  const Outcome outcome = run("--stats --json " + file("sample", sample_trace()));
  EXPECT_EQ(outcome.exit_code, 0);
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["first_ns"], 1000);
  EXPECT_EQ(json["threads"][0]["process_name"], "demo");
  EXPECT_EQ(json["threads"][0]["thread_name"], "main");
  EXPECT_GT(json["records"].size(), 10U);
  EXPECT_EQ(json["problems"], 0);
}

TEST_F(FxtDump, ChecksAsJson) {
  const Outcome bad = run("--check --json " + file("bad", bad_trace()));
  const auto finding = nlohmann::json::parse(bad.output.substr(0, bad.output.find('\n')));
  EXPECT_EQ(finding["rule"], "W15");
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_EQ(finding["fault"], "Overlaps");
  EXPECT_EQ(finding["readers"], nlohmann::json::array({"perfetto"}));
  EXPECT_EQ(finding["offset"], 0x78);
}

TEST_F(FxtDump, ShowsTwentyFindingsOfARule) {
  Words words = good_trace();
  for (std::uint64_t i = 0; i < 30; ++i) words = joined(words, {0x0002'0001'0104'0034, 5000 + i, 10});
  const std::string path = file("many", words);
  EXPECT_THAT(run("--check " + path).output, HasSubstr("many: 10 more errors of W15\n"));
  EXPECT_THAT(run("--check --json " + path).output,
              HasSubstr("\n{\"rule\":\"W15\",\"severity\":\"error\",\"more\":10}\n"));
  EXPECT_THAT(run("--check --all " + path).output, HasSubstr("many: 30 errors, 0 warnings\n"));
}

// The rule W17 has warnings for ends without a start, and an error for a duration without an end.
TEST_F(FxtDump, ManyWarningsOfARuleHideNoError) {
  Words words = good_trace();
  for (std::uint64_t i = 0; i < 25; ++i) words = joined(words, {0x0002'0001'0103'0024, 5000 + i});
  words = joined(words, {0x0002'0001'0102'0024, 6000});
  const Outcome outcome = run("--check " + file("hidden", words));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr(": error W17 begin: "));
  EXPECT_THAT(outcome.output, HasSubstr("hidden: 5 more warnings of W17\n"));
}

TEST_F(FxtDump, PrintsItsRules) {
  const Outcome outcome = run("--rules");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("W15 Durations of a thread nest"));
}

TEST_F(FxtDump, ReportsAFileThatIsNotATrace) {
  for (const char* const options : {"", "--stats ", "--tree "}) {
    const Outcome empty = run(options + file("empty", {}));
    EXPECT_EQ(empty.exit_code, 1) << options;
    EXPECT_THAT(empty.output, HasSubstr("empty: is empty\n")) << options;
  }
  const Outcome text =
      run(file_with("text", "Not a trace, but long enough to be taken for the head of a record.\n"));
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.output,
              HasSubstr("text: not an FXT trace, because it does not start with the magic number\n"));
}

TEST_F(FxtDump, RecognizesOtherFiles) {
  std::filesystem::create_directories(folder() + "run.data");
  std::ofstream(folder() + "run.data/info") << "Ftrace!";
  for (const char* const name : {"7298.dat", "task.txt", "kallsyms"})
    std::ofstream(folder() + "run.data/" + name) << "SESS timestamp";
  const std::string in_recording =
      "a file of a uftrace recording; convert its directory with: fxt-convert " + folder() + "run.data";
  std::filesystem::create_directories(folder() + "old.data");
  std::ofstream(folder() + "old.data/task.txt") << "";
  std::filesystem::create_directories(folder() + "ctf");
  std::ofstream(folder() + "ctf/metadata") << "/* CTF 1.8 */";
  const std::string elf =
      "\x7f"
      "ELF\x02\x01\x01" +
      std::string(9, '\0');
  for (const auto& [path, kind] : std::initializer_list<std::pair<std::string, std::string>>{
           {"run.data", "a uftrace recording; convert it with: fxt-convert PATH"},
           {"old.data", "a uftrace recording; convert it with: fxt-convert PATH"},
           {"run.data/7298.dat", in_recording},
           {"run.data/task.txt", in_recording},
           {"run.data/info", in_recording},
           {"run.data/kallsyms", in_recording},
           {file_with("x.tfile", "\x7fTRACE0\n"), "a GDB trace file; convert it with: fxt-convert PATH"},
           {file_with("program", elf + '\3' + std::string(20, '\0')),
            "a program; record it first, with `uftrace record`, or in GDB with `tstart` and `tsave`"},
           {file_with("core", elf + '\4' + std::string(20, '\0')), "a core file; open it in GDB"},
           {file_with("a.json", "{\"traceEvents\": []}"), "a trace in Chrome's JSON; open it in Perfetto"},
           {file_with("b.json", "[\n{\"ph\": \"X\"}]"), "a trace in Chrome's JSON; open it in Perfetto"},
           {file_with("a.zip", "PK\x03\x04" + std::string(20, '\0')), "a zip archive; unpack it first"},
           {file_with("large.json", "[\n{\"ph\": \"X\"}" + std::string(10'000, ' ')),
            "a trace in Chrome's JSON; open it in Perfetto"},
           {file_with("a.lz4", "\x04\x22\x4d\x18"), "compressed with lz4; unpack it first"},
           {file_with("a.tar", std::string(257, '\0') + "ustar"),
            "a tar archive; unpack it first, or convert the recordings in it with fxt-convert"},
           {file_with("ftrace", "# tracer: function_graph\n"), "a text file of ftrace; open it in Perfetto"},
           {file_with("perf.data", "PERFILE2" + std::string(20, '\0')),
            "a file of perf record; convert it with `perf data convert --to-ctf` or `--to-json`"},
           {"ctf",
            "a trace in the Common Trace Format, as LTTng writes; open it with babeltrace2 or Trace "
            "Compass"}}) {
    const std::string file = path.starts_with('/') ? path : folder() + path;
    std::string expected = "fxt-dump: " + file + ": is " + kind + "\n";
    if (const std::size_t at = expected.find("PATH"); at != std::string::npos) expected.replace(at, 4, file);
    const Outcome outcome = run(file);
    EXPECT_EQ(outcome.output, expected);
    EXPECT_EQ(outcome.exit_code, 1);
  }
  EXPECT_THAT(run(folder()).output, HasSubstr(": Is a directory\n"));
}

TEST_F(FxtDump, SumsAsyncOperationsAndRunsOnCpus) {
  const std::string path =
      file("others", file_of([](Writer& writer) {
             writer.name_process(1, "app");
             writer.name_thread(1, 2, "main");
             const auto request = [&](EventType type, std::uint64_t time, std::uint64_t id) {
               writer.write(Event{.type = type,
                                  .time = time,
                                  .thread = {.process = 1, .thread = 2},
                                  .category = "net",
                                  .name = "request",
                                  .id = id});
             };
             request(EventType::AsyncBegin, 100, 7);
             request(EventType::AsyncBegin, 150, 8);
             writer.write(ThreadWakeup{.time = 160, .thread = 2});
             writer.write(ContextSwitch{.time = 200, .incoming_thread = 2});
             request(EventType::AsyncEnd, 250, 8);
             writer.write(ContextSwitch{.time = 300, .outgoing_thread = 2});
             request(EventType::AsyncEnd, 400, 7);
           }));
  EXPECT_THAT(run("--stats --columns calls,total,self,min,max " + path).output,
              testing::StartsWith("async operations\n"
                                  "  calls   total  self     min     max\n"
                                  "      2  400 ns     -  100 ns  300 ns  \"net\" \"request\"\n"
                                  "on a CPU, by thread\n"
                                  "  calls   total  self     min     max\n"
                                  "      1  100 ns     -  100 ns  100 ns  \"main 2\"\n"
                                  "from wakeup to CPU, by thread\n"
                                  "  calls  total  self    min    max\n"
                                  "      1  40 ns     -  40 ns  40 ns  \"main 2\"\n"
                                  "events by category"));
  const auto json = [&](const std::string& options) {
    return nlohmann::json::parse(run("--stats --json " + options + path).output);
  };
  const auto all = json("");
  EXPECT_TRUE(all["calls"].empty());
  EXPECT_EQ(all["async_operations"], nlohmann::json::array({{{"category", "net"},
                                                             {"name", "request"},
                                                             {"calls", 2},
                                                             {"total_ns", 400},
                                                             {"average_ns", 200},
                                                             {"min_ns", 100},
                                                             {"max_ns", 300}}}));
  EXPECT_EQ(all["runs"][0]["total_ns"], 100);
  EXPECT_EQ(all["wakeups"][0]["total_ns"], 40);
  const auto part = json("-r 50ns~150ns ");
  EXPECT_EQ(part["async_operations"][0]["total_ns"], 200);  // on the clock: 150 to 250
  EXPECT_EQ(part["runs"][0]["total_ns"], 50);
  const auto begins = json("--tid 2 --type async-begin ");
  EXPECT_EQ(begins["async_operations"].size(), 1U);
  EXPECT_FALSE(begins.contains("runs"));
}

// Returns a trace with two processes. In the first process, `main` calls `work` twice, and the second call of
// `work` calls `work` again. The first and the innermost `work` call `leaf` for 100 ns. The second process
// runs only `leaf`, in another category.
Words graph_trace() {
  return file_of([](Writer& writer) {
    const auto call = [&](std::uint64_t process, std::string_view category, std::string_view name,
                          unsigned begin, unsigned end) {
      writer.write(Event{.type = EventType::DurationComplete,
                         .time = begin,
                         .thread = {.process = process, .thread = process + 1},
                         .category = category,
                         .name = name,
                         .end = end});
    };
    writer.write(KernelObject{.type = KernelObjectType::Process, .koid = 100, .name = "app"});
    call(100, "app", "main", 0, 10'000);
    call(100, "app", "work", 1000, 2000);
    call(100, "app", "leaf", 1500, 1600);
    call(100, "app", "work", 3000, 7000);
    call(100, "app", "work", 4000, 6000);
    call(100, "app", "leaf", 5000, 5100);
    call(200, "lib", "leaf", 0, 300);
  });
}

TEST_F(FxtDump, FindsCallers) {
  const std::string path = file("graph", graph_trace());
  EXPECT_EQ(run("--unit ns --callers leaf " + path).output,
            "       calls          total           self\n"
            "           1            300            300  leaf\n"
            "           2            200            200  leaf\n"
            "           2            200            200    work\n"
            "           1            100            100      main\n"
            "           1            100            100      work\n"
            "           1            100            100        main\n");
  // The third call of `work` is inside the second one, so it is not counted separately.
  EXPECT_EQ(run("--unit ns --callers 'wo*' " + path).output,
            "       calls          total           self\n"
            "           2           5000           2900  work\n"
            "           2           5000           2900    main\n");
}

TEST_F(FxtDump, FindsCallees) {
  const std::string path = file("graph", graph_trace());
  EXPECT_EQ(run("--callees work " + path).output,
            "       calls          total           self\n"
            "           2        5.00 µs        2.90 µs  work\n"
            "           1        2.00 µs        1.90 µs    work\n"
            "           1         100 ns         100 ns      leaf\n"
            "           1         100 ns         100 ns    leaf\n");
  EXPECT_EQ(run("--callees work --unit ns -r 1200ns~1700ns " + path).output,
            "       calls          total           self\n"
            "           1            500            400  work\n"
            "           1            100            100    leaf\n");
  EXPECT_EQ(run("--callers work --unit ns -r 1200ns~1700ns " + path).output,
            "       calls          total           self\n"
            "           1            500            400  work\n"
            "           1            500            400    main\n");
  EXPECT_EQ(run("--callers work --unit ns -r 8us~9us " + path).output, "");
  const Outcome none = run("--callees wrok " + path);
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.output, "fxt-dump: " + path + ": has nothing with the name 'wrok'; similar names: work\n");
}

TEST_F(FxtDump, LeavesOutExcludedNames) {
  const std::string path = file("graph", graph_trace());
  EXPECT_THAT(run("--exclude main --exclude 'l*' " + path).output,
              testing::Not(HasSubstr("complete 0..10000")));
  EXPECT_EQ(run("--stats --csv --columns calls --exclude main --exclude 'l*' " + path).output,
            "group,category,name,calls\nprogram,\"app\",\"work\",3\n");
  EXPECT_EQ(run("--callees main --unit ns --exclude work " + path).output,
            "       calls          total           self\n"
            "           1           5200           5000  main\n"
            "           2            200            200    leaf\n");
  const Outcome none = run("--stats --exclude '[mw]*' --exclude leaf " + path);
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.output,
              EndsWith("fxt-dump: " + path + ": has nothing with a name other than '[mw]*' or 'leaf'\n"));
  EXPECT_EQ(run("--type kernel-object --exclude main " + path).exit_code, 0);
}

TEST_F(FxtDump, SumsUpByThreadProcessAndCategory) {
  const std::string path = file("graph", graph_trace());
  const auto lines = [&](const std::string& by) {
    return run("--stats --csv --columns calls,total,self --by " + by + " " + path).output;
  };
  EXPECT_EQ(lines("thread"),
            "group,category,name,calls,total_ns,self_ns\n"
            "program,\"\",\"app 100 / thread 101\",6,10000,10000\n"
            "program,\"\",\"process 200 / thread 201\",1,300,300\n");
  EXPECT_EQ(lines("process"),
            "group,category,name,calls,total_ns,self_ns\n"
            "program,\"\",\"app 100\",6,10000,10000\n"
            "program,\"\",\"process 200\",1,300,300\n");
  EXPECT_EQ(lines("category"),
            "group,category,name,calls,total_ns,self_ns\n"
            "program,\"app\",\"\",6,10000,10000\n"
            "program,\"lib\",\"\",1,300,300\n");
  EXPECT_THAT(run("--stats --columns calls --by category " + path).output,
              testing::StartsWith(
                  "calls of the program, by category\n  calls\n      6  \"app\"\n      1  \"lib\"\n"));
}

TEST_F(FxtDump, SortsByTheNextColumnIfTheFirstIsEqual) {
  const std::string path = file("graph", graph_trace());
  const auto names = [&](const std::string& options) {
    return run("--stats --csv --columns calls " + options + path).output;
  };
  EXPECT_EQ(names("--sort calls,self "),
            "group,category,name,calls\nprogram,\"app\",\"work\",3\nprogram,\"app\",\"leaf\",2\n"
            "program,\"app\",\"main\",1\nprogram,\"lib\",\"leaf\",1\n");
  EXPECT_EQ(names("--sort name --top 2 "),
            "group,category,name,calls\nprogram,\"app\",\"leaf\",2\nprogram,\"app\",\"main\",1\n");
  EXPECT_EQ(run("--stats --sort calls,many " + path).output,
            "fxt-dump: --sort takes calls, total, self, average, min, max, p50, p90, p99, name, with commas "
            "between "
            "them, not 'many'\nTry 'fxt-dump --help'.\n");
}

TEST_F(FxtDump, CountsTheLinesThatAreNotAmongTheFirst) {
  EXPECT_THAT(run("--stats --top 1 --columns calls " + file("graph", graph_trace())).output,
              testing::StartsWith("calls of the program\n"
                                  "  calls\n"
                                  "      1  \"app\" \"main\"\n"
                                  "  and 3 more\n"
                                  "events by category and name\n"
                                  "             3 \"app\" \"work\"\n"
                                  "  and 3 more\n"
                                  "threads\n"));
}

TEST_F(FxtDump, FindsPercentiles) {
  const std::string path = file("hundred", file_of([](Writer& writer) {
                                  for (unsigned i = 1; i <= 100; ++i)
                                    writer.write(Event{.type = EventType::DurationComplete,
                                                       .time = i * 1'000'000,
                                                       .thread = kMain,
                                                       .category = "app",
                                                       .name = i == 100 ? "one" : "work",
                                                       .end = i * 1'000'000 + i * 10});
                                }));
  EXPECT_EQ(run("--stats --csv --columns p50,p90,p99 --sort p90 " + path).output,
            "group,category,name,p50_ns,p90_ns,p99_ns\n"
            "program,\"app\",\"one\",1000,1000,1000\n"
            "program,\"app\",\"work\",500,900,990\n");
}

TEST_F(FxtDump, ReportsTheTimesOfATraceOutsideOfTheRange) {
  for (const char* const options : {"", "--json ", "--tree ", "--stats ", "--folded "}) {
    const Outcome outcome = run(options + std::string("-r 900~901 ") + file("good", good_trace()));
    EXPECT_EQ(outcome.exit_code, 1) << options;
    EXPECT_THAT(outcome.output, HasSubstr("good: no event is in the requested range; the trace is from "))
        << options;
  }
  const Outcome outcome = run("-r 900~1s " + file("good", good_trace()));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("fxt-dump: --time-range: the range ends before it starts\n"));
}

TEST_F(FxtDump, FailsIfTheRangeIsBetweenEvents) {
  const std::string trace = file("gap", file_of([](Writer& writer) {
                                   for (const unsigned time : {1000U, 3000U})
                                     writer.write(Event{.type = EventType::Instant,
                                                        .time = time,
                                                        .thread = {.process = 100, .thread = 101},
                                                        .category = "app",
                                                        .name = "mark"});
                                 }));
  const Outcome outcome = run("-r 1us~1.5us " + trace);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output,
            "fxt-dump: " + trace + ": no event is in the requested range; the trace is from 1 µs to 3 µs\n");
}

TEST_F(FxtDump, ReportsATraceWithoutTheThreads) {
  for (const char* const options : {"", "--json ", "--tree ", "--stats "}) {
    const Outcome outcome = run(options + std::string("--tid 99 ") + file("good", good_trace()));
    EXPECT_EQ(outcome.exit_code, 1) << options;
    EXPECT_THAT(outcome.output,
                testing::EndsWith("good: has none of the requested threads: 99; its threads: 101\n"))
        << options;
  }
  EXPECT_EQ(run("--tid 101 " + file("good", good_trace())).exit_code, 0);
  const Outcome one = run("--tree --tid 99,101 " + file("good", good_trace()));
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_THAT(one.output, HasSubstr("101"));
  EXPECT_THAT(one.output, testing::EndsWith("good: lacks these requested threads: 99; its threads: 101\n"));
}

TEST_F(FxtDump, ReportsATraceWithoutTheKinds) {
  const std::string sample = file("sample.fxt", sample_trace()), good = file("good", good_trace());
  const Outcome outcome = run("--type counter --type log " + good);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output, "fxt-dump: " + good + ": has nothing with the kind 'counter' or 'log'\n");
  EXPECT_EQ(run("--type counter " + sample).exit_code, 0);
  for (const char* const kind : {"begin", "end", "complete"})
    EXPECT_EQ(run(std::string("--stats --type ") + kind + " " + sample).exit_code, 0) << kind;
}

TEST_F(FxtDump, HasNoEmptyTables) {
  for (const char* const options : {"--stats ", "--stats --json "})
    EXPECT_THAT(run(options + std::string("--name nothing ") + file("good", good_trace())).output,
                testing::StartsWith("fxt-dump: "));
}

TEST_F(FxtDump, ReportsThePlaceWhereReadingEnded) {
  const Outcome outcome = run(file("cut", good_trace(), 4));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("cut:+0x60: truncated: the last record lacks 4 bytes\n"));
}

TEST_F(FxtDump, ReadsCompressedFilesAndStandardInput) {
  const std::string path = file("good", good_trace());
  const std::string text = run(path).output;
  for (const char* const packer : {"gzip", "zstd -q", "bzip2", "xz"})
    EXPECT_EQ(shell(std::string(packer) + " -c < " + path + " | " FXT_DUMP " -").output, text);
  EXPECT_EQ(shell("cat " + path + " | " FXT_DUMP " -").output, text);
  const Outcome damaged = shell("gzip -c " + path + " | head -c 60 | " FXT_DUMP " -");
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.output, HasSubstr("-: the compressed data are truncated\n"));
}

TEST_F(FxtDump, ReportsATruncatedCompressedFileAtEveryCut) {
  Words words = good_trace();
  for (std::uint64_t i = 0; i < 20'000; ++i) words.insert(words.end(), {0x0002'0001'0100'0024, 5000 + i * i});
  const std::string path = file("long", words);
  for (const char* const packer : {"gzip", "zstd -q", "bzip2", "xz"}) {
    const std::string packed = path + ".packed", cut = path + ".cut";
    shell(std::string(packer) + " -c " + path + " > " + packed);
    EXPECT_EQ(run("--stats " + packed).exit_code, 0);
    const auto size = std::filesystem::file_size(packed);
    for (const std::uintmax_t left : {std::uintmax_t{5}, std::uintmax_t{30}, size / 2, size - 4, size - 1}) {
      shell("head -c " + std::to_string(left) + " " + packed + " > " + cut);
      const Outcome outcome = run("--stats " + cut);
      EXPECT_EQ(outcome.exit_code, 1) << packer << ' ' << left;
      EXPECT_THAT(outcome.output, HasSubstr("cut: the compressed data are truncated\n"))
          << packer << ' ' << left;
    }
    shell("cat " + packed + " > " + cut + "; " + packer + " -c /dev/null >> " + cut);
    EXPECT_EQ(run("--stats " + cut).output, run("--stats " + path).output) << "of two pieces";
    shell("cat " + packed + " > " + cut + "; echo rubbish >> " + cut);
    EXPECT_EQ(run("--stats " + cut).exit_code, 1) << "rubbish behind it";
  }
}

TEST_F(FxtDump, ShowsTheRecordsBeforeDamage) {
  Words words = good_trace();
  for (std::uint64_t i = 0; i < 20'000; ++i) words.insert(words.end(), {0x0002'0001'0100'0024, 5000 + i * i});
  words = joined(words, bad_trace());
  const std::string path = file("long", words), cut = path + ".cut";
  shell("gzip -c " + path + " | head -c 40000 > " + cut);
  const Outcome lines = run(cut);
  EXPECT_EQ(lines.exit_code, 1);
  EXPECT_TRUE(lines.output.starts_with("magic\n"));
  EXPECT_NE(lines.output.find("instant 1005000 "), std::string::npos);
  EXPECT_TRUE(lines.output.ends_with("cut: the compressed data are truncated\n"));
  EXPECT_THAT(run("--stats " + cut).output, HasSubstr(" instant"));
  EXPECT_EQ(run("--check " + cut).exit_code, 1);
}

TEST_F(FxtDump, EndsQuietlyIfTheReaderOfAPipeEnds) {
  Words words = good_trace();
  for (std::uint64_t i = 0; i < 20'000; ++i) words.insert(words.end(), {0x0002'0001'0100'0024, 5000 + i});
  EXPECT_EQ(shell(FXT_DUMP " " + file("long", words) + " | head -1").output, "magic\n");
}

TEST_F(FxtDump, SendsNoControlCharacters) {
  Words words = file_of([](Writer& writer) {
    writer.write(Event{.type = EventType::DurationComplete,
                       .time = 1000,
                       .thread = {.process = 100, .thread = 101},
                       .category = "a\x1b[31m",
                       .name = "b\x1b]0;\a\x7f\u009b",
                       .arguments = {{"c\x1b", "d\x1b"}},
                       .end = 2000});
  });
  words = joined(words, {0x0002'0001'0104'0034, 1500, 2500});
  const std::string path = file("odd\x1b", words);
  for (const char* const options : {"", "--json ", "--stats ", "--stats --json ", "--tree ", "--folded ",
                                    "--check ", "--check --json ", "--tid 9 ", "no-such "}) {
    std::string output = run(options + path).output;
    std::erase(output, '\n');
    EXPECT_EQ(std::ranges::count_if(output, [](unsigned char c) { return c < 0x20 || c == 0x7f; }), 0)
        << options;
    EXPECT_EQ(output.find("\u009b"), std::string::npos) << options;
  }
}

TEST_F(FxtDump, UsesColorOnlyOnRequest) {
  const std::string path = file("good", good_trace());
  EXPECT_THAT(run("--color always " + path).output, HasSubstr("\x1b[1mmagic\x1b[0m"));
  EXPECT_EQ(run("--color never " + path).output, run(path).output);
  EXPECT_EQ(run("--color sometimes " + path).output,
            "fxt-dump: --color takes one of auto, always, never, not 'sometimes'\nTry 'fxt-dump --help'.\n");
}

}  // namespace
}  // namespace fxt::test
