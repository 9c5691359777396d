// Tests what a CheckedOutput does with findings: throw an error, collect the findings, or repair the trace.
#include "fxt/checked_output.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/reader.h"
#include "tests/fxt/check_words.h"
#include "tests/fxt/sample_trace.h"

namespace fxt::test {
namespace {

using enum EventType;

Event event_at(EventType type, std::uint64_t time, std::uint64_t end = 0) {
  return {.type = type, .time = time, .thread = kMain, .category = "app", .name = "x", .id = 7, .end = end};
}

struct Checked {
  Words words = {};
  std::string faults = {};  // faults of the findings
  std::uint64_t repaired = 0;
};

Checked checked(OnFinding on_finding, const std::function<void(Writer&)>& write) {
  MemoryOutput output;
  CheckedOutput checked(output, {.on_finding = on_finding});
  Writer writer(checked);
  write(writer);
  writer.finish();
  Checked result{.words = {output.words().begin(), output.words().end()}, .repaired = checked.repaired()};
  for (const Finding& finding : checked.findings())
    result.faults += (result.faults.empty() ? "" : " ") + std::string(name_of(finding.fault));
  return result;
}

// Calls `write` with a Writer whose output is a CheckedOutput with OnFinding::Repair. Checks that the result
// has the words that `repaired` writes.
void expect_repaired(const std::function<void(Writer&)>& write,
                     const std::function<void(Writer&)>& repaired) {
  const Checked result = checked(OnFinding::Repair, write);
  EXPECT_EQ(result.words, file_of(repaired));
  EXPECT_EQ(result.faults, "");
  EXPECT_EQ(broken_rules(result.words), "");
  EXPECT_GT(result.repaired, 0U);
}

// ---- Throw ----

TEST(CheckedOutput, ThrowsFromTheCallThatWroteTheRecord) {
  MemoryOutput output;
  CheckedOutput checked(output);
  Writer writer(checked);
  writer.write(event_at(DurationComplete, 0, 10));
  const std::uint64_t words = writer.words_written();
  try {
    writer.write(event_at(DurationComplete, 5, 15));
    FAIL();
  } catch (const CheckError& error) {
    EXPECT_EQ(error.finding().fault, Fault::Overlaps);
    EXPECT_EQ(error.finding().offset, words * 8);
    EXPECT_STREQ(
        error.what(),
        "complete at byte 120: partly overlaps the complete event at +0x60: Perfetto drops the event (W15, "
        "Fault::Overlaps)");
  }
  EXPECT_EQ(writer.words_written(), words) << "the record is left out";
  writer.write(event_at(DurationComplete, 10, 20));
  writer.finish();
  EXPECT_EQ(broken_rules(output.words()), "");
}

TEST(CheckedOutput, ThrowsForPreparedEvents) {
  MemoryOutput output;
  CheckedOutput checked(output);
  Writer writer(checked);
  const auto event = *writer.prepare("app", "frame");
  const auto thread = *writer.thread_index(100, 101);
  writer.write_begin(event, thread, 5);
  EXPECT_THROW(writer.write_instant(event, thread, 6), CheckError);
  writer.write_end(event, thread, 7);
  EXPECT_THROW(writer.write_complete(event, thread, 9, 8), CheckError);
  writer.reserve(2)[0] = event.header(Instant, thread, 2);
  writer.reserve(2)[1] = 10;
  EXPECT_THROW(writer.commit(2), CheckError);
}

TEST(CheckedOutput, ThrowsFromFinishForDurationsThatNeverEnd) {
  MemoryOutput output;
  CheckedOutput checked(output);
  Writer writer(checked);
  writer.write(event_at(DurationBegin, 5));
  EXPECT_THROW(writer.finish(), CheckError);
}

TEST(CheckedOutput, CollectsWarnings) {
  EXPECT_EQ(checked(OnFinding::Throw, [](Writer& writer) { writer.write(event_at(DurationEnd, 5)); }).faults,
            "StrayEnd");
}

// ---- Collect ----

TEST(CheckedOutput, PassesTheSameWordsOn) {
  const auto write = [](Writer& writer) {
    const std::vector<std::byte> bytes(100'001, std::byte{7});
    writer.write(event_at(DurationComplete, 0, 10));
    writer.write(event_at(DurationComplete, 5, 15));
    writer.write(LargeBlob{.thread = kMain, .name = "b", .bytes = bytes});  // larger than any buffer
    writer.begin_provider(2, "other");
    writer.write(event_at(FlowEnd, 20));
  };
  const Checked collected = checked(OnFinding::Collect, write);
  EXPECT_EQ(collected.words, file_of(write));
  EXPECT_EQ(collected.faults, "Overlaps OversizedRecord NotEnclosed FlowNotBegun");
}

TEST(CheckedOutput, PassesEveryKindOfRecordOn) {
  const Words sample = sample_trace();
  const auto copy = [&](Writer& writer) {
    Reader reader(std::as_bytes(std::span(sample)));
    for (const Entry& entry : reader) writer.write(entry, reader);
  };
  EXPECT_EQ(checked(OnFinding::Collect, copy).words, file_of(copy));
  EXPECT_EQ(checked(OnFinding::Repair, copy).words, file_of(copy));
}

// ---- Repair ----

TEST(CheckedOutput, RepairsFrames) {
  Event frame = event_at(Instant, 5);
  frame.name = "Frame";
  frame.arguments = {{"n", 1}};
  Event point = frame;
  point.type = DurationComplete;
  point.end = 5;
  expect_repaired([&](Writer& writer) { writer.write(frame); }, [&](Writer& writer) { writer.write(point); });
}

TEST(CheckedOutput, RepairsIdsOfZero) {
  const auto write = [](std::uint64_t id) {
    return [id](Writer& writer) {
      writer.name_process(id, "browser");
      writer.name_thread(id, id, "main");
      Event event = event_at(DurationComplete, 5, 6);
      event.thread = {.process = id, .thread = id};
      writer.write(event);
      writer.write(event);
      writer.write(LegacyContextSwitch{.time = 7});  // idle to idle
    };
  };
  expect_repaired(write(0), write(CheckedOutput::kIdForZero));
}

TEST(CheckedOutput, RepairsFlowsOutsideOfDurations) {
  const auto write = [](bool is_repaired) {
    return [is_repaired](Writer& writer) {
      const auto around = [&](std::uint64_t time) {
        if (is_repaired) writer.write(event_at(DurationComplete, time, time));
      };
      around(5);
      writer.write(event_at(FlowBegin, 5));
      writer.write(event_at(DurationComplete, 10, 20));
      writer.write(event_at(Instant, 12));
      around(14);
      writer.write(event_at(FlowEnd, 14));
    };
  };
  expect_repaired(write(false), write(true));
}

TEST(CheckedOutput, RepairsCounters) {
  const auto counter = [](std::string_view name, const Arguments& arguments) {
    Event event = event_at(Counter, 5);
    event.name = name;
    event.arguments = arguments;
    return event;
  };
  expect_repaired(
      [&](Writer& writer) {
        writer.write(counter("rss", {{"value", 1}}));
        writer.write(counter("faults", {{"value", 2}, {"minor", 3}}));
        writer.write(counter("memory", {{"pages", 1}}));
        writer.write(counter("disk", {{"value", 2}, {"pages", 3}}));  // rss and memory have these series
        writer.write(counter("rss", {{"value", 4}, {"note", "text"}, {"value", 5}}));
        writer.write(counter("rss", {}));
        writer.write(counter("rss", {{"note", "text"}}));
      },
      [&](Writer& writer) {
        writer.write(counter("rss", {{"value", 1}}));
        writer.write(counter("faults", {{"faults value", 2}, {"faults minor", 3}}));
        writer.write(counter("memory", {{"pages", 1}}));
        writer.write(counter("disk", {{"disk value", 2}, {"disk pages", 3}}));
        writer.write(counter("rss", {{"value", 4}}));
      });
}

TEST(CheckedOutput, LeavesOutRecordsThatReadersIgnore) {
  expect_repaired(
      [](Writer& writer) {
        writer.write(event_at(DurationEnd, 5));
        writer.write(event_at(AsyncEnd, 5));
        writer.write(event_at(DurationComplete, 5, 9));
        writer.write(event_at(DurationEnd, 6));
        writer.write(event_at(FlowStep, 6));
        writer.write(event_at(FlowBegin, 6));
        writer.write(event_at(FlowBegin, 7));
        writer.write(event_at(FlowEnd, 8));
      },
      [](Writer& writer) {
        writer.write(event_at(DurationComplete, 5, 9));
        writer.write(event_at(FlowBegin, 6));
        writer.write(event_at(FlowEnd, 8));
      });
}

TEST(CheckedOutput, RepairsEndsThatComeBeforeTheirBegins) {
  expect_repaired([](Writer& writer) { writer.write(event_at(DurationComplete, 5, 4)); },
                  [](Writer& writer) { writer.write(event_at(DurationComplete, 5, 5)); });
}

TEST(CheckedOutput, CollectsFindingsWithoutRepair) {
  const auto write = [](Writer& writer) {
    writer.write(event_at(DurationComplete, 0, 10));
    writer.write(event_at(DurationComplete, 5, 15));
  };
  const Checked result = checked(OnFinding::Repair, write);
  EXPECT_EQ(result.faults, "Overlaps");
  EXPECT_EQ(result.words, file_of(write));
}

// ---- Odd words ----

TEST(CheckedOutput, PassesOnWordsThatAreNotRecords) {
  const auto write = [](Writer& writer) {
    const auto room = writer.reserve(2);
    room[0] = room[1] = 0;
    writer.commit(2);
  };
  const Checked collected = checked(OnFinding::Collect, write);
  EXPECT_EQ(collected.words, file_of(write));
  EXPECT_EQ(collected.faults, "SizeZero");
}

}  // namespace
}  // namespace fxt::test
