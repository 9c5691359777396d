// What the Writer keeps by itself, and what it tells a caller who is wrong.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <ios>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/checking/value_rules.h"
#include "fxt/writer.h"
#include "tests/fxt/trace_words.h"

namespace fxt::test {
namespace {

// What a Writer says to the last thing it is told; empty if nothing.
std::string objection_in(const std::function<void(Writer&)>& write, const WriterOptions& options = {}) {
  MemoryOutput output;
  Writer writer(output, options);
  try {
    write(writer);
  } catch (const WriterError& error) {
    return error.what();
  }
  return "";
}

// The same without what it costs, and what would allow it.
std::string problem_in(const std::function<void(Writer&)>& write, const WriterOptions& options = {}) {
  const std::string objection = objection_in(write, options);
  const std::size_t allow = objection.find("; WriterOptions::allow takes Fault::");
  return allow == std::string::npos ? objection : objection.substr(0, objection.rfind(": ", allow));
}

// The same for the only thing it is told.
std::string message_of(const std::function<void(Writer&)>& write, const WriterOptions& options = {}) {
  MemoryOutput output;
  Writer writer(output, options);
  const auto before = writer.words_written();
  try {
    write(writer);
  } catch (const WriterError& error) {
    EXPECT_EQ(writer.words_written(), before) << "a refused record must leave no trace";
    return error.what();
  }
  return "no error";
}

// ---- Strings ----

TEST(WriterStrings, AFullTableGoesInline) {
  MemoryOutput output;
  Writer writer(output);
  for (int i = 0; i < 32'767; ++i) ASSERT_TRUE(writer.prepare("", std::to_string(i)));
  EXPECT_FALSE(writer.prepare("", "one more"));
  EXPECT_TRUE(writer.prepare("", "32766"));
  const auto before = writer.words_written();
  writer.write(Event{.time = 1, .thread = kMain, .name = "one more"});
  EXPECT_EQ(writer.words_written() - before, 3U + 3U);  // thread record; header, time, inline text
  EXPECT_EQ(writer.counters().inline_strings, 1U);
}

TEST(WriterStrings, AreCutBetweenCharacters) {
  const std::string text = std::string(31'999, 'x') + "\u20ac";
  MemoryOutput output;
  Writer writer(output);
  writer.prepare("", text);
  writer.flush();
  EXPECT_EQ(StringHeader::Length::get(output.words()[kStart.size()]), 31'999U);
  EXPECT_EQ(writer.counters().cut_strings, 1U);
}

TEST(WriterStrings, RepairedTextIsCutAgainWhenItGrew) {
  MemoryOutput output;
  Writer writer(output);
  writer.write(Event{.time = 1, .thread = kMain, .name = Inline{std::string(32'000, '\xff')}});
  EXPECT_EQ(writer.counters().repaired_strings, 1U);
  EXPECT_EQ(writer.counters().cut_strings, 1U);
  writer.flush();
  EXPECT_EQ(EventHeader::Name::get(output.words()[kStart.size() + 3]), 0x8000U + 31'998U);
}

TEST(WriterStrings, AreWrittenRepairedAndCut) {
  std::string kept;
  EXPECT_EQ(as_written("abc\u20ac", 6, kept), "abc\u20ac");
  EXPECT_EQ(as_written("abc\u20ac", 5, kept), "abc");
  EXPECT_EQ(kept, "");
  EXPECT_EQ(as_written("ab\xff", 5, kept), "ab\ufffd");
  EXPECT_EQ(as_written("ab\xff", 4, kept), "ab");
  EXPECT_EQ(as_written(std::string_view("\0", 1), 5, kept), "\ufffd");
}

TEST(WriterStrings, TwoSpellingsOfOneTextShareItsIndex) {
  EXPECT_EQ(words_of([](Writer& writer) {
              writer.prepare("", "\xff");
              writer.prepare("", "\xfe");
              writer.prepare("", "\ufffd");
            }),
            (Words{0x0000'0003'0001'0022, 0xbd'bfef}));
}

// ---- Threads ----

TEST(WriterThreads, AFullTableGoesInline) {
  MemoryOutput output;
  Writer writer(output);
  for (std::uint64_t tid = 1; tid <= 255; ++tid) ASSERT_TRUE(writer.thread_index(1, tid));
  EXPECT_FALSE(writer.thread_index(1, 256));
  EXPECT_EQ(writer.thread_index(1, 255), ThreadIndex{255});
  const auto before = writer.words_written();
  writer.write(Event{.time = 1, .thread = {.process = 1, .thread = 256}});
  EXPECT_EQ(writer.words_written() - before, 4U);
  EXPECT_EQ(writer.counters().inline_threads, 1U);
}

// ---- Providers ----

TEST(WriterProviders, EachHasItsOwnTablesButOneNumbering) {
  EXPECT_EQ(words_of([](Writer& writer) {
              const auto event = writer.prepare("", "main");
              const auto thread = writer.thread_index(100, 101);
              writer.begin_provider(2, "other");
              writer.write_begin(*event, *thread, 7);
              writer.switch_provider(1);
              writer.write_end(*event, *thread, 8);
            }),
            (Words{0x0000'0004'0001'0022, 0x6e69'616d, 0x0000'0000'0001'0033, 100, 101,  //
                   0x0050'0000'0021'0020, 0x72'6568'746f,  // provider 2, "other"
                   0x0000'0000'0000'0021, 1'000'000'000,   //
                   0x0000'0004'0001'0022, 0x6e69'616d, 0x0000'0000'0001'0033, 100, 101,  //
                   0x0001'0000'0102'0024, 7,                                             //
                   0x0000'0000'0012'0010,  // section of provider 1
                   0x0001'0000'0103'0024, 8}));
}

TEST(WriterProviders, NamesAreCutAt255Bytes) {
  const Words words = file_of([](Writer&) {}, {.provider_name = std::string(300, 'p')});
  EXPECT_EQ(ProviderInfoHeader::NameLength::get(words[1]), 255U);
}

// ---- Errors ----

TEST(WriterErrors, ProvidersAreAnnouncedOnce) {
  EXPECT_EQ(message_of([](Writer& writer) { writer.begin_provider(1, "again"); }),
            "provider 1 was announced before; switch_provider() goes back to it");
  EXPECT_EQ(message_of([](Writer& writer) { writer.begin_provider(0, "zero"); }),
            "provider \"zero\": has the id 0: readers use it for records of no provider; "
            "WriterOptions::allow takes Fault::ProviderZero");
  EXPECT_EQ(message_of([](Writer& writer) { writer.switch_provider(9); }),
            "provider 9 was never announced; begin_provider() does it");
}

TEST(WriterErrors, Times) {
  constexpr std::uint64_t kLate = std::uint64_t{1} << 63;
  EXPECT_EQ(
      message_of([](Writer& writer) { writer.write(Event{.time = kLate, .thread = kMain, .name = "x"}); }),
      "event \"x\": time 9223372036854775808 ns is 2^63 ns or later: Perfetto drops it, Fuchsia's Rust "
      "reader panics; WriterOptions::allow takes Fault::LateTime");
  EXPECT_EQ(message_of([](Writer& writer) {
              writer.write(Event{
                  .type = EventType::DurationComplete, .time = 5, .thread = kMain, .name = "x", .end = 4});
            }),
            "event \"x\": ends at 4 ns, before it begins at 5 ns: Perfetto drops it; WriterOptions::allow "
            "takes Fault::EndBeforeBegin");
}

TEST(WriterErrors, PreparedTimes) {
  using Write = std::function<void(Writer&, PreparedEvent, ThreadIndex)>;
  const auto objection_to = [](const Write& write) {
    return objection_in(
        [&write](Writer& writer) { write(writer, *writer.prepare("", "x"), *writer.thread_index(1, 2)); });
  };
  EXPECT_EQ(objection_to(
                [](Writer& writer, auto event, auto thread) { writer.write_complete(event, thread, 5, 4); }),
            "event \"x\": ends at 4 ns, before it begins at 5 ns: Perfetto drops it; WriterOptions::allow "
            "takes Fault::EndBeforeBegin");
  EXPECT_EQ(objection_to([](Writer& writer, auto event, auto thread) {
              writer.write_complete(event, thread, 5, kTimeLimit);
            }),
            "event \"x\": time 9223372036854775808 ns is 2^63 ns or later: Perfetto drops it, Fuchsia's Rust "
            "reader panics; WriterOptions::allow takes Fault::LateTime");
  EXPECT_EQ(objection_to([](Writer& writer, auto event, auto thread) {
              writer.write_begin(event, thread, kTimeLimit);
            }),
            "event \"x\": time 9223372036854775808 ns is 2^63 ns or later: Perfetto drops it, Fuchsia's Rust "
            "reader panics; WriterOptions::allow takes Fault::LateTime");
  EXPECT_EQ(objection_to(
                [](Writer& writer, auto event, auto thread) { writer.write_complete(event, thread, 5, 5); }),
            "");
}

TEST(WriterErrors, Spans) {
  const auto at = [](std::uint64_t time) { return Event{.time = time, .thread = kMain, .name = "x"}; };
  const auto log_at = [](std::uint64_t time) { return Log{.time = time, .thread = kMain, .message = "x"}; };
  EXPECT_EQ(objection_in([&](Writer& writer) {
              writer.write(at(7));
              writer.write(at(kSpanLimit + 6));
            }),
            "");
  EXPECT_EQ(objection_in([&](Writer& writer) {
              writer.write(at(7));
              writer.write(at(kSpanLimit + 7));
            }),
            "event \"x\": from 7 to 140737488355335 ns, the trace spans 2^47 ns or more: Tracy's times wrap; "
            "WriterOptions::allow takes Fault::LongSpan");
  EXPECT_EQ(objection_in([&](Writer& writer) {
              const auto event = writer.prepare("", "x");
              const auto thread = writer.thread_index(1, 2);
              writer.write_complete(*event, *thread, 7, kSpanLimit + 7);
            }),
            "event \"x\": from 7 to 140737488355335 ns, the trace spans 2^47 ns or more: Tracy's times wrap; "
            "WriterOptions::allow takes Fault::LongSpan");
  EXPECT_EQ(objection_in([&](Writer& writer) {  // another thread may come later in the file
              const auto event = writer.prepare("", "x");
              const auto late = writer.thread_index(1, 2), early = writer.thread_index(1, 3);
              writer.write_begin(*event, *late, kSpanLimit + 7);
              writer.write_begin(*event, *early, 7);
            }),
            "event \"x\": from 7 to 140737488355335 ns, the trace spans 2^47 ns or more: Tracy's times wrap; "
            "WriterOptions::allow takes Fault::LongSpan");
  EXPECT_EQ(objection_in([&](Writer& writer) {  // Tracy reads no log messages
              writer.write(log_at(7));
              writer.write(at(kSpanLimit + 7));
            }),
            "");
  MemoryOutput output;
  Writer writer(output, {.allow = {Fault::LongSpan}});
  writer.write(at(7));
  EXPECT_NO_THROW(writer.write(at(kSpanLimit + 7)));
}

TEST(WriterErrors, SpansOfFlows) {
  MemoryOutput output;
  Writer writer(output);
  writer.write(Event{.type = EventType::DurationBegin, .time = 1, .thread = kMain, .name = "x"});
  const auto flow_at = [&](std::uint64_t time) {
    writer.write(Event{.type = EventType::FlowBegin, .time = time, .thread = kMain, .name = "x", .id = time});
  };
  EXPECT_THROW(flow_at(kSpanLimit + 1), WriterError) << "the duration would have to end there";
  EXPECT_NO_THROW(flow_at(kSpanLimit));
}

TEST(WriterErrors, Threads) {
  EXPECT_EQ(message_of([](Writer& writer) { writer.write(Event{.thread = {.process = 0, .thread = 5}}); }),
            "event \"\": thread 0/5 has an id of 0: viewers take 0 for the idle thread; WriterOptions::allow "
            "takes Fault::IdZero");
  EXPECT_EQ(message_of([](Writer& writer) { writer.thread_index(1, std::uint64_t{1} << 32); }),
            "thread_index(): thread 1/4294967296 needs more than 32 bits: Perfetto cuts ids to 32 bits, "
            "Tracy merges threads; WriterOptions::allow takes Fault::WideId");
}

TEST(WriterErrors, TheIdleThreadHasNoEvents) {
  MemoryOutput output;
  Writer writer(output);
  writer.name_thread(100, 101, "main");
  writer.write(LegacyContextSwitch{.time = 1, .outgoing = kMain, .outgoing_priority = 1});
  EXPECT_THROW(writer.write(Event{.time = 2, .thread = kIdleThread, .name = "x"}), WriterError);
}

TEST(WriterThreads, OneTidMayBeInTwoProcesses) {
  MemoryOutput output;
  Writer writer(output);
  EXPECT_EQ(writer.thread_index(1, 5), ThreadIndex{1});
  EXPECT_EQ(writer.thread_index(2, 5), ThreadIndex{2});
  EXPECT_NO_THROW(writer.write(Event{.thread = {.process = 3, .thread = 5}, .name = "x"}));
}

TEST(WriterErrors, Arguments) {
  const std::vector<Argument> sixteen(16, Argument{"a", 1});
  EXPECT_EQ(message_of([&](Writer& writer) {
              writer.write(Event{.thread = kMain, .name = "x", .arguments = sixteen});
            }),
            "event \"x\": 16 arguments: a record takes 15");
  EXPECT_EQ(message_of([&](Writer& writer) {
              writer.write(Event{.thread = kMain, .name = "x", .arguments = {{"raw", Bytes{}}}});
            }),
            "event \"x\": argument \"raw\" is a blob: Tracy misreads what follows, Fuchsia's C++ reader adds "
            "the padding, Perfetto shows it as unknown; WriterOptions::allow takes Fault::BlobArgument");
}

TEST(WriterErrors, ARecordHolds4095Words) {
  const std::string text(32'000, 't');
  MemoryOutput output;
  Writer writer(output);
  try {
    writer.write(Event{.thread = kMain,
                       .name = Inline{"x"},
                       .arguments = {{Inline{"a"}, Inline{text}}, {Inline{"b"}, Inline{text}}}});
    FAIL();
  } catch (const WriterError& error) {
    EXPECT_STREQ(error.what(),
                 "event \"x\": its strings and arguments need more than the 4095 words of a record");
  }
}

TEST(WriterErrors, CountersNeedNumbersWithNamesOfTheirOwn) {
  const auto counter = [](std::string_view name, const Arguments& arguments) {
    return Event{.type = EventType::Counter, .thread = kMain, .name = name, .arguments = arguments};
  };
  EXPECT_EQ(message_of([&](Writer& writer) { writer.write(counter("rss", {})); }),
            "counter \"rss\": has no argument, so it has no value: no reader shows it; WriterOptions::allow "
            "takes Fault::NoValue");
  EXPECT_EQ(message_of([&](Writer& writer) {
              writer.write(counter("rss", {{"on", true}}));
            }),
            "counter \"rss\": argument \"on\" is not a number: Perfetto counts an error, Tracy ignores it or "
            "takes ids for values; WriterOptions::allow takes Fault::NoNumber");
  MemoryOutput output;
  Writer writer(output);
  writer.write(counter("rss", {{"value", 1}}));
  writer.write(counter("rss", {{"value", 2}}));
  try {
    writer.write(counter("faults", {{"value", 3}}));
    FAIL();
  } catch (const WriterError& error) {
    EXPECT_STREQ(error.what(),
                 "counter \"faults\": argument \"value\" also names a series of counter \"rss\": Tracy draws "
                 "both as one plot; WriterOptions::allow takes Fault::SharedSeries");
  }
}

TEST(WriterErrors, Names) {
  EXPECT_EQ(message_of([](Writer& writer) { writer.name_process(100, ""); }),
            "kernel object \"\": names koid 100 with nothing: viewers show no name; WriterOptions::allow "
            "takes Fault::EmptyName");
  EXPECT_EQ(message_of([](Writer& writer) {
              writer.write(KernelObject{.type = KernelObjectType::Thread, .koid = 5, .name = "worker"});
            }),
            "kernel object \"worker\": a thread without an argument \"process\": Perfetto files its name "
            "under process 0, other readers lose it; WriterOptions::allow takes Fault::NoProcess");
  EXPECT_EQ(message_of([](Writer& writer) { writer.name_process(0, "init"); }),
            "kernel object \"init\": koid 0 is no process or thread: viewers take 0 for the idle thread; "
            "WriterOptions::allow takes Fault::IdZero");
}

TEST(WriterErrors, OnlyTheRulesOfTheReadersThatCount) {
  const Event counter{.type = EventType::Counter, .thread = kMain, .name = "a", .arguments = {{"n", true}}};
  const Event late{.time = kTimeLimit, .thread = kMain, .name = "x"};
  const Event frame{.thread = kMain, .name = "frame"};
  const auto message = [](const Event& event, const WriterOptions& options) {
    return message_of([&](Writer& writer) { writer.write(event); }, options);
  };
  EXPECT_NE(message(frame, {.readers = {KnownReader::Tracy}}), "no error");
  EXPECT_EQ(message(frame, {.readers = {KnownReader::Perfetto}}), "no error");
  EXPECT_EQ(message(counter, {.readers = {KnownReader::Perfetto}}),
            "counter \"a\": argument \"n\" is not a number: Perfetto counts an error; WriterOptions::allow "
            "takes Fault::NoNumber");
  EXPECT_EQ(message(counter, {.readers = {KnownReader::FuchsiaCpp}}), "no error");
  EXPECT_EQ(message(late, {.readers = {KnownReader::Tracy}}), "no error");
  EXPECT_EQ(message(counter, {.allow = {Fault::NoNumber}}), "no error");
}

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

TEST(WriterErrors, WhatSomeReaderCannotTakeIsAskedFor) {
  const std::vector<std::byte> bytes(40'000);
  EXPECT_EQ(message_of([](Writer& writer) {
              writer.write(UserspaceObject{.process = {.process = 1}, .name = "o"});
            }),
            "userspace object \"o\": has a type of its own: Fuchsia's C++ reader reports a record of unknown "
            "type 6; WriterOptions::allow takes Fault::UserspaceObject");
  EXPECT_EQ(message_of([](Writer& writer) { writer.write(LargeBlobWithoutMetadata{.name = "b"}); }),
            "large blob \"b\": has no metadata: Fuchsia's Rust reader aborts; WriterOptions::allow takes "
            "Fault::LargeBlobWithoutMetadata");
  MemoryOutput output;
  Writer writer(output);
  EXPECT_THROW(writer.write(LargeBlob{.thread = kMain, .bytes = bytes}), WriterError);
}

// ---- Durations ----

Event duration(EventType type, std::uint64_t time, std::uint64_t end = 0, std::uint64_t thread = 101) {
  return {.type = type, .time = time, .thread = {.process = 100, .thread = thread}, .name = "x", .end = end};
}

// What a Writer says to the last of these events: the problem alone.
std::string objection_to(const std::vector<Event>& events, const WriterOptions& options = {}) {
  return problem_in(
      [&](Writer& writer) {
        for (const Event& event : events) writer.write(event);
      },
      options);
}

TEST(WriterDurations, ComeInTimeOrder) {
  const auto late = duration(EventType::Instant, 10), early = duration(EventType::DurationComplete, 5, 7);
  EXPECT_EQ(objection_to({late, early}),
            "event \"x\": at 5 ns comes after one at 10 ns on thread 101 of process 100");
  EXPECT_EQ(objection_to({early, late}), "");
  EXPECT_EQ(objection_to({late, duration(EventType::DurationComplete, 5, 7, 102)}), "");
  EXPECT_EQ(objection_to({late, early}, {.trust_nesting = true}), "");
}

TEST(WriterDurations, Nest) {
  const auto outer = duration(EventType::DurationComplete, 0, 10);
  EXPECT_EQ(objection_to({outer, duration(EventType::DurationComplete, 0, 10)}), "");
  EXPECT_EQ(objection_to({outer, duration(EventType::DurationComplete, 10, 20)}), "");
  EXPECT_EQ(objection_to({outer, duration(EventType::DurationComplete, 5, 15)}),
            "event \"x\": lasts until 15 ns, beyond the one around it, which ends at 10 ns");
  EXPECT_EQ(objection_to({duration(EventType::DurationBegin, 0), duration(EventType::DurationComplete, 5, 15),
                          duration(EventType::DurationEnd, 10)}),
            "event \"x\": ends a duration before the one inside it, which lasts until 15 ns");
}

TEST(WriterDurations, AreBalanced) {
  EXPECT_EQ(objection_to({duration(EventType::DurationEnd, 5)}),
            "event \"x\": ends a duration that never began on thread 101 of process 100");
  EXPECT_EQ(objection_to({duration(EventType::DurationBegin, 5), duration(EventType::DurationEnd, 5)}), "");
}

TEST(WriterDurations, AreAtMost512Deep) {
  std::vector<Event> events(512, duration(EventType::DurationBegin, 5));
  EXPECT_EQ(objection_to(events), "");
  events.push_back(duration(EventType::Instant, 5));
  EXPECT_EQ(objection_to(events),
            "event \"x\": lies deeper than 512 durations, or than 512 events of no length at its time");
}

TEST(WriterDurations, OfNoLengthAreAtMost512AtOnce) {
  std::vector<Event> events(512, duration(EventType::Instant, 5));
  EXPECT_EQ(objection_to(events), "");
  events.push_back(duration(EventType::DurationComplete, 5, 5));
  EXPECT_EQ(objection_to(events),
            "event \"x\": lies deeper than 512 durations, or than 512 events of no length at its time");
  events.back() = duration(EventType::DurationComplete, 5, 6);
  EXPECT_EQ(objection_to(events), "");
  events.push_back(duration(EventType::Instant, 5));
  EXPECT_EQ(objection_to(events), "");
  EXPECT_EQ(problem_in([](Writer& writer) {
              const auto event = writer.prepare("", "y");
              const auto thread = writer.thread_index(100, 101);
              for (int i = 0; i < 513; ++i) writer.write_complete(*event, *thread, 5, 5);
            }),
            "event \"y\": lies deeper than 512 durations, or than 512 events of no length at its time");
}

TEST(WriterErrors, SchedulingArguments) {
  EXPECT_EQ(objection_in([](Writer& writer) {
              writer.name_thread(1, 1, "a");
              writer.name_thread(1, 2, "b");
              writer.write(ContextSwitch{
                  .outgoing_thread = 1, .incoming_thread = 2, .arguments = {{"incoming_weight", 5U}}});
            }),
            "context switch: argument \"incoming_weight\" is not of type int32: Perfetto drops the record; "
            "WriterOptions::allow takes Fault::SchedulingArgument");
  EXPECT_EQ(objection_in([](Writer& writer) {
              writer.name_thread(1, 1, "a");
              writer.write(ThreadWakeup{.thread = 1, .arguments = {{"waker", std::uint64_t{5}}}});
            }),
            "thread wakeup: argument \"waker\" is not of type koid: Perfetto drops the record; "
            "WriterOptions::allow takes Fault::SchedulingArgument");
}

TEST(WriterDurations, EncloseFlows) {
  const auto flow = duration(EventType::FlowBegin, 10);
  EXPECT_EQ(objection_to({duration(EventType::DurationComplete, 0, 10), flow}), "");
  EXPECT_EQ(objection_to({duration(EventType::DurationComplete, 0, 9), flow}),
            "event \"x\": lies in no duration on thread 101 of process 100");
}

Event flow(EventType type, std::uint64_t time, std::uint64_t process = 100) {
  return {.type = type,
          .time = time,
          .thread = {.process = process, .thread = process + 1},
          .name = "x",
          .id = 7};
}

TEST(WriterFlows, BeginBeforeTheyContinue) {
  const auto outer = duration(EventType::DurationComplete, 0, 100);
  const auto begin = flow(EventType::FlowBegin, 10), step = flow(EventType::FlowStep, 20),
             end = flow(EventType::FlowEnd, 30);
  EXPECT_EQ(objection_to({outer, begin, step, step, end}), "");
  EXPECT_EQ(objection_to({outer, step}), "event \"x\": continues flow 7, which has not begun");
  EXPECT_EQ(objection_to({outer, end}), "event \"x\": continues flow 7, which has not begun");
  EXPECT_EQ(objection_to({outer, begin, begin}), "event \"x\": begins flow 7, which is open since 10 ns");
  EXPECT_EQ(objection_to({outer, begin, end, end}), "event \"x\": continues flow 7, which has not begun");
  EXPECT_EQ(objection_to({outer, begin, end, flow(EventType::FlowBegin, 40)}), "");
}

TEST(WriterFlows, ContinueInOtherProcesses) {
  Event other = duration(EventType::DurationComplete, 0, 100), third = other;
  other.thread = {.process = 200, .thread = 201};
  third.thread = {.process = 300, .thread = 301};
  const auto outer = duration(EventType::DurationComplete, 0, 100);
  const auto begin = flow(EventType::FlowBegin, 10);
  EXPECT_EQ(objection_to({outer, other, begin, flow(EventType::FlowEnd, 20, 200)}), "");
  EXPECT_EQ(objection_to({outer, other, begin, flow(EventType::FlowEnd, 9, 200)}),
            "event \"x\": at 9 ns comes after one of flow 7 at 10 ns");
  EXPECT_EQ(objection_to({outer, other, third, begin, flow(EventType::FlowBegin, 20, 200),
                          flow(EventType::FlowStep, 30, 300)}),
            "event \"x\": continues flow 7, which several other processes have begun");
}

TEST(WriterDurations, AreEndedByFinish) {
  MemoryOutput output;
  Writer writer(output);
  writer.write(duration(EventType::DurationBegin, 5));
  writer.write(duration(EventType::Instant, 9, 0, 102));
  writer.finish();
  const auto words = output.words().last(2);
  EXPECT_EQ(EventHeader::EventType::get(words[0]), code(EventType::DurationEnd));
  EXPECT_EQ(EventHeader::Thread::get(words[0]), 1U);
  EXPECT_EQ(EventHeader::Name::get(words[0]), 1U);
  EXPECT_EQ(words[1], 9U);
}

TEST(WriterDurations, OnTheShortWayAreWatchedAsWell) {
  using Write = std::function<void(Writer&, PreparedEvent, ThreadIndex)>;
  const auto objection_after = [](std::initializer_list<Event> events, const Write& write) {
    return problem_in([&](Writer& writer) {
      const auto event = writer.prepare("", "y");
      const auto thread = writer.thread_index(100, 101);
      for (const Event& value : events) writer.write(value);
      write(writer, *event, *thread);
    });
  };
  const auto outer = duration(EventType::DurationComplete, 0, 10);
  EXPECT_EQ(objection_after({outer},
                            [](Writer& writer, auto event, auto thread) {
                              writer.write_begin(event, thread, 2);
                              writer.write_complete(event, thread, 3, 5);
                              writer.write_complete(event, thread, 5, 6);
                              writer.write_end(event, thread, 10);
                            }),
            "");
  EXPECT_EQ(objection_after({outer}, [](Writer& writer, auto event,
                                        auto thread) { writer.write_complete(event, thread, 5, 15); }),
            "event \"y\": lasts until 15 ns, beyond the one around it, which ends at 10 ns");
  EXPECT_EQ(
      objection_after({duration(EventType::Instant, 7)},
                      [](Writer& writer, auto event, auto thread) { writer.write_begin(event, thread, 5); }),
      "event \"y\": at 5 ns comes after one at 7 ns on thread 101 of process 100");
  EXPECT_EQ(objection_after(
                {}, [](Writer& writer, auto event, auto thread) { writer.write_end(event, thread, 5); }),
            "event \"y\": ends a duration that never began on thread 101 of process 100");
  EXPECT_EQ(objection_after({},
                            [](Writer& writer, auto event, auto thread) {
                              for (int i = 0; i < 513; ++i) writer.write_begin(event, thread, 5);
                            }),
            "event \"y\": lies deeper than 512 durations, or than 512 events of no length at its time");
}

TEST(WriterDurations, ThatAreRefusedLeaveNoTrace) {
  MemoryOutput output;
  Writer writer(output);
  const auto event = writer.prepare("", "y");
  const auto thread = writer.thread_index(100, 101);
  writer.write_complete(*event, *thread, 0, 100);
  writer.write_complete(*event, *thread, 1, 5);
  EXPECT_THROW(writer.write_complete(*event, *thread, 50, 150), WriterError);
  EXPECT_THROW(writer.write_end(*event, *thread, 60), WriterError);
  EXPECT_THROW(writer.write_complete(*event, *thread, 3, 8), WriterError);  // crosses the second one
  EXPECT_NO_THROW(writer.write_complete(*event, *thread, 3, 4));
}

TEST(WriterDurations, OnTheShortWayAreEndedByFinish) {
  MemoryOutput output;
  Writer writer(output);
  const auto event = writer.prepare("app", "main");
  const auto thread = writer.thread_index(100, 101);
  writer.write_begin(*event, *thread, 5);
  writer.write_complete(*event, *thread, 6, 9);
  writer.finish();
  const auto words = output.words().last(2);
  EXPECT_EQ(words[0], 0x0002'0001'0103'0024U);  // name 2, category 1, thread 1, end (3)
  EXPECT_EQ(words[1], 9U);
}

// ---- Durations around durations that wait for their ends ----

TEST(WriterDurations, EndWithTheCompleteOnesAroundThem) {
  const auto outer = duration(EventType::DurationComplete, 0, 10),
             begin = duration(EventType::DurationBegin, 5);
  EXPECT_EQ(objection_to({outer, begin, duration(EventType::DurationEnd, 10)}), "");
  const std::string_view kLate =
      "event \"x\": comes while a duration is still open that had to end at 10 ns, with the one around it";
  EXPECT_EQ(objection_to({outer, begin, duration(EventType::DurationEnd, 15)}), kLate);
  EXPECT_EQ(objection_to({outer, begin, duration(EventType::Instant, 11)}), kLate);
  EXPECT_EQ(objection_to({outer, begin, duration(EventType::Instant, 10)}), "");
  EXPECT_EQ(objection_to({outer, begin, duration(EventType::DurationComplete, 5, 11)}),
            "event \"x\": lasts until 11 ns, beyond the one around it, which ends at 10 ns");
  EXPECT_EQ(problem_in([](Writer& writer) {
              const auto event = writer.prepare("", "x");
              const auto thread = writer.thread_index(100, 101);
              writer.write_complete(*event, *thread, 0, 10);
              writer.write_begin(*event, *thread, 5);
              writer.write_end(*event, *thread, 15);
            }),
            kLate);
}

TEST(WriterDurations, AreEndedInnermostFirstByTheirNames) {
  Event outer = duration(EventType::DurationBegin, 1), inner = duration(EventType::DurationBegin, 2),
        end = duration(EventType::DurationEnd, 3);
  outer.name = "outer";
  end.name = "outer";
  const std::string_view kOuter =
      "event \"outer\": ends a duration by its name while another is open inside it";
  EXPECT_EQ(objection_to({outer, inner, end}), kOuter);
  EXPECT_EQ(objection_to({outer, end}), "");
  end.name = Inline{"outer"};  // the same name
  EXPECT_EQ(objection_to({outer, inner, end}), kOuter);
  end.name = "neither";
  EXPECT_EQ(objection_to({outer, inner, end}), "");
  end.name = "";
  EXPECT_EQ(objection_to({outer, inner, end}), "");
  EXPECT_EQ(problem_in([](Writer& writer) {
              const auto around = writer.prepare("", "outer"), inside = writer.prepare("", "inner");
              const auto thread = writer.thread_index(100, 101);
              writer.write_begin(*around, *thread, 5);
              writer.write_begin(*inside, *thread, 6);
              writer.write_end(*around, *thread, 7);
            }),
            kOuter);
  EXPECT_EQ(problem_in([](Writer& writer) {  // names that none of them has, no names, an inline begin's name
              const auto around = writer.prepare("", "outer"), inside = writer.prepare("", "inner"),
                         neither = writer.prepare("", "neither"), unnamed = writer.prepare("", "");
              const auto thread = writer.thread_index(100, 101);
              writer.write_begin(*around, *thread, 5);
              writer.write_begin(*inside, *thread, 6);
              writer.write_end(*neither, *thread, 7);
              writer.write_end(*unnamed, *thread, 8);
              writer.write(Event{
                  .type = EventType::DurationBegin, .time = 9, .thread = kMain, .name = Inline{"inner"}});
              writer.write_end(*inside, *thread, 9);
            }),
            "");
}

TEST(WriterDurations, OfNoLengthAreCountedAcrossFlows) {
  std::vector<Event> events(514, duration(EventType::DurationComplete, 5, 5));
  events[0] = duration(EventType::DurationBegin, 5);
  events[511] = flow(EventType::FlowBegin, 5);
  EXPECT_EQ(objection_to(events),
            "event \"x\": lies deeper than 512 durations, or than 512 events of no length at its time");
  events.pop_back();
  EXPECT_EQ(objection_to(events), "");
}

TEST(WriterFlows, LieInDurationsOfNoLengthAsWell) {
  const auto point = duration(EventType::DurationComplete, 10, 10);
  EXPECT_EQ(objection_to({point, flow(EventType::FlowBegin, 10)}), "");
  EXPECT_EQ(objection_to({duration(EventType::Instant, 10), point, flow(EventType::FlowBegin, 10)}), "");
  const std::string_view kNone = "event \"x\": lies in no duration on thread 101 of process 100";
  EXPECT_EQ(objection_to({point, flow(EventType::FlowBegin, 11)}), kNone);
  EXPECT_EQ(objection_to({point, duration(EventType::Instant, 11), flow(EventType::FlowBegin, 11)}), kNone);
  EXPECT_EQ(objection_to({duration(EventType::Instant, 10), flow(EventType::FlowBegin, 10)}), kNone);
  EXPECT_EQ(objection_to({point, duration(EventType::Instant, 10), flow(EventType::FlowBegin, 10)}), kNone);
}

TEST(WriterFlows, LieBehindNothingThatIsOverInTheirDuration) {
  const auto begin = duration(EventType::DurationBegin, 5), end = duration(EventType::DurationEnd, 8);
  const auto inner = duration(EventType::DurationComplete, 6, 7), later = flow(EventType::FlowBegin, 8);
  const std::string_view kBehind =
      "event \"x\": follows a complete duration or an instant that is over on thread 101 of process 100";
  EXPECT_EQ(objection_to({begin, later}), "");
  EXPECT_EQ(objection_to({begin, inner, later}), kBehind);
  EXPECT_EQ(objection_to({begin, inner, flow(EventType::FlowBegin, 7)}), "");
  EXPECT_EQ(objection_to({begin, duration(EventType::Instant, 6), later}), kBehind);
  EXPECT_EQ(objection_to({begin, duration(EventType::DurationComplete, 6, 6), later}), kBehind);
  EXPECT_EQ(objection_to({begin, inner, duration(EventType::DurationBegin, 8), end, later}), "");
  EXPECT_EQ(objection_to({duration(EventType::DurationComplete, 5, 9), inner, later}), kBehind);
}

TEST(WriterAsyncs, OfOneIdNestInTimeOrder) {
  const auto async = [](EventType type, std::uint64_t time, const char* name, std::uint64_t thread = 101) {
    Event event = duration(type, time, 0, thread);
    event.id = 7;
    event.name = name;
    return event;
  };
  const auto a = async(EventType::AsyncBegin, 5, "a"), b = async(EventType::AsyncBegin, 6, "b", 102);
  const auto a_ends = async(EventType::AsyncEnd, 9, "a"), b_ends = async(EventType::AsyncEnd, 9, "b");
  EXPECT_EQ(objection_to({a, b, b_ends, a_ends}), "");
  EXPECT_EQ(objection_to({a, b, a_ends}),
            "event \"a\": ends async operation 7 before the one of the same id inside it");
  EXPECT_EQ(objection_to({a, b_ends}),
            "event \"b\": ends async operation 7, which has not begun with this category and name");
  EXPECT_EQ(objection_to({a_ends}),
            "event \"a\": ends async operation 7, which has not begun with this category and name");
  EXPECT_EQ(objection_to({b, a}), "event \"a\": at 5 ns comes after one of async operation 7 at 6 ns");
  Event other = a, other_ends = a_ends;
  other.thread = other_ends.thread = {.process = 200, .thread = 201};
  EXPECT_EQ(objection_to({a, other, other_ends, a_ends}), "");
  EXPECT_EQ(objection_to({a, other_ends}), "");
  Event spelled_so = a, spelled_otherwise = other, spelled_again = other_ends;
  spelled_so.name = "\xff";
  spelled_otherwise.name = "\xfe";
  spelled_again.name = "\xfd";
  EXPECT_EQ(objection_to({spelled_so, spelled_again}), "");
  spelled_again.thread = spelled_so.thread;
  EXPECT_EQ(objection_to({spelled_so, spelled_otherwise, spelled_again}),
            "event \"\xfd\": ends async operation 7 while that of another process is open inside it");
  EXPECT_EQ(objection_to({a, other, a_ends}),
            "event \"a\": ends async operation 7 while that of another process is open inside it");
  EXPECT_EQ(objection_to(std::vector<Event>(512, a)), "");
  EXPECT_EQ(objection_to(std::vector<Event>(513, a)),
            "event \"a\": begins more than 512 of async operation 7 at once");
}

// ---- Values ----

TEST(WriterErrors, ARefusedCounterTakesNoSeries) {
  const std::string text(32'000, 't');
  MemoryOutput output;
  Writer writer(output);
  const auto counter = [](std::string_view name, const Arguments& arguments, std::uint64_t time = 5) {
    return Event{
        .type = EventType::Counter, .time = time, .thread = kMain, .name = name, .arguments = arguments};
  };
  EXPECT_THROW(writer.write(counter("rss", {{"value", 1}, {"on", true}})), WriterError);
  EXPECT_THROW(writer.write(counter("rss", {{"value", 1}}, kTimeLimit)), WriterError);
  EXPECT_THROW(writer.write(counter("rss", {{Inline{text}, 1}, {"value", 2}, {Inline{text + "2"}, 3}})),
               WriterError);
  EXPECT_NO_THROW(writer.write(counter("faults", {{"value", 1}})));
}

TEST(WriterErrors, Cpus) {
  EXPECT_EQ(
      message_of([](Writer& writer) { writer.write(ThreadWakeup{.cpu = 4096, .thread = 1}); }),
      "thread wakeup: cpu 4096 is beyond 4095: Perfetto aborts; WriterOptions::allow takes Fault::LargeCpu");
  EXPECT_EQ(
      message_of([](Writer& writer) { writer.write(ContextSwitch{.cpu = 4096}); }),
      "context switch: cpu 4096 is beyond 4095: Perfetto aborts; WriterOptions::allow takes Fault::LargeCpu");
  EXPECT_EQ(
      objection_in([](Writer& writer) {
        writer.name_thread(100, 101, "main");
        writer.write(LegacyContextSwitch{.cpu = 4096, .incoming = kMain});
      }),
      "context switch: cpu 4096 is beyond 4095: Perfetto aborts; WriterOptions::allow takes Fault::LargeCpu");
  // Above cpu 255 it becomes a newer record, which says no priority.
  EXPECT_EQ(
      message_of([](Writer& writer) { writer.write(LegacyContextSwitch{.cpu = 256, .incoming = kMain}); }),
      "context switch: thread 101 has no kernel object that names its process: Perfetto files it under "
      "process 0; "
      "WriterOptions::allow takes Fault::UnnamedThread");
  // A cpu on which only the idle thread runs is none to Perfetto.
  EXPECT_EQ(message_of([](Writer& writer) { writer.write(LegacyContextSwitch{.cpu = 4096}); }), "no error");
  EXPECT_EQ(message_of([](Writer& writer) {
              writer.name_thread(1, 1, "a");
              writer.write(ThreadWakeup{.cpu = 4095, .thread = 1});
            }),
            "no error");
}

TEST(WriterErrors, Enumerators) {
  const auto state = static_cast<ThreadState>(6);
  EXPECT_EQ(message_of([&](Writer& writer) { writer.write(ContextSwitch{.outgoing_state = state}); }),
            "context switch: thread state 6 does not exist: viewers show none; WriterOptions::allow takes "
            "Fault::UnknownState");
  EXPECT_EQ(message_of([&](Writer& writer) { writer.write(LegacyContextSwitch{.outgoing_state = state}); }),
            "context switch: thread state 6 does not exist: viewers show none; WriterOptions::allow takes "
            "Fault::UnknownState");
  // The spec and all readers let others define types of blobs.
  EXPECT_EQ(
      message_of([](Writer& writer) { writer.write(Blob{.name = "b", .type = static_cast<BlobType>(77)}); }),
      "no error");
  EXPECT_EQ(message_of([](Writer& writer) {
              writer.write(Event{.type = static_cast<EventType>(11), .thread = kMain, .name = "x"});
            }),
            "event \"x\": event type 11 does not exist");
}

TEST(WriterErrors, ProfilerRecords) {
  const std::vector<std::byte> bytes(256);
  const std::vector<std::uint64_t> frames(256);
  EXPECT_EQ(message_of([&](Writer& writer) {
              writer.write(ProfilerModule{.thread = kMain, .name = std::string(300, 'n'), .build_id = bytes});
            }),
            "profiler module: build id: 256, but a record takes 255");
  EXPECT_EQ(message_of([](Writer& writer) { writer.write(ProfilerMmap{.thread = kMain, .flags = 8}); }),
            "profiler mmap: flags: 8, but a record takes 7");
  EXPECT_EQ(
      message_of([&](Writer& writer) { writer.write(ProfilerBacktrace{.thread = kMain, .frames = frames}); }),
      "profiler backtrace: frames: 256, but a record takes 255");
  EXPECT_EQ(
      message_of([](Writer& writer) { writer.write(ProfilerBacktrace{.thread = kMain, .flags = 1U << 28}); }),
      "profiler backtrace: flags: 268435456, but a record takes 268435455");
  EXPECT_EQ(
      message_of([](Writer& writer) { writer.write(ProfilerMmap{.time = kTimeLimit, .thread = kMain}); }),
      "profiler mmap: time 9223372036854775808 ns is 2^63 ns or later: Perfetto drops it, Fuchsia's Rust "
      "reader panics; WriterOptions::allow takes Fault::LateTime");
  const std::string inline_thread =
      ": profiler record with an inline thread: Fuchsia's two readers read it differently; "
      "WriterOptions::allow takes Fault::InlineProfilerThread";
  const Thread thread{.process = 1, .thread = 2, .storage = Storage::Inline};
  EXPECT_EQ(message_of([&](Writer& writer) { writer.write(ProfilerModule{.thread = thread}); }),
            "profiler module" + inline_thread);
  EXPECT_EQ(message_of([&](Writer& writer) { writer.write(ProfilerMmap{.thread = thread}); }),
            "profiler mmap" + inline_thread);
  EXPECT_EQ(message_of([&](Writer& writer) { writer.write(ProfilerBacktrace{.thread = thread}); }),
            "no error");
  EXPECT_EQ(message_of([&](Writer& writer) {  // names are cut
              writer.write(ProfilerModule{.thread = kMain, .name = std::string(300, 'n')});
            }),
            "no error");
}

TEST(WriterErrors, InstantsThatTracyTakesForFrames) {
  const std::string_view kMessage =
      "event \"A Frame\": instant with \"frame\" in its name: Tracy takes it for the start of a frame and "
      "does not show it on its thread; WriterOptions::allow takes Fault::FrameMark";
  const auto instant = [](Writer& writer) { writer.write(Event{.thread = kMain, .name = "A Frame"}); };
  const auto short_instant = [](Writer& writer) {
    const auto event = writer.prepare("", "A Frame");
    const auto thread = writer.thread_index(100, 101);
    writer.write_complete(*event, *thread, 1, 2);
    writer.write_begin(*event, *thread, 2);
    writer.write_end(*event, *thread, 3);
    writer.write_instant(*event, *thread, 3);
  };
  EXPECT_EQ(message_of(instant), kMessage);
  EXPECT_EQ(objection_in(instant, {.allow = {Fault::FrameMark}}), "");
  EXPECT_EQ(objection_in(short_instant), kMessage);
  EXPECT_EQ(objection_in(short_instant, {.allow = {Fault::FrameMark}}), "");
  EXPECT_EQ(objection_in([](Writer& writer) {
              writer.write(
                  Event{.type = EventType::DurationComplete, .thread = kMain, .name = "A Frame", .end = 1});
            }),
            "");
}

TEST(WriterErrors, WakersHave32Bits) {
  const auto waker = [](std::uint64_t koid) {
    return [=](Writer& writer) {
      writer.name_thread(1, 5, "a");
      writer.write(ThreadWakeup{.thread = 5, .arguments = {{"waker", Koid{koid}}}});
    };
  };
  EXPECT_EQ(objection_in(waker(kKoidLimit)),
            "thread wakeup: thread 4294967296 needs more than 32 bits: Perfetto cuts ids to 32 bits, Tracy "
            "merges threads; WriterOptions::allow takes Fault::WideId");
  EXPECT_EQ(objection_in(waker(kKoidLimit - 1)), "");
}

TEST(WriterErrors, ArgumentsHaveNamesOfTheirOwn) {
  EXPECT_EQ(message_of([](Writer& writer) {
              writer.write(Event{.thread = kMain, .name = "x", .arguments = {{"a", 1}, {"b", 2}, {"a", 3}}});
            }),
            "event \"x\": two arguments are called \"a\": Perfetto keeps one of them; WriterOptions::allow "
            "takes Fault::RepeatedName");
}

TEST(WriterErrors, NamesAreComparedAsTheyAreWritten) {
  const std::string a = std::string(32'000, 'n') + 'a', b = std::string(32'000, 'n') + 'b';
  String missing;
  missing.storage = Storage::Missing;
  const auto instant = [](const Arguments& arguments) {
    return Event{.thread = kMain, .name = "x", .arguments = arguments};
  };
  constexpr const char* kRepeated =
      "event \"x\": two arguments are called \"\xfe\": Perfetto keeps one of them; WriterOptions::allow "
      "takes Fault::RepeatedName";
  EXPECT_EQ(message_of([&](Writer& writer) {
              writer.write(instant({{"n", 0}, {"\xff", 1}, {"\xfe", 2}}));
            }),
            kRepeated);
  EXPECT_EQ(message_of([&](Writer& writer) {
              writer.write(instant({{"\ufffd", 1}, {Inline{"\xfe"}, 2}}));
            }),
            kRepeated);
  EXPECT_THROW(MemoryOutput output; Writer(output).write(instant({{a, 1}, {b, 2}})), WriterError);
  EXPECT_THROW(MemoryOutput output; Writer(output).write(instant({{missing, 1}, {missing, 2}})), WriterError);
  EXPECT_THROW(MemoryOutput output; Writer(output).write(instant({{missing, 1}, {"", 2}})), WriterError);
  EXPECT_EQ(message_of([&](Writer& writer) {
              writer.write(Log{.thread = kMain});  // the thread is in the table
              writer.write(Event{.thread = kMain, .arguments = {{Inline{"\xff"}, 1}, {Inline{"m"}, 2}}});
            }),
            "no error");
}

TEST(WriterErrors, SeriesAreComparedAsTheyAreWritten) {
  const auto counter = [](std::string_view name, std::string_view series) {
    return Event{.type = EventType::Counter, .thread = kMain, .name = name, .arguments = {{series, 1}}};
  };
  constexpr const char* kTaken =
      "counter \"b\": argument \"\xfe\" also names a series of counter \"a\": Tracy draws both as one plot; "
      "WriterOptions::allow takes Fault::SharedSeries";
  EXPECT_EQ(objection_in([&](Writer& writer) {
              writer.write(counter("a", "\xff"));
              writer.write(counter("b", "\xfe"));
            }),
            kTaken);
  EXPECT_EQ(objection_in([&](Writer& writer) {
              writer.write(counter("\xff", "series"));
              writer.write(counter("\xfe", "series"));
            }),
            "");
}

TEST(WriterErrors, SwitchedAndWokenThreadsNeedNames) {
  const auto no_name = [](const std::string& what) {
    return what +
           ": thread 101 has no kernel object that names its process: Perfetto files it under process "
           "0; "
           "WriterOptions::allow takes Fault::UnnamedThread";
  };
  const std::vector<Argument> weights = {{"incoming_weight", std::numeric_limits<std::int32_t>::min()},
                                         {"weight", std::numeric_limits<std::int32_t>::min()}};
  for (const std::uint8_t priority : {std::uint8_t{0}, std::uint8_t{1}}) {
    const LegacyContextSwitch to_main{.time = 1, .incoming = kMain, .incoming_priority = priority},
        from_main{.time = 1, .outgoing = kMain, .outgoing_priority = priority};
    for (const LegacyContextSwitch& side : {to_main, from_main}) {
      EXPECT_EQ(message_of([&](Writer& writer) { writer.write(side); }),
                priority != 0
                    ? no_name("context switch")
                    : "context switch: thread 101 has priority 0 and no kernel object that names its "
                      "process: Perfetto takes it for the idle thread; WriterOptions::allow takes "
                      "Fault::TakenForIdle");
      EXPECT_EQ(objection_in([&](Writer& writer) {
                  writer.name_thread(100, 101, "main");
                  writer.write(side);
                }),
                "");
    }
  }
  for (const Record& record : std::initializer_list<Record>{ContextSwitch{.incoming_thread = 101},
                                                            ContextSwitch{.outgoing_thread = 101}})
    EXPECT_EQ(message_of([&](Writer& writer) { writer.write(record); }), no_name("context switch"));
  EXPECT_EQ(message_of([&](Writer& writer) { writer.write(ThreadWakeup{.thread = 101}); }),
            no_name("thread wakeup"));
  EXPECT_EQ(objection_in([&](Writer& writer) {  // idle
              writer.write(ContextSwitch{.incoming_thread = 101, .arguments = weights});
              writer.write(ThreadWakeup{.thread = 101, .arguments = weights});
            }),
            "");
}

TEST(WriterErrors, SwitchedThreadsAreNamedInTheirProcess) {
  const LegacyContextSwitch to_main{.time = 1, .incoming = kMain};
  EXPECT_EQ(objection_in([&](Writer& writer) {
              writer.name_thread(100, 101, "main");
              writer.name_thread(200, 101, "other");
              writer.write(to_main);
            }),
            "context switch: thread 101 of process 100 was last named in process 200: Perfetto files its "
            "switches there; WriterOptions::allow takes Fault::NamedInOtherProcess");
  EXPECT_EQ(objection_in([&](Writer& writer) {
              writer.name_thread(200, 101, "other");
              writer.name_thread(100, 101, "main");
              writer.write(to_main);
              writer.name_thread(100, 101, "main, renamed");
              writer.name_thread(200, 101, "other");
            }),
            "kernel object \"other\": thread 101 was switched in process 100: Perfetto files its switches "
            "there; WriterOptions::allow takes Fault::NamedInOtherProcess");
  EXPECT_EQ(objection_in(
                [&](Writer& writer) {
                  writer.write(to_main);
                  writer.name_thread(200, 101, "other");
                  writer.write(to_main);
                  writer.write(ContextSwitch{.incoming_thread = 102});
                  writer.write(ThreadWakeup{.thread = 102});
                },
                {.allow = {Fault::UnnamedThread, Fault::TakenForIdle, Fault::NamedInOtherProcess}}),
            "");
}

TEST(WriterOrder, IsAllowedToBreak) {
  constexpr EventType kBegin = EventType::DurationBegin, kEnd = EventType::DurationEnd,
                      kComplete = EventType::DurationComplete, kInstant = EventType::Instant;
  const auto allowed = [](Faults allow, const std::vector<Event>& events) {
    return objection_to(events, {.allow = allow});
  };
  const auto instant = duration(kInstant, 20);
  EXPECT_EQ(allowed({Fault::OutOfWindow}, {instant, duration(kInstant, 10), instant}), "");
  EXPECT_EQ(allowed({Fault::StrayEnd}, {duration(kEnd, 10), duration(kEnd, 10)}), "");
  EXPECT_EQ(allowed({Fault::Overlaps}, {duration(kComplete, 0, 10), duration(kComplete, 5, 15)}), "");
  EXPECT_EQ(allowed({Fault::NotEnclosed}, {flow(EventType::FlowBegin, 1), flow(EventType::FlowEnd, 2)}), "");
  EXPECT_EQ(allowed({Fault::FlowNotBegun}, {duration(kBegin, 0), flow(EventType::FlowStep, 1),
                                            flow(EventType::FlowEnd, 2), flow(EventType::FlowBegin, 3)}),
            "");
  // Without readers the order is kept, too; and one fault is not another.
  EXPECT_NE(objection_to({duration(kEnd, 10)}, {.readers = {}}), "");
  EXPECT_NE(allowed({Fault::StrayEnd}, {duration(kComplete, 0, 10), duration(kEnd, 5)}), "");
}

TEST(WriterOrder, GoesOnAsReadersDoWhereItIsBroken) {
  constexpr EventType kBegin = EventType::DurationBegin, kEnd = EventType::DurationEnd,
                      kComplete = EventType::DurationComplete;
  const auto events_after = [](Faults allow, const std::vector<Event>& events) {
    return words_of(
               [&](Writer& writer) {
                 for (const Event& event : events) writer.write(event);
                 const std::uint64_t before = writer.words_written();
                 writer.finish();
                 writer.flush();
                 EXPECT_EQ((writer.words_written() - before) % 2, 0U);
               },
               {.allow = allow})
        .size();
  };
  // The begin that is dropped takes its end along: 512 others are ended by finish().
  std::vector<Event> deep(513, duration(kBegin, 5));
  const std::size_t ended = events_after({Fault::TooDeep}, deep);
  deep.push_back(duration(kEnd, 6));
  EXPECT_EQ(events_after({Fault::TooDeep}, deep), ended + 2);
  // What is open inside a complete duration ends with it.
  EXPECT_EQ(objection_to({duration(kComplete, 0, 10), duration(kBegin, 5), duration(kComplete, 20, 30),
                          duration(kEnd, 25)},
                         {.allow = {Fault::OpenWhenEnded}}),
            "event \"x\": ends a duration before the one inside it, which lasts until 30 ns");
  // An end that crosses a complete duration ends the one around that.
  EXPECT_EQ(
      objection_to({duration(kBegin, 0), duration(kComplete, 5, 15), duration(kEnd, 10), duration(kEnd, 16)},
                   {.allow = {Fault::Crosses}}),
      "event \"x\": ends a duration that never began on thread 101 of process 100");
}

TEST(WriterOrder, OnTheShortWayIsAllowedToBreak) {
  EXPECT_EQ(objection_in(
                [](Writer& writer) {
                  const auto event = writer.prepare("", "y");
                  const auto thread = writer.thread_index(100, 101);
                  writer.write_complete(*event, *thread, 5, 15);
                  writer.write_complete(*event, *thread, 10, 20);
                  writer.write_complete(*event, *thread, 12, 11);
                  writer.write_end(*event, *thread, 13);
                },
                {.allow = {Fault::Overlaps, Fault::EndBeforeBegin, Fault::StrayEndInside}}),
            "");
}

// Perfetto puts them together and keeps one of a name.
TEST(WriterErrors, ArgumentsOfAnEndNamedLikeThoseOfItsBegin) {
  const std::string_view kRefused =
      "event \"x\": has an argument named like one of its begin: Perfetto keeps one of them; "
      "WriterOptions::allow takes Fault::NameOfBegin";
  const auto pair = [](EventType begins, const String& a, EventType ends, const String& b) {
    return objection_in([&](Writer& writer) {
      writer.write(Event{
          .type = begins, .time = 1, .thread = kMain, .name = "x", .arguments = {{"n", 1}, {a, 1}}, .id = 7});
      writer.write(Event{
          .type = ends, .time = 2, .thread = kMain, .name = "x", .arguments = {{b, 2}, {"m", 2}}, .id = 7});
    });
  };
  constexpr EventType kBegin = EventType::DurationBegin, kEnd = EventType::DurationEnd;
  EXPECT_EQ(pair(kBegin, "a", kEnd, "a"), kRefused);
  EXPECT_EQ(pair(kBegin, "a", kEnd, Inline{"a"}), kRefused);
  EXPECT_EQ(pair(kBegin, "\xff", kEnd, "\xfe"), kRefused);  // both U+FFFD
  EXPECT_EQ(pair(kBegin, "a", kEnd, "b"), "");
  EXPECT_EQ(pair(EventType::AsyncBegin, "a", EventType::AsyncEnd, "a"), kRefused);
  EXPECT_EQ(pair(EventType::AsyncBegin, "a", EventType::AsyncEnd, "b"), "");
}

TEST(WriterErrors, BlobsOfPerfettoAreWholePackets) {
  const auto blob = [](const std::vector<std::byte>& bytes, const WriterOptions& options = {}) {
    return message_of(
        [&](Writer& writer) { writer.write(Blob{.name = "b", .type = BlobType::Perfetto, .bytes = bytes}); },
        options);
  };
  const std::vector<std::byte> packet = {std::byte{0x0a}, std::byte{2}, std::byte{8}, std::byte{1}};
  const std::vector<std::byte> half(packet.begin(), packet.begin() + 3),
      rest(packet.begin() + 3, packet.end());
  EXPECT_EQ(blob(packet), "no error");
  EXPECT_EQ(blob(half),
            "blob \"b\": ends within one of Perfetto's packets: Perfetto loses it; WriterOptions::allow "
            "takes Fault::PartOfPacket");
  EXPECT_EQ(blob(rest),
            "blob \"b\": is no packets of Perfetto's: Perfetto fails, or loses this and what follows in such "
            "blobs; WriterOptions::allow takes Fault::NoPackets");
  EXPECT_EQ(blob(half, {.allow = {Fault::NoPackets, Fault::PartOfPacket}}), "no error");
  EXPECT_EQ(blob(rest, {.allow = {Fault::NoPackets, Fault::PartOfPacket}}), "no error");
  EXPECT_EQ(message_of([&](Writer& writer) { writer.write(Blob{.name = "b", .bytes = rest}); }), "no error");
}

TEST(WriterErrors, CountersThatPerfettoKnows) {
  const auto frequency = [](const std::vector<Argument>& arguments) {
    return message_of([&](Writer& writer) {
      writer.write(Event{.type = EventType::Counter,
                         .thread = kMain,
                         .category = "power",
                         .name = "cpu_frequency",
                         .arguments = arguments});
    });
  };
  EXPECT_EQ(frequency({{"cpu", 3}, {"value", 1'000'000}}), "no error");
  EXPECT_EQ(
      frequency({{"value", 1'000'000}}),
      "counter \"cpu_frequency\": is cpu_frequency of category power, but it has no argument \"cpu\": "
      "Perfetto draws such counters by cpu; it drops this one, or that argument; WriterOptions::allow takes "
      "Fault::KnownCounter");
  EXPECT_NE(frequency({{"cpu", 3}}), "no error");
  EXPECT_NE(frequency({{"cpu", 4096}, {"value", 1}}), "no error");
  EXPECT_NE(frequency({{"cpu", 1}, {"value", 1}, {"more", 1}}), "no error");
}

TEST(WriterStrings, HaveNoNul) {
  MemoryOutput output;
  Writer writer(output);
  writer.write(Event{.thread = kMain, .name = Inline{std::string_view("a\0b\0", 4)}});
  writer.flush();
  EXPECT_EQ(output.words().back(), 0xbd'bfef'62bd'bfef'61);  // a, U+FFFD, b, U+FFFD
  EXPECT_EQ(writer.counters().repaired_strings, 1U);
}

// What is asked for again and again is told a new provider once.
TEST(WriterProviders, AreToldWhatIsGoodForAllOfThemOnce) {
  const auto words_of_provider = [](int times) {
    MemoryOutput output;
    Writer writer(output);
    for (int i = 0; i < times; ++i) {
      writer.prepare("app", "main");
      writer.thread_index(100, 101);
      writer.string_ref("app");
    }
    const auto before = writer.words_written();
    writer.begin_provider(2, "other");
    return writer.words_written() - before;
  };
  EXPECT_EQ(words_of_provider(1), 4U + 2 + 2 + 3);
  EXPECT_EQ(words_of_provider(1000), words_of_provider(1));
}

// ---- Blobs ----

TEST(WriterBlobs, LeaveRoomForTheirNamesWithTheirPadding) {
  for (const std::size_t name_bytes : {752U, 753U, 760U, 761U, 2001U, 32'000U}) {
    const std::string name(name_bytes, 'n');
    const std::vector<std::byte> bytes(70'000, std::byte{7});
    MemoryOutput output;
    Writer writer(output);
    ASSERT_NO_THROW(writer.write(Blob{.name = Inline{name}, .bytes = bytes})) << name_bytes;
    writer.flush();
    std::size_t read = 0;
    auto words = output.words().subspan(kStart.size());
    for (; !words.empty(); words = words.subspan(BlobHeader::Size::get(words[0]))) {
      const std::size_t payload = BlobHeader::PayloadSize::get(words[0]);
      read += payload;
      EXPECT_EQ(BlobHeader::Size::get(words[0]), 1 + (name_bytes + 7) / 8 + (payload + 7) / 8);
      if (read == 70'000) continue;
      // As much as fits, and no more than 32,000 bytes.
      EXPECT_EQ(payload, std::min<std::size_t>(32'000, (4094 - (name_bytes + 7) / 8) * 8)) << name_bytes;
    }
    EXPECT_EQ(read, 70'000U);
  }
}

// ---- Outputs ----

TEST(Output, AStreamThatFailsIsReported) {
  std::ostream nowhere(nullptr);
  StreamOutput output(nowhere);
  EXPECT_THROW(Writer writer(output), std::ios_base::failure);
}

}  // namespace
}  // namespace fxt::test
