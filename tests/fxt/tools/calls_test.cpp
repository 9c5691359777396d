// Tests the output of fxt-dump about calls: their lengths, and their nesting.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/fxt/tool_test.h"

namespace fxt::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Writes calls of the category "app" on the threads 101 and 102 as words, so that tests can give them a wrong
// order or wrong ends.
class Calls : public ToolTest {
 protected:
  enum Name : std::uint64_t { kMain = 2, kWork = 3, kLeaf = 4 };

  Words words_;
  std::size_t before_ = 0;  // number of words before the first call

  Calls() {
    words_ = file_of([](Writer& writer) {
      const auto mark = [&](std::uint64_t thread, const char* name) {
        writer.write(Event{.type = EventType::Instant,
                           .time = 1000,
                           .thread = {.process = 100, .thread = thread},
                           .category = "app",
                           .name = name});
      };
      mark(101, "main");
      mark(101, "work");
      mark(102, "leaf");
    });
    before_ = words_.size();
  }
  void complete(Name name, std::uint64_t begin, std::uint64_t end, std::uint64_t thread = 1) {
    add(4, name, thread, {begin, end});
  }
  void begin(Name name, std::uint64_t time) { add(2, name, 1, {time}); }
  void end(Name name, std::uint64_t time) { add(3, name, 1, {time}); }

  std::string dump(const std::string& options) {
    const Outcome outcome = shell(std::string(FXT_DUMP) + " " + options + " " + file("calls", words_));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return outcome.output;
  }
  // Returns a text for each function: "NAME CALLS: TOTAL SELF AVERAGE MINIMUM MAXIMUM".
  std::vector<std::string> statistics(const std::string& options = "") {
    std::vector<std::string> lines;
    const auto json = nlohmann::json::parse(dump("--stats --json " + options));
    for (const auto& call : json["calls"])
      lines.push_back(fmt::format("{} {}: {} {} {} {} {}", call["name"].get<std::string>(),
                                  call["calls"].dump(), call["total_ns"].dump(), call["self_ns"].dump(),
                                  call["average_ns"].dump(), call["min_ns"].dump(), call["max_ns"].dump()));
    return lines;
  }

 private:
  void add(std::uint64_t type, Name name, std::uint64_t thread, const Words& times) {
    words_.push_back(name << 48 | std::uint64_t{1} << 32 | thread << 24 | type << 16 |
                     (1 + times.size()) << 4 | 4);
    words_.insert(words_.end(), times.begin(), times.end());
  }
};

TEST_F(Calls, HaveSelfAndTotalTimes) {
  complete(kMain, 1000, 2000);
  complete(kWork, 1100, 1400);
  complete(kLeaf, 1150, 1250);
  complete(kWork, 1400, 1900);
  complete(kLeaf, 1000, 1040, 2);
  EXPECT_THAT(statistics(), ElementsAre("main 1: 1000 200 1000 1000 1000", "work 2: 800 700 400 300 500",
                                        "leaf 2: 140 140 70 40 100"));
  EXPECT_THAT(dump("--stats --unit us"), HasSubstr(R"(calls of the program, in us
  calls  total   self  average    min    max
      1  1.000  0.200    1.000  1.000  1.000  "app" "main"
      2  0.800  0.700    0.400  0.300  0.500  "app" "work"
      2  0.140  0.140    0.070  0.040  0.100  "app" "leaf"
events by category and name
)"));
}

TEST_F(Calls, EndsOfCallsExtendTheTimeOfTheTrace) {
  complete(kMain, 1000, 9000);
  complete(kWork, 2000, 3000);
  const auto json = nlohmann::json::parse(dump("--stats --json"));
  EXPECT_EQ(json["first_ns"], 1000);
  EXPECT_EQ(json["last_ns"], 9000);
}

TEST_F(Calls, AreSorted) {
  complete(kMain, 1000, 2000);
  complete(kWork, 1000, 1900);
  complete(kLeaf, 1100, 1200);
  complete(kLeaf, 1300, 1500);
  complete(kLeaf, 1500, 1502);
  const auto order = [&](const std::string& by) {
    std::string names;
    for (const std::string& line : statistics("--sort " + by)) names += line.substr(0, line.find(' ')) + " ";
    return names;
  };
  EXPECT_EQ(order("total"), "main work leaf ");
  EXPECT_EQ(order("self"), "work leaf main ");
  EXPECT_EQ(order("average"), "main work leaf ");
  EXPECT_EQ(order("min"), "main work leaf ");
  EXPECT_EQ(order("max"), "main work leaf ");
  EXPECT_EQ(order("calls"), "leaf main work ");
  EXPECT_EQ(order("name"), "leaf main work ");
}

TEST_F(Calls, RecursionCountsOnceInTheTotal) {
  complete(kWork, 1000, 1900);
  complete(kLeaf, 1100, 1800);
  complete(kWork, 1200, 1300);
  EXPECT_THAT(statistics(), ElementsAre("work 2: 900 300 500 100 900", "leaf 1: 700 600 700 700 700"));
}

TEST_F(Calls, PairsAndCompleteEventsAreEqual) {
  begin(kMain, 1000);
  complete(kWork, 1100, 1400);
  begin(kLeaf, 1500);
  end(kLeaf, 1600);
  end(kMain, 2000);
  EXPECT_THAT(statistics(), ElementsAre("main 1: 1000 600 1000 1000 1000", "work 1: 300 300 300 300 300",
                                        "leaf 1: 100 100 100 100 100"));
}

TEST_F(Calls, WithoutAnEndLastUntilTheEndOfTheThread) {
  begin(kMain, 1000);
  complete(kWork, 1100, 1400);
  EXPECT_THAT(statistics(), ElementsAre("main 1: 400 100 400 400 400", "work 1: 300 300 300 300 300"));
}

// `leaf` starts in `work`, but ends after it. Only the part of `leaf` before the end of `work` counts as time
// inside `work`.
TEST_F(Calls, CrossingCallsCountInTheCallAroundThem) {
  complete(kMain, 1000, 1100);
  complete(kWork, 1010, 1030);
  complete(kLeaf, 1020, 1040);
  EXPECT_THAT(statistics(),
              ElementsAre("main 1: 100 70 100 100 100", "leaf 1: 20 20 20 20 20", "work 1: 20 10 20 20 20"));
  EXPECT_EQ(nlohmann::json::parse(dump("--stats --json"))["crossing_calls"], 1);
  EXPECT_THAT(dump("--folded"), HasSubstr("calls: 1 calls end after the call in which they start\n"));
}

TEST_F(Calls, CompleteEventsCanCrossPairs) {
  complete(kMain, 1000, 1100);
  begin(kWork, 1010);
  complete(kLeaf, 1020, 1090);
  end(kWork, 1030);
  EXPECT_THAT(statistics(),
              ElementsAre("main 1: 100 20 100 100 100", "leaf 1: 70 70 70 70 70", "work 1: 20 10 20 20 20"));
  EXPECT_EQ(nlohmann::json::parse(dump("--stats --json"))["crossing_calls"], 1);
}

// `work` starts inside `main`, and has no end. The inferred end does not count as an end after `main`.
TEST_F(Calls, WithoutAnEndCrossNothing) {
  complete(kMain, 1000, 1100);
  begin(kWork, 1050);
  complete(kLeaf, 1200, 1300);
  EXPECT_FALSE(nlohmann::json::parse(dump("--stats --json")).contains("crossing_calls"));
}

TEST_F(Calls, UnmatchedEndsAreReported) {
  end(kLeaf, 1000);
  complete(kMain, 1500, 2000);
  complete(kLeaf, 1500, 1600);
  complete(kWork, 1100, 1400);
  complete(kWork, 3000, 2900);
  EXPECT_THAT(statistics(), ElementsAre("main 1: 500 400 500 500 500", "work 1: 300 300 300 300 300",
                                        "leaf 1: 100 100 100 100 100"));
  const auto json = nlohmann::json::parse(dump("--stats --json"));
  EXPECT_EQ(json["ends_without_begin"], 1);
  EXPECT_EQ(json["impossible_events"], 1);
  EXPECT_THAT(dump("--stats"), HasSubstr("  1 ends have no start\n  1 events are not part of any call, "
                                         "because their times are impossible\n"));
  EXPECT_THAT(dump("--tree"), HasSubstr("0.000001100         100/101          0.300 work\n"));
  for (const std::string option : {"--tree", "--folded"})
    EXPECT_THAT(
        dump(option),
        AllOf(HasSubstr("calls: 1 ends have no start\n"),
              HasSubstr("calls: 1 events are not part of any call, because their times are impossible\n")));
}

// Unregistered threads have no koid, so fxt-dump prints their index.
TEST_F(Calls, UnregisteredThreadsAreDistinguished) {
  complete(kMain, 1000, 2000, 9);
  complete(kWork, 1500, 2500, 10);
  EXPECT_THAT(statistics(),
              ElementsAre("main 1: 1000 1000 1000 1000 1000", "work 1: 1000 1000 1000 1000 1000"));
  EXPECT_THAT(dump("--stats"), AllOf(HasSubstr("1 events ?9\n"), HasSubstr("1 events ?10\n")));
  EXPECT_THAT(dump("--stats --json"), HasSubstr(R"({"missing":9,"events":1})"));
  EXPECT_EQ(dump("--folded"), "?;work 1000\n?;main 1000\n");
  EXPECT_EQ(dump("--tree"), R"(#        start (s)  process/thread    length (us) name
       0.000001000              ?9          1.000 main
       0.000001500             ?10          1.000 work
)");
}

TEST_F(Calls, MayComeAfterTheirInnerCallsInTheFile) {
  complete(kWork, 1100, 1400);
  complete(kLeaf, 1200, 1300);
  complete(kWork, 1500, 1600);
  complete(kMain, 1000, 2000);
  EXPECT_THAT(statistics(), ElementsAre("main 1: 1000 600 1000 1000 1000", "work 2: 400 300 200 100 300",
                                        "leaf 1: 100 100 100 100 100"));
}

// Some programs write a call when it ends, so inner calls come first.
TEST_F(Calls, AreSortedIfTheyAreWrittenAtTheirEnds) {
  begin(kLeaf, 1010);
  end(kLeaf, 1020);
  complete(kLeaf, 1150, 1250);
  complete(kWork, 1100, 1400);
  complete(kLeaf, 1400, 1400);
  complete(kWork, 1500, 1700);
  complete(kWork, 1500, 1700);
  complete(kMain, 1000, 2000);
  begin(kLeaf, 2100);
  EXPECT_THAT(statistics(), ElementsAre("main 1: 1000 490 1000 1000 1000", "work 3: 500 400 233 200 300",
                                        "leaf 4: 110 110 27 0 100"));
  EXPECT_EQ(dump("--folded"),
            "process 100;main 490\nprocess 100;main;work 200\nprocess 100;main;work;work 200\n"
            "process 100;main;work;leaf 100\nprocess 100;main;leaf 10\n");
  EXPECT_EQ(dump("--tree"), R"(#        start (s)  process/thread    length (us) name
       0.000001000         100/101          1.000 main
       0.000001010         100/101                  leaf {
       0.000001020         100/101          0.010   } leaf
       0.000001100         100/101          0.300   work
       0.000001150         100/101          0.100     leaf
       0.000001400         100/101          0.000   leaf
       0.000001500         100/101          0.200   work
       0.000001500         100/101          0.200     work
       0.000002100         100/101                leaf {
)");
}

TEST_F(Calls, WideIdsAreSeparatedByABlank) {
  words_.insert(words_.end(), {0x3'0033, 9'223'372'036'854'775'814U, 9'223'372'036'854'775'815U});
  complete(kMain, 1000, 2000, 3);
  EXPECT_EQ(dump("--tree"),
            "#        start (s)  process/thread    length (us) name\n"
            "       0.000001000 9223372036854775814/9223372036854775815          1.000 main\n");
}

TEST_F(Calls, AreATree) {
  complete(kMain, 1000, 2000);
  begin(kWork, 1100);
  complete(kLeaf, 1150, 1250);
  complete(kLeaf, 1150, 1250, 2);
  end(kWork, 1400);
  complete(kLeaf, 1400, 1400);
  complete(kLeaf, 2000, 2100);
  EXPECT_EQ(dump("--tree"), R"(#        start (s)  process/thread    length (us) name
       0.000001000         100/101          1.000 main
       0.000001100         100/101                  work {
       0.000001150         100/101          0.100     leaf
       0.000001150         100/102          0.100 leaf
       0.000001400         100/101          0.300   } work
       0.000001400         100/101          0.000   leaf
       0.000002000         100/101          0.100 leaf
)");
  EXPECT_EQ(dump("--tree --tid 102"),
            "#        start (s)  process/thread    length (us) name\n"
            "       0.000001150         100/102          0.100 leaf\n");
}

// A line is indented by at most 512 levels. Otherwise, the size of the output could grow with the square of
// the depth.
TEST_F(Calls, DeeperThan512AreNotIndentedFurther) {
  for (std::uint64_t i = 0; i < 514; ++i) complete(kWork, 1000 + i, 9000 - i);
  const std::string tree = dump("--tree");
  const auto indentation = [&](const std::string& time, const std::string& length) {
    const std::string line = "       0.00000" + time + "         100/101 " + length + " ";
    const std::size_t at = tree.find(line) + line.size();
    return tree.find("work", at) - at;
  };
  EXPECT_EQ(indentation("1511", "         6.978"), 1022);
  EXPECT_EQ(indentation("1512", "         6.976"), 1024);
  EXPECT_EQ(indentation("1513", "         6.974"), 1024);
}

// Three complete events start inside the pair `main`, and end after it.
TEST_F(Calls, OfAllKindsEndInOrder) {
  begin(kMain, 1000);
  for (int i = 0; i < 3; ++i) complete(kWork, 1100, 1900);
  end(kMain, 1500);
  end(kLeaf, 1600);
  begin(kLeaf, 1700);
  end(kLeaf, 1900);
  EXPECT_THAT(statistics(), ElementsAre("work 3: 800 800 800 800 800", "main 1: 500 100 500 500 500",
                                        "leaf 1: 200 200 200 200 200"));
  EXPECT_THAT(dump("--stats"), HasSubstr("  1 ends have no start\n"));
}

TEST_F(Calls, EndBeforeTheLimitOfTimes) {
  const std::string said = "3 events are not part of any call, because their times are impossible\n";
  complete(kMain, 1000, kTimeLimit - 1);
  complete(kWork, 1000, kTimeLimit);
  complete(kWork, 1000, 999);
  begin(kLeaf, kTimeLimit);
  EXPECT_THAT(statistics(), ElementsAre("main 1: 9223372036854774807 9223372036854774807 "
                                        "9223372036854774807 9223372036854774807 9223372036854774807"));
  EXPECT_THAT(dump("--stats"), HasSubstr("  " + said));
  EXPECT_THAT(dump("--stats --json"), HasSubstr("\"impossible_events\":3"));
  EXPECT_THAT(dump("--folded 2>&1"), HasSubstr("calls: " + said));
  EXPECT_THAT(dump("--tree 2>&1"), HasSubstr("calls: " + said));
  EXPECT_THAT(dump("--tree"), Not(HasSubstr(" work\n")));
  EXPECT_THAT(dump("--tree"), Not(HasSubstr(" leaf\n")));
  const Outcome drawn = shell(FXT_DRAW " " + folder() + "calls " + folder() + "out.svg");
  EXPECT_THAT(drawn.output, HasSubstr("1 call, 3 instants on 2 threads\n"));
  EXPECT_THAT(drawn.output, HasSubstr("3 records not drawn, because of impossible times\n"));
  const Outcome flame = shell(FXT_DRAW " --flame all " + folder() + "calls " + folder() + "flame.svg");
  EXPECT_EQ(flame.output, "1 path of calls\n" + said);
}

TEST_F(Calls, HaveReadableTimes) {
  complete(kMain, 1000, 2'345'678);
  EXPECT_THAT(dump("--stats"), HasSubstr("      1  2.34 ms  2.34 ms  2.34 ms  2.34 ms"));
  EXPECT_THAT(dump("--tree --unit ns"), HasSubstr("        2344678 main\n"));
}

// The same calls in several encodings: as complete events, and as pairs whose ends have no names.
class Encodings : public Calls {
 protected:
  void write(bool as_pairs) {
    const auto one = [&](Name name, std::uint64_t from, std::uint64_t to, auto inner) {
      if (as_pairs) {
        begin(name, from);
        inner();
        end(Name{}, to);
      } else {
        complete(name, from, to);
        inner();
      }
    };
    one(kMain, 1000, 9000, [&] {
      one(kWork, 2000, 4000, [&] { one(kLeaf, 2500, 3500, [] {}); });
      one(kWork, 5000, 8000, [&] { one(kMain, 6000, 7000, [] {}); });
    });
  }
};

TEST_F(Encodings, GiveTheSameFigures) {
  const std::vector<std::string> options{
      "",           "-n work",         "-n 'l*' -n main", "-c app",       "-c 'a*'",     "--tid 101",
      "-r 2us~4us", "-r ~3us -n main", "--type complete", "--type begin", "--type event"};
  const auto all = [&] {
    std::vector<std::vector<std::string>> figures;
    for (const std::string& option : options) figures.push_back(statistics(option));
    return figures;
  };
  write(false);
  const auto complete = all();
  words_.resize(before_);
  write(true);
  EXPECT_EQ(all(), complete);
  EXPECT_THAT(complete[0], ElementsAre("main 2: 8000 4000 4500 1000 8000", "work 2: 5000 3000 2500 2000 3000",
                                       "leaf 1: 1000 1000 1000 1000 1000"));
  EXPECT_THAT(complete[1], ElementsAre("work 2: 5000 3000 2500 2000 3000"))
      << "what is chosen changes no figure";
  // Only the parts of calls between the times 3000 and 5000 count.
  EXPECT_THAT(complete[6], ElementsAre("main 1: 2000 1000 2000 2000 2000", "work 2: 1000 500 500 0 1000",
                                       "leaf 1: 500 500 500 500 500"));
  EXPECT_THAT(complete[8], testing::SizeIs(3));
}

TEST_F(Encodings, AreChosenInTrees) {
  write(true);
  EXPECT_EQ(dump("--tree -n work"), R"(#        start (s)  process/thread    length (us) name
       0.000002000         100/101                work {
       0.000004000         100/101          2.000 } work
       0.000005000         100/101                work {
       0.000008000         100/101          3.000 } work
)");
  EXPECT_EQ(dump("--tree -r 2us~2500ns"), R"(#        start (s)  process/thread    length (us) name
       0.000003000         100/101                main {
       0.000003000         100/101                  work {
       0.000003000         100/101                    leaf {
       0.000003500         100/101          0.500     } leaf
       0.000003500         100/101          0.500   } work
       0.000003500         100/101          0.500 } main
)");
}

TEST_F(Calls, KeepTheirThreadsNames) {
  const std::string sample = file("sample", sample_trace());
  EXPECT_THAT(shell(FXT_DUMP " --stats --tid 101 -n run " + sample).output,
              HasSubstr("events 100/101 process \"demo\" thread \"main\""));
}

TEST_F(Calls, AreFolded) {
  complete(kMain, 1000, 2000);
  complete(kWork, 1100, 1400);
  complete(kLeaf, 1150, 1250);
  complete(kWork, 1500, 1600);
  complete(kLeaf, 1000, 1040, 2);
  EXPECT_EQ(dump("--folded"),
            "process 100;main 600\nprocess 100;main;work 300\nprocess 100;main;work;leaf 100\nprocess "
            "100;leaf 40\n");
}

TEST_F(Calls, AreCompared) {
  complete(kMain, 1000, 2000);
  complete(kLeaf, 1500, 1500);
  const std::string before = file("before", words_);
  complete(kMain, 2000, 2500);
  complete(kWork, 2100, 2300);
  complete(kLeaf, 2400, 2500);
  const std::string after = file("after", words_);
  const std::string lines = "before  " + before + "\nafter   " + after + "\n" + R"(calls of the program, in ns
  calls before  after  total before  after  difference  change
             1      2          1000   1500        +500  +50.0%  "app" "main"
             0      1             0    200        +200     new  "app" "work"
             1      2             0    100        +100          "app" "leaf"
)";
  EXPECT_EQ(shell(FXT_DUMP " --diff --unit ns " + before + " " + after).output, lines);
  EXPECT_EQ(shell(FXT_DUMP " --stats --unit ns " + before + " --diff " + after).output, lines);
}

TEST_F(Calls, ComparisonsReportUnmatchedEnds) {
  end(kMain, 1000);
  const std::string before = file("before", words_);
  complete(kMain, 1500, 1600);
  complete(kLeaf, 1550, 1700);
  const std::string after = file("after", words_);
  EXPECT_THAT(shell(FXT_DUMP " --stats " + before + " --diff " + after).output,
              testing::EndsWith("fxt-dump: " + before + ": 1 ends have no start\n" +  //
                                "fxt-dump: " + after + ": 1 ends have no start\n" +   //
                                "fxt-dump: " + after + ": 1 calls end after the call in which they start\n"));
}

TEST_F(Calls, MayBeNestedDeeply) {
  constexpr std::uint64_t kMany = 50'000;
  for (std::uint64_t i = 0; i < kMany; ++i) begin(kWork, 1000 + i);
  for (std::uint64_t i = 0; i < kMany; ++i) end(kWork, 1000 + kMany + i);
  EXPECT_THAT(statistics(), ElementsAre("work 50000: 99999 99999 50000 1 99999"));
  EXPECT_EQ(std::ranges::count(dump("--tree"), '{'), 50'000);
}

TEST_F(Calls, MayCrossManyTimes) {
  constexpr std::uint64_t kMany = 50'000;
  for (std::uint64_t i = 0; i < kMany; ++i) complete(kWork, 1000 + i, 101'000 + i);
  // Each call starts 1 ns after the previous call, and crosses the end of that call. Therefore, the self time
  // of a call is 1 ns. Only the last call has 100,000 ns.
  EXPECT_THAT(statistics(), ElementsAre("work 50000: 100000 149999 100000 100000 100000"));
}

// 300 calls with names of 10,000 bytes are nested. A line of the output has the names of all calls around the
// function, so the output is far larger than the trace.
TEST_F(Calls, FoldedStacksAreLimitedBySizeOfTheTrace) {
  words_ = file_of([](Writer& writer) {
    const std::string name(10'000, 'x');
    for (std::uint64_t i = 0; i < 300; ++i)
      writer.write(Event{.type = EventType::DurationComplete,
                         .time = 1000 + i,
                         .thread = {.process = 100, .thread = 101},
                         .category = "app",
                         .name = name,
                         .end = 10'000 - i});
  });
  const std::string path = file("calls", words_);
  const Outcome refused = shell(std::string(FXT_DUMP) + " --folded " + path + " 2>&1");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.output, "fxt-dump: " + path +
                                ": more than 256 MiB of text, which is more than a hundred times the size of "
                                "the trace; use --any-size to print all of it\n");
  const Outcome begun = shell(std::string(FXT_DUMP) + " --folded --any-size " + path + " | head -c 14");
  EXPECT_EQ(begun.output, "process 100;xx");
}

TEST_F(Calls, MayBeInManyProcesses) {
  constexpr std::uint64_t kMany = 50'000;
  words_ = file_of([](Writer& writer) {
    for (std::uint64_t i = 1; i <= kMany; ++i)
      writer.write(Event{.type = EventType::DurationComplete,
                         .time = 1000 * i,
                         .thread = {.process = i, .thread = i},
                         .category = "app",
                         .name = "work",
                         .end = 1000 * i + 7});
  });
  const std::string folded = dump("--folded");
  EXPECT_EQ(std::ranges::count(folded, '\n'), 50'000);
  EXPECT_TRUE(folded.starts_with("process 50000;work 7\nprocess 49999;work 7\n"));
}

TEST_F(Calls, HaveNoTableIfTheTraceHasNone) { EXPECT_THAT(dump("--stats"), Not(HasSubstr("calls of"))); }

// Two calls of the program, one call of the kernel, and one switch, which takes the most time.
class Groups : public ToolTest {
 protected:
  std::string write(const std::string& file_name, std::uint64_t waited) {
    return file(file_name, file_of([waited](Writer& writer) {
                  const auto complete = [&](const char* category, const char* name, std::uint64_t begin,
                                            std::uint64_t end) {
                    writer.write(Event{.type = EventType::DurationComplete,
                                       .time = begin,
                                       .thread = {.process = 100, .thread = 101},
                                       .category = category,
                                       .name = name,
                                       .end = end});
                  };
                  complete("sched", "linux:schedule", 1000, 1000 + waited);
                  complete("[kernel]", "do_idle", 20'000, 23'000);
                  complete("app", "work", 30'000, 30'500);
                  complete("app", "work", 31'000, 31'250);
                }));
  }
  const std::string file_ = write("groups", 9000);
};

TEST_F(Groups, CallsOfTheProgramComeFirst) {
  const std::string text = shell(FXT_DUMP " --stats --columns max,calls " + file_).output;
  EXPECT_EQ(text.substr(0, text.find("events by")), R"(calls of the program
     max  calls
  500 ns      2  "app" "work"
calls of the kernel
      max  calls
  3.00 µs      1  "[kernel]" "do_idle"
off the CPU
      max  calls
  9.00 µs      1  "sched" "linux:schedule"
)");
}

TEST_F(Groups, AreInJson) {
  const auto json =
      nlohmann::ordered_json::parse(shell(FXT_DUMP " --stats --json --columns self,calls " + file_).output);
  EXPECT_EQ(json["calls"].dump(),
            R"([{"category":"app","name":"work","group":"program","self_ns":750,"calls":2},)"
            R"({"category":"[kernel]","name":"do_idle","group":"kernel","self_ns":3000,"calls":1},)"
            R"({"category":"sched","name":"linux:schedule","group":"off-cpu","self_ns":9000,"calls":1}])");
}

// A module may have the name `sched`, which is also the category of switches.
TEST_F(Groups, AProgramCalledSchedIsOnTheCpu) {
  const std::string path = file("sched", file_of([](Writer& writer) {
                                  for (const char* const name : {"main", "linux:schedule (pre-empted)"})
                                    writer.write(Event{.type = EventType::DurationComplete,
                                                       .time = 1000,
                                                       .thread = {.process = 100, .thread = 101},
                                                       .category = "sched",
                                                       .name = name,
                                                       .end = 2000});
                                }));
  const auto json = nlohmann::ordered_json::parse(shell(FXT_DUMP " --stats --json " + path).output);
  ASSERT_EQ(json["calls"].size(), 2U);
  for (const auto& call : json["calls"])
    EXPECT_EQ(call["group"], call["name"] == "main" ? "program" : "off-cpu");
}

TEST_F(Groups, AreComparedSeparately) {
  EXPECT_THAT(
      shell(FXT_DUMP " --diff --unit ns -c app -c sched " + file_ + " " + write("other", 5000)).output,
      testing::EndsWith(R"(
off the CPU, in ns
  calls before  after  total before  after  difference  change
             1      1          9000   5000       -4000  -44.4%  "sched" "linux:schedule"
)"));
}

TEST_F(Groups, RefuseOtherColumns) {
  for (const std::string list : {"", "calls,", "calls,median"})
    EXPECT_EQ(
        shell(FXT_DUMP " --stats --columns '" + list + "' " + file_).output,
        "fxt-dump: --columns takes calls, total, self, average, min, max, p50, p90, p99, with commas between "
        "them, not '" +
            (list == "calls,median" ? std::string("median") : "") + "'\nTry 'fxt-dump --help'.\n");
}

}  // namespace
}  // namespace fxt::test
