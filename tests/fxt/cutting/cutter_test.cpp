// Tests how each kind of record is cut.
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fxt/checking/value_rules.h"
#include "tests/fxt/cutting/pieces.h"
#include "tests/fxt/sample_trace.h"

namespace fxt::test::cutting {
namespace {

using testing::ElementsAre;

Event linked(EventType type, std::uint64_t time, std::uint64_t id, const Thread& thread = kThread) {
  Event link = event(type, time, "link", thread);
  link.id = id;
  return link;
}

// Returns the words of a trace with these records. Tests may give records in a wrong order.
template <typename... Records>
Words trace(const Records&... records) {
  return file_of([&](Writer& writer) { (writer.write(records), ...); });
}

CutOptions range(std::uint64_t from, std::uint64_t to) {
  return {.range = {.from = TraceTime{.ns = from}, .to = TraceTime{.ns = to}}};
}

// ---- Durations ----

TEST(Cut, CompleteEventsAreClippedToTheRange) {
  const auto cuts =
      cut(trace(complete(0, 50, "gone"), complete(60, 500, "around"), complete(70, 150, "before"),
                complete(160, 190, "inside"), complete(195, 300, "behind"), complete(400, 450, "gone, too")),
          range(100, 200));
  EXPECT_THAT(texts_of(cuts), ElementsAre("begin 100 1/2 \"c\" \"around\"\n"
                                          "complete 100..150 1/2 \"c\" \"before\" \"cut\"=\"begin\"\n"
                                          "complete 160..190 1/2 \"c\" \"inside\"\n"
                                          "begin 195 1/2 \"c\" \"behind\"\n"
                                          "end 200 1/2 \"c\" \"behind\" \"cut\"=\"end\"\n"
                                          "end 200 1/2 \"c\" \"around\" \"cut\"=\"both\"\n"));
  EXPECT_EQ(cuts.counters.pieces, 1U);
  EXPECT_EQ(cuts.counters.events, 4U);
  EXPECT_EQ(cuts.counters.first_ns, std::optional<std::uint64_t>(100));
  EXPECT_EQ(cuts.counters.last_ns, 200U);
  EXPECT_EQ(cuts.counters.outside, 2U);
  EXPECT_EQ(cuts.counters.cut_calls, 2U);
}

TEST(Cut, PairsHaveTheArgumentCutAtTheirEnds) {
  const auto cuts =
      cut(trace(begin(0, "around"), begin(10, "over"), end(20, "over"), begin(30, "before"),
                end(150, "before"), begin(160, "inside"), end(170, "inside"), begin(180, "behind"),
                begin(210, "later"), end(220, "later"), end(300, "behind"), end(400, "around")),
          range(100, 200));
  EXPECT_THAT(texts_of(cuts), ElementsAre("begin 100 1/2 \"c\" \"around\"\n"
                                          "begin 100 1/2 \"c\" \"before\"\n"
                                          "end 150 1/2 \"c\" \"before\" \"cut\"=\"begin\"\n"
                                          "begin 160 1/2 \"c\" \"inside\"\n"
                                          "end 170 1/2 \"c\" \"inside\"\n"
                                          "begin 180 1/2 \"c\" \"behind\"\n"
                                          "end 200 1/2 \"c\" \"behind\" \"cut\"=\"end\"\n"
                                          "end 200 1/2 \"c\" \"around\" \"cut\"=\"both\"\n"));
}

TEST(Cut, BothEndsOfTheRangeBelongToIt) {
  const auto cuts = cut(trace(complete(50, 100, "till"), event(EventType::Instant, 99, "no"),
                              event(EventType::Instant, 100, "first"), complete(200, 200, "last"),
                              complete(200, 201, "longer"), event(EventType::Instant, 201, "no")),
                        range(100, 200));
  EXPECT_THAT(texts_of(cuts), ElementsAre("complete 100..100 1/2 \"c\" \"till\" \"cut\"=\"begin\"\n"
                                          "instant 100 1/2 \"c\" \"first\"\n"
                                          "complete 200..200 1/2 \"c\" \"last\"\n"
                                          "begin 200 1/2 \"c\" \"longer\"\n"
                                          "end 200 1/2 \"c\" \"longer\" \"cut\"=\"end\"\n"));
}

TEST(Cut, ARangeWithoutEventsShowsOpenDurations) {
  EXPECT_THAT(texts_of(cut(trace(begin(0, "a"), complete(5, 900, "b"), end(1000, "a")), range(100, 200))),
              ElementsAre("begin 100 1/2 \"c\" \"a\"\n"
                          "begin 100 1/2 \"c\" \"b\"\n"
                          "end 200 1/2 \"c\" \"b\" \"cut\"=\"both\"\n"
                          "end 200 1/2 \"c\" \"a\" \"cut\"=\"both\"\n"));
  EXPECT_THAT(texts_of(cut(trace(begin(0, "a"), end(50, "a")), range(100, 200))), ElementsAre(""));
  EXPECT_THAT(texts_of(cut(trace(), range(100, 200))), ElementsAre(""));
}

TEST(Cut, DurationsWithoutAnEndRemainOpen) {
  EXPECT_THAT(texts_of(cut(trace(begin(0, "a"), begin(120, "b")), range(100, 200))),
              ElementsAre("begin 100 1/2 \"c\" \"a\"\nbegin 120 1/2 \"c\" \"b\"\n"));
  EXPECT_THAT(texts_of(cut(trace(end(120, "b")), range(100, 200))), ElementsAre("end 120 1/2 \"c\" \"b\"\n"));
  EXPECT_THAT(texts_of(cut(trace(begin(120, "b"), event(EventType::Instant, 300, "i")), {.split_ns = 1000})),
              ElementsAre("begin 120 1/2 \"c\" \"b\"\ninstant 300 1/2 \"c\" \"i\"\n"));
  // The range ends before the open call ends.
  EXPECT_THAT(texts_of(cut(trace(begin(120, "b"), event(EventType::Instant, 300, "i")), range(100, 200))),
              ElementsAre("begin 120 1/2 \"c\" \"b\"\nend 200 1/2 \"c\" \"b\" \"cut\"=\"end\"\n"));
}

TEST(Cut, KeepsArguments) {
  constexpr std::array kBytes{std::byte{0xaa}, std::byte{0xbb}};
  Event call = complete(50, 150, "f");
  call.arguments = {
      {"n", 5U}, {"text", "table"}, {"inline", Inline{"inline"}}, {"koid", Koid{7}}, {"raw", Bytes{kBytes}}};
  Event last = begin(160, "g");
  last.arguments = {{"n", 6U}};
  Event last_end = end(300, "g");
  last_end.arguments = {{"retval", 7U}};
  EXPECT_THAT(
      texts_of(cut(trace(call, last, last_end), range(100, 200))),
      ElementsAre("complete 100..150 1/2 \"c\" \"f\" \"n\"=u32:5 \"text\"=\"table\" \"inline\"=\"inline\" "
                  "\"koid\"=koid:7 \"raw\"=blob:2:aabb \"cut\"=\"begin\"\n"
                  "begin 160 1/2 \"c\" \"g\" \"n\"=u32:6\n"
                  "end 200 1/2 \"c\" \"g\" \"retval\"=u32:7 \"cut\"=\"end\"\n"));
}

TEST(Cut, CompleteEventsWithManyArgumentsBecomePairs) {
  std::vector<std::string> names;
  for (int i = 0; i < 15; ++i) names.push_back(std::to_string(i));
  std::vector<Argument> arguments;
  for (const std::string& name : names) arguments.push_back({String(name), 1U});
  Event call = complete(50, 150, "f");
  call.arguments = Arguments(arguments);
  const auto text = texts_of(cut(trace(call), range(100, 200))).at(0);
  EXPECT_THAT(text, testing::StartsWith("begin 100 1/2 \"c\" \"f\" \"0\"=u32:1 "));
  EXPECT_THAT(text, testing::EndsWith("\nend 150 1/2 \"c\" \"f\" \"cut\"=\"begin\"\n"));
}

TEST(Cut, DoesNotRepeatAnArgumentCalledCut) {
  Event call = complete(150, 250, "f");
  call.arguments = {{"cut", 5U}};
  const auto cuts = cut(trace(call), range(100, 200));
  EXPECT_THAT(texts_of(cuts),
              ElementsAre("begin 150 1/2 \"c\" \"f\" \"cut\"=u32:5\nend 200 1/2 \"c\" \"f\"\n"));
  EXPECT_EQ(broken_rules(cuts.pieces[0]), "");
}

TEST(Cut, ThreadsMayBeWrittenOneAfterTheOther) {
  const auto cuts =
      cut(trace(begin(0, "a"), end(400, "a"), begin(10, "b", kOther), complete(120, 130, "in b", kOther),
                complete(190, 210, "till", kOther), end(390, "b", kOther)),
          range(100, 200));
  EXPECT_THAT(texts_of(cuts), ElementsAre("begin 100 1/2 \"c\" \"a\"\n"
                                          "begin 100 1/3 \"c\" \"b\"\n"
                                          "complete 120..130 1/3 \"c\" \"in b\"\n"
                                          "begin 190 1/3 \"c\" \"till\"\n"
                                          "end 200 1/3 \"c\" \"till\" \"cut\"=\"end\"\n"
                                          "end 200 1/3 \"c\" \"b\" \"cut\"=\"both\"\n"
                                          "end 200 1/2 \"c\" \"a\" \"cut\"=\"both\"\n"));
}

TEST(Cut, RangesMayCountFromTheStart) {
  const auto cuts = cut(trace(complete(1000, 2000, "a"), event(EventType::Instant, 1500, "i")),
                        {.range = {.from = TraceTime{400, true}, .to = TraceTime{600, true}}});
  EXPECT_THAT(texts_of(cuts), ElementsAre("begin 1400 1/2 \"c\" \"a\"\n"
                                          "instant 1500 1/2 \"c\" \"i\"\n"
                                          "end 1600 1/2 \"c\" \"a\" \"cut\"=\"both\"\n"));
}

// ---- Pieces ----

TEST(Split, ByTimeHasEdgesAtEqualDistances) {
  const auto cuts =
      cut(trace(complete(1000, 1350, "main"), complete(1010, 1020, "f"), complete(1090, 1110, "g"),
                complete(1100, 1105, "in g"), complete(1199, 1199, "h"), complete(1200, 1201, "i")),
          {.split_ns = 100});
  EXPECT_THAT(texts_of(cuts), ElementsAre("begin 1000 1/2 \"c\" \"main\"\n"
                                          "complete 1010..1020 1/2 \"c\" \"f\"\n"
                                          "begin 1090 1/2 \"c\" \"g\"\n"
                                          "end 1100 1/2 \"c\" \"g\" \"cut\"=\"end\"\n"
                                          "end 1100 1/2 \"c\" \"main\" \"cut\"=\"end\"\n",
                                          "begin 1100 1/2 \"c\" \"main\"\n"
                                          "complete 1100..1110 1/2 \"c\" \"g\" \"cut\"=\"begin\"\n"
                                          "complete 1100..1105 1/2 \"c\" \"in g\"\n"
                                          "complete 1199..1199 1/2 \"c\" \"h\"\n"
                                          "end 1200 1/2 \"c\" \"main\" \"cut\"=\"both\"\n",
                                          "begin 1200 1/2 \"c\" \"main\"\n"
                                          "complete 1200..1201 1/2 \"c\" \"i\"\n"
                                          "end 1300 1/2 \"c\" \"main\" \"cut\"=\"both\"\n",
                                          "complete 1300..1350 1/2 \"c\" \"main\" \"cut\"=\"begin\"\n"));
  EXPECT_EQ(cuts.counters.pieces, 4U);
  for (const Words& piece : cuts.pieces) EXPECT_EQ(broken_rules(piece), "");
}

TEST(Split, ByTimeLeavesOutPiecesWithoutEvents) {
  const auto cuts = cut(trace(begin(1000, "main"), complete(1010, 1550, "waits"),
                              event(EventType::Instant, 1990, "i"), end(1999, "main")),
                        {.split_ns = 100});
  EXPECT_THAT(texts_of(cuts), ElementsAre("begin 1000 1/2 \"c\" \"main\"\n"
                                          "begin 1010 1/2 \"c\" \"waits\"\n"
                                          "end 1100 1/2 \"c\" \"waits\" \"cut\"=\"end\"\n"
                                          "end 1100 1/2 \"c\" \"main\" \"cut\"=\"end\"\n",
                                          "begin 1500 1/2 \"c\" \"main\"\n"
                                          "complete 1500..1550 1/2 \"c\" \"waits\" \"cut\"=\"begin\"\n"
                                          "end 1600 1/2 \"c\" \"main\" \"cut\"=\"both\"\n",
                                          "begin 1900 1/2 \"c\" \"main\"\n"
                                          "instant 1990 1/2 \"c\" \"i\"\n"
                                          "end 1999 1/2 \"c\" \"main\" \"cut\"=\"begin\"\n"));
}

TEST(Split, ARangeBeginsAtItsStart) {
  CutOptions options = range(150, 320);
  options.split_ns = 100;
  EXPECT_THAT(texts_of(cut(trace(complete(0, 1000, "a"), event(EventType::Instant, 160, "i"),
                                 event(EventType::Instant, 250, "j"), event(EventType::Instant, 400, "k")),
                           options)),
              ElementsAre("begin 150 1/2 \"c\" \"a\"\ninstant 160 1/2 \"c\" \"i\"\n"
                          "end 250 1/2 \"c\" \"a\" \"cut\"=\"both\"\n",
                          "begin 250 1/2 \"c\" \"a\"\ninstant 250 1/2 \"c\" \"j\"\n"
                          "end 320 1/2 \"c\" \"a\" \"cut\"=\"both\"\n"));
}

TEST(Split, TheFirstRecordMayBeAfterTheRange) {
  CutOptions options{.range = {.to = TraceTime{.ns = 5000}}, .split_ns = 1000};
  EXPECT_THAT(texts_of(cut(trace(event(EventType::Instant, 10'000, "behind"),
                                 event(EventType::Instant, 500, "i"), event(EventType::Instant, 1500, "j")),
                           options)),
              ElementsAre("instant 500 1/2 \"c\" \"i\"\n", "instant 1500 1/2 \"c\" \"j\"\n", ""));
}

// ---- Other cases ----

TEST(Cut, CountersBeginWithTheirLastValue) {
  const auto counter = [](std::uint64_t time, std::uint64_t id, std::uint32_t value,
                          std::string_view name = "rss") {
    Event value_of = event(EventType::Counter, time, name);
    value_of.id = id;
    value_of.arguments = {{name == "rss" ? "KB" : "pages", value}};
    return value_of;
  };
  EXPECT_THAT(texts_of(cut(trace(counter(10, 1, 5), counter(20, 1, 6), counter(20, 2, 7),
                                 counter(30, 1, 4, "vm"), counter(120, 1, 8), counter(220, 1, 9)),
                           {.split_ns = 100})),
              ElementsAre("counter 10 1/2 \"c\" \"rss\" id=1 \"KB\"=u32:5\n"
                          "counter 20 1/2 \"c\" \"rss\" id=1 \"KB\"=u32:6\n"
                          "counter 20 1/2 \"c\" \"rss\" id=2 \"KB\"=u32:7\n"
                          "counter 30 1/2 \"c\" \"vm\" id=1 \"pages\"=u32:4\n",
                          "counter 110 1/2 \"c\" \"rss\" id=1 \"KB\"=u32:6\n"
                          "counter 110 1/2 \"c\" \"vm\" id=1 \"pages\"=u32:4\n"
                          "counter 110 1/2 \"c\" \"rss\" id=2 \"KB\"=u32:7\n"
                          "counter 120 1/2 \"c\" \"rss\" id=1 \"KB\"=u32:8\n",
                          "counter 210 1/2 \"c\" \"rss\" id=1 \"KB\"=u32:8\n"
                          "counter 210 1/2 \"c\" \"vm\" id=1 \"pages\"=u32:4\n"
                          "counter 210 1/2 \"c\" \"rss\" id=2 \"KB\"=u32:7\n"
                          "counter 220 1/2 \"c\" \"rss\" id=1 \"KB\"=u32:9\n"));
}

TEST(Cut, CpusBeginWithTheirThread) {
  const auto to = [](std::uint64_t time, std::uint16_t cpu, const Thread& from, const Thread& thread) {
    return LegacyContextSwitch{.time = time,
                               .cpu = cpu,
                               .outgoing_state = ThreadState::Blocked,
                               .outgoing = from,
                               .incoming = thread,
                               .incoming_priority = 7};
  };
  const std::vector<Argument> from_idle{{"outgoing_weight", std::numeric_limits<std::int32_t>::min()}};
  EXPECT_THAT(
      texts_of(cut(trace(to(10, 0, kIdleThread, kThread), to(20, 1, kThread, kIdleThread),
                         ContextSwitch{.time = 30, .cpu = 300, .outgoing_thread = 2, .incoming_thread = 3},
                         to(120, 0, kThread, kOther)),
                   range(100, 200))),
      ElementsAre("context-switch 100 cpu=0 out 0/0 state=new priority=0 in 1/2 priority=7\n"
                  "thread-switch 100 cpu=300 out 0 state=new in 3 "
                  "\"outgoing_weight\"=i32:-2147483648\n"
                  "context-switch 120 cpu=0 out 1/2 state=blocked priority=0 in 1/3 priority=7\n"));
}

TEST(Cut, EveryPieceHasTheNames) {
  const auto cuts = cut(file_of([](Writer& writer) {
                          writer.name_process(1, "app");
                          writer.name_thread(1, 2, "main");
                          writer.write(event(EventType::Instant, 10, "a"));
                          writer.name_thread(1, 3, "worker");
                          writer.write(event(EventType::Instant, 110, "b"));
                        }),
                        {.split_ns = 100});
  EXPECT_THAT(texts_of(cuts), ElementsAre("kernel-object type=1 koid=1 \"app\"\n"
                                          "kernel-object type=2 koid=2 \"main\" \"process\"=koid:1\n"
                                          "instant 10 1/2 \"c\" \"a\"\n"
                                          "kernel-object type=2 koid=3 \"worker\" \"process\"=koid:1\n",
                                          "kernel-object type=1 koid=1 \"app\"\n"
                                          "kernel-object type=2 koid=2 \"main\" \"process\"=koid:1\n"
                                          "kernel-object type=2 koid=3 \"worker\" \"process\"=koid:1\n"
                                          "instant 110 1/2 \"c\" \"b\"\n"));
}

TEST(Cut, FlowsBeginAndEndInTheirPieces) {
  using enum EventType;
  const auto cuts = cut(
      trace(complete(0, 300, "a"), linked(FlowBegin, 10, 7), linked(FlowBegin, 20, 8), linked(FlowEnd, 30, 8),
            linked(FlowBegin, 40, 9), complete(100, 300, "b", kOther), linked(FlowStep, 110, 7, kOther),
            linked(FlowEnd, 120, 9, kOther), linked(FlowEnd, 130, 7), linked(FlowEnd, 140, 5)),
      {.split_ns = 100});
  EXPECT_THAT(texts_of(cuts), ElementsAre("begin 0 1/2 \"c\" \"a\"\n"
                                          "flow-begin 10 1/2 \"c\" \"link\" id=7\n"
                                          "flow-begin 20 1/2 \"c\" \"link\" id=8\n"
                                          "flow-end 30 1/2 \"c\" \"link\" id=8\n"
                                          "flow-begin 40 1/2 \"c\" \"link\" id=9\n"
                                          "complete 100..100 1/2 \"c\" \"link\"\n"
                                          "flow-end 100 1/2 \"c\" \"link\" id=7\n"
                                          "complete 100..100 1/2 \"c\" \"link\"\n"
                                          "flow-end 100 1/2 \"c\" \"link\" id=9\n"
                                          "end 100 1/2 \"c\" \"a\" \"cut\"=\"end\"\n",
                                          "begin 100 1/2 \"c\" \"a\"\n"
                                          "begin 100 1/3 \"c\" \"b\"\n"
                                          "flow-begin 110 1/3 \"c\" \"link\" id=7\n"
                                          "flow-end 130 1/2 \"c\" \"link\" id=7\n"
                                          "flow-end 140 1/2 \"c\" \"link\" id=5\n"  // unchanged
                                          "end 200 1/2 \"c\" \"a\" \"cut\"=\"both\"\n"
                                          "end 200 1/3 \"c\" \"b\" \"cut\"=\"end\"\n",
                                          "complete 200..300 1/2 \"c\" \"a\" \"cut\"=\"begin\"\n"
                                          "complete 200..300 1/3 \"c\" \"b\" \"cut\"=\"begin\"\n"));
  EXPECT_EQ(cuts.counters.cut_flows, 1U);
  EXPECT_EQ(broken_rules(cuts.pieces[0]), "");
}

TEST(Cut, FlowsWithTheSameIdEndInTheirProcesses) {
  using enum EventType;
  constexpr Thread kElsewhere{.process = 9, .thread = 9};
  const auto cuts = cut(trace(complete(0, 300, "a"), complete(0, 300, "b", kElsewhere),
                              linked(FlowBegin, 10, 7), linked(FlowStep, 20, 7, kElsewhere),
                              linked(FlowBegin, 30, 7, kElsewhere), event(Instant, 200, "i")),
                        {.split_ns = 100});
  EXPECT_EQ(broken_rules(cuts.pieces.at(0)), "");
  EXPECT_THAT(text_of(cuts.pieces[0]), testing::HasSubstr("flow-end 100 1/2 \"c\" \"link\" id=7\n"));
  EXPECT_THAT(text_of(cuts.pieces[0]), testing::HasSubstr("flow-end 100 9/9 \"c\" \"link\" id=7\n"));
}

TEST(Cut, InstantsKeepTheirScopes) {
  Event global = event(EventType::Instant, 150, "i");
  global.scope = InstantScope::Global;
  Event unknown = event(EventType::Instant, 160, "i");
  unknown.scope = static_cast<InstantScope>(7);
  EXPECT_THAT(texts_of(cut(trace(global, unknown), range(100, 200))),
              ElementsAre("instant 150 1/2 \"c\" \"i\" scope=global\n"
                          "instant 160 1/2 \"c\" \"i\" scope=7\n"));
}

TEST(Cut, AsyncOperationsAreBegunAgain) {
  using enum EventType;
  Event named = linked(AsyncBegin, 20, 7);
  named.name = "inner";
  Event named_end = linked(AsyncEnd, 150, 7);
  named_end.name = "inner";
  const auto cuts =
      cut(trace(linked(AsyncBegin, 10, 7), named, linked(AsyncInstant, 30, 7), linked(AsyncBegin, 40, 8),
                linked(AsyncEnd, 50, 8), named_end, linked(AsyncEnd, 250, 7)),
          range(100, 200));
  EXPECT_THAT(texts_of(cuts), ElementsAre("async-begin 100 1/2 \"c\" \"link\" id=7\n"
                                          "async-begin 100 1/2 \"c\" \"inner\" id=7\n"
                                          "async-end 150 1/2 \"c\" \"inner\" id=7 \"cut\"=\"begin\"\n"
                                          "async-end 200 1/2 \"c\" \"link\" id=7 \"cut\"=\"both\"\n"));
}

TEST(Split, AsyncOperationsContinue) {
  using enum EventType;
  EXPECT_THAT(texts_of(cut(trace(linked(AsyncBegin, 10, 7), linked(AsyncEnd, 150, 7)), {.split_ns = 100})),
              ElementsAre("async-begin 10 1/2 \"c\" \"link\" id=7\n"
                          "async-end 110 1/2 \"c\" \"link\" id=7 \"cut\"=\"end\"\n",
                          "async-begin 110 1/2 \"c\" \"link\" id=7\n"
                          "async-end 150 1/2 \"c\" \"link\" id=7 \"cut\"=\"begin\"\n"));
}

TEST(Split, EveryPieceHasTheUserspaceObjects) {
  const Words words = file_of([](Writer& writer) {
    writer.write(UserspaceObject{
        .process = {.process = 1}, .pointer = 0xf00, .name = "object", .arguments = {{"size", 5U}}});
    writer.write(event(EventType::Instant, 10, "a"));
    writer.write(event(EventType::Instant, 110, "b"));
  });
  const auto texts = texts_of(cut(words, {.split_ns = 100}));
  ASSERT_EQ(texts.size(), 2U);
  for (const std::string& text : texts)
    EXPECT_THAT(text,
                testing::StartsWith("userspace-object process=1 pointer=0xf00 \"object\" \"size\"=u32:5\n"));
}

// The second switch is late in the trace, but its time (20) is before the time of the first switch (50). The
// last piece must start with the state after the first switch.
TEST(Split, ALateSwitchIsNotAssignedToTheNextPiece) {
  const auto words_of = [](const auto& to_thread, const auto& late_to_other) {
    return trace(to_thread, event(EventType::Instant, 150, "i"), late_to_other,
                 event(EventType::Instant, 250, "j"));
  };
  EXPECT_THAT(
      texts_of(cut(words_of(LegacyContextSwitch{.time = 50, .incoming = kThread, .incoming_priority = 7},
                            LegacyContextSwitch{.time = 20, .incoming = kOther, .incoming_priority = 7}),
                   {.split_ns = 100}))[2],
      testing::StartsWith("context-switch 220 cpu=0 out 0/0 state=new priority=0 in 1/2 priority=7\n"));
  EXPECT_THAT(texts_of(cut(words_of(ContextSwitch{.time = 50, .outgoing_thread = 9, .incoming_thread = 2},
                                    ContextSwitch{.time = 20, .outgoing_thread = 9, .incoming_thread = 3}),
                           {.split_ns = 100}))[2],
              testing::StartsWith("thread-switch 220 cpu=0 out 0 state=new in 2 "));
}

// At one time, one thread comes to the CPU, and another thread leaves the CPU. In the trace, the record of
// the thread that comes is first.
TEST(Split, AThreadThatComesWhenAnotherLeavesIsRunning) {
  const auto state_of = [](const auto& comes, const auto& leaves) {
    return texts_of(
        cut(trace(event(EventType::Instant, 40, "i"), comes, leaves, event(EventType::Instant, 150, "j")),
            {.split_ns = 100}))[1];
  };
  EXPECT_THAT(
      state_of(LegacyContextSwitch{.time = 50, .incoming = kThread, .incoming_priority = 7},
               LegacyContextSwitch{.time = 50, .outgoing = kOther, .outgoing_priority = 7}),
      testing::StartsWith("context-switch 140 cpu=0 out 0/0 state=new priority=0 in 1/2 priority=7\n"));
  EXPECT_THAT(state_of(LegacyContextSwitch{.time = 50, .incoming = kThread, .incoming_priority = 7},
                       LegacyContextSwitch{.time = 50, .outgoing = kThread, .outgoing_priority = 7}),
              testing::StartsWith("instant 150"))
      << "it leaves at once";
  const std::array<Argument, 1> to_idle{Argument{kIncomingWeight, kIdleWeight}};
  const auto leaves = [&to_idle](std::uint64_t thread) {
    return ContextSwitch{
        .time = 50, .outgoing_thread = thread, .arguments = std::span<const Argument>(to_idle)};
  };
  const ContextSwitch comes{.time = 50, .outgoing_thread = 9, .incoming_thread = 2};
  EXPECT_THAT(state_of(comes, leaves(3)),
              testing::StartsWith("thread-switch 140 cpu=0 out 0 state=new in 2 "));
  EXPECT_THAT(state_of(comes, leaves(2)), testing::StartsWith("instant 150"));
}

// Backtraces refer to modules by numbers.
TEST(Split, EveryPieceHasTheModulesOfTheProfiler) {
  static constexpr std::array<std::uint64_t, 1> kFrames = {0x1234};
  const auto backtrace = [&](std::uint64_t time, const Thread& thread) {
    return ProfilerBacktrace{.time = time, .thread = thread, .frames = kFrames};
  };
  const Words words = trace(
      ProfilerModule{.time = 0, .thread = kOther, .module_id = 7, .name = "lib"},
      ProfilerMmap{.time = 1, .thread = kOther, .module_id = 7, .start = 0x1000, .range = 0x1000},
      ProfilerModule{.time = 2, .thread = kOther, .module_id = 7, .name = "libc"}, backtrace(3, kThread),
      backtrace(4, kOther), event(EventType::Instant, 100, "i"), backtrace(101, kThread));
  CutOptions options{.split_ns = 100, .threads = {2}};
  const auto cuts = cut(words, options);
  EXPECT_THAT(texts_of(cuts),
              ElementsAre("profiler-module 0 1/3 id=7 name=\"lib\" build_id=\n"
                          "profiler-mmap 1 1/3 id=7 flags=0 start=0x1000 range=0x1000 vaddr=0x0\n"
                          "profiler-module 2 1/3 id=7 name=\"libc\" build_id=\n"
                          "profiler-backtrace 3 1/2 flags=0 0x1234\n",
                          "profiler-module 100 1/3 id=7 name=\"libc\" build_id=\n"
                          "profiler-mmap 100 1/3 id=7 flags=0 start=0x1000 range=0x1000 vaddr=0x0\n"
                          "instant 100 1/2 \"c\" \"i\"\n"
                          "profiler-backtrace 101 1/2 flags=0 0x1234\n"));
  EXPECT_EQ(cuts.counters.unwritable, 0U);
}

TEST(Split, EveryPieceHasPerfettosPacketsBeforeTheFirstEvent) {
  const auto packets = [](std::string_view bytes) {
    return Blob{.name = "perfetto", .type = BlobType::Perfetto, .bytes = std::as_bytes(std::span(bytes))};
  };
  constexpr std::string_view of_all = "\x0a\x02\x08\x05", later = "\x0a\x02\x08\x06";
  const auto cuts = cut(trace(packets(of_all), complete(0, 10, "a"), packets(later), complete(100, 110, "b")),
                        {.split_ns = 100});
  EXPECT_THAT(texts_of(cuts), ElementsAre("blob \"perfetto\" type=3 size=4 0a020805\n"
                                          "complete 0..10 1/2 \"c\" \"a\"\n"
                                          "blob \"perfetto\" type=3 size=4 0a020806\n",
                                          "blob \"perfetto\" type=3 size=4 0a020805\n"
                                          "complete 100..110 1/2 \"c\" \"b\"\n"));
  EXPECT_EQ(cuts.counters.events, 2U);  // the other records are not events
}

TEST(Cut, RecordsWithoutATimeFollowThePreviousRecord) {
  const auto blob = [](std::string_view name) { return Blob{.name = name}; };
  EXPECT_THAT(texts_of(cut(trace(blob("first"), event(EventType::Instant, 10, "i"), blob("early"),
                                 event(EventType::Instant, 150, "j"), blob("inside"),
                                 event(EventType::Instant, 250, "k"), blob("late")),
                           range(100, 200))),
              ElementsAre("blob \"first\" type=1 size=0 \n"
                          "instant 150 1/2 \"c\" \"j\"\n"
                          "blob \"inside\" type=1 size=0 \n"));
}

// ---- Choices ----

TEST(Cut, ChoosesThreadsAndEvents) {
  const auto name_of = [](std::uint64_t thread, std::string_view name) {
    return KernelObject{
        .type = KernelObjectType::Thread, .koid = thread, .name = name, .arguments = {{"process", Koid{1}}}};
  };
  const std::vector<Argument> weights{{"incoming_weight", 5}, {"outgoing_weight", 6}};
  const Words words = trace(
      name_of(2, "main"), name_of(3, "other"),
      LegacyContextSwitch{
          .time = 5, .outgoing = kThread, .incoming = kOther, .outgoing_priority = 3, .incoming_priority = 4},
      ContextSwitch{.time = 6, .outgoing_thread = 3, .incoming_thread = 2, .arguments = weights},
      ContextSwitch{.time = 7, .outgoing_thread = 2, .incoming_thread = 3, .arguments = weights},
      ThreadWakeup{.time = 8, .thread = 3}, ThreadWakeup{.time = 9, .thread = 2},
      Log{.time = 10, .thread = kOther}, complete(20, 30, "a"), complete(20, 30, "b"),
      complete(20, 30, "a", kOther));
  EXPECT_THAT(
      texts_of(cut(words, {.threads = {2}, .keeps = [](const Event& e) { return e.name.text == "a"; }})),
      ElementsAre("kernel-object type=2 koid=2 \"main\" \"process\"=koid:1\n"
                  "context-switch 5 cpu=0 out 1/2 state=new priority=3 in 0/0 priority=0\n"
                  "thread-switch 6 cpu=0 out 0 state=new in 2 \"incoming_weight\"=i32:5 "
                  "\"outgoing_weight\"=i32:-2147483648\n"
                  "thread-switch 7 cpu=0 out 2 state=new in 0 \"outgoing_weight\"=i32:6 "
                  "\"incoming_weight\"=i32:-2147483648\n"
                  "wakeup 9 cpu=0 2\n"
                  "complete 20..30 1/2 \"c\" \"a\"\n"));
}

TEST(Cut, EndsAreChosenByTheirBegins) {
  const auto words =
      trace(begin(10, "a"), begin(20, "b"), begin(30, "a"), end(40, ""), end(50, "a"), end(60, "b"),
            end(70, "a"), begin(80, "a", kOther), end(90, "b", kOther), end(95, "b", kOther));
  EXPECT_THAT(texts_of(cut(words, {.keeps = [](const Event& e) { return e.name.text == "a"; }})),
              ElementsAre("begin 10 1/2 \"c\" \"a\"\n"
                          "begin 30 1/2 \"c\" \"a\"\n"
                          "end 40 1/2 \"c\" \"\"\n"
                          "end 60 1/2 \"c\" \"b\"\n"
                          "end 70 1/2 \"c\" \"a\"\n"
                          "begin 80 1/3 \"c\" \"a\"\n"
                          "end 90 1/3 \"c\" \"b\"\n"));
}

TEST(Cut, FlowsInDurationsThatAreNotChosenGetADuration) {
  const auto keeps = [](const Event& e) { return e.name.text == "link" || e.name.text == "a"; };
  const auto words = trace(complete(10, 30, "a"), linked(EventType::FlowBegin, 20, 7), begin(40, "b"),
                           linked(EventType::FlowStep, 41, 7), end(42, "b"), begin(50, "a", kOther),
                           linked(EventType::FlowEnd, 51, 7, kOther), end(52, "a", kOther));
  EXPECT_THAT(texts_of(cut(words, {.keeps = keeps})), ElementsAre("complete 10..30 1/2 \"c\" \"a\"\n"
                                                                  "flow-begin 20 1/2 \"c\" \"link\" id=7\n"
                                                                  "complete 41..41 1/2 \"c\" \"link\"\n"
                                                                  "flow-step 41 1/2 \"c\" \"link\" id=7\n"
                                                                  "begin 50 1/3 \"c\" \"a\"\n"
                                                                  "flow-end 51 1/3 \"c\" \"link\" id=7\n"
                                                                  "end 52 1/3 \"c\" \"a\"\n"));
}

// An operation is kept if it starts on the chosen thread. This is true for operation 7, but not for operation
// 8. An event without an operation is kept if the event itself is on the chosen thread.
TEST(Cut, AsyncOperationsAreChosenByTheirBegins) {
  using enum EventType;
  Event stray = linked(AsyncEnd, 28, 8);
  stray.name = "stray";
  const auto words =
      trace(linked(AsyncBegin, 10, 7), linked(AsyncBegin, 20, 8, kOther), linked(AsyncInstant, 25, 7, kOther),
            linked(AsyncInstant, 26, 8), linked(AsyncInstant, 27, 9), stray, linked(AsyncEnd, 30, 7, kOther),
            linked(AsyncEnd, 40, 8), linked(AsyncInstant, 45, 7));
  const auto cuts = cut(words, {.threads = {kThread.thread}});
  EXPECT_THAT(texts_of(cuts), ElementsAre("async-begin 10 1/2 \"c\" \"link\" id=7\n"
                                          "async-instant 25 1/3 \"c\" \"link\" id=7\n"
                                          "async-instant 27 1/2 \"c\" \"link\" id=9\n"
                                          "async-end 28 1/2 \"c\" \"stray\" id=8\n"
                                          "async-end 30 1/3 \"c\" \"link\" id=7\n"
                                          "async-instant 45 1/2 \"c\" \"link\" id=7\n"));
}

// The id 7 is used for two flows. The chosen thread has the start of the first flow 7, the end of flow 8,
// both ends of the second flow 7, and no event of flow 10.
TEST(Cut, FlowsToThreadsThatAreNotChosenAreCut) {
  using enum EventType;
  const auto words = trace(complete(0, 100, "a"), complete(0, 100, "b", kOther), linked(FlowBegin, 10, 7),
                           linked(FlowBegin, 20, 8, kOther), linked(FlowEnd, 30, 7, kOther),
                           linked(FlowEnd, 40, 8), linked(FlowBegin, 50, 7), linked(FlowEnd, 60, 7),
                           linked(FlowBegin, 70, 10, kOther), linked(FlowEnd, 80, 10, kOther));
  const auto cuts = cut(words, {.threads = {kThread.thread}});
  EXPECT_THAT(texts_of(cuts), ElementsAre("complete 0..100 1/2 \"c\" \"a\"\n"
                                          "flow-begin 10 1/2 \"c\" \"link\" id=7\n"
                                          "begin 30 1/2 \"c\" \"link\"\n"
                                          "flow-end 30 1/2 \"c\" \"link\" id=7\n"
                                          "end 30 1/2 \"c\" \"link\"\n"
                                          "flow-begin 50 1/2 \"c\" \"link\" id=7\n"
                                          "flow-end 60 1/2 \"c\" \"link\" id=7\n"));
  EXPECT_EQ(cuts.counters.cut_flows, 2U);
  EXPECT_EQ(broken_rules(cuts.pieces[0]), "");
}

TEST(Cut, FlowsWithEventsThatAreNotChosenAreCut) {
  using enum EventType;
  const auto words = trace(complete(0, 100, "a"), linked(FlowBegin, 10, 7), linked(FlowEnd, 20, 7),
                           linked(FlowBegin, 30, 8), linked(FlowEnd, 300, 8));
  const auto keeps = [](const Event& e) { return e.time != 10 && e.time < 200; };
  const auto cuts = cut(words, {.split_ns = 50, .keeps = keeps});
  EXPECT_EQ(text_of(cuts.pieces.at(0)),
            "begin 0 1/2 \"c\" \"a\"\n"
            "flow-begin 30 1/2 \"c\" \"link\" id=8\n"
            "begin 50 1/2 \"c\" \"link\"\n"
            "flow-end 50 1/2 \"c\" \"link\" id=8\n"
            "end 50 1/2 \"c\" \"link\"\n"
            "end 50 1/2 \"c\" \"a\" \"cut\"=\"end\"\n");
  EXPECT_EQ(cuts.counters.cut_flows, 2U);
}

// Flow 7 starts before the range, and flow 9 ends after the range. Both are counted.
TEST(Cut, FlowsThatLeaveARangeAreCounted) {
  using enum EventType;
  const auto words =
      trace(complete(0, 100, "a"), linked(FlowBegin, 10, 7), linked(FlowBegin, 20, 8), linked(FlowEnd, 30, 8),
            linked(FlowBegin, 40, 9), linked(FlowEnd, 50, 7), linked(FlowEnd, 90, 9));
  const auto cuts = cut(words, {.range = parse_time_range("15ns~60ns")});
  EXPECT_EQ(broken_rules(cuts.pieces.at(0)), "");
  EXPECT_EQ(cuts.counters.cut_flows, 2U);
}

TEST(Cut, DropsSwitchesBetweenThreadsThatAreNotChosen) {
  const LegacyContextSwitch legacy{.time = 5, .outgoing = kThread, .incoming = kOther};
  const ContextSwitch modern{.time = 6, .outgoing_thread = 2, .incoming_thread = 3};
  EXPECT_THAT(texts_of(cut(trace(legacy, modern), {.threads = {4}})), ElementsAre(""));
}

TEST(Cut, TheIdleThreadIsNotInTheTable) {
  const LegacyContextSwitch change{.time = 5, .outgoing = kIdleThread, .incoming = kThread};
  const auto cuts = cut(trace(change), {});
  const Words& piece = cuts.pieces.at(0);
  Reader reader(std::as_bytes(std::span(piece)));
  std::vector<std::uint64_t> threads;
  for (const Entry& entry : reader)
    if (const auto* const record = std::get_if<ThreadRecord>(&entry.record))
      threads.push_back(record->thread);
  EXPECT_THAT(threads, ElementsAre(2));
}

TEST(Cut, BlobsAreEventsWithoutATime) {
  const auto cuts = cut(trace(Blob{.name = "info"}, complete(60, 90, "a"), Blob{.name = "more"}), {});
  EXPECT_EQ(cuts.counters.events, 3U);
  EXPECT_EQ(cuts.counters.first_ns, std::optional<std::uint64_t>(60));
  EXPECT_EQ(cut(trace(Blob{.name = "info"}), {}).counters.first_ns, std::nullopt);
}

// ---- Whole files ----

TEST(Cut, WithoutARangeTheTraceIsUnchanged) {
  EXPECT_EQ(text_of(cut(sample_trace(), {}).pieces.at(0)), text_of(sample_trace()));
}

TEST(Cut, TimesBecomeNs) {
  Words words = trace(complete(24, 48, "a"));
  words[4] = 24'000'000;
  EXPECT_THAT(texts_of(cut(words, {})), ElementsAre("complete 1000..2000 1/2 \"c\" \"a\"\n"));
  words[4] = 1;  // 1 tick per second, so the end below does not fit into 64 bits as ns
  for (std::uint64_t& word : words)
    if (word == 48) word = ~std::uint64_t{0};
  const auto cuts = cut(words, {});
  EXPECT_THAT(texts_of(cuts), ElementsAre(""));
  EXPECT_EQ(cuts.counters.unwritable, 1U);
}

TEST(Cut, KeepsProviders) {
  const Words words = file_of([](Writer& writer) {
    writer.write(event(EventType::Instant, 10, "a"));
    writer.begin_provider(2, "second");
    writer.write(event(EventType::Instant, 20, "b"));
    writer.switch_provider(1);
    writer.write(event(EventType::Instant, 110, "c"));
    writer.switch_provider(2);
    writer.buffer_full();
  });
  const auto cuts = cut(words, {.split_ns = 100});
  const auto providers = [](const Words& piece) {
    std::string text;
    Reader reader(std::as_bytes(std::span(piece)));
    for (const Entry& entry : reader)
      if (!std::holds_alternative<StringRecord>(entry.record))
        text += fmt::format("{}{} ", reader.provider_name(),
                            std::holds_alternative<Event>(entry.record) ? "!" : "");
    return text;
  };
  ASSERT_EQ(cuts.pieces.size(), 2U);
  EXPECT_EQ(providers(cuts.pieces[0]), " fxt fxt fxt fxt! second second second second! fxt ");
  EXPECT_EQ(providers(cuts.pieces[1]), " fxt fxt second second fxt fxt fxt! second second second ")
      << "each is announced, then comes the section of the current one, and its thread";
  EXPECT_THAT(text_of(cuts.pieces[1]), testing::HasSubstr("instant 110 1/2 \"c\" \"c\"\n"));
  EXPECT_EQ(broken_rules(cuts.pieces[1]), "");
}

TEST(Cut, SectionsComeBeforeLateRecordsOfAnotherProvider) {
  const Words words = file_of([](Writer& writer) {
    writer.write(event(EventType::Instant, 30, "a"));
    writer.begin_provider(2, "second");
    writer.write(event(EventType::Instant, 10, "b"));
    writer.switch_provider(1);
    writer.write(event(EventType::Instant, 20, "c"));
  });
  const Words piece = cut(words, {}).pieces.at(0);
  std::string events;
  Reader reader(std::as_bytes(std::span(piece)));
  for (const Entry& entry : reader)
    if (const auto* const event = std::get_if<Event>(&entry.record))
      events += fmt::format("{} of {}, ", event->name.text, reader.provider_name());
  EXPECT_EQ(events, "b of second, c of fxt, a of fxt, ");
}

TEST(Cut, IndicesMayChangeTheirMeaning) {
  Words words = trace(complete(10, 20, "a"), complete(30, 400, "a"));
  const auto say = [&](const std::function<void(Writer&)>& write) {
    const Words more = words_of(write);
    words.insert(words.end(), more.begin(), more.end());
  };
  // These records register the same indices again, first for the same provider, and then for another
  // provider.
  say([](Writer& writer) { writer.write(complete(50, 60, "b", kOther)); });
  words.insert(words.end(), kStart.begin() + 1, kStart.end());
  words[words.size() - kStart.size() + 1] += std::uint64_t{1} << 20;  // provider 2
  say([](Writer& writer) { writer.write(complete(70, 80, "c")); });
  EXPECT_THAT(texts_of(cut(words, {.split_ns = 100})),
              ElementsAre("complete 10..20 1/2 \"c\" \"a\"\n"
                          "begin 30 1/2 \"c\" \"a\"\n"
                          "complete 50..60 1/3 \"c\" \"b\"\n"
                          "complete 70..80 1/2 \"c\" \"c\"\n"
                          "end 110 1/2 \"c\" \"a\" \"cut\"=\"end\"\n",
                          "complete 310..400 1/2 \"c\" \"a\" \"cut\"=\"begin\"\n"));
}

TEST(Cut, CountsUnwritableRecords) {
  Words words = trace(complete(10, 20, "a"));
  words.push_back(0x0000'0000'0000'001b);  // of type 11
  const auto cuts = cut(words, {});
  EXPECT_THAT(texts_of(cuts), ElementsAre("complete 10..20 1/2 \"c\" \"a\"\n"));
  EXPECT_EQ(cuts.counters.unwritable, 1U);
}

TEST(Cut, AnEmptyTraceGivesAnEmptyPiece) {
  const auto cuts = cut({}, {.split_ns = 5, .split_bytes = 5});
  EXPECT_THAT(texts_of(cuts), ElementsAre(""));
  EXPECT_EQ(broken_rules(cuts.pieces[0]), "");
}

TEST(PieceNames, HaveTheNumberBeforeTheSuffix) {
  EXPECT_EQ(piece_name("out.fxt", 0), "out.000.fxt");
  EXPECT_EQ(piece_name("a.fxt/out.fxt.gz", 12), "a.fxt/out.012.fxt.gz");
  EXPECT_EQ(piece_name("a.fxt/out", 1234), "a.fxt/out.1234");
  EXPECT_EQ(piece_name("out", 7), "out.007");
  EXPECT_EQ(piece_name("out.json.gz", 7), "out.007.json.gz");
  EXPECT_EQ(piece_name("a.json/out.fxt.json", 7), "a.json/out.fxt.007.json");
}

}  // namespace
}  // namespace fxt::test::cutting
