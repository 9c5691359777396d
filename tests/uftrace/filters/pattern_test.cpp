// Tests which functions a pattern matches, and the note about a pattern that matches no function.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "converters/uftrace/filters/filter_options.h"
#include "tests/uftrace/filters/tree.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using R = RecordingBuilder;

class Patterns : public testing::Test {
 protected:
  std::vector<std::string> shown(const std::vector<std::string>& words, const ImportOptions& all = {}) {
    RecordingOptions options;
    options.filters = filters_of(words);
    return recording_.lines(all, options);
  }
  R recording_;
};

TEST_F(Patterns, PatternsWithoutAMatchAreNoted) {
  recording_.entry(10, 0, R::kMain).exit(20, 0, R::kMain);
  shown({"-T", "main@caller"});
  EXPECT_THAT(recording_.notes(),
              ElementsAre("option-unused 1",
                          "DIR: --trigger 'main@caller': `caller` has no effect without --caller-filter"));
  EXPECT_THAT(shown({"-F", "mian"}), IsEmpty());
  EXPECT_THAT(recording_.notes(),
              ElementsAre("no-such-function 1", "DIR: --filter 'mian': similar names: main",
                          "calls-left-out 1", "DIR/100.dat: 1"));
  EXPECT_THAT(shown({"-N", "zzz@libc"}), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(recording_.notes(),
              ElementsAre("no-such-function 1", "DIR: --notrace 'zzz@libc': no function has a similar name"));
  shown({"-H", "main@libc"});
  EXPECT_THAT(recording_.notes(),
              ElementsAre("no-such-function 1", "DIR: --hide 'main@libc': main is a function of demo"));
  shown({"-H", "f"});
  EXPECT_THAT(recording_.notes(), ElementsAre("never-called 1", "DIR: --hide 'f': f is a function of demo"));
}

TEST_F(Patterns, AnInvalidRegexIsWrongUsage) {
  recording_.entry(10, 0, R::kMain).exit(20, 0, R::kMain);
  EXPECT_THROW(shown({"-F", "a{2"}), UsageError);
  EXPECT_THAT(shown({"-N", "a{2", "--match", "simple"}), ElementsAre("100/100 [10, 20] demo:main"));
}

// A pattern may be the name of an operator. Therefore, it is compared with names before it is used as a
// regex.
TEST_F(Patterns, NamesAreTriedBeforeRegexes) {
  recording_.file("demo.sym",
                  "0000000000001000 00000100 T main\n0000000000001100 00000100 T _ZN1PclEv\n"
                  "0000000000001200 00000100 T _ZN1PixEi\n0000000000001300 00000100 T _ZN1PplEi\n"
                  "0000000000001400 00000100 T _ZN1P3runEPFvvE\n");
  recording_.entry(10, 0, R::kMain).entry(12, 1, R::kF).exit(14, 1, R::kF).entry(15, 1, R::kG);
  recording_.exit(16, 1, R::kG).entry(17, 1, R::kSetjmp).exit(18, 1, R::kSetjmp);
  recording_.entry(18, 1, 0x401400).exit(19, 1, 0x401400).exit(20, 0, R::kMain);
  EXPECT_THAT(shown({"-F", "P::operator()"}), ElementsAre("100/100 [12, 14] demo:P::operator()"));
  EXPECT_THAT(shown({"-F", "P::operator[]"}), ElementsAre("100/100 [15, 16] demo:P::operator[]"));
  EXPECT_THAT(shown({"-F", "P::operator+"}), ElementsAre("100/100 [17, 18] demo:P::operator+"));
  EXPECT_THAT(shown({"-F", "P::operator[(]"}), ElementsAre("100/100 [12, 14] demo:P::operator()"));
  EXPECT_EQ(shown({"-F", "P::operator"}).size(), 0);
  EXPECT_EQ(shown({"-F", "P::operato."}).size(), 3);
  EXPECT_THAT(shown({"-F", "P::operator+", "--match", "glob"}),
              ElementsAre("100/100 [17, 18] demo:P::operator+"));
  ImportOptions full;
  full.demangle = Demangle::Full;
  EXPECT_THAT(shown({"-F", "P::operator+(int)"}, full),
              ElementsAre("100/100 [17, 18] demo:P::operator+(int)"));
  EXPECT_THAT(shown({"-F", "P::run(void (*)())"}, full),
              ElementsAre("100/100 [18, 19] demo:P::run(void (*)())"));
  shown({"-F", "P::operator{{"});
  EXPECT_THAT(recording_.notes(),
              testing::Contains(testing::StartsWith("DIR: --filter 'P::operator{{': sim")));
}

TEST_F(Patterns, RustFunctionsAreFoundByTheirShownNameAndWithoutGenerics) {
  recording_.file("demo.sym",
                  "0000000000001000 00000100 T main\n"
                  "0000000000001100 00000100 T _RINvCs1_4demo4showlEB2_\n"
                  "0000000000001200 00000100 T _RINvCs1_4demo4showAhj4_EB2_\n"
                  "0000000000001300 00000100 T _RINvXCs1_4demolNtB3_3Sum3sumeEB3_\n"
                  "0000000000001400 00000100 T _RNCNvMCs1_4demoINtB4_1PPpuE1f0\n");
  recording_.entry(10, 0, R::kMain).entry(11, 1, R::kF).exit(12, 1, R::kF).entry(13, 1, R::kG);
  recording_.exit(14, 1, R::kG).entry(15, 1, R::kSetjmp).exit(16, 1, R::kSetjmp);
  recording_.entry(17, 1, 0x401400).exit(18, 1, 0x401400).exit(20, 0, R::kMain);
  const std::string of_number = "100/100 [11, 12] demo:demo::show<i32>";
  const std::string of_bytes = "100/100 [13, 14] demo:demo::show<[u8;4]>";
  const std::string sum = "100/100 [15, 16] demo:<i32>sum<str>";
  const std::string closure = "100/100 [17, 18] demo:<demo::P<*const__,()>>::f::{closure}";
  EXPECT_THAT(shown({"-F", "demo::show<i32>"}), ElementsAre(of_number));
  EXPECT_THAT(shown({"-F", "demo::show<[u8;4]>;<i32>sum<str>"}), ElementsAre(of_bytes, sum));
  EXPECT_THAT(shown({"-F", "_RINvCs1_4demo4showAhj4_EB2_"}), ElementsAre(of_bytes));
  EXPECT_THAT(shown({"-F", "<demo::P<*const__,()>>::f::{closure}"}), ElementsAre(closure));
  EXPECT_THAT(shown({"-F", "demo::show"}), ElementsAre(of_number, of_bytes));
  EXPECT_THAT(shown({"-F", "<i32>::sum"}), ElementsAre(sum));
  EXPECT_THAT(shown({"-F", "<demo::P>::f::{closure}", "--match", "simple"}), ElementsAre(closure));
  EXPECT_THAT(shown({"-F", "demo::show<u8>"}), IsEmpty());
}

TEST_F(Patterns, ModulesWithAndWithoutTheFunctionAreDistinguished) {
  recording_.file("demo.sym",
                  "0000000000001000 00000100 T main\n0000000000001100 00000100 T f\n"
                  "0000000000001400 00000010 P fork\n");
  recording_.entry(10, 0, R::kMain).exit(20, 0, R::kMain);
  const auto kind = [&](const std::string& pattern) {
    shown({"-H", pattern});
    return recording_.notes().front();
  };
  EXPECT_EQ(kind("f@demo"), "never-called 1");
  EXPECT_EQ(kind("f@de"), "never-called 1");
  EXPECT_EQ(kind("f@plt"), "no-such-function 1");
  EXPECT_EQ(kind("fork@PLT"), "never-called 1");
  EXPECT_EQ(kind("f@kernel"), "no-such-function 1");
  EXPECT_EQ(kind("f@lib"), "no-such-function 1");
}

TEST(PatternReport, AMatchInOneInputIsEnough) {
  using Fit = PatternReport::Fit;
  Notes notes;
  PatternReport report;
  report.expect();
  report.expect();
  report.add(0, Fit::Called, "", "");
  report.add(1, Fit::Nothing, "a", "x");
  report.add(2, Fit::NeverCalled, "a", "y");
  report.add(3, Fit::Called, "", "");
  report.finish(notes);
  EXPECT_TRUE(notes.empty());
  report.add(0, Fit::Nothing, "b", "w");
  report.add(1, Fit::Nothing, "b", "x");
  report.add(2, Fit::Nothing, "b", "y");
  report.add(3, Fit::Called, "", "");
  report.finish(notes);
  std::vector<std::string> told;
  for (const auto& kind : notes.groups()) told.push_back(fmt::format("{} {}", kind.kind->name, kind.count));
  EXPECT_THAT(told, testing::UnorderedElementsAre("no-such-function 2", "never-called 1", "not-in-input 2"));
}

}  // namespace
}  // namespace convert::uftrace
