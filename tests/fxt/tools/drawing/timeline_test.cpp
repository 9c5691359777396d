// Tests the drawn calls and instants, their positions, and the report about records that are not drawn.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fxt/tools/drawing/drawn.h"

namespace fxt::test {

// The rows of each track count from 0. A row is 17 pixels high. The first track starts at 41 pixels.
std::vector<std::string> shapes_of(const std::string& svg) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(svg.c_str()));
  std::vector<std::string> shapes;
  double top = 41;
  for (const pugi::xml_node lane : document.child("svg").children("g")) {
    if (std::string_view(lane.attribute("class").value()) != "lane") continue;
    top = lane.child("text").attribute("y").as_double() + 5;
    for (const pugi::xml_node shape : lane.children()) {
      std::string title = shape.child("title").text().get();
      title.resize(std::min(title.find('\n'), title.size()));  // removes the arguments
      if (std::string_view(shape.name()) == "rect")
        // A shape is half a pixel narrower, so that neighbors have a gap between them. Adds this half pixel.
        shapes.push_back(fmt::format(
            "{}+{:.4g} row {}: {}", shape.attribute("x").value(),
            shape.attribute("width").as_double() + (shape.attribute("width").as_double() > 0.5 ? 0.5 : 0),
            (shape.attribute("y").as_double() - top) / 17, title));
      if (std::string_view(shape.name()) != "path") continue;
      const std::string place = shape.attribute("transform").value();
      const std::size_t blank = place.find(' ');
      shapes.push_back(fmt::format("^{} row {}: {}", place.substr(10, blank - 10),
                                   (std::stod(place.substr(blank)) - top) / 17, title));
    }
  }
  return shapes;
}

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using tools::TimelineOptions;

constexpr auto kBegin = EventType::DurationBegin, kEnd = EventType::DurationEnd,
               kInstant = EventType::Instant;

TimelineOptions range(std::string_view text) { return {.events = {.range = parse_time_range(text)}}; }

std::vector<std::string> shapes(const std::vector<Event>& events, const TimelineOptions& options = {}) {
  return shapes_of(drawn(events, options).svg);
}
std::vector<std::string> lines(const std::vector<Event>& events, const TimelineOptions& options = {}) {
  return drawn(events, options).lines;
}

TEST(Timeline, DrawsNestedCallsBelowEachOther) {
  EXPECT_THAT(shapes({call(1000, 2000, "main"), call(1100, 1400, "work"), call(1150, 1250, "leaf"),
                      call(1400, 1500, "work")}),
              ElementsAre("8+1000 row 0: main: 1 µs at 0 ns", "108+300 row 1: work: 300 ns at 100 ns",
                          "408+100 row 1: work: 100 ns at 400 ns", "158+100 row 2: leaf: 100 ns at 150 ns"));
}

TEST(Timeline, DrawsPairsAsOneCall) {
  EXPECT_THAT(shapes({event(kBegin, 1000, "main"), event(kBegin, 1100, "work"), call(1200, 1300, "leaf"),
                      event(kEnd, 1400, ""), call(1500, 1600, "leaf"), event(kEnd, 2000, "")}),
              ElementsAre("8+1000 row 0: main: 1 µs at 0 ns", "108+300 row 1: work: 300 ns at 100 ns",
                          "508+100 row 1: leaf: 100 ns at 500 ns", "208+100 row 2: leaf: 100 ns at 200 ns"));
}

TEST(Timeline, DrawsCallsThatAreWrittenAtTheirEnds) {
  const Event main = call(1000, 2000, "main"), work = call(1100, 1400, "work"),
              leaf = call(1150, 1250, "leaf"), more = call(1400, 1500, "work"),
              last = call(1420, 1430, "leaf");
  EXPECT_THAT(shapes({leaf, work, last, more, main}),
              ElementsAreArray(shapes({main, work, leaf, more, last})));
  EXPECT_THAT(shapes({main, more, last, work, leaf}),
              ElementsAreArray(shapes({main, work, leaf, more, last})));
  EXPECT_THAT(lines({leaf, work, last, more, main}), ElementsAre("5 calls on 1 thread"));
}

TEST(Timeline, DrawsLateCallsBelowOpenCalls) {
  EXPECT_THAT(shapes({event(kBegin, 1000, "main"), call(1500, 1600, "work"), call(1200, 1300, "late"),
                      event(kEnd, 2000, "")}),
              ElementsAre("8+1000 row 0: main: 1 µs at 0 ns", "208+100 row 1: late: 100 ns at 200 ns",
                          "508+100 row 1: work: 100 ns at 500 ns"));
}

// All calls start at the same time. In the file, they are in the order of their ends.
TEST(Timeline, DrawsOuterCallsThatBeginTogetherWithInnerCalls) {
  EXPECT_THAT(shapes({call(1000, 1100, "leaf"), call(1000, 1500, "work"), call(1000, 2000, "main")}),
              ElementsAre("8+1000 row 0: main: 1 µs at 0 ns", "8+500 row 1: work: 500 ns at 0 ns",
                          "8+100 row 2: leaf: 100 ns at 0 ns"));
}

TEST(Timeline, DrawsCrossingCallsInEveryOrderOfTheFile) {
  const Event one = call(1000, 1500, "one"), two = call(1500, 2000, "two"), late = call(1400, 1600, "late");
  const auto in_order = shapes({one, late, two});
  EXPECT_THAT(in_order,
              ElementsAre("8+500 row 0: one: 500 ns at 0 ns", "408+200 row 1: late: 200 ns at 400 ns",
                          "508+500 row 2: two: 500 ns at 500 ns"));
  EXPECT_EQ(shapes({one, two, late}), in_order);
}

TEST(Timeline, InstantsAndCallsAreInsideCallsThatAreWrittenLater) {
  EXPECT_THAT(shapes({event(kInstant, 1300, "hit"), call(1500, 1600, "leaf"), call(1200, 2200, "late")}),
              ElementsAre("8+1000 row 0: late: 1 µs at 0 ns", "308+100 row 1: leaf: 100 ns at 300 ns",
                          "^108 row 1: hit at 100 ns"));
}

TEST(Timeline, InstantsAreInsideCallsThatAreWrittenLater) {
  EXPECT_THAT(shapes({event(kInstant, 1300, "hit"), call(1200, 2200, "late")}),
              ElementsAre("8+1000 row 0: late: 1 µs at 0 ns", "^108 row 1: hit at 100 ns"));
}

TEST(Timeline, DrawsATrackForEachThread) {
  const auto words = file_of([](Writer& writer) {
    writer.name_process(1, "demo");
    writer.name_thread(1, 3, "worker");
    writer.write(call(1000, 2000, "work", {.process = 1, .thread = 3}));
    writer.write(call(1000, 1500, "work", {.process = 1, .thread = 2}));
    writer.write(call(1000, 1500, "work", {.process = 4, .thread = 5}));
  });
  const std::string svg = drawn(bytes_of(words)).svg;
  EXPECT_THAT(
      svg, HasSubstr("<text class=\"head\" x=\"8\" y=\"36\" font-weight=\"bold\">demo 1 / thread 2</text>"));
  EXPECT_THAT(
      svg, HasSubstr("<text class=\"head\" x=\"8\" y=\"80\" font-weight=\"bold\">demo 1 / worker 3</text>"));
  EXPECT_THAT(
      svg,
      HasSubstr("<text class=\"head\" x=\"8\" y=\"124\" font-weight=\"bold\">process 4 / thread 5</text>"));
}

TEST(Timeline, CallsAreClippedToTheRange) {
  const std::vector<Event> events{call(1000, 3000, "main"), call(1100, 1700, "first"),
                                  call(1200, 1300, "gone"), call(1800, 2700, "last"),
                                  call(2800, 2900, "gone")};
  EXPECT_THAT(shapes(events, range("500ns~1500ns")),
              ElementsAre("8+1000 row 0: main: 2 µs at 0 ns", "8+200 row 1: first: 600 ns at 100 ns",
                          "308+700 row 1: last: 900 ns at 800 ns"));
  EXPECT_THAT(drawn(events, range("500ns~1500ns")).svg, HasSubstr("data-from=\"500\" data-to=\"1500\""));
  EXPECT_THAT(shapes({event(kBegin, 1000, "main"), event(kBegin, 1100, "gone"), event(kEnd, 1200, ""),
                      event(kEnd, 3000, ""), event(kBegin, 3100, "gone"), event(kEnd, 3200, "")},
                     range("500ns~1500ns")),
              ElementsAre("8+1000 row 0: main: 2 µs at 0 ns"));
}

TEST(Timeline, ARangeMayBeginAndEndWithoutEvents) {
  const std::vector<Event> events{call(1000, 1100, "gone"), call(2000, 2500, "work"),
                                  call(4000, 5000, "gone")};
  EXPECT_THAT(shapes(events, range("500ns~2500ns")), ElementsAre("258+250 row 0: work: 500 ns at 1 µs"));
}

// A range on the trace's clock may start before the trace or end after it. The picture shows only the part
// with the trace.
TEST(Timeline, ARangeEndsWithTheTrace) {
  EXPECT_THAT(drawn({call(1000, 2000, "main")}, range("0~1m")).svg,
              HasSubstr("data-from=\"0\" data-to=\"1000\""));
  EXPECT_THAT(shapes({call(1000, 2000, "main")}, range("0.0000015~")),
              ElementsAre("8+1000 row 0: main: 1 µs at 0 ns"));
  EXPECT_TRUE(drawn({call(1000, 2000, "main")}, range("2us~")).is_empty);
}

TEST(Timeline, DeselectedCallsLeaveNoEmptyRow) {
  const std::vector<Event> events{
      event(kBegin, 1000, "main"), call(1100, 1900, "work", kDrawnThread, "lib"),
      call(1200, 1300, "leaf"),    event(kInstant, 1250, "mark"),
      event(kEnd, 2000, ""),       call(1000, 2000, "other", {.process = 1, .thread = 3})};
  EXPECT_THAT(shapes(events, {.events = {.threads = {2}, .categories = {"app"}}}),
              ElementsAre("8+1000 row 0: main: 1 µs at 0 ns", "208+100 row 1: leaf: 100 ns at 200 ns",
                          "^258 row 2: mark at 250 ns"));
  EXPECT_THAT(shapes(events, {.events = {.names = {"w*", "l*"}}}),
              ElementsAre("8+1000 row 0: work: 800 ns at 100 ns", "133+125 row 1: leaf: 100 ns at 200 ns"));
}

TEST(Timeline, CallsNarrowerThanAPixelAreMergedWithTheirNeighbors) {
  // A pixel is 10 ns.
  const std::vector<Event> events{call(10'000, 20'000, "main"),  call(11'000, 11'004, "a"),
                                  call(11'006, 11'015, "b"),     call(11'016, 11'018, "c"),
                                  call(11'030, 11'035, "alone"), call(11'040, 11'060, "wide"),
                                  call(11'061, 11'062, "alone")};
  EXPECT_THAT(
      shapes(events),
      ElementsAre("8+1000 row 0: main: 10 µs at 0 ns", "108+1.8 row 1: 3 calls at 1 µs, b took longest: 9 ns",
                  "111+0.5 row 1: alone: 5 ns at 1.03 µs", "112+2 row 1: wide: 20 ns at 1.04 µs",
                  "114.1+0.5 row 1: alone: 1 ns at 1.061 µs"));
  EXPECT_THAT(lines(events),
              ElementsAre("7 calls on 1 thread", "3 calls narrower than a pixel, merged into 1 gray shape"));
  EXPECT_THAT(drawn(events).svg, HasSubstr("width=\"1.3\" height=\"16\" fill=\"#999\"><title>3 calls at"));
}

// Merged calls form shapes of at most 8 pixels. A user can therefore select a small range with a click.
TEST(Timeline, MergedCallsAreNoWiderThanEightPixels) {
  std::vector<Event> events;
  for (std::uint64_t time = 0; time < 100'000; time += 10) events.push_back(call(time, time + 9, "a"));
  EXPECT_THAT(shapes(events), SizeIs(125));
  EXPECT_EQ(shapes(events)[1], "16+7.99 row 0: 80 calls at 800 ns, a took longest: 9 ns");
}

TEST(Timeline, FramesOfGdbAreDrawnAsInstants) {
  const auto frame = [](EventType type, std::uint64_t time, std::string_view name, std::uint32_t number) {
    Event one = event(type, time, name, "tracepoint");
    one.arguments = {{"frame", number}};
    return one;
  };
  Event zero = frame(EventType::DurationComplete, 1200, "control", 1);
  zero.end = 1200;
  const std::vector<Event> events{call(1000, 2000, "main"),
                                  frame(kInstant, 1100, "weigh", 0),
                                  zero,
                                  frame(kBegin, 1300, "control", 2),
                                  event(kEnd, 1300, "control", "tracepoint"),
                                  frame(kInstant, 1300, "control (2)", 2),  // more arguments of frame 2
                                  frame(kBegin, 1400, "stepping", 3),
                                  frame(kInstant, 1450, "step", 4),
                                  event(kEnd, 1500, "stepping", "tracepoint"),
                                  event(kInstant, 1600, "note")};
  EXPECT_THAT(
      shapes(events),
      ElementsAre("8+1000 row 0: main: 1 µs at 0 ns", "408+100 row 1: stepping, frame 3: 100 ns at 400 ns",
                  "^108 row 1: weigh, frame 0 at 100 ns", "^208 row 1: control, frame 1 at 200 ns",
                  "^308 row 1: control, frame 2 at 300 ns", "^608 row 1: note at 600 ns",
                  "^458 row 2: step, frame 4 at 450 ns"));
  EXPECT_THAT(lines(events), ElementsAre("2 calls, 4 frames of GDB, 1 instant on 1 thread"));
  EXPECT_THAT(
      drawn(events).svg,
      HasSubstr("<path class=\"frame\" transform=\"translate(108 58)\" d=\"M0 0l4 8h-8z\" fill=\"#c00\">"
                "<title>weigh, frame 0 at 100 ns</title></path>\n"
                "<text class=\"frame\" x=\"113\" y=\"68\" fill=\"#c00\">weigh</text>\n"));
}

TEST(Timeline, InstantsInOnePixelAreMerged) {
  const std::vector<Event> events{call(10'000, 20'000, "main"), event(kInstant, 11'000, "a"),
                                  event(kInstant, 11'009, "b"), event(kInstant, 11'010, "c"),
                                  event(kInstant, 11'011, "hit", "tracepoint")};
  EXPECT_THAT(shapes(events), ElementsAre("8+1000 row 0: main: 10 µs at 0 ns",
                                          "^108 row 1: 2 instants at 1 µs, the first is a",
                                          "^109 row 1: c at 1.01 µs", "^109.1 row 1: hit at 1.011 µs"));
  EXPECT_THAT(lines(events), ElementsAre("1 call, 1 frame of GDB, 3 instants on 1 thread",
                                         "2 marks less than a pixel apart, merged into 1 mark"));
  const std::vector<Event> two{call(10'000, 20'000, "main"), event(kInstant, 11'000, "a"),
                               event(kInstant, 11'009, "b")};
  EXPECT_THAT(drawn(two).svg, Not(HasSubstr(">a</text>"))) << "it is not the only one";
}

TEST(Timeline, ReportsCallsThatAreNestedTooDeep) {
  const std::vector<Event> events{call(1000, 2000, "a"),    call(1100, 1900, "b"),
                                  call(1200, 1800, "c"),    event(kInstant, 1300, "d"),
                                  event(kBegin, 1300, "e"), event(kEnd, 1400, "")};
  EXPECT_THAT(shapes(events, {.max_rows = 2}),
              ElementsAre("8+1000 row 0: a: 1 µs at 0 ns", "108+800 row 1: b: 800 ns at 100 ns"));
  EXPECT_THAT(
      lines(events, {.max_rows = 2}),
      ElementsAre("2 calls on 1 thread", "3 calls or marks not drawn, because of their depth (--max-depth)"));
  // The limit also applies if the calls are in the order of their ends in the file.
  EXPECT_THAT(lines({call(1200, 1800, "c"), call(1100, 1900, "b"), call(1000, 2000, "a")}, {.max_rows = 2}),
              Contains("1 call or mark not drawn, because of their depth (--max-depth)"));
}

TEST(Timeline, ReportsTheNumberOfExcessThreads) {
  std::vector<Event> events;
  for (std::uint64_t thread = 2; thread < 6; ++thread) {
    events.push_back(call(1000, 2000, "a", {.process = 1, .thread = thread}));
    events.push_back(call(1100, 1300, "b", {.process = 1, .thread = thread}));
  }
  EXPECT_THAT(shapes(events, {.max_threads = 2}), SizeIs(4));
  EXPECT_THAT(
      lines(events, {.max_threads = 2}),
      ElementsAre("4 calls on 2 threads", "2 more threads with 4 calls and marks not drawn (--max-threads)"));
  // Threads without events in the range do not count toward the limit.
  events.insert(events.begin(), call(500, 600, "before", {.process = 1, .thread = 1}));
  EXPECT_THAT(lines(events, {.events = {.range = parse_time_range("400ns~")}, .max_threads = 4}),
              ElementsAre("8 calls on 4 threads"));
}

TEST(Timeline, ReportsOddEvents) {
  Words words = trace_of({event(kEnd, 500, ""), call(1000, 2000, "main"), event(kBegin, 1100, "open"),
                          call(1200, 1300, "leaf"), call(1700, 1800, "back")});
  std::swap(words[words.size() - 2], words.back());  // the last call now ends before it starts
  EXPECT_THAT(drawn(bytes_of(words)).lines,
              ElementsAre("3 calls on 1 thread", "1 call without an end in the trace",
                          "1 end not drawn, because the start is missing",
                          "1 record not drawn, because of impossible times"));
  EXPECT_THAT(shapes_of(drawn(bytes_of(words)).svg),
              Contains("108+900 row 1: open: 900 ns at 600 ns, without an end"));
}

Words named_trace(const std::function<void(Writer&)>& write) {
  return file_of([&](Writer& writer) {
    writer.name_process(1, "app");
    writer.name_thread(1, 2, "main");
    writer.name_thread(1, 3, "worker");
    write(writer);
  });
}
Event operation(EventType type, std::uint64_t time, std::uint64_t id, std::string_view name) {
  Event one = event(type, time, name);
  one.id = id;
  return one;
}

TEST(Timeline, DrawsTheAsyncOperationsOfAProcessInASeparateTrack) {
  using enum EventType;
  const Words words = named_trace([](Writer& writer) {
    writer.write(operation(AsyncBegin, 1000, 7, "request"));
    // Operation 7 is still open, so operation 8 is in the row below it.
    writer.write(operation(AsyncBegin, 1100, 8, "request"));
    writer.write(operation(AsyncInstant, 1200, 8, "step"));
    writer.write(operation(AsyncEnd, 1400, 7, "request"));
    writer.write(operation(AsyncBegin, 1500, 9, "other"));  // operation 7 has ended, so its row is free
    writer.write(operation(AsyncEnd, 1600, 9, "other"));
    writer.write(operation(AsyncEnd, 2000, 8, "request"));
  });
  const Drawn picture = drawn(bytes_of(words));
  EXPECT_THAT(shapes_of(picture.svg),
              ElementsAre("8+400 row 0: request: 400 ns at 0 ns", "508+100 row 0: other: 100 ns at 500 ns",
                          "108+900 row 1: request: 900 ns at 100 ns", "^208 row 1: step at 200 ns"));
  EXPECT_THAT(picture.svg, HasSubstr(">app 1: async operations</text>"));
  EXPECT_THAT(picture.lines, ElementsAre("1 instant on 0 threads", "3 async operations"));
}

TEST(Timeline, DrawsAsyncOperationsAcrossTheRangeOrWithoutAnEnd) {
  using enum EventType;
  const std::vector<Event> events{
      operation(AsyncBegin, 1000, 7, "around"), operation(AsyncBegin, 1300, 8, "open"),
      operation(AsyncEnd, 1800, 7, "around"), operation(AsyncEnd, 1900, 9, "stray")};
  EXPECT_THAT(shapes(events, range("0.000001400~0.000001500")),
              ElementsAre("8+1000 row 0: around: 800 ns at 0 ns",
                          "8+1000 row 1: open: 600 ns at 300 ns, without an end"));
  EXPECT_THAT(lines(events), ElementsAre("2 async operations", "1 call without an end in the trace",
                                         "1 end not drawn, because the start is missing"));
  EXPECT_THAT(lines(events, {.events = {.names = {"open"}}}),
              ElementsAre("1 async operation", "1 call without an end in the trace"));
}

TEST(Timeline, DrawsWhichThreadRunsOnEachCpu) {
  const Words words = named_trace([](Writer& writer) {
    writer.write(ThreadWakeup{.time = 1000, .cpu = 1, .thread = 2});
    writer.write(ContextSwitch{.time = 1100, .cpu = 1, .incoming_thread = 2});
    writer.write(ContextSwitch{.time = 1200, .cpu = 0, .incoming_thread = 3});
    writer.write(ContextSwitch{.time = 1600, .cpu = 1, .outgoing_thread = 2, .incoming_thread = 3});
    writer.write(ContextSwitch{.time = 2100, .cpu = 1, .outgoing_thread = 3});
  });
  const Drawn picture = drawn(bytes_of(words));
  EXPECT_THAT(shapes_of(picture.svg),
              ElementsAre("108+900 row 0: worker 3: 900 ns at 200 ns, without an end",
                          "8+500 row 0: main 2: 500 ns at 100 ns",
                          "508+500 row 0: worker 3: 500 ns at 600 ns", "^8 row 0: wakeup at 0 ns"));
  EXPECT_THAT(picture.svg, HasSubstr("wakeup at 0 ns\nthread 2</title>"));
  EXPECT_THAT(picture.svg, HasSubstr(">cpu 0</text>"));
  EXPECT_THAT(picture.svg, HasSubstr(">cpu 1</text>"));
  EXPECT_THAT(picture.lines, Contains("3 runs of threads on 2 CPUs"));
  EXPECT_THAT(shapes_of(drawn(bytes_of(words), {.events = {.threads = {2}}}).svg),
              Contains(HasSubstr("main 2")));
  EXPECT_THAT(shapes_of(drawn(bytes_of(words), {.events = {.threads = {2}}}).svg),
              Not(Contains(HasSubstr("worker 3"))));
}

TEST(Timeline, DrawsLogMessagesOnTheirThreads) {
  const Words words = named_trace([](Writer& writer) {
    writer.write(call(1000, 2000, "work"));
    writer.write(Log{.time = 1300, .thread = kDrawnThread, .message = "hello log"});
    writer.write(Log{.time = 1600, .thread = kDrawnThread, .message = "two\nlines"});
  });
  const std::string svg = drawn(bytes_of(words)).svg;
  EXPECT_THAT(shapes_of(svg), ElementsAre("8+1000 row 0: work: 1 µs at 0 ns",
                                          "^308 row 1: hello log at 300 ns", "^608 row 1: two at 600 ns"));
  EXPECT_THAT(svg, HasSubstr("two at 600 ns\ntwo\nlines</title>"));
}

TEST(Timeline, DrawsInstantsWithAScopeAcrossTheirTracks) {
  const auto svg_of_scope = [](std::optional<InstantScope> scope) {
    Event mark = event(kInstant, 1500, "mark");
    mark.scope = scope;
    return drawn({call(1000, 2000, "a"), call(1000, 2000, "b", {.process = 1, .thread = 3}),
                  call(1000, 2000, "c", {.process = 2, .thread = 4}), mark})
        .svg;
  };
  // The first of the three tracks has two rows, because it also has the instant.
  EXPECT_THAT(svg_of_scope(InstantScope::Process), HasSubstr("<path class=\"scope flow\" d=\"M508 41V119\""));
  EXPECT_THAT(svg_of_scope(InstantScope::Global), HasSubstr("<path class=\"scope flow\" d=\"M508 41V163\""));
  EXPECT_THAT(svg_of_scope(InstantScope::Process), HasSubstr("mark at 500 ns\nscope=process</title>"));
  for (const auto scope : {std::optional(InstantScope::Thread), std::optional<InstantScope>()})
    EXPECT_THAT(svg_of_scope(scope), Not(HasSubstr("class=\"scope flow\"")));
}

TEST(Timeline, ReportsRecordsThatAreNotDrawn) {
  const Drawn all = drawn(bytes_of(sample_trace()));
  EXPECT_THAT(all.lines, ElementsAre("2 calls, 5 instants, 2 flow arrows, 1 value of 1 counter on 2 threads",
                                     "1 async operation", "1 run of threads on 1 CPU", "not drawn: 1 blob"));
  EXPECT_THAT(drawn(bytes_of(sample_trace()), range("0.0000014~0.0000016")).lines,
              ElementsAre("2 calls, 1 instant on 2 threads", "1 async operation",
                          "2 flow arrows not drawn, because one end is outside of the drawn part"));
}

constexpr auto kFlowBegin = EventType::FlowBegin, kFlowStep = EventType::FlowStep,
               kFlowEnd = EventType::FlowEnd;

Event flow(EventType type, std::uint64_t time_ns, const Thread& thread, std::uint64_t id = 7,
           std::string_view name = "link") {
  Event event = test::event(type, time_ns, name);
  event.thread = thread;
  event.id = id;
  return event;
}
Thread of_demo(std::uint64_t thread) { return {.process = 1, .thread = thread}; }
// Returns the report for these flows. Threads 2 and 3 have a call each.
std::vector<std::string> lines_of_flows(const std::vector<Event>& flows) {
  std::vector<Event> events{call(1000, 2000, "a", of_demo(2)), call(1000, 2000, "a", of_demo(3))};
  events.insert(events.end(), flows.begin(), flows.end());
  return lines(events);
}

TEST(Timeline, DrawsFlowsBetweenSelectedThreads) {
  std::vector<Event> events;
  for (const std::uint64_t thread : {2U, 3U, 4U})
    events.push_back(call(1000, 2000, "a", {.process = 1, .thread = thread}));
  events.push_back(flow(kFlowBegin, 1100, of_demo(2)));
  events.push_back(flow(kFlowStep, 1200, of_demo(3)));
  events.push_back(flow(kFlowEnd, 1300, of_demo(4)));
  const std::string cut = "not drawn, because one end is outside of the drawn part";
  EXPECT_THAT(lines(events), ElementsAre("3 calls, 2 flow arrows on 3 threads"));
  EXPECT_THAT(lines(events, {.events = {.threads = {2, 4}}}),
              ElementsAre("2 calls, 1 flow arrow on 2 threads"));
  for (const std::uint64_t thread : {2U, 4U})
    EXPECT_THAT(lines(events, {.events = {.threads = {thread}}}),
                ElementsAre("1 call on 1 thread", "1 flow arrow " + cut));
  EXPECT_THAT(lines(events, {.events = {.threads = {3}}}),
              ElementsAre("1 call on 1 thread", "2 flow arrows " + cut));
}

// As in Perfetto, the end of a flow is connected with a start that has the same id, if possible in the same
// process.
TEST(Timeline, ConnectsFlowsById) {
  const Thread here = of_demo(2), near = of_demo(3);
  const Thread other{.process = 8, .thread = 9}, far{.process = 8, .thread = 10};
  const Drawn two = drawn({call(0, 1000, "a", here), call(0, 1000, "a", near), call(0, 1000, "a", other),
                           call(0, 1000, "a", far), flow(kFlowBegin, 200, here), flow(kFlowBegin, 210, other),
                           flow(kFlowEnd, 300, near), flow(kFlowEnd, 310, far)});
  EXPECT_THAT(two.lines, ElementsAre("4 calls, 2 flow arrows on 4 threads"));
  EXPECT_THAT(two.svg, HasSubstr("<path class=\"flow\" d=\"M208 49.5C258 49.5 258 93.5 308 93.5\""));
  EXPECT_THAT(two.svg, HasSubstr("<path class=\"flow\" d=\"M218 137.5C268 137.5 268 181.5 318 181.5\""));
  EXPECT_THAT(
      lines_of_flows({flow(kFlowBegin, 1100, here, 7, "send"), flow(kFlowEnd, 1200, near, 7, "recv")}),
      ElementsAre("2 calls, 1 flow arrow on 2 threads"));
  // Flow 7 is still open, so readers drop its second start.
  EXPECT_THAT(lines_of_flows(
                  {flow(kFlowBegin, 1100, here), flow(kFlowBegin, 1150, here), flow(kFlowEnd, 1200, near)}),
              ElementsAre("2 calls, 1 flow arrow on 2 threads",
                          "1 flow event not drawn, because the arrow would have no start or end"));
}

TEST(Timeline, ReportsFlowsThatAreNotDrawn) {
  const Thread here = of_demo(2), near = of_demo(3);
  const auto undrawn = [](std::string_view line) { return ElementsAre("2 calls on 2 threads", line); };
  const std::string one_alone = "1 flow event not drawn, because the arrow would have no start or end",
                    two_alone = "2 flow events not drawn, because the arrow would have no start or end",
                    cut = "1 flow arrow not drawn, because one end is outside of the drawn part";
  EXPECT_THAT(lines_of_flows({flow(kFlowBegin, 1100, here)}), undrawn(one_alone));
  EXPECT_THAT(lines_of_flows({flow(kFlowStep, 1100, here)}), undrawn(one_alone));
  EXPECT_THAT(lines_of_flows({flow(kFlowEnd, 1100, here)}), undrawn(one_alone));
  // The end of the flow comes before its start.
  EXPECT_THAT(lines_of_flows({flow(kFlowEnd, 1100, near), flow(kFlowBegin, 1200, here)}), undrawn(two_alone));
  // Thread 4 has no track, so the end of the flow is not drawn.
  EXPECT_THAT(lines_of_flows({flow(kFlowBegin, 1100, here), flow(kFlowEnd, 1200, of_demo(4))}), undrawn(cut));
  // The flow starts in call b, which is too deep to be drawn.
  const std::vector<Event> deep{call(1000, 2000, "a", here), call(1050, 1500, "b", here),
                                call(1000, 2000, "a", near), flow(kFlowBegin, 1100, here),
                                flow(kFlowEnd, 1200, near)};
  EXPECT_THAT(lines(deep, {.max_rows = 1}), Contains(cut));
  // Flows outside of the range are not counted.
  EXPECT_THAT(lines({call(1000, 2000, "a", here), flow(kFlowEnd, 1100, here), flow(kFlowBegin, 1200, here)},
                    range("500ns~")),
              ElementsAre("1 call on 1 thread"));
}

TEST(Timeline, ReportsTheNumberOfExcessFlows) {
  const Thread here = of_demo(2), near = of_demo(3);
  std::vector<Event> flows;
  for (std::uint64_t id = 1; id <= 100'003; ++id) flows.push_back(flow(kFlowBegin, 1100, here, id));
  for (std::uint64_t id = 1; id <= 5'002; ++id) flows.push_back(flow(kFlowEnd, 1200, near, id));
  EXPECT_THAT(lines_of_flows(flows),
              ElementsAre("2 calls, 5000 flow arrows on 2 threads",
                          "2 flow arrows not drawn, because there are too many",
                          "94998 flow events not drawn, because the arrow would have no start or end",
                          "3 flow events not drawn, because too many flows are open"));
}

// If a program has the name `sched`, the category of its calls is `sched`. Therefore, the category of a call
// does not show that the call is time off the CPU. The name of the call shows this.
TEST(Timeline, HatchesTimeOffTheCpu) {
  const auto svg = [](std::string_view name) { return drawn({call(1000, 2000, name, kMain, "sched")}).svg; };
  EXPECT_THAT(svg("linux:schedule"), HasSubstr("height=\"16\" fill=\"url(#off)\""));
  EXPECT_THAT(svg("main"), Not(HasSubstr("height=\"16\" fill=\"url(#off)\"")));
}

TEST(Timeline, CutsNamesThatDoNotFit) {
  const std::string svg =
      drawn({call(0, 1000, "main"), call(0, 40, "checksum"), call(50, 60, "checksum")}).svg;
  EXPECT_THAT(svg, HasSubstr("</rect>\n<text x=\"10\" y=\"70\">chec\u2026</text>\n<rect x=\"58\""));
  EXPECT_THAT(svg, Not(HasSubstr("<text x=\"60\"")));
  EXPECT_THAT(shapes({call(0, 1000, std::string(300, 'x'))}),
              ElementsAre("8+1000 row 0: " + std::string(200, 'x') + ": 1 µs at 0 ns"));
}

TEST(Timeline, NamesMayHaveAnyBytes) {
  EXPECT_THAT(shapes({call(0, 1000, "</title><script>&\"'"), call(100, 200, Inline{"a\x01\xff"}.text)}),
              ElementsAre("8+1000 row 0: </title><script>&\"': 1 µs at 0 ns",
                          "108+100 row 1: a\ufffd\ufffd: 100 ns at 100 ns"));
}

TEST(Timeline, PicturesOfLargeTracesAreSmall) {
  std::vector<Event> events;
  auto random = [state = std::uint64_t{1}]() mutable {
    state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return state >> 33;
  };
  for (std::uint64_t time = 0, i = 0; i < 100'000; time += 1000, ++i) {
    events.push_back(call(time, time + 900, "work", {.process = 1, .thread = 2 + i % 4}));
    events.push_back(
        call(time + 100, time + 101 + random() % 700, "step", {.process = 1, .thread = 2 + i % 4}));
  }
  const Drawn all = drawn(events);
  EXPECT_EQ(all.lines[0], "200000 calls on 4 threads");
  EXPECT_THAT(all.lines[1], StartsWith("200000 calls narrower than a pixel, merged into 10"));
  EXPECT_LT(all.svg.size(), 150'000);
}

// If a picture would have too many shapes, calls of a few pixels are also merged. The report gives the new
// limit.
TEST(Timeline, PicturesOfBusyTracesAreBounded) {
  std::vector<Event> events;
  for (std::uint64_t time = 0; time < 4'000'000; time += 4000)
    for (std::uint64_t thread = 2; thread < 202; ++thread)
      events.push_back(call(time + thread, time + thread + 3000, "work", {.process = 1, .thread = thread}));
  const Drawn all = drawn(events, {.max_threads = 200}, 2000);
  EXPECT_EQ(all.lines[0], "200000 calls on 200 threads");
  EXPECT_EQ(all.lines[1], "171504 calls narrower than 3 pixels, merged into 21504 gray shapes");
  EXPECT_LE(shapes_of(all.svg).size(), 50'000);
}

TEST(Timeline, ShowsArguments) {
  Event work = call(1000, 2000, "work");
  work.arguments = {{"size", std::int64_t{7}}, {"path", "a<b"}};
  EXPECT_THAT(drawn({work}).svg, HasSubstr("<title>work: 1 µs at 0 ns\n&quot;size&quot;=i64:7\n"
                                           "&quot;path&quot;=&quot;a&lt;b&quot;</title>"));
}

TEST(Timeline, DrawsFlowsAndCounters) {
  const std::string svg = drawn(bytes_of(sample_trace())).svg;
  EXPECT_THAT(svg,
              HasSubstr("<path class=\"flow\" d=\"M280.73 49.5C348.91 49.5 348.91 110.5 417.09 110.5\""));
  EXPECT_THAT(svg, HasSubstr("<path class=\"values\" d=\"M189.82 "));
}

// The last value is infinite, so it is not drawn. The difference of the other two values is too large for a
// double.
TEST(Timeline, CountersHoldAnyFiniteValues) {
  const auto counter = [](std::uint64_t time, double value) {
    Event counter = event(EventType::Counter, time, "n");
    counter.arguments = {{"v", value}};
    return counter;
  };
  const Drawn picture = drawn(
      {call(1000, 2000, "main"), counter(1000, 1e308), counter(1500, -1e308), counter(1600, 1.0 / 0.0)});
  EXPECT_THAT(picture.svg, HasSubstr(" d=\"M8 117H8V85H508V117H1008V117Z\""));
  EXPECT_THAT(drawn({call(1000, 2000, "main"), counter(1000, 0)}).svg,
              HasSubstr(" d=\"M8 117H8V117H1008V117Z\""));
  EXPECT_THAT(picture.lines,
              Contains("1 value not drawn, because of a value that is not finite, or because there are too "
                       "many counters"));
}

// The time is divided into steps, and each step keeps only its greatest value. If there are too many steps,
// their length is doubled.
TEST(Timeline, CountersHoldSomeThousandValues) {
  const auto bytes = bytes_of(file_of([](Writer& writer) {
    for (std::uint64_t i = 0; i < 50'000; ++i)
      writer.write(Event{.type = EventType::Counter,
                         .time = 1000 + 10 * i,
                         .thread = {.process = 1, .thread = 2},
                         .name = "memory",
                         .arguments = {{"kb", i == 3 ? 9999U : 7U}}});
  }));
  Reader reader(bytes);
  tools::DrawnTimeline timeline({.columns = 1000});
  for (const Entry& entry : reader) timeline.add(entry, reader);
  timeline.finish(reader.counters());
  const auto values = timeline.drawing().lanes.at(0).values;
  EXPECT_LE(values.size(), 4000U);
  EXPECT_GT(values.size(), 1000U);
  EXPECT_EQ(std::ranges::count(values, 9999.0, &tools::Drawing::Value::value), 1);
  EXPECT_TRUE(std::ranges::is_sorted(values, {}, &tools::Drawing::Value::ns));
  EXPECT_GT(values.back().ns, std::uint64_t{1000 + 10 * 49'000});
}

TEST(Timeline, InstantsDoNotExtendTheAxis) {
  const std::vector<Event> events{event(kInstant, 0, "info"), call(1000, 2000, "main")};
  EXPECT_THAT(shapes(events), ElementsAre("8+1000 row 0: main: 1 µs at 1 µs", "^8 row 0: info at 0 ns"));
  EXPECT_THAT(lines(events), Contains("1 mark before the first call or after the last, drawn at the edges"));
  EXPECT_THAT(shapes({event(kInstant, 0, "a"), event(kInstant, 1000, "b")}),
              ElementsAre("^8 row 0: a at 0 ns", "^1008 row 0: b at 1 µs"))
      << "where there is nothing else";
}

// The earliest record has the time 0 on the axis and in ranges, even if it is not first in the file.
TEST(Timeline, TheAxisCountsFromTheEarliestRecord) {
  const std::vector<Event> events{call(5000, 9000, "late"), call(1000, 3000, "early", of_demo(3))};
  EXPECT_THAT(shapes(events),
              ElementsAre("508+500 row 0: late: 4 µs at 4 µs", "8+250 row 0: early: 2 µs at 0 ns"));
  EXPECT_THAT(drawn(events).svg, HasSubstr("data-from=\"0\" data-to=\"8000\""));
  EXPECT_THAT(shapes(events, range("1us~2us")), ElementsAre("8+1000 row 0: early: 2 µs at 0 ns"));
  EXPECT_THAT(drawn(events, range("1us~2us")).svg, HasSubstr("data-from=\"1000\" data-to=\"2000\""));
  // The call `odd` ends before it starts, so it is not drawn. Its start is still the earliest time.
  Words odd = trace_of({call(5000, 9000, "late"), call(4000, 4001, "odd")});
  std::ranges::replace(odd, std::uint64_t{4001}, std::uint64_t{3999});
  EXPECT_THAT(shapes_of(drawn(bytes_of(odd)).svg), ElementsAre("8+1000 row 0: late: 4 µs at 1 µs"));
  EXPECT_THAT(drawn(bytes_of(odd), range("2us~3us")).svg, HasSubstr("data-from=\"2000\" data-to=\"3000\""));
  // A range may be on the trace's clock. The attributes count from the start of the trace nevertheless.
  EXPECT_THAT(drawn(events, range("0.0000000~0.0000020")).svg, HasSubstr("data-from=\"0\" data-to=\"1000\""));
}

// Returns `count` names with the same hue: `first` and generated names.
std::vector<std::string> names_like(const std::string& first, std::size_t count) {
  std::vector<std::string> names{first};
  for (int i = 0; names.size() < count; ++i)
    if (const std::string name = "f" + std::to_string(i); tools::hue_of(name) == tools::hue_of(first))
      names.push_back(name);
  return names;
}

tools::Drawing drawing_with(const std::vector<std::string>& names, const std::vector<std::uint32_t>& row) {
  tools::Drawing drawing;
  for (const std::string& name : names) drawing.names.push_back({.category = "app", .name = name});
  drawing.lanes.emplace_back().rows.emplace_back();
  std::uint64_t time = 0;
  for (const std::uint32_t name : row) {
    drawing.lanes[0].rows[0].put({.begin_ns = time, .end_ns = time + 1, .name = name});
    ++time;
  }
  return drawing;
}

TEST(Timeline, ANameHasOneColorAndNeighborsHaveDifferentOnes) {
  const std::vector<std::string> names = names_like("a", 3);
  const std::size_t hue = tools::hue_of("a");
  using Colors = std::vector<tools::Color>;
  EXPECT_EQ(tools::colors_of(drawing_with(names, {0, 1, 0, 1})), (Colors{{hue, 0}, {hue, 1}, {hue, 0}}));
  EXPECT_EQ(tools::colors_of(drawing_with(names, {2, 1, 0})), (Colors{{hue, 0}, {hue, 1}, {hue, 0}}));
  // Each name is next to both other names, so two shades are not enough. The first and the third name are
  // neighbors most often, so they get different shades.
  EXPECT_EQ(tools::colors_of(drawing_with(names, {0, 1, 2, 0, 2})), (Colors{{hue, 0}, {hue, 1}, {hue, 1}}));
}

TEST(Details, LinesAndTextsAreKeptOnce) {
  tools::Details details;
  EXPECT_EQ(details.keep(""), 0U);
  const std::uint32_t first = details.keep("a=1\nb=2"), second = details.keep("b=2"),
                      third = details.keep("b=2\n\na=1");
  const auto text = [&](std::uint32_t index) {
    std::string lines;
    for (const std::uint32_t line : details.lines_of(index)) lines += details.line(line) + ';';
    return lines;
  };
  EXPECT_EQ(text(first), "a=1;b=2;");
  EXPECT_EQ(text(second), "b=2;");
  EXPECT_EQ(text(third), "b=2;;a=1;");
  EXPECT_EQ(text(0), "");
  EXPECT_EQ(details.line_count(), 3U);
  EXPECT_EQ(details.left_out(), 0U);
  const std::string half(tools::Details::kMaxBytes / 2, 'x');
  EXPECT_NE(details.keep(half), 0U);
  EXPECT_EQ(details.keep(half + "y"), 0U);
  EXPECT_NE(details.keep("a=1"), 0U);
  EXPECT_EQ(details.left_out(), 1U);
}

TEST(Timeline, APageHasTheCallsThatAPictureMerges) {
  std::vector<Event> events;
  for (std::uint64_t time = 0; time < 100'000; time += 10) events.push_back(call(time, time + 9, "a"));
  const auto bytes = bytes_of(trace_of(events));
  Reader reader(bytes);
  tools::DrawnTimeline timeline({.columns = 1000});
  for (const Entry& entry : reader) timeline.add(entry, reader);
  timeline.finish(reader.counters());
  EXPECT_EQ(timeline.drawing().lanes[0].rows[0].calls().size(), 125U);
  EXPECT_EQ(timeline.drawing(tools::DrawnTimeline::Detail::All).lanes[0].rows[0].calls().size(), 10'000U);
  EXPECT_THAT(timeline.report().lines(), ElementsAre("10000 calls on 1 thread"));
}

// A page has space for 90,000 calls. If there are more, the page merges calls in the lowest row, from the
// start of the trace on, until the others fit.
TEST(Timeline, APageMergesAsFewCallsAsPossible) {
  const auto page_of = [](std::uint64_t inner) {
    std::vector<Event> events;
    for (std::uint64_t outer = 0; outer < 1000; ++outer) {
      const std::uint64_t begin = outer * 100'000;
      events.push_back(call(begin, begin + 100'000, "outer"));
      for (std::uint64_t i = 0; i < inner; ++i)
        events.push_back(call(begin + 100 * i, begin + 100 * i + 90, "a"));
    }
    const auto bytes = bytes_of(trace_of(events));
    Reader reader(bytes);
    tools::DrawnTimeline timeline({.columns = 1000});
    for (const Entry& entry : reader) timeline.add(entry, reader);
    timeline.finish(reader.counters());
    auto drawing = timeline.drawing(tools::DrawnTimeline::Detail::All);
    return std::pair(std::move(drawing), timeline.report().lines());
  };
  const auto [at_limit, all_apart] = page_of(89);
  EXPECT_THAT(all_apart, ElementsAre("90000 calls on 1 thread"));
  const auto [above, few_merged] = page_of(90);
  EXPECT_EQ(above.lanes[0].rows[0].calls().size(), 1000U);
  EXPECT_EQ(above.lanes[0].rows[1].calls().size(), 89'000U);
  EXPECT_THAT(few_merged, ElementsAre("91000 calls on 1 thread",
                                      "1112 calls narrower than 128 ns, merged into 112 gray shapes"));
  // With this number of calls, merging starts before all calls are read.
  const auto [far_above, many_merged] = page_of(300);
  EXPECT_EQ(far_above.lanes[0].rows[0].calls().size(), 1000U);
  EXPECT_EQ(far_above.lanes[0].rows[1].calls().size(), 89'000U);
  EXPECT_THAT(many_merged, ElementsAre("301000 calls on 1 thread",
                                       "234445 calls narrower than 128 ns, merged into 23445 gray shapes"));
}

// Draws every prefix of a trace with all kinds of records. Also draws the trace with one wrong bit: each
// third bit is changed in turn.
TEST(Timeline, DamageIsDrawnOrLeftOut) {
  const auto bytes = bytes_of(joined(sample_trace(), kUncommonRecords));
  const auto draw = [](std::span<const std::byte> damaged) {
    const Drawn all = drawn(damaged);
    pugi::xml_document document;
    if (!all.is_empty) {
      EXPECT_TRUE(document.load_string(all.svg.c_str()));
    }
  };
  for (std::size_t size = 0; size <= bytes.size(); ++size) draw(std::span(bytes).first(size));
  auto flipped = bytes;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 3) {
    flipped[bit / 8] ^= std::byte{1} << bit % 8;
    draw(flipped);
    flipped[bit / 8] = bytes[bit / 8];
  }
}

}  // namespace
}  // namespace fxt::test
