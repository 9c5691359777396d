// Tests that the converter shows the same calls as uftrace, with various options.
#include "tests/uftrace/filters/tree.h"

#include <cstdint>
#include <gmock/gmock.h>
#include <ostream>

namespace convert::uftrace {
namespace {

std::string shown(const std::vector<std::string>& words) {
  RecordingBuilder recording;
  write_tree(recording);
  RecordingOptions options;
  options.filters = filters_of(words);
  return tree_of(recording.lines({}, options));
}

// Returns the shown calls. The file demo.dbg names the source files of the functions.
std::string shown_by_file(const std::vector<std::string>& words) {
  RecordingBuilder recording;
  write_tree(recording);
  recording.file("demo.dbg",
                 "F: 1000 main\nL: 1 main.c\nF: 1080 a\nL: 1 src/mylib/c.c\nF: 1100 b\nL: 2 src/mylib/c.c\n"
                 "F: 1180 c\nL: 1 include/c.h\nF: 1200 d\nL: 1 src/d.c\nF: 1280 e\nL: 1 lib++/e.x\nF: 1300 "
                 "f\nL: 9 main.c\n");
  RecordingOptions options;
  options.filters = filters_of(words);
  std::vector<std::string> lines = recording.lines({}, options);
  for (std::string& line : lines) line = line.substr(0, line.find(" loc="));
  return tree_of(lines);
}

TEST(Locations, ApplyToEachFunctionSeparately) {
  EXPECT_EQ(shown_by_file({"-L", "src"}), "a{b} d{b}");
  EXPECT_EQ(shown_by_file({"-L", "lib"}), "a{b} b") << "the end of a component";
  EXPECT_EQ(shown_by_file({"-L", "/mylib/"}), "a{b} b");
  EXPECT_EQ(shown_by_file({"-L", "inc"}), "") << "a component ends later";
  EXPECT_EQ(shown_by_file({"-L", "c"}), "main{a{b} d{b} f}") << "of every x.c, as uftrace takes it";
  EXPECT_EQ(shown_by_file({"-L", "c.c"}), "a{b} b");
  EXPECT_EQ(shown_by_file({"-L", "lib++/e.x"}), "e e") << "a whole path, and a pattern that fits nothing";
  EXPECT_EQ(shown_by_file({"-L", "^src/[a-m].c", "--match", "regex"}), "d");
  EXPECT_EQ(shown_by_file({"-L", "*.h", "--match", "glob"}), "c c");
}

TEST(Locations, MayBeExcluded) {
  const char* const others = "main{c d{c{e}} f ext{cb{e}}}";
  EXPECT_EQ(shown_by_file({"-L", "mylib@hide"}), others);
  EXPECT_EQ(shown_by_file({"-L", "!mylib"}), others);
  EXPECT_EQ(shown_by_file({"-L", "src;d.c@hide"}), "a{b} b");
  EXPECT_EQ(shown_by_file({"-L", "src", "-L", "!mylib"}), "d") << "the later one counts";
}

TEST(Locations, DoNotAffectOtherOptions) {
  EXPECT_EQ(shown_by_file({"-L", "mylib", "-F", "d"}), "b") << "d opens, but lies elsewhere";
  EXPECT_EQ(shown_by_file({"-L", "src", "-D", "1"}), "a d");
  EXPECT_EQ(shown_by_file({"-L", "nowhere"}), "");
}

struct Vector {
  std::vector<std::string> words;
  std::string tree;
};

void PrintTo(const Vector& vector, std::ostream* out) {
  for (const std::string& word : vector.words) *out << word << ' ';
}

class Tree : public testing::TestWithParam<Vector> {};

TEST_P(Tree, IsShownLikeInUftrace) { EXPECT_EQ(shown(GetParam().words), GetParam().tree); }

constexpr const char* kWhole = "main{a{b{c}} d{b{c{e}}} f ext{cb{e}}}";

INSTANTIATE_TEST_SUITE_P(
    Vectors, Tree,
    testing::Values(Vector{{}, kWhole}, Vector{{"-F", "b", "-D", "2"}, "b{c} b{c}"},
                    Vector{{"-T", "b@depth=0"}, "main{a d f ext{cb{e}}}"},
                    Vector{{"-C", "c", "-t", "2us"}, "main{d{b{c}}}"},
                    Vector{{"-F", "main", "-F", "c", "-D", "2"}, "main{a{c} d{c{e}} f ext}"},
                    Vector{{"-T", "b@notrace", "-F", "d"}, "d"}, Vector{{"-C", "b", "-D", "2"}, "main{a d}"},
                    Vector{{"-F", "d", "-N", "c", "-F", "e"}, "d{b} e"},
                    Vector{{"-C", "c", "-T", "e@trace"}, "main{a{b{c}} d{b{c{e}}} ext{cb{e}}}"},
                    Vector{{"-N", "b"}, "main{a d f ext{cb{e}}}"},
                    Vector{{"-C", "c", "-F", "b"}, "b{c} b{c}"}, Vector{{"-N", "b", "-F", "c"}, ""},
                    Vector{{"-t", "6us"}, "main{a{b} d{b{c{e}}} ext}"},
                    Vector{{"-Z", "128"}, "main{a{b{c}} d{b{c{e}}} f e}"},
                    Vector{{"-H", "b", "-D", "3"}, "main{a{c} d{c} f ext{cb}}"},
                    Vector{{"-t", "10us", "-T", "cb@time=0"}, "main{a{b} d{b{c}} ext{cb{e}}}"},
                    Vector{{"-D", "3", "--no-libcall"}, "main{a{b} d{b} f cb{e}}"},
                    Vector{{"-F", "b@hide"}, "c c{e}"},
                    Vector{{"-t", "10us", "-T", "cb@trace"}, "main{a{b} d{b{c}} ext{cb}}"},
                    Vector{{"-T", "d@depth=1"}, "main{a{b{c}} d f ext{cb{e}}}"},
                    Vector{{"-T", "d@time=10us"}, "main{a{b{c}} d{b{c}} f ext{cb{e}}}"}));

// A call is drawn only if its entry is shown. In these cases, uftrace also shows exits of calls whose entry
// is hidden.
INSTANTIATE_TEST_SUITE_P(
    Tracing, Tree,
    testing::Values(Vector{{"--trace", "off", "-T", "c@trace_on", "-D", "2"}, "c d{b} f ext{cb}"},
                    Vector{{"-T", "c@trace_off", "-T", "f@trace_on"}, "main{a{b} f ext{cb{e}}}"},
                    Vector{{"--trace", "off", "-N", "d", "-T", "e@trace_on"}, "e"},
                    Vector{{"--trace", "off"}, ""}, Vector{{"--trace", "on"}, kWhole},
                    Vector{{"-T", "a@trace-off,traceon"}, kWhole}, Vector{{"-T", "main@traceoff"}, ""}));

// The last case differs from uftrace: uftrace shows only b and its callees.
INSTANTIATE_TEST_SUITE_P(Lists, Tree,
                         testing::Values(Vector{{"-N", "a;d"}, "main{f ext{cb{e}}}"},
                                         Vector{{"-F", "a;f"}, "a{b{c}} f"},
                                         Vector{{"-F", "!a"}, "main{d{b{c{e}}} f ext{cb{e}}}"},
                                         Vector{{"-F", ";a;"}, "a{b{c}}"}));

INSTANTIATE_TEST_SUITE_P(
    Settings, Tree,
    testing::Values(
        Vector{{"-N", "b", "-F", "b"}, "b{c} b{c{e}}"}, Vector{{"-F", "b", "-N", "b"}, ""},
        Vector{{"-F", ".", "-N", "d"}, "main{a{b{c}} f ext{cb{e}}}"}, Vector{{"-N", "d", "-F", "."}, kWhole},
        Vector{{"-T", "d@filter", "-N", "d"}, "d{b{c{e}}}"}, Vector{{"-F", "b@depth=2"}, "b{c} b{c}"},
        Vector{{"-F", "b@depth=1"}, "b b"}, Vector{{"-D", "1", "-T", "c@depth=1"}, "main{c c}"},
        Vector{{"-D", "1", "-T", "c@depth=2"}, "main{c c{e}}"}, Vector{{"-D", "1"}, "main"},
        Vector{{"-D", "0x2"}, "main{a d f ext}"}, Vector{{"-F", "b", "-F", "b@clear"}, kWhole},
        Vector{{"-F", "b", "-T", "b@clear=filter"}, ""}, Vector{{"-N", "b", "-T", "b@clear"}, kWhole},
        Vector{{"-N", "b", "-T", "b@clear=hide"}, "main{a d f ext{cb{e}}}"},
        Vector{{"-T", "b@depth=0,hide", "-T", "b@clear=depth"}, "main{a{c} d{c{e}} f ext{cb{e}}}"},
        Vector{{"-H", "b@clear"}, "main{a{c} d{c{e}} f ext{cb{e}}}"},
        Vector{{"-H", "b", "-F", "d"}, "d{c{e}}"}, Vector{{"-T", "b@caller"}, kWhole},
        Vector{{"-C", "e", "-T", "f@caller"}, "main{d{b{c{e}}} f ext{cb{e}}}"},
        Vector{{"-C", "cb", "-N", "cb"}, "main{ext}"}, Vector{{"-C", "b@hide"}, "main{a{b} d{b}}"},
        Vector{{"-T", "b@arg1,retval/s,color=red,backtrace,read=proc/statm,finish,recover"}, kWhole}));

INSTANTIATE_TEST_SUITE_P(
    Limits, Tree,
    testing::Values(Vector{{"-t", "6.001us"}, "main{a{b} d{b{c}} ext}"}, Vector{{"-t", "0"}, kWhole},
                    Vector{{"-t", "1000us"}, ""},
                    // No call inside d is shorter than 6 us.
                    Vector{{"-T", "d@time=6us"}, kWhole},
                    Vector{{"-T", "d@time=11us", "-t", "1us"}, "main{a{b{c}} d{b{c}} f ext{cb}}"},
                    Vector{{"-Z", "64"}, "main{a{b{c}} d{b{c{e}}} f cb{e}}"}, Vector{{"-Z", "0x81"}, ""},
                    Vector{{"-Z", "128", "-T", "ext@size=10"}, kWhole},
                    Vector{{"-T", "ext@size=65"}, "main{a{b{c}} d{b{c{e}}} f e}"},
                    Vector{{"-T", "d@size=1000"}, "main{a{b{c}} f ext{cb{e}}}"},
                    // A call that is hidden because of its size does not keep the calls around it visible.
                    Vector{{"-Z", "65", "-t", "1us"}, "main{a{b{c}} d{b{c{e}}} f}"},
                    Vector{{"-C", "cb", "-Z", "65"}, ""}));

INSTANTIATE_TEST_SUITE_P(
    Names, Tree,
    testing::Values(Vector{{"-F", "^[ab]$", "-D", "1"}, "a{b} b"},
                    Vector{{"--match", "glob", "-H", "?"}, "main{ext{cb}}"},
                    Vector{{"-H", "?*", "--match", "glob"}, ""},
                    Vector{{"-H", "c.", "--match", "simple"}, kWhole},
                    Vector{{"-H", "c."}, "main{a{b{c}} d{b{c{e}}} f ext{e}}"},
                    Vector{{"-F", "b@dem"}, "b{c} b{c{e}}"}, Vector{{"-F", "b@libc"}, ""},
                    Vector{{"-F", "ext@PLT"}, "ext{cb{e}}"}, Vector{{"-F", "ext@plt"}, "ext{cb{e}}"},
                    Vector{{"-F", "b@plt"}, ""}, Vector{{"-F", "b@kernel"}, ""}, Vector{{"-F", "nosuch"}, ""},
                    Vector{{"-F", "nosuch", "-H", "b"}, ""}, Vector{{"-N", "nosuch"}, kWhole},
                    Vector{{"-F", "B"}, ""}, Vector{{"-F", "B", "-F", "f"}, "f"}));

// --no-libcall applies before all other options, so the calls that it hides do not affect the other options.
INSTANTIATE_TEST_SUITE_P(Libcalls, Tree,
                         testing::Values(Vector{{"-F", "ext", "--no-libcall"}, ""},
                                         Vector{{"-N", "ext", "--no-libcall"},
                                                "main{a{b{c}} d{b{c{e}}} f cb{e}}"}));

TEST(Tree, ANestedFilteredFunctionRestartsTheDepth) {
  RecordingBuilder recording;
  recording.file("demo.sym",
                 "0000000000001000 00000080 T main\n0000000000001080 00000080 T f\n"
                 "0000000000001100 00000080 T g\n0000000000001180 00000080 T h\n");
  constexpr std::uint64_t kMain = 0x401000, kF = 0x401080, kG = 0x401100, kH = 0x401180;
  recording.entry(10, 0, kMain).entry(20, 1, kF).entry(30, 2, kG).entry(40, 3, kF).entry(50, 4, kG);
  recording.entry(60, 5, kH).exit(70, 5, kH).exit(80, 4, kG).exit(90, 3, kF).exit(100, 2, kG);
  recording.entry(110, 2, kH).exit(120, 2, kH).exit(130, 1, kF).entry(140, 1, kH).exit(150, 1, kH);
  recording.exit(160, 0, kMain);
  RecordingOptions options;
  options.filters = filters_of({"-F", "f", "-D", "2"});
  EXPECT_EQ(tree_of(recording.lines({}, options)), "f{g{f{g}} h}");
}

}  // namespace
}  // namespace convert::uftrace
