// Traces of other writers. The spec allows these traces, but they break rules of some readers. Copies and
// cuts of these traces lose no data.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "tests/fxt/cutting/pieces.h"

namespace fxt::test::foreign {
namespace {

constexpr std::uint64_t kWide = (std::uint64_t{1} << 63) + 7, kLength = 100;
constexpr Thread kPlainThread{.process = 1, .thread = 2}, kWideThread{.process = kWide - 1, .thread = kWide},
    kNone{};
constexpr std::array kAllThreads = {kPlainThread, kWideThread, kNone};

Event event(EventType type, std::uint64_t time, const Thread& thread, std::string_view name,
            const Arguments& arguments = {}) {
  return {
      .type = type, .time = time, .thread = thread, .category = "c", .name = name, .arguments = arguments};
}
Event complete(std::uint64_t begin, std::uint64_t end, const Thread& thread, std::string_view name) {
  Event call = event(EventType::DurationComplete, begin, thread, name);
  call.end = end;
  return call;
}

Words foreign_trace() {
  using enum EventType;
  return file_of([](Writer& writer) {
    writer.write(
        KernelObject{.type = KernelObjectType::Process, .koid = kWide - 1, .arguments = {{"pid", 1}}});
    writer.write(KernelObject{.type = KernelObjectType::Thread,
                              .koid = kWide,
                              .name = "wide",
                              .arguments = {{"x", 1}, {"process", Koid{kWide - 1}}}});
    writer.write(KernelObject{.type = KernelObjectType::Thread, .koid = 2, .name = "of no process"});
    writer.write(KernelObject{.type = KernelObjectType::Thread, .koid = 0, .name = "nobody"});
    for (const Thread& thread : kAllThreads) {
      writer.write(event(Instant, 5, thread, "frame", {{"a", 1}, {"a", true}, {"a", "text"}}));
      // Calls are written when they end, so inner calls come first.
      writer.write(complete(12, 15, thread, "inner"));
      writer.write(complete(20, 30, thread, "inner"));
      writer.write(complete(10, 40, thread, "around"));
      writer.write(complete(8, 45, thread, "outermost"));
      writer.write(event(DurationBegin, 50, thread, "pair"));
      writer.write(event(DurationBegin, 55, thread, "inside"));
      writer.write(Event{.type = DurationEnd, .time = 60, .thread = thread});
      writer.write(event(Counter, 62, thread, "first", {{"value", 1}}));
      writer.write(event(Counter, 64, thread, "second", {{"value", 2}}));
      writer.write(event(Counter, 66, thread, "third", {{"on", true}, {"state", "idle"}}));
      writer.write(event(Counter, 67, thread, "empty"));
      writer.write(Log{.time = 68, .thread = thread, .message = "said"});
      writer.write(Event{.type = DurationEnd, .time = 70, .thread = thread});
      writer.write(event(Instant, 99, thread, "last"));
    }
    writer.write(ContextSwitch{.time = 71, .cpu = 5000, .outgoing_thread = kWide, .incoming_thread = 2});
    writer.write(ThreadWakeup{.time = 73, .cpu = 5000, .thread = kWide, .arguments = {{"weight", "heavy"}}});
    writer.write(ThreadWakeup{.time = 74, .thread = 0});
    writer.write(
        LegacyContextSwitch{.time = 75, .cpu = 3, .outgoing = kPlainThread, .incoming = kWideThread});
    writer.write(ContextSwitch{.time = 77,
                               .outgoing_state = static_cast<ThreadState>(9),
                               .outgoing_thread = 2,
                               .incoming_thread = kWide});
  });
}

// Describes a call (start, end, thread, name), or a record with one time (time, CPU or 0, thread or 0, text).
using Said = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::string>;

// The content of a trace that concerns the given threads: calls in any encoding, and records with one time.
class Account {
 public:
  Account(const Words& words, const std::set<std::uint64_t>& threads) {
    struct Step {
      std::uint64_t time;
      Event event;
      std::string name;
    };
    std::vector<Step> steps;
    Reader reader(std::as_bytes(std::span(words)));
    for (const Entry& entry : reader) {
      TextBuffer text;
      tools::append_line(text, entry);
      if (const auto* const said = std::get_if<Event>(&entry.record)) {
        if (!threads.contains(said->thread.thread)) continue;
        if (is_duration(said->type)) {
          steps.push_back({said->time, *said, std::string(said->name.text)});
          continue;
        }
        points.emplace(said->time, 0, said->thread.thread, fmt::to_string(text));
      } else if (const auto* const log = std::get_if<Log>(&entry.record)) {
        if (threads.contains(log->thread.thread)) points.emplace(log->time, 0, 0, fmt::to_string(text));
      } else if (const auto* const wakeup = std::get_if<ThreadWakeup>(&entry.record)) {
        if (threads.contains(wakeup->thread)) points.emplace(wakeup->time, 0, 0, fmt::to_string(text));
      } else if (const auto* const change = std::get_if<ContextSwitch>(&entry.record)) {
        if (threads.contains(change->outgoing_thread) || threads.contains(change->incoming_thread))
          points.emplace(change->time, change->cpu, 0, "switch");
      } else if (const auto* const legacy = std::get_if<LegacyContextSwitch>(&entry.record)) {
        if (threads.contains(legacy->outgoing.thread) || threads.contains(legacy->incoming.thread))
          points.emplace(legacy->time, legacy->cpu, 0, "switch");
      } else if (const auto* const object = std::get_if<KernelObject>(&entry.record)) {
        if (object->type != KernelObjectType::Thread || threads.contains(object->koid)) ++objects;
      }
    }
    std::ranges::stable_sort(steps, {}, &Step::time);
    std::map<std::uint64_t, std::vector<Step>> open;
    for (const Step& step : steps) {
      auto& stack = open[step.event.thread.thread];
      if (step.event.type == EventType::DurationBegin) stack.push_back(step);
      if (step.event.type == EventType::DurationComplete)
        calls.emplace(step.time, step.event.end, step.event.thread.thread, step.name);
      if (step.event.type != EventType::DurationEnd) continue;
      if (stack.empty()) {
        ADD_FAILURE() << "an end too many at " << step.time;
        continue;
      }
      calls.emplace(stack.back().time, step.time, step.event.thread.thread, stack.back().name);
      stack.pop_back();
    }
    for (const auto& [thread, stack] : open) EXPECT_TRUE(stack.empty()) << stack.back().name;
  }

  std::multiset<Said> calls, points;
  std::size_t objects = 0;
};

TEST(ForeignTrace, IsCopiedRecordByRecord) {
  const Words words = foreign_trace();
  MemoryOutput output;
  Writer writer(output);
  Reader reader(std::as_bytes(std::span(words)));
  for (const Entry& entry : reader) EXPECT_TRUE(writer.write(entry, reader));
  writer.finish();
  EXPECT_EQ(text_of(Words(output.words().begin(), output.words().end())), text_of(words));
}

TEST(ForeignTrace, IsCompleteInEveryRangeAndSelection) {
  const Words words = foreign_trace();
  for (const std::set<std::uint64_t>& threads :
       {std::set<std::uint64_t>{0, 2, kWide}, {2}, {kWide}, {0}, {2, kWide}}) {
    const Account whole(words, threads);
    EXPECT_EQ(whole.calls.size(), 6 * threads.size());
    const std::uint64_t step = threads.size() == 3 ? 1 : 3;
    for (std::uint64_t from = 1; from <= kLength; from += step) {
      for (std::uint64_t to = from; to <= kLength; to += step) {
        CutOptions options{.range = {.from = TraceTime{.ns = from}, .to = TraceTime{.ns = to}}};
        if (threads.size() != 3) options.threads.assign(threads.begin(), threads.end());
        const Cuts cuts = cut(words, options);
        ASSERT_EQ(cuts.counters.unwritable, 0U);
        const Account here(cuts.pieces.at(0), threads);
        SCOPED_TRACE(text_of(cuts.pieces.at(0)));
        std::multiset<Said> calls, points;
        for (const auto& [begin, end, thread, name] : whole.calls)
          if (begin <= to && end >= from)
            calls.emplace(std::max(begin, from), std::min(end, to), thread, name);
        ASSERT_EQ(here.calls, calls) << from << '~' << to;
        for (const Said& point : whole.points)
          if (std::get<0>(point) >= from && std::get<0>(point) <= to) points.insert(point);
        // The piece may have additional events, which repeat the state at the start of the range.
        ASSERT_TRUE(std::ranges::includes(here.points, points)) << from << '~' << to;
        for (const Said& point : here.points)
          ASSERT_TRUE(points.contains(point) || std::get<0>(point) == from);
        ASSERT_EQ(here.objects, whole.objects);
      }
    }
  }
}

TEST(ForeignTrace, IsCompleteInPieces) {
  const Words words = foreign_trace();
  const Account whole(words, {0, 2, kWide});
  for (std::uint64_t bytes = 100; bytes < 2000; bytes += 100) {
    const Cuts cuts = cut(words, {.split_bytes = bytes});
    EXPECT_EQ(cuts.counters.unwritable, 0U);
    std::multiset<Said> points;
    std::set<std::tuple<std::uint64_t, std::string>> names;
    for (const Words& piece : cuts.pieces) {
      const Account here(piece, {0, 2, kWide});
      points.insert(here.points.begin(), here.points.end());
      for (const Said& call : here.calls) names.emplace(std::get<2>(call), std::get<3>(call));
    }
    EXPECT_TRUE(std::ranges::includes(points, whole.points)) << bytes;
    EXPECT_EQ(names.size(), 15U) << bytes;
  }
}

TEST(ForeignTrace, KeepsLateTimes) {
  const Words words = file_of([](Writer& writer) {
    writer.write(event(EventType::Instant, 5, kPlainThread, "early"));
    writer.write(event(EventType::Instant, ~std::uint64_t{0} - 1, kPlainThread, "late"));
    Event back = complete(50, 40, kPlainThread, "back");
    writer.write(back);
  });
  const Cuts cuts = cut(words, {});
  EXPECT_EQ(cuts.counters.unwritable, 0U);
  EXPECT_EQ(text_of(cuts.pieces.at(0)), text_of(words));
}

// ---- Damaged traces, whose pieces break only rules that the trace breaks ----

TEST(DamagedTraces, RecordsThatReadersDropAreLeftOutAndCounted) {
  const Words trace =
      joined(file_of([](Writer& writer) { writer.write(complete(10, 20, kPlainThread, "call")); }),
             {0x0002'0001'0900'0024, 30,    // an instant on thread 9, which was never registered
              0x0077'0001'0100'0024, 31,    // its name is string 0x77, which was never registered
              0x0002'0001'0103'0024, 1000,  // an end without a start, which is kept
              0x0002'0001'0100'0024, 1001});
  // The last record is a start whose category is string 0x55, which was never registered.
  const Cuts cuts = cut(joined(trace, {0x0002'0055'0102'0024, 1002}), {});
  EXPECT_EQ(cuts.counters.unwritable, 3U);
  EXPECT_EQ(cuts.counters.events, 3U);
}

// Only in the first piece, the calls may overlap without nesting. In later pieces, the open calls begin
// together at the start of the piece, so they nest.
TEST(DamagedTraces, OverlappingDurationsNestInLaterPieces) {
  const Words trace = file_of([](Writer& writer) {
    writer.write(complete(10, 250, kPlainThread, "first"));
    writer.write(complete(20, 350, kPlainThread, "second"));
    for (std::uint64_t time = 30; time < 400; time += 10)
      writer.write(event(EventType::Instant, time, kPlainThread, "mark"));
  });
  EXPECT_EQ(broken_rules(trace), "W15");
  const Cuts cuts = cut(trace, {.split_ns = 100});
  ASSERT_EQ(cuts.pieces.size(), 4U);
  for (std::size_t i = 1; i < cuts.pieces.size(); ++i) EXPECT_EQ(broken_rules(cuts.pieces[i]), "") << i;
}

TEST(DamagedTraces, ImpossibleEndsAreCopied) {
  const Words trace = file_of([](Writer& writer) {
    writer.write(complete(10, kWide, kPlainThread, "endless"));
    writer.write(complete(90, 20, kPlainThread, "backwards"));
    for (std::uint64_t time = 100; time < 400; time += 10)
      writer.write(event(EventType::Instant, time, kPlainThread, "mark"));
  });
  const Cuts cuts = cut(trace, {.split_ns = 100});
  EXPECT_EQ(broken_rules(cuts.pieces[0]), broken_rules(trace));
  for (std::size_t i = 1; i < cuts.pieces.size(); ++i) EXPECT_EQ(broken_rules(cuts.pieces[i]), "") << i;
}

// Perfetto and Tracy would show all unregistered names as the same name. Therefore, an unregistered name
// becomes "?" and its index, such as "?85". A counter is omitted if the name of its value is not registered.
TEST(DamagedTraces, UnregisteredNamesRemainDifferent) {
  const Words trace =
      joined(file_of([](Writer& writer) { writer.write(event(EventType::Instant, 5, kPlainThread, "a")); }),
             {0x0002'0001'0110'0034, 30, 0x0000'0001'0055'0011,  // instants: arguments of names 0x55, 0x56
              0x0002'0001'0110'0034, 31, 0x0000'0002'0056'0011,  //
              0x0002'0001'0111'0044, 32, 0x0000'0002'0056'0011, 0});
  const Cuts cuts = cut(trace, {});
  const std::string text = texts_of(cuts)[0];
  EXPECT_NE(text.find("\"?85\"=i32:1"), std::string::npos) << text;
  EXPECT_NE(text.find("\"?86\"=i32:2"), std::string::npos);
  EXPECT_EQ(text.find("counter"), std::string::npos);
  EXPECT_EQ(cuts.counters.unwritable, 1U);
}

// The strings are in Latin-1, so they are not valid UTF-8. In each piece, a string of the string table is
// repaired once, and an inline string is repaired at each use.
TEST(DamagedTraces, StringsThatAreNotUtf8AreRepairedAndCounted) {
  const Words trace =
      joined(file_of([](Writer& writer) { writer.write(event(EventType::Instant, 5, kPlainThread, "a")); }),
             {0x0000'0004'0009'0022, 0x0000'0000'66e4'6863,  // string 9: "ch\xe4f"
              0x0009'0001'0100'0024, 1'000'000'030,          //
              0x8001'0001'0100'0034, 1'000'000'031, 0xe4,    // name: "\xe4"
              0x0009'0001'0100'0024, 2'000'000'030});
  const Cuts cuts = cut(trace, {.split_ns = 1'000'000'000});
  EXPECT_NE(texts_of(cuts)[1].find("ch\xef\xbf\xbd"
                                   "f"),
            std::string::npos)
      << texts_of(cuts)[1];
  EXPECT_EQ(cuts.counters.pieces, 3U);
  EXPECT_EQ(cuts.counters.repaired_strings, 3U);
}

// ---- Seeds ----

constexpr unsigned kSeeds = 1000;

// Returns the rules that a file breaks. W16 is returned as W15: the order of other records determines which
// of the two is reported.
std::set<std::string> rules_of(const Words& words) {
  std::set<std::string> rules;
  check(words,
        [&rules](const Finding& finding) { rules.emplace(finding.rule == "W16" ? "W15" : finding.rule); });
  return rules;
}

// Makes a random trace. Durations may overlap or have no end. Ends and flows may have no start.
Words disordered_trace(std::mt19937& random) {
  const auto pick = [&random](std::uint64_t count) { return random() % count; };
  const auto write = [&](Writer& writer) {
    std::uint64_t time = 100;
    for (std::uint64_t count = 2 + pick(30); count > 0; --count) {
      time += pick(6);
      Event event = foreign::event(static_cast<EventType>(pick(11)), time, kAllThreads[pick(2)],
                                   std::array<std::string_view, 3>{"a", "b", "c"}[pick(3)]);
      if (event.type == EventType::Counter) event.arguments = {{"n", 1}};
      if (event.type > EventType::DurationComplete) event.id = pick(3);
      if (is_async(event.type)) event.id += event.thread.thread;
      if (is_flow(event.type)) event.name = "flow";
      if (event.type == EventType::DurationComplete) event.end = event.time + pick(40);
      writer.write(event);
    }
  };
  return file_of(write);
}

// Cuts a random trace with up to `most_flipped` wrong bits. The pieces may break only rules that the trace
// breaks.
void expect_no_worse_pieces(unsigned seed, unsigned most_flipped) {
  std::mt19937 random(seed);
  const auto pick = [&random](std::uint64_t count) { return random() % count; };
  Words words = disordered_trace(random);
  for (std::uint64_t count = pick(most_flipped + 1); count > 0; --count)
    words[kStart.size() + pick(words.size() - kStart.size())] ^= std::uint64_t{1} << pick(40);
  CutOptions options;
  if (pick(2) == 0) options.range.from = TraceTime{.ns = 90 + pick(100)};
  if (pick(2) == 0) options.range.to = TraceTime{.ns = 190 + pick(100)};
  if (pick(2) == 0) options.split_ns = 1 + pick(50);
  if (pick(3) == 0) options.split_bytes = 200 + pick(1000);
  if (pick(4) == 0) options.threads = {kAllThreads[pick(2)].thread};
  if (pick(4) == 0) options.keeps = [](const Event& event) { return event.name.text != "b"; };
  const std::set<std::string> whole = rules_of(words);
  for (const Words& piece : cut(words, options).pieces)
    for (const std::string& rule : rules_of(piece))
      EXPECT_TRUE(whole.contains(rule)) << "seed " << seed << ": " << rule << " in\n"
                                        << text_of(piece) << "of\n"
                                        << text_of(words);
}

TEST(DamagedTraces, PiecesHaveOnlyFindingsOfTheWhole) {
  for (unsigned seed = 0; seed < kSeeds && !HasFailure(); ++seed) expect_no_worse_pieces(seed, 0);
}

TEST(DamagedTraces, PiecesHaveOnlyFindingsOfTheWholeWithFlippedBits) {
  for (unsigned seed = 0; seed < kSeeds && !HasFailure(); ++seed) expect_no_worse_pieces(seed, 3);
}

}  // namespace
}  // namespace fxt::test::foreign
