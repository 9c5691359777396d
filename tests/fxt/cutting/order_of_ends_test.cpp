// Traces with calls in the order of their ends: in the file, inner calls come before the call around them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/ordered_reader.h"
#include "fxt/tools/statistics.h"
#include "tests/fxt/cutting/pieces.h"

namespace fxt::test::order_of_ends {
namespace {

using cutting::begin;
using cutting::complete;
using cutting::end;
using cutting::event;
using testing::ElementsAre;

Event flow(EventType type, std::uint64_t time) {
  Event link = event(type, time, "flow");
  link.id = 7;
  return link;
}

template <typename... Records>
Words trace(const Records&... records) {
  return file_of([&](Writer& writer) { (writer.write(records), ...); });
}

CutOptions range(std::uint64_t from, std::uint64_t to) {
  return {.range = {.from = TraceTime{.ns = from}, .to = TraceTime{.ns = to}}};
}

// Returns the text of the only piece. Checks that neither the trace nor the piece breaks a rule.
std::string text_of_cut(const Words& words, const CutOptions& options) {
  EXPECT_EQ(broken_rules(words), "");
  const Cuts cuts = cut(words, options);
  EXPECT_EQ(cuts.pieces.size(), 1U);
  EXPECT_EQ(broken_rules(cuts.pieces.at(0)), "");
  return text_of(cuts.pieces.at(0));
}

TEST(OrderOfEnds, OuterCallsComeBeforeInnerCallsAtTheStartOfARange) {
  EXPECT_EQ(text_of_cut(trace(complete(20, 40, "inner"), complete(50, 60, "sibling"),
                              complete(10, 90, "outer"), complete(5, 100, "outermost")),
                        range(30, 200)),
            "complete 30..100 1/2 \"c\" \"outermost\" \"cut\"=\"begin\"\n"
            "complete 30..90 1/2 \"c\" \"outer\" \"cut\"=\"begin\"\n"
            "complete 30..40 1/2 \"c\" \"inner\" \"cut\"=\"begin\"\n"
            "complete 50..60 1/2 \"c\" \"sibling\"\n");
}

TEST(OrderOfEnds, CallsThatContinueAfterARangeEndWithIt) {
  const Words words = trace(complete(10, 20, "first"), complete(70, 150, "inner"), complete(60, 160, "outer"),
                            complete(50, 170, "outermost"));
  EXPECT_EQ(text_of_cut(words, range(15, 100)),
            "complete 15..20 1/2 \"c\" \"first\" \"cut\"=\"begin\"\n"
            "begin 50 1/2 \"c\" \"outermost\"\n"
            "begin 60 1/2 \"c\" \"outer\"\n"
            "begin 70 1/2 \"c\" \"inner\"\n"
            "end 100 1/2 \"c\" \"inner\" \"cut\"=\"end\"\n"
            "end 100 1/2 \"c\" \"outer\" \"cut\"=\"end\"\n"
            "end 100 1/2 \"c\" \"outermost\" \"cut\"=\"end\"\n");
  const Cuts cuts = cut(words, range(15, 100));
  EXPECT_EQ(cuts.counters.cut_calls, 3U);
  EXPECT_EQ(cuts.counters.events, 4U);
  EXPECT_EQ(cuts.counters.outside, 0U);
  EXPECT_EQ(cuts.counters.first_ns, std::optional<std::uint64_t>(15));
  EXPECT_EQ(cuts.counters.last_ns, 100U);
}

// The calls around the range are cut to the same start and end. Two complete events with the same times have
// no clear order, so these calls are written as pairs.
TEST(OrderOfEnds, CallsAroundAWholeRangeStayInsideEachOther) {
  const Words words = trace(complete(60, 70, "call"), complete(20, 150, "inner"), complete(10, 160, "outer"));
  EXPECT_EQ(text_of_cut(words, range(50, 100)),
            "begin 50 1/2 \"c\" \"outer\"\n"
            "begin 50 1/2 \"c\" \"inner\"\n"
            "complete 60..70 1/2 \"c\" \"call\"\n"
            "end 100 1/2 \"c\" \"inner\" \"cut\"=\"both\"\n"
            "end 100 1/2 \"c\" \"outer\" \"cut\"=\"both\"\n");
  EXPECT_EQ(cut(words, range(50, 100)).counters.cut_calls, 2U);
  EXPECT_EQ(cut(words, range(50, 100)).counters.last_ns, 100U);
  EXPECT_EQ(
      text_of_cut(trace(complete(60, 70, "call"), complete(50, 150, "inner"), complete(10, 160, "outer")),
                  range(50, 100)),
      "begin 50 1/2 \"c\" \"outer\"\n"
      "begin 50 1/2 \"c\" \"inner\"\n"
      "complete 60..70 1/2 \"c\" \"call\"\n"
      "end 100 1/2 \"c\" \"inner\" \"cut\"=\"end\"\n"
      "end 100 1/2 \"c\" \"outer\" \"cut\"=\"both\"\n");
}

TEST(OrderOfEnds, EventsAtTheStartOfARangeComeAfterTheCallsAroundThem) {
  EXPECT_EQ(text_of_cut(trace(complete(10, 20, "first"), complete(30, 30, "point"), begin(30, "pair"),
                              flow(EventType::FlowBegin, 30), flow(EventType::FlowEnd, 31), end(32, "pair"),
                              complete(25, 90, "outer")),
                        range(30, 100)),
            "complete 30..90 1/2 \"c\" \"outer\" \"cut\"=\"begin\"\n"
            "complete 30..30 1/2 \"c\" \"point\"\n"
            "begin 30 1/2 \"c\" \"pair\"\n"
            "flow-begin 30 1/2 \"c\" \"flow\" id=7\n"
            "flow-end 31 1/2 \"c\" \"flow\" id=7\n"
            "end 32 1/2 \"c\" \"pair\"\n");
}

// If `next` came before `before`, Tracy would end `next` at the end of `before`.
TEST(OrderOfEnds, CallsThatBeginAtTheEndOfACutCallComeAfterIt) {
  EXPECT_EQ(text_of_cut(trace(complete(10, 14, "first"), complete(15, 40, "before"), complete(40, 50, "next"),
                              complete(50, 60, "next"), complete(61, 70, "last"), complete(5, 90, "outer")),
                        range(30, 100)),
            "complete 30..90 1/2 \"c\" \"outer\" \"cut\"=\"begin\"\n"
            "complete 30..40 1/2 \"c\" \"before\" \"cut\"=\"begin\"\n"
            "complete 40..50 1/2 \"c\" \"next\"\n"
            "complete 50..60 1/2 \"c\" \"next\"\n"
            "complete 61..70 1/2 \"c\" \"last\"\n");
}

TEST(OrderOfEnds, PairsThatBeganBeforeARangeAreCut) {
  Event first = begin(15, "pair");
  first.arguments = {{"n", 5U}};
  Event last = end(60, "pair");
  last.arguments = {{"retval", 6U}};
  EXPECT_EQ(text_of_cut(trace(begin(5, "over"), end(6, "over"), first, complete(20, 40, "inner"),
                              begin(50, "new"), end(55, "new"), last, complete(10, 90, "outer")),
                        range(30, 100)),
            "begin 30 1/2 \"c\" \"outer\"\n"
            "begin 30 1/2 \"c\" \"pair\" \"n\"=u32:5\n"
            "complete 30..40 1/2 \"c\" \"inner\" \"cut\"=\"begin\"\n"
            "begin 50 1/2 \"c\" \"new\"\n"
            "end 55 1/2 \"c\" \"new\"\n"
            "end 60 1/2 \"c\" \"pair\" \"retval\"=u32:6 \"cut\"=\"begin\"\n"
            "end 90 1/2 \"c\" \"outer\" \"cut\"=\"begin\"\n");
  EXPECT_EQ(text_of_cut(trace(first, complete(20, 40, "inner"), begin(50, "new"), end(120, "new"),
                              event(EventType::DurationEnd, 130, "pair"), complete(10, 190, "outer")),
                        range(30, 100)),
            "begin 30 1/2 \"c\" \"outer\"\n"
            "begin 30 1/2 \"c\" \"pair\" \"n\"=u32:5\n"
            "complete 30..40 1/2 \"c\" \"inner\" \"cut\"=\"begin\"\n"
            "begin 50 1/2 \"c\" \"new\"\n"
            "end 100 1/2 \"c\" \"new\" \"cut\"=\"end\"\n"
            "end 100 1/2 \"c\" \"pair\" \"cut\"=\"both\"\n"
            "end 100 1/2 \"c\" \"outer\" \"cut\"=\"both\"\n");
}

TEST(OrderOfEnds, PairsKeepTheirArguments) {
  std::vector<std::string> names;
  for (char letter = 'a'; letter < 'a' + 16; ++letter) names.emplace_back(1, letter);
  std::vector<Argument> arguments, end_arguments;
  for (std::size_t i = 0; i < names.size(); ++i)
    (i < 10 ? arguments : end_arguments).push_back({names[i], static_cast<std::uint32_t>(i)});
  Event first = begin(15, "pair"), last = end(60, "pair");
  first.arguments = Arguments(arguments);
  last.arguments = Arguments(end_arguments);
  const std::string text =
      text_of_cut(trace(first, complete(20, 40, "inner"), last, complete(10, 90, "outer")), range(30, 100));
  EXPECT_THAT(text, testing::HasSubstr("begin 30 1/2 \"c\" \"pair\" \"a\"=u32:0 "));
  EXPECT_THAT(text, testing::HasSubstr("end 60 1/2 \"c\" \"pair\" \"k\"=u32:10 "));
  EXPECT_THAT(text, testing::HasSubstr("\"p\"=u32:15 \"cut\"=\"begin\"\n"));
}

TEST(OrderOfEnds, CallsWithoutAnEndRemainOpen) {
  const CutOptions from_30{.range = {.from = TraceTime{.ns = 30}}};
  EXPECT_THAT(
      texts_of(cut(trace(begin(5, "endless"), complete(10, 20, "call"), complete(8, 60, "outer")), from_30)),
      ElementsAre("begin 30 1/2 \"c\" \"endless\"\n"
                  "complete 30..60 1/2 \"c\" \"outer\" \"cut\"=\"begin\"\n"));
  // A call without an end ends together with the call around it.
  EXPECT_THAT(texts_of(cut(trace(begin(6, "endless"), complete(10, 20, "call"), complete(5, 160, "outer")),
                           range(30, 100))),
              ElementsAre("begin 30 1/2 \"c\" \"outer\"\n"
                          "begin 30 1/2 \"c\" \"endless\"\n"
                          "end 100 1/2 \"c\" \"endless\" \"cut\"=\"both\"\n"
                          "end 100 1/2 \"c\" \"outer\" \"cut\"=\"both\"\n"));
}

TEST(OrderOfEnds, IndicesMayChangeTheirMeaningMeanwhile) {
  const Words words = joined(trace(complete(20, 40, "inner"), complete(50, 60, "sibling")),
                             {0x0000'0005'0003'0022, 0x72'6574'756f,  // string 3 is "outer" now
                              0x0003'0001'0104'0034, 70, 80,          // complete
                              0x0003'0001'0104'0034, 10, 90});
  EXPECT_EQ(text_of(cut(words, range(30, 200)).pieces.at(0)),
            "complete 30..90 1/2 \"c\" \"outer\" \"cut\"=\"begin\"\n"
            "complete 30..40 1/2 \"c\" \"inner\" \"cut\"=\"begin\"\n"
            "complete 50..60 1/2 \"c\" \"sibling\"\n"
            "complete 70..80 1/2 \"c\" \"outer\"\n");
}

TEST(OrderOfEnds, CallsContinueInTheNextPiece) {
  const Words words = trace(complete(20, 40, "inner"), complete(50, 60, "sibling"), begin(110, "pair"),
                            end(120, "pair"), complete(10, 150, "outer"));
  EXPECT_EQ(broken_rules(words), "");
  CutOptions options = range(30, 200);
  options.split_ns = 100;
  for (const std::uint64_t bytes : {0U, 1'000'000U}) {
    options.split_bytes = bytes;
    const Cuts cuts = cut(words, options);
    for (const Words& piece : cuts.pieces) EXPECT_EQ(broken_rules(piece), "");
    EXPECT_THAT(texts_of(cuts), ElementsAre("begin 30 1/2 \"c\" \"outer\"\n"
                                            "complete 30..40 1/2 \"c\" \"inner\" \"cut\"=\"begin\"\n"
                                            "complete 50..60 1/2 \"c\" \"sibling\"\n"
                                            "begin 110 1/2 \"c\" \"pair\"\n"
                                            "end 120 1/2 \"c\" \"pair\"\n"
                                            "end 130 1/2 \"c\" \"outer\" \"cut\"=\"both\"\n",
                                            "complete 130..150 1/2 \"c\" \"outer\" \"cut\"=\"begin\"\n"));
    EXPECT_EQ(cuts.counters.cut_calls, 1U);
  }
}

// ---- Random traces ----

// Calls of several threads, mostly complete events. A call never starts at the same time as the call around
// it. In this order of the file, readers would nest such calls wrongly.
class RandomTrace {
 public:
  // With `has_ties`, a call may end together with an inner call, and start when the previous call ends.
  RandomTrace(unsigned seed, bool has_ties) : random_(seed), has_ties_(has_ties) {
    for (std::uint64_t thread = 2; thread < 5; ++thread) {
      time_ = 1000 + pick(50);
      for (std::uint64_t count = pick(6); count > 0; --count) call(thread, 0);
    }
    if (pick(2) == 0) std::ranges::stable_sort(events_, {}, &Written::time);
  }

  Words words() const {
    return file_of([this](Writer& writer) {
      writer.name_process(1, "app");
      for (std::uint64_t thread = 2; thread < 5; ++thread) writer.name_thread(1, thread, "thread");
      for (const Written& written : events_) writer.write(written.event);
    });
  }
  std::uint64_t start_of_range() { return 990 + pick(last_ - 980); }
  std::uint64_t pick(std::uint64_t count) { return random_() % count; }

 private:
  struct Written {
    std::uint64_t time;
    Event event;
  };

  void call(std::uint64_t thread, std::size_t depth) {
    static constexpr std::array<std::string_view, 4> kNames{"a", "b", "c", "d"};
    const std::string_view name = kNames[pick(4)];
    Event call = event(EventType::DurationComplete, time_ += step(), name, {.process = 1, .thread = thread});
    const bool is_pair = pick(5) == 0;
    if (is_pair) add(EventType::DurationBegin, call);
    time_ += 1;
    if (pick(4) == 0) add(EventType::Instant, call);
    for (std::uint64_t count = pick(4); count > 0 && depth < 5; --count) this->call(thread, depth + 1);
    call.end = time_ += step();
    add(is_pair ? EventType::DurationEnd : EventType::DurationComplete, call);
    last_ = std::max(last_, time_);
  }
  std::uint64_t step() { return has_ties_ ? pick(4) : 1 + pick(9); }
  void add(EventType type, Event event) {
    event.type = type;
    if (type == EventType::DurationEnd) event.time = event.end;
    if (type == EventType::Instant) event.time = time_;
    if (type != EventType::DurationComplete) event.end = 0;
    events_.push_back({time_, event});
  }

  std::mt19937 random_;
  bool has_ties_;
  std::uint64_t time_ = 0, last_ = 1000;
  std::vector<Written> events_;
};

// For each name: the number of calls, and the times: total, self (0 without `has_self`), minimum, maximum.
std::map<std::string, std::string> figures_of(const Words& words, const TimeRange& range, bool has_self) {
  tools::Statistics statistics({.range = range});
  OrderedReader reader(std::as_bytes(std::span(words)));
  while (const Entry* const entry = reader.next()) statistics.add(*entry, reader.reader());
  statistics.finish();
  std::map<std::string, std::string> figures;
  for (const auto* const function : statistics.lines())
    figures[function->name->name] =
        fmt::format("{} {} {} {} {}", function->calls, function->total_ns, has_self ? function->self_ns : 0,
                    function->min_ns, function->max_ns);
  return figures;
}

void expect_same_figures(unsigned seed, bool has_ties) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  RandomTrace random(seed, has_ties);
  const Words words = random.words();
  if (broken_rules(words) != "") return;
  CutOptions options;
  const std::uint64_t from = random.start_of_range();
  const std::uint64_t to = from + random.pick(random.pick(2) == 0 ? 20 : 400);
  // 0: the range has a start and an end. 1: it has only an end. 2: it has only a start.
  const std::uint64_t sides = random.pick(3);
  if (sides != 1) options.range.from = TraceTime{.ns = from};
  if (sides != 2) options.range.to = TraceTime{.ns = to};
  const Words piece = cut(words, options).pieces.at(0);
  EXPECT_EQ(broken_rules(piece), "");
  EXPECT_EQ(figures_of(piece, {}, !has_ties), figures_of(words, options.range, !has_ties));
  if (testing::Test::HasFailure())
    ADD_FAILURE() << from << '~' << to << '\n' << text_of(piece) << "of\n" << text_of(words);
}

TEST(OrderOfEnds, StatisticsOfARangeAndItsPieceAreEqual) {
  for (unsigned seed = 0; seed < 500 && !HasFailure(); ++seed) expect_same_figures(seed, false);
}

// After the cut, nested calls may have equal times. Readers may nest them in another order, so self times may
// differ.
TEST(OrderOfEnds, StatisticsOfARangeAndItsPieceAreEqualWithEqualTimes) {
  for (unsigned seed = 0; seed < 500 && !HasFailure(); ++seed) expect_same_figures(seed, true);
}

}  // namespace
}  // namespace fxt::test::order_of_ends
