// Copies traces record by record, and filters them.
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/checked_output.h"
#include "fxt/reader.h"
#include "tests/fxt/check_words.h"
#include "tests/fxt/sample_trace.h"

namespace fxt::test {
namespace {

Words copy(const Words& words, const WriterOptions& options = {}) {
  return file_of(
      [&](Writer& writer) {
        Reader reader(std::as_bytes(std::span(words)));
        for (const Entry& entry : reader) EXPECT_TRUE(writer.write(entry, reader));
      },
      options);
}

TEST(WriterCopy, IsTheSameTrace) {
  EXPECT_EQ(copy(sample_trace(), {.provider_name = "sample"}), sample_trace());
}

TEST(WriterCopy, SwitchesBetweenProviders) {
  const Words words = file_of([](Writer& writer) {
    const Event event{.time = 5, .thread = {.process = 1, .thread = 2}, .name = "x"};
    writer.write(event);
    writer.begin_provider(2, "other");
    writer.write(event);
    writer.buffer_full();
    writer.switch_provider(1);
    writer.write(event);
  });
  EXPECT_EQ(copy(words), words);
}

TEST(WriterCopy, KeepsTheProviderOfAFullBuffer) {
  Words words = file_of([](Writer& writer) { writer.begin_provider(2, "other"); });
  // A provider event (3) of provider 1, although provider 2 is the current one. Its size is 1 word.
  words.push_back(0x0013'0010);
  EXPECT_EQ(copy(words), words);
}

// A damaged clock may return the largest number.
TEST(WriterCopy, AcceptsTheLargestTime) {
  using enum EventType;
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  const auto event = [](EventType type, std::uint64_t time) {
    return Event{.type = type,
                 .time = time,
                 .thread = {.process = 1, .thread = 2},
                 .name = "x",
                 .id = 1,
                 .end = kLast};
  };
  for (const EventType type : {Instant, DurationBegin, DurationEnd, DurationComplete, FlowBegin}) {
    const Words words = file_of([&](Writer& writer) {
      writer.write(event(DurationBegin, 5));
      writer.write(event(DurationComplete, 6));
      writer.write(event(type, kLast));
    });
    EXPECT_EQ(copy(words), words);
  }
}

// The example program of fxt/README.md. It removes a thread and its events, and repairs the flows that are
// cut.
Words without_thread(std::uint64_t gone, const Words& words) {
  Reader reader(std::as_bytes(std::span(words)));
  MemoryOutput output;
  CheckedOutput repaired(output, {.on_finding = OnFinding::Repair});
  Writer writer(repaired);
  for (Entry entry : reader) {
    const auto* event = std::get_if<Event>(&entry.record);
    const auto* object = std::get_if<KernelObject>(&entry.record);
    if ((event && event->thread.thread == gone) || (object && object->koid == gone)) continue;
    if (auto* change = std::get_if<LegacyContextSwitch>(&entry.record)) {
      if (change->outgoing.thread == gone) change->outgoing = kIdleThread, change->outgoing_priority = 0;
      if (change->incoming.thread == gone) change->incoming = kIdleThread, change->incoming_priority = 0;
    }
    writer.write(entry, reader);
  }
  writer.finish();
  return {output.words().begin(), output.words().end()};
}

TEST(WriterCopy, LeavesOutOneThread) {
  constexpr Thread kStays{.process = 1, .thread = 101}, kGoes{.process = 1, .thread = 102};
  const auto story = [&](bool whole) {
    return [=](Writer& writer) {
      const auto flow = [&](EventType type, std::uint64_t time, const Thread& thread, std::uint64_t id) {
        writer.write(Event{.type = type, .time = time, .thread = thread, .name = "go", .id = id});
      };
      writer.name_process(1, "app");
      writer.name_thread(1, 101, "stays");
      if (whole) writer.name_thread(1, 102, "goes");
      writer.write(Event{
          .type = EventType::DurationComplete, .time = 10, .thread = kStays, .name = "work", .end = 90});
      if (whole)
        writer.write(Event{
            .type = EventType::DurationComplete, .time = 10, .thread = kGoes, .name = "help", .end = 90});
      flow(EventType::FlowBegin, 11, kStays, 1);  // flow 1 goes to the removed thread and back
      if (whole) flow(EventType::FlowStep, 12, kGoes, 1);
      flow(EventType::FlowEnd, 13, kStays, 1);
      flow(EventType::FlowBegin, 14, kStays, 2);  // to the removed thread
      if (whole) flow(EventType::FlowEnd, 15, kGoes, 2);
      if (whole) flow(EventType::FlowBegin, 16, kGoes, 3);  // from the removed thread
      if (whole) flow(EventType::FlowEnd, 17, kStays, 3);
      writer.write(LegacyContextSwitch{.time = 20,
                                       .outgoing = kStays,
                                       .incoming = whole ? kGoes : kIdleThread,
                                       .outgoing_priority = 5,
                                       .incoming_priority = static_cast<std::uint8_t>(whole ? 5 : 0)});
      writer.write(LegacyContextSwitch{.time = 30,
                                       .outgoing = whole ? kGoes : kIdleThread,
                                       .incoming = kStays,
                                       .outgoing_priority = static_cast<std::uint8_t>(whole ? 5 : 0),
                                       .incoming_priority = 5});
      if (whole)
        writer.write(Event{
            .type = EventType::Counter, .time = 40, .thread = kGoes, .name = "m", .arguments = {{"a", 1}}});
      writer.write(Event{
          .type = EventType::Counter, .time = 41, .thread = kStays, .name = "n", .arguments = {{"b", 1}}});
      writer.write(Event{.type = EventType::AsyncBegin, .time = 50, .thread = kStays, .name = "io", .id = 9});
      if (whole)
        writer.write(Event{.type = EventType::AsyncEnd, .time = 51, .thread = kGoes, .name = "io", .id = 9});
      writer.finish();
    };
  };
  const Words whole = file_of(story(true)), rest = file_of(story(false));
  EXPECT_EQ(broken_rules(whole), "");
  EXPECT_EQ(broken_rules(rest), "w17 w21");  // flow 2 and the async operation never end
  EXPECT_EQ(without_thread(102, whole), rest);
  EXPECT_NE(without_thread(101, whole), rest);
}

TEST(WriterCopy, LeavesOutRecordsThatCanOnlyBeRead) {
  MemoryOutput output;
  Writer writer(output);
  EXPECT_FALSE(writer.write(Record(UnknownRecord{})));
  EXPECT_TRUE(writer.write(Record(StringRecord{.index = 5, .text = "not this way"})));
  EXPECT_TRUE(writer.write(Record(Log{.thread = {.process = 1, .thread = 2}})));
  writer.flush();
  EXPECT_EQ(output.words().size(), kStart.size() + 3 + 2);
}

TEST(WriterCopy, ConvertsTimesToNanoseconds) {
  // 1000 ticks per second; a complete event from 2 to 5, a log message at 7, and an instant that is too late
  // for ns
  const Words words = {kMagicRecord,
                       0x0030'0000'0011'0020,
                       0x0074'7866,
                       0x21,
                       1000,
                       0x0000'0000'0004'0054,
                       2,
                       1,
                       2,
                       5,
                       0x0000'0000'0000'0049,
                       7,
                       1,
                       2,
                       0x0000'0000'0000'0044,
                       ~std::uint64_t{0},
                       1,
                       2};
  MemoryOutput output;
  Writer writer(output);
  Reader reader(std::as_bytes(std::span(words)));
  std::string told;
  for (const Entry& entry : reader) told += writer.write(entry, reader) ? 'y' : 'n';
  EXPECT_EQ(told, "yyyyyn");
  writer.finish();
  Reader again(std::as_bytes(output.words()));
  for (const Entry& entry : again) {
    if (const auto* event = std::get_if<Event>(&entry.record)) {
      EXPECT_EQ(event->time, 2'000'000U);
      EXPECT_EQ(event->end, 5'000'000U);
    }
    if (const auto* log = std::get_if<Log>(&entry.record)) {
      EXPECT_EQ(log->time, 7'000'000U);
    }
  }
}

// Arguments own the values of a braced list, and copies of Arguments own them as well.
TEST(Arguments, CopiesABracedList) {
  Event event{
      .thread = {.process = 1, .thread = 2}, .name = "x", .arguments = {{"size", 42}, {"path", "/dev/null"}}};
  const Event copied = event;
  event.arguments = {};
  MemoryOutput output;
  Writer writer(output);
  writer.write(copied);
  EXPECT_EQ(copied.arguments, (Arguments{{"size", 42}, {"path", "/dev/null"}}));
  EXPECT_EQ(event.arguments.size(), 0U);
}

TEST(Arguments, OwnAMovedVector) {
  std::vector<Argument> list{{"size", 42}, {"path", "/dev/null"}};
  const Event event{.name = "x", .arguments = std::move(list)};
  list = {{"other", 1}, {"none", 2}};
  EXPECT_EQ(event.arguments, (Arguments{{"size", 42}, {"path", "/dev/null"}}));
}

}  // namespace
}  // namespace fxt::test
