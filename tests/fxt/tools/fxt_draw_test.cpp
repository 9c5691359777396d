// Tests the program fxt-draw as a user runs it: files, reports and exit codes.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "tests/fxt/tool_test.h"

namespace fxt::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FxtDraw : public ToolTest {
 protected:
  static Outcome run(const std::string& arguments) { return shell(FXT_DRAW " " + arguments); }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void call_of(Writer& writer, std::uint64_t begin, std::uint64_t end, std::string_view name) {
    writer.write(Event{.type = EventType::DurationComplete,
                       .time = begin,
                       .thread = {.process = 1, .thread = 2},
                       .category = "app",
                       .name = name,
                       .end = end});
  }
  std::string trace(std::string_view inner = "work") {
    return file("in.fxt", file_of([&](Writer& writer) {
                  writer.name_process(1, "demo");
                  writer.name_thread(1, 2, "main");
                  call_of(writer, 1000, 4000, "main");
                  call_of(writer, 1500, 3000, inner);
                }));
  }
  // Parses a file with a strict XML parser. Returns the titles in the file, or the error of the parser.
  std::string parsed(const std::string& path) {
    return shell(
               "python3 -c \"import sys, xml.dom.minidom as x; d = x.parse(sys.argv[1]); "
               "print([t.firstChild.data for t in d.getElementsByTagName('title')])\" " +
               path)
        .output;
  }
  const std::string out_ = folder() + "out.svg";
};

constexpr std::string_view kPicture = R"svg(<!-- drawn by fxt-draw -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 316 115" width="316" height="115" font-family="monospace" font-size="11" data-from="0" data-to="3000">
<style>text{pointer-events:none}@media(prefers-color-scheme:dark){.back{fill:#1b1b1d}.axis,.foot{fill:#aaa}.axis path{stroke:#444}.head{fill:#eee}.flow{stroke:#ddd}.instant{fill:#8ab4f8}.frame{fill:#ff6b6b}}</style>
<defs><pattern id="off" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="#ccc"/><rect width="1.5" height="5" fill="#aaa"/></pattern><marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path class="flow" d="M0 0L6 3L0 6" fill="none" stroke="#555"/></marker></defs>
<rect class="back" width="316" height="115" fill="#fff"/>
<g class="axis" fill="#666" stroke-width="0.5">
<path d="M8 18V81" stroke="#ccc"/>
<text x="0" y="15">0 µs</text>
<path d="M208 18V81" stroke="#ccc"/>
<text x="194.6" y="15">2 µs</text>
</g>
<g class="lane">
<text class="head" x="8" y="36" font-weight="bold">demo 1 / main 2</text>
<rect x="8" y="41" width="299.5" height="16" fill="#e8b0e8"><title>main: 3 µs at 0 ns</title></rect>
<text x="10" y="53">main</text>
<rect x="58" y="58" width="149.5" height="16" fill="#e8b0b0"><title>work: 1.5 µs at 500 ns</title></rect>
<text x="60" y="70">work</text>
</g>
<g class="foot" fill="#666">
<text x="8" y="95">2 calls on 1 thread</text>
<text x="8" y="109">the time 0 is 1 µs on the trace's clock</text>
</g>
</svg>
)svg";

TEST_F(FxtDraw, DrawsAPicture) {
  const Outcome outcome = run("--width 316 " + trace() + " " + out_);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, "2 calls on 1 thread\n");
  EXPECT_EQ(text_of(out_), kPicture);
}

TEST_F(FxtDraw, DrawsAPage) {
  EXPECT_EQ(run("-q -w 316 " + trace() + " " + folder() + "out.html").output, "");
  const std::string page = text_of(folder() + "out.html");
  EXPECT_THAT(page, StartsWith("<!-- drawn by fxt-draw -->\n<!DOCTYPE html>\n<html lang=\"en\">\n"));
  EXPECT_THAT(page, HasSubstr("<title>in.fxt</title>"));
  // The page contains the picture for browsers without scripts. This picture has no tooltips.
  std::string picture(kPicture.substr(kPicture.find('\n') + 1));
  for (std::size_t at = 0; (at = picture.find("><title>")) != std::string::npos;)
    picture.replace(at, picture.find("</rect>", at) + 7 - at, "/>");
  EXPECT_THAT(page, HasSubstr(picture));
  EXPECT_THAT(page,
              HasSubstr("\"foot\":[\"2 calls on 1 thread\",\"the time 0 is 1 µs on the trace's clock\"]"));
  EXPECT_THAT(page, EndsWith("</script>\n</body>\n</html>\n"));
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
                              "'unsafe-inline'\""));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
}

TEST_F(FxtDraw, DrawsAFlameGraph) {
  const std::string in = file("in.fxt", file_of([&](Writer& writer) {
                                writer.name_process(1, "demo");
                                call_of(writer, 1000, 5000, "main");
                                call_of(writer, 1000, 2000, "work");
                                call_of(writer, 2000, 3000, "rest");
                                call_of(writer, 3000, 4000, "work");
                              }));
  EXPECT_EQ(run("-f --flame process " + in + " " + out_).output, "3 paths of calls\n");
  EXPECT_EQ(parsed(out_),
            "['main: 4 µs\\n100.00 % of demo 1, itself 1 µs, 1 call', "
            "'work: 2 µs\\n50.00 % of demo 1, itself 2 µs, 2 calls', "
            "'rest: 1 µs\\n25.00 % of demo 1, itself 1 µs, 1 call']\n");
  EXPECT_EQ(run("-q --flame all " + in + " " + folder() + "flame.html").exit_code, 0);
  EXPECT_THAT(text_of(folder() + "flame.html"), HasSubstr("\"flame\":true"));
  EXPECT_EQ(run("--flame some " + in + " " + out_).exit_code, 2);
  for (const std::string option : {"--max-depth", "--max-threads"}) {
    const Outcome outcome = run("-f --flame all " + option + " 3 " + in + " " + out_);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.output,
              "fxt-draw: " + option + " has no effect with --flame\nTry 'fxt-draw --help'.\n");
  }
}

TEST_F(FxtDraw, TheTimeOffTheCpuIsHatchedOrLeftOut) {
  const std::string in = file("in.fxt", file_of([](Writer& writer) {
                                call_of(writer, 1000, 5000, "main");
                                writer.write(Event{.type = EventType::DurationComplete,
                                                   .time = 2000,
                                                   .thread = {.process = 1, .thread = 2},
                                                   .category = "sched",
                                                   .name = "linux:schedule",
                                                   .end = 4000});
                              }));
  for (const std::string kind : {"", "--flame all "}) {
    EXPECT_EQ(run("-qf " + kind + in + " " + out_).exit_code, 0);
    EXPECT_THAT(text_of(out_), HasSubstr("fill=\"url(#off)\"><title>linux:schedule: 2 µs"));
    EXPECT_EQ(run("-qf --no-sched " + kind + in + " " + out_).exit_code, 0);
    EXPECT_THAT(text_of(out_), Not(HasSubstr("linux:schedule")));
  }
  EXPECT_THAT(text_of(out_), HasSubstr("<title>main: 2 µs")) << "the flame graph has no time off the CPU";
}

// The page has a list of arguments without duplicates, and calls refer to its lines. The picture in the page
// has no arguments.
TEST_F(FxtDraw, PagesHaveEachArgumentOnce) {
  const std::string in =
      file("in.fxt", file_of([](Writer& writer) {
             for (std::uint64_t time = 1000; time <= 4000; time += 1000) {
               writer.write(Event{.type = EventType::DurationComplete,
                                  .time = time,
                                  .thread = {.process = 1, .thread = 2},
                                  .category = "app",
                                  .name = "work",
                                  .arguments = {{"loc", "main.c:7"}, {"n", time == 4000 ? 2 : 1}},
                                  .end = time + 500});
             }
           }));
  EXPECT_EQ(run("-q " + in + " " + folder() + "out.html").exit_code, 0);
  const std::string page = text_of(folder() + "out.html");
  EXPECT_THAT(page,
              HasSubstr(R"("b":[0,1000,1000,1000],"l":[500,500,500,500],"n":[0,0,0,0],"c":{},"x":{},"f":{},)"
                        R"("d":{"0":1,"1":2,"2":3,"3":4},"e":[])"));
  EXPECT_THAT(page, HasSubstr(R"("details":[[],[0,1],[0,1],[0,1],[0,2]],)"
                              R"("texts":["\"loc\"=\"main.c:7\"","\"n\"=i32:1","\"n\"=i32:2"]})"));
  EXPECT_EQ(page.find("main.c:7"), page.rfind("main.c:7"));
}

TEST_F(FxtDraw, ReadsAndWritesStandardStreamsAndCompressedFiles) {
  const std::string in = trace();
  EXPECT_EQ(shell(FXT_DRAW " -q -w 316 - - <" + in).output, kPicture);
  EXPECT_EQ(shell("gzip -c " + in + " | " FXT_DRAW " -q -w 316 - -").output, kPicture);
  EXPECT_EQ(run("-q -w 316 --format svg " + in + " " + folder() + "picture").output, "");
  EXPECT_EQ(text_of(folder() + "picture"), kPicture);
  EXPECT_THAT(run("-q --format html " + in + " -").output, HasSubstr("<!DOCTYPE html>"));
  EXPECT_EQ(run("-q -w 316 " + in + " " + folder() + "out.svg.gz").exit_code, 0);
  EXPECT_EQ(shell("gzip -dc " + folder() + "out.svg.gz").output, kPicture);
}

TEST_F(FxtDraw, DrawsARangeAndASelection) {
  const auto titles = [&](const std::string& options) {
    EXPECT_EQ(run("-qf " + options + " " + trace() + " " + out_).exit_code, 0);
    return parsed(out_);
  };
  EXPECT_EQ(titles(""), "['main: 3 µs at 0 ns', 'work: 1.5 µs at 500 ns']\n");
  EXPECT_EQ(titles("-r 2500ns~"), "['main: 3 µs at 0 ns']\n");
  EXPECT_EQ(titles("--tid 2 -n 'w*' -c app"), "['work: 1.5 µs at 500 ns']\n");
  EXPECT_EQ(titles("--max-depth 1 --max-threads 1"), "['main: 3 µs at 0 ns']\n");
}

TEST_F(FxtDraw, NamesMayHaveAnyBytes) {
  const std::string in = trace("</title>]]><script>alert('&amp;')\x01\x1b[31m\xff\xef\xbf\xbe");
  EXPECT_EQ(run("-q " + in + " " + out_).exit_code, 0);
  EXPECT_EQ(parsed(out_),
            "['main: 3 µs at 0 ns', \"</title>]]><script>alert('&amp;')\ufffd\ufffd[31m\ufffd\ufffd: 1.5 µs "
            "at 500 ns\"]\n");
  EXPECT_EQ(run("-q " + in + " " + folder() + "out.html").exit_code, 0);
  EXPECT_THAT(text_of(folder() + "out.html"), Not(HasSubstr("<script>alert")));
}

TEST_F(FxtDraw, APictureOfAMillionCallsIsBounded) {
  const std::string in = file("large.fxt", file_of([](Writer& writer) {
                                for (std::uint64_t time = 0; time < 1'000'000'000; time += 2000) {
                                  call_of(writer, time, time + 1900, "outer");
                                  call_of(writer, time + 100, time + 1000, "inner");
                                }
                              }));
  EXPECT_EQ(run(in + " " + out_).output,
            "1000000 calls on 1 thread\n1000000 calls narrower than a pixel, merged into 248 gray shapes\n");
  EXPECT_LT(std::filesystem::file_size(out_), 50'000);
}

TEST_F(FxtDraw, DrawsTheReadablePartOfADamagedFile) {
  const std::string damaged = file("damaged.fxt", file_of([](Writer& writer) {
                                     call_of(writer, 1000, 2000, "main");
                                     call_of(writer, 1100, 1200, "lost");
                                   }),
                                   3);
  const Outcome outcome = run("-q " + damaged + " " + out_);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, StartsWith("fxt-draw: " + damaged + ":+0x"));
  EXPECT_EQ(parsed(out_), "['main: 1 µs at 0 ns']\n");
}

TEST_F(FxtDraw, WritesNothingIfThereIsNothingToDraw) {
  const auto failed = [&](const std::string& in) {
    const Outcome outcome = run(in + " " + out_);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_FALSE(std::filesystem::exists(out_));
    return outcome.output;
  };
  EXPECT_THAT(failed(file_with("x.c", "int main() { return 0; }")),
              HasSubstr("x.c: not an FXT trace, because it does not start with the magic number\n"));
  EXPECT_EQ(failed("-r 1s~ " + trace()),
            "fxt-draw: " + folder() +
                "in.fxt: no event is in the requested range; the trace is from 1 µs to 4 µs\n");
  EXPECT_EQ(failed("--tid 99 " + trace()),
            "fxt-draw: " + folder() + "in.fxt: has none of the requested threads: 99; its threads: 2\n");
  const Outcome one = run("-q --tid 99,2 " + trace() + " " + out_);
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_EQ(one.output,
            "fxt-draw: " + folder() + "in.fxt: lacks these requested threads: 99; its threads: 2\n");
  EXPECT_TRUE(std::filesystem::remove(out_)) << "the other thread is drawn";
  const std::string others =
      file("others.fxt", file_of([](Writer& writer) {
             writer.write(LargeBlob{.time = 5, .thread = {.process = 1, .thread = 2}, .name = "b"});
           }));
  EXPECT_EQ(failed(others),
            "fxt-draw: " + others + ": nothing to draw; 0 calls on 0 threads; not drawn: 1 blob\n");
  EXPECT_EQ(failed(folder() + "none.fxt"),
            "fxt-draw: " + folder() + "none.fxt: can't open: No such file or directory\n");
}

TEST_F(FxtDraw, ReplacesOnlyPictures) {
  const std::string in = trace(), other = file_with("other.svg", "<svg/>");
  const Outcome outcome = run(in + " " + other);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.output, "fxt-draw: '" + other +
                                "' exists and is not a picture of fxt-draw; use --force to overwrite it\n"
                                "Try 'fxt-draw --help'.\n");
  EXPECT_EQ(text_of(other), "<svg/>");
  EXPECT_EQ(run("-q --force " + in + " " + other).output, "");
  EXPECT_EQ(run("-q -w 316 " + in + " " + other).output, "") << "a picture now";
  EXPECT_EQ(text_of(other), kPicture);
  EXPECT_EQ(run("--format svg --force " + in + " " + in).output,
            "fxt-draw: '" + in +
                "' is an input, and would be overwritten; choose another output\nTry 'fxt-draw --help'.\n");
}

TEST_F(FxtDraw, ReportsAFileThatCannotBeWritten) {
  EXPECT_EQ(run(trace() + " " + folder() + "none/out.svg").output,
            "fxt-draw: " + folder() + "none/out.svg: can't create: No such file or directory\n");
  const Outcome full = run("-q --format svg " + trace() + " /dev/full");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_EQ(full.output, "fxt-draw: /dev/full: can't write: No space left on device\n");
}

TEST_F(FxtDraw, ReportsWrongUsage) {
  const auto error = [&](const std::string& options) {
    const Outcome outcome = run(options);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.output;
  };
  const std::string help = "Try 'fxt-draw --help'.\n";
  EXPECT_EQ(error("x.fxt"), "fxt-draw: OUT is missing\n" + help);
  EXPECT_EQ(error(""), "fxt-draw: IN and OUT are missing\n" + help);
  EXPECT_EQ(error("a b.svg c"), "fxt-draw: takes one IN and one OUT\n" + help);
  EXPECT_EQ(error("a b.png"),
            "fxt-draw: 'b.png' does not end in .svg or .html (possibly followed by .gz, .zst, .bz2 or .xz); "
            "use --format to choose\n" +
                help);
  EXPECT_EQ(error("-r 5~3 a b.svg"), "fxt-draw: --time-range: '5~3' ends before it starts\n" + help);
  EXPECT_EQ(error("-r 20us~0.000000001 " + trace() + " " + out_),
            "fxt-draw: --time-range: the range ends before it starts\n" + help);
  EXPECT_EQ(error("-w 199 a b.svg"),
            "fxt-draw: --width takes a number from 200 to 10000, not '199'\n" + help);
  EXPECT_EQ(error("--max-depth 0 a b.svg"),
            "fxt-draw: --max-depth takes a number from 1 to 512, not '0'\n" + help);
  EXPECT_EQ(error("--max-threads 1025 a b.svg"),
            "fxt-draw: --max-threads takes a number from 1 to 1024, not '1025'\n" + help);
  EXPECT_EQ(error("--format png a b"), "fxt-draw: --format takes one of auto, svg, html, not 'png'\n" + help);
  EXPECT_EQ(error("--tid x a b.svg"), "fxt-draw: --tid takes thread ids, not 'x'\n" + help);
  EXPECT_EQ(error("--widht 5 a b.svg"),
            "fxt-draw: unrecognised option '--widht'; did you mean --width?\n" + help);
  EXPECT_THAT(run("--help").output, HasSubstr("--max-threads N"));
  EXPECT_THAT(run("--version").output, StartsWith("fxt-draw "));
}

}  // namespace
}  // namespace fxt::test
