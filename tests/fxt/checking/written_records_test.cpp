// Tests the rules for events and their values: the Checker's findings in records from a Writer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/checker.h"
#include "tests/fxt/check_words.h"

namespace fxt::test {
namespace {

using enum EventType;

// Returns the names of the faults, each once. Faults whose name ends with "NeverEnds" are left out.
std::string faults_in(const std::function<void(Writer&)>& write, KnownReaders readers = KnownReaders::all()) {
  const Words words = file_of(write);
  std::string text;
  check(
      words,
      [&text](const Finding& finding) {
        const std::string name(name_of(finding.fault));
        if (name.ends_with("NeverEnds") || text.find(name) != std::string::npos) return;
        text += (text.empty() ? "" : " ") + name;
      },
      readers);
  return text;
}
std::string faults_of(const std::vector<Event>& events) {
  return faults_in([&](Writer& writer) {
    for (const Event& event : events) writer.write(event);
  });
}
template <typename... Records>
std::string faults_of_records(const Records&... records) {
  return faults_in([&](Writer& writer) { (writer.write(records), ...); });
}

Event duration(EventType type, std::uint64_t time, std::uint64_t end = 0, std::uint64_t thread = 101) {
  return {.type = type, .time = time, .thread = {.process = 100, .thread = thread}, .name = "x", .end = end};
}
Event flow(EventType type, std::uint64_t time, std::uint64_t process = 100) {
  return {.type = type,
          .time = time,
          .thread = {.process = process, .thread = process + 1},
          .name = "x",
          .id = 7};
}

// ---- Readers and faults ----

TEST(Readers, HaveNames) {
  EXPECT_EQ(parse_readers("perfetto,spec"), (KnownReaders{KnownReader::Perfetto, KnownReader::Spec}));
  EXPECT_EQ(parse_readers("fuchsia-cpp"), KnownReaders{KnownReader::FuchsiaCpp});
  for (const char* const text : {"", "perfetto,", ",tracy", "Perfetto"})
    EXPECT_FALSE(parse_readers(text)) << text;
}

TEST(Faults, EachBreaksARule) {
  for (std::size_t i = 0; i < kFaults; ++i) {
    const FaultCost cost = cost_of(static_cast<Fault>(i), KnownReaders::all());
    EXPECT_FALSE(cost.readers.empty());
    EXPECT_FALSE(cost.effect.empty());
    EXPECT_NE(std::ranges::find(rules(), cost.rule, &Rule::id), rules().end())
        << name_of(static_cast<Fault>(i));
  }
}

TEST(Checker, ReportsOnlyFaultsOfTheSelectedReaders) {
  const auto found_by = [](KnownReader reader, const Event& event) {
    return faults_in([&](Writer& writer) { writer.write(event); }, {reader});
  };
  const Event frame{.thread = kMain, .name = "frame"}, late{.time = kTimeLimit, .thread = kMain, .name = "x"},
      counter{.type = Counter, .thread = kMain, .name = "a", .arguments = {{"n", true}}};
  EXPECT_EQ(found_by(KnownReader::Tracy, frame), "FrameMark");
  EXPECT_EQ(found_by(KnownReader::Perfetto, frame), "");
  EXPECT_EQ(found_by(KnownReader::Perfetto, counter), "NoNumber");
  EXPECT_EQ(found_by(KnownReader::FuchsiaCpp, counter), "");
  EXPECT_EQ(found_by(KnownReader::Tracy, late), "");
}

// ---- Times ----

TEST(Checker, TheSpanOfATraceHas47Bits) {
  const auto at = [](std::uint64_t time, std::uint64_t thread = 101) {
    return duration(Instant, time, 0, thread);
  };
  EXPECT_EQ(faults_of({at(7), at(kSpanLimit + 6)}), "");
  EXPECT_EQ(faults_of({at(7), at(kSpanLimit + 7)}), "LongSpan");
  EXPECT_EQ(faults_of({at(kSpanLimit + 7), at(7, 102)}), "LongSpan");
  EXPECT_EQ(faults_of({duration(DurationComplete, 7, kSpanLimit + 7)}), "LongSpan");
  EXPECT_EQ(faults_of_records(Log{.time = 7, .thread = kMain, .message = "x"}, at(kSpanLimit + 7)), "");
}

// ---- Durations ----

TEST(Checker, DurationsNest) {
  const auto outer = duration(DurationComplete, 0, 10);
  EXPECT_EQ(faults_of({outer, duration(DurationComplete, 0, 10)}), "");
  EXPECT_EQ(faults_of({outer, duration(DurationComplete, 10, 20)}), "");
  EXPECT_EQ(faults_of({outer, duration(DurationComplete, 5, 15)}), "Overlaps");
  EXPECT_EQ(faults_of({outer, duration(DurationBegin, 5), duration(DurationComplete, 6, 15)}),
            "OverlapsBegun");
  EXPECT_EQ(
      faults_of({duration(DurationBegin, 0), duration(DurationComplete, 5, 15), duration(DurationEnd, 10)}),
      "Crosses");
  EXPECT_EQ(faults_of({duration(DurationEnd, 5)}), "StrayEnd");
  EXPECT_EQ(faults_of({outer, duration(DurationEnd, 5)}), "StrayEndInside");
  // The third duration crosses the end of the second one. This must not cause other faults in later
  // durations.
  EXPECT_EQ(faults_of({duration(DurationComplete, 0, 100), duration(DurationComplete, 1, 5),
                       duration(DurationComplete, 3, 8), duration(DurationComplete, 3, 4)}),
            "Overlaps");
}

TEST(Checker, DurationsAreAtMost512Deep) {
  std::vector<Event> events(512, duration(DurationBegin, 5));
  EXPECT_EQ(faults_of(events), "");
  events.push_back(duration(Instant, 5));
  EXPECT_EQ(faults_of(events), "TooDeep");
  events.back() = duration(DurationBegin, 5);
  EXPECT_EQ(faults_of(events), "TooDeep");
}

TEST(Checker, AtMost512EventsOfNoLengthHaveOneTime) {
  std::vector<Event> events(512, duration(Instant, 5));
  EXPECT_EQ(faults_of(events), "");
  events.push_back(duration(DurationComplete, 5, 5));
  EXPECT_EQ(faults_of(events), "TooDeep");
  events.back() = duration(DurationComplete, 5, 6);
  EXPECT_EQ(faults_of(events), "");
  events.push_back(duration(Instant, 5));
  EXPECT_EQ(faults_of(events), "");
}

TEST(Checker, EventsOfNoLengthAreCountedAcrossFlows) {
  std::vector<Event> events(514, duration(DurationComplete, 5, 5));
  events[0] = duration(DurationBegin, 5);
  events[511] = flow(FlowBegin, 5);
  EXPECT_EQ(faults_of(events), "TooDeep");
  events.pop_back();
  EXPECT_EQ(faults_of(events), "");
}

TEST(Checker, DurationsEndBeforeCompleteEventsAroundThem) {
  const auto outer = duration(DurationComplete, 0, 10), begin = duration(DurationBegin, 5);
  EXPECT_EQ(faults_of({outer, begin, duration(DurationEnd, 10)}), "");
  EXPECT_EQ(faults_of({outer, begin, duration(Instant, 10)}), "");
  EXPECT_EQ(faults_of({outer, begin, duration(DurationEnd, 15)}), "OpenWhenEnded");
  EXPECT_EQ(faults_of({outer, begin, duration(Instant, 11)}), "OpenWhenEnded");
  EXPECT_EQ(faults_of({outer, begin, duration(DurationComplete, 5, 11)}), "OverlapsBegun");
  EXPECT_EQ(faults_of({outer, begin, duration(DurationComplete, 20, 30), duration(DurationEnd, 25)}),
            "OpenWhenEnded Crosses");
}

TEST(Checker, EndsOfBeginsThatAreTooDeepEndNothing) {
  std::vector<Event> deep(513, duration(DurationBegin, 5));
  deep.resize(1026, duration(DurationEnd, 6));
  EXPECT_EQ(faults_of(deep), "TooDeep");
  deep.push_back(duration(DurationEnd, 6));
  EXPECT_EQ(faults_of(deep), "TooDeep StrayEnd");
}

TEST(Checker, DurationsEndInnermostFirst) {
  Event outer = duration(DurationBegin, 1), inner = duration(DurationBegin, 2),
        end = duration(DurationEnd, 3);
  outer.name = "outer";
  end.name = "outer";
  EXPECT_EQ(faults_of({outer, inner, end}), "NamesOuter");
  EXPECT_EQ(faults_of({outer, end}), "");
  end.name = Inline{"outer"};  // the same name
  EXPECT_EQ(faults_of({outer, inner, end}), "NamesOuter");
  inner.name = Inline{"x"};
  for (const char* const name : {"neither", "", "x"}) {
    end.name = name;
    EXPECT_EQ(faults_of({outer, inner, end}), "") << name;
  }
}

// If a start and its end have arguments of the same name, Perfetto keeps only one of them.
TEST(Checker, ArgumentsOfBeginAndEndHaveDifferentNames) {
  const auto pair = [](EventType begins, const String& a, EventType ends, const String& b) {
    return faults_of({Event{.type = begins,
                            .time = 1,
                            .thread = kMain,
                            .name = "x",
                            .arguments = {{"n", 1}, {a, 1}},
                            .id = 7},
                      Event{.type = ends,
                            .time = 2,
                            .thread = kMain,
                            .name = "x",
                            .arguments = {{b, 2}, {"m", 2}},
                            .id = 7}});
  };
  EXPECT_EQ(pair(DurationBegin, "a", DurationEnd, Inline{"a"}), "NameOfBegin");
  EXPECT_EQ(pair(DurationBegin, "a", DurationEnd, "b"), "");
  EXPECT_EQ(pair(AsyncBegin, "a", AsyncEnd, "a"), "NameOfBegin");
  EXPECT_EQ(pair(AsyncBegin, "a", AsyncEnd, "b"), "");
}

// ---- Flows ----

TEST(Checker, FlowsBeginBeforeTheirSteps) {
  const auto outer = duration(DurationComplete, 0, 100);
  const auto begin = flow(FlowBegin, 10), step = flow(FlowStep, 20), end = flow(FlowEnd, 30);
  EXPECT_EQ(faults_of({outer, begin, step, step, end, flow(FlowBegin, 40)}), "");
  EXPECT_EQ(faults_of({outer, step}), "FlowNotBegun");
  EXPECT_EQ(faults_of({outer, begin, begin}), "FlowInUse");
  EXPECT_EQ(faults_of({outer, begin, end, end}), "FlowNotBegun");
}

TEST(Checker, FlowsContinueInOtherProcesses) {
  const auto outer = duration(DurationComplete, 0, 100);
  Event other = outer, third = outer;
  other.thread = {.process = 200, .thread = 201};
  third.thread = {.process = 300, .thread = 301};
  const auto begin = flow(FlowBegin, 10);
  EXPECT_EQ(faults_of({outer, other, begin, flow(FlowEnd, 20, 200)}), "");
  EXPECT_EQ(faults_of({outer, other, begin, flow(FlowEnd, 9, 200)}), "FlowNotBegun");
  EXPECT_EQ(faults_of({outer, other, third, begin, flow(FlowBegin, 20, 200), flow(FlowStep, 30, 300)}),
            "FlowOfSeveral");
}

TEST(Checker, FlowsAreInsideDurations) {
  const auto point = duration(DurationComplete, 10, 10), instant = duration(Instant, 10);
  const auto begin = flow(FlowBegin, 10);
  EXPECT_EQ(faults_of({duration(DurationComplete, 0, 10), begin}), "");
  EXPECT_EQ(faults_of({duration(DurationComplete, 0, 9), begin}), "NotEnclosed");
  EXPECT_EQ(faults_of({point, begin}), "");
  EXPECT_EQ(faults_of({instant, point, begin}), "");
  EXPECT_EQ(faults_of({point, flow(FlowBegin, 11)}), "NotEnclosed");
  EXPECT_EQ(faults_of({instant, begin}), "NotEnclosed");
  EXPECT_EQ(faults_of({point, instant, begin}), "NotEnclosed");
}

TEST(Checker, FlowsDoNotFollowAnEndedInnerDuration) {
  const auto begin = duration(DurationBegin, 5), end = duration(DurationEnd, 8);
  const auto inner = duration(DurationComplete, 6, 7), later = flow(FlowBegin, 8);
  EXPECT_EQ(faults_of({begin, later}), "");
  EXPECT_EQ(faults_of({begin, inner, later}), "BehindEnded");
  EXPECT_EQ(faults_of({begin, inner, flow(FlowBegin, 7)}), "");
  EXPECT_EQ(faults_of({begin, duration(Instant, 6), later}), "BehindEnded");
  EXPECT_EQ(faults_of({begin, duration(DurationComplete, 6, 6), later}), "BehindEnded");
  EXPECT_EQ(faults_of({begin, inner, duration(DurationBegin, 8), end, later}), "");
  EXPECT_EQ(faults_of({duration(DurationComplete, 5, 9), inner, later}), "BehindEnded");
}

// ---- Async operations ----

TEST(Checker, AsyncOperationsOfOneIdNest) {
  const auto async = [](EventType type, std::uint64_t time, const char* name, std::uint64_t process = 100) {
    Event event = flow(type, time, process);
    event.name = name;
    return event;
  };
  const auto a = async(AsyncBegin, 5, "a"), b = async(AsyncBegin, 6, "b");
  const auto a_ends = async(AsyncEnd, 9, "a"), b_ends = async(AsyncEnd, 9, "b");
  EXPECT_EQ(faults_of({a, b, b_ends, a_ends}), "");
  EXPECT_EQ(faults_of({a, b, a_ends, async(AsyncEnd, 10, "b")}), "AsyncOpenWhenEnded");
  EXPECT_EQ(faults_of({a, b_ends}), "AsyncStrayEnd");
  EXPECT_EQ(faults_of({async(AsyncInstant, 5, "a")}), "AsyncInstantOutside");
  const auto other = async(AsyncBegin, 5, "a", 200), other_ends = async(AsyncEnd, 9, "a", 200);
  EXPECT_EQ(faults_of({a, other, other_ends, a_ends}), "");
  EXPECT_EQ(faults_of({a, other_ends}), "");
  EXPECT_EQ(faults_of({a, other, a_ends}), "AsyncOfOtherProcess");
  EXPECT_EQ(faults_of(std::vector<Event>(512, a)), "");
  EXPECT_EQ(faults_of(std::vector<Event>(513, a)), "AsyncTooDeep");
}

// ---- Values ----

TEST(Checker, CountersHaveNumbersWithUniqueNames) {
  const auto counter = [](std::string_view name, const Arguments& arguments) {
    return Event{.type = Counter, .thread = kMain, .name = name, .arguments = arguments};
  };
  EXPECT_EQ(faults_of({counter("rss", {})}), "NoValue");
  EXPECT_EQ(faults_of({counter("rss", {{"on", true}})}), "BoolArgument NoNumber");
  EXPECT_EQ(faults_of({counter("rss", {{"value", 1}}), counter("rss", {{"value", 2}})}), "");
  EXPECT_EQ(faults_of({counter("rss", {{"value", 1}}), counter("faults", {{"value", 3}})}), "SharedSeries");
}

TEST(Checker, SwitchedThreadsHaveNamesInTheirProcess) {
  const auto scheduled = [](std::initializer_list<std::uint64_t> processes) {
    return faults_in([&](Writer& writer) {
      for (const std::uint64_t process : processes) writer.name_thread(process, 101, "main");
      writer.write(LegacyContextSwitch{.time = 1, .incoming = kMain, .incoming_priority = 1});
    });
  };
  EXPECT_EQ(scheduled({100}), "");
  EXPECT_EQ(scheduled({200, 100}), "");
  EXPECT_EQ(scheduled({}), "UnnamedThread");
  EXPECT_EQ(scheduled({100, 200}), "NamedInOtherProcess");
  EXPECT_EQ(faults_of_records(LegacyContextSwitch{.time = 1, .incoming = kMain}), "TakenForIdle");
  // If the number of the CPU is above 255, the Writer uses the newer record, which has no priority.
  const Event instant{.thread = kMain, .name = "x"};
  EXPECT_EQ(faults_of_records(LegacyContextSwitch{.cpu = 256, .incoming = kMain}, instant), "UnnamedThread");
  // Perfetto ignores a CPU that runs only the idle thread.
  EXPECT_EQ(faults_of_records(LegacyContextSwitch{.cpu = 4096}), "");
  EXPECT_EQ(faults_of_records(ContextSwitch{.cpu = 4096}), "LargeCpu");
}

TEST(Checker, BlobsOfPerfettoAreCompletePackets) {
  const auto blob = [](std::vector<std::byte> bytes, BlobType type = BlobType::Perfetto) {
    return faults_of_records(Blob{.name = "b", .type = type, .bytes = bytes});
  };
  EXPECT_EQ(blob({std::byte{0x0a}, std::byte{2}, std::byte{8}, std::byte{1}}), "");
  EXPECT_EQ(blob({std::byte{0x0a}, std::byte{2}, std::byte{8}}), "PartOfPacket");
  EXPECT_EQ(blob({std::byte{1}}), "NoPackets");
  EXPECT_EQ(blob({std::byte{1}}, BlobType::Data), "");
}

}  // namespace
}  // namespace fxt::test
