// Tests every record of the Writer. The expected words are hand-written, with the fields of the spec next to
// them.
#include "fxt/writer.h"

#include <array>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tests/fxt/trace_words.h"

namespace fxt::test {
namespace {

// Registers category "app" (1), name "main" (2) and thread kMain (1).
void prepare_tables(Writer& writer) {
  writer.prepare("app", "main");
  writer.thread_index(100, 101);
}

// Returns the words of a scheduling record whose threads have no names. String 1 is `text`.
template <typename SchedulingRecord>
Words scheduling_words(std::string_view text, const SchedulingRecord& record) {
  return words_after([text](Writer& writer) { writer.prepare("", text); },
                     [&record](Writer& writer) { writer.write(record); });
}

// Returns the words of the event, without the records that register its strings and its thread.
Words event_words(const Event& event) {
  return words_after(prepare_tables, [&](Writer& writer) { writer.write(event); });
}

Event event_of(EventType type) {
  return {.type = type, .time = 5000, .thread = kMain, .category = "app", .name = "main"};
}

static_assert(!std::is_constructible_v<Value, std::nullptr_t>);

TEST(Writer, BeginsTheFile) {
  EXPECT_EQ(file_of([](Writer&) {}), kStart);
}

TEST(Writer, RegistersStringsAndThreadsBeforeTheirFirstUse) {
  EXPECT_EQ(words_of([](Writer& writer) { writer.write(event_of(EventType::Instant)); }),
            (Words{0x0000'0000'0001'0033, 100, 101,     // thread index 1, 3 words, thread (3)
                   0x0000'0003'0001'0022, 0x0070'7061,  // 3 bytes, string index 1, 2 words, string (2): "app"
                   0x0000'0004'0002'0022, 0x6e69'616d,  // "main"
                   0x0002'0001'0100'0024, 5000}));      // name 2, category 1, thread 1, event (4)
}

TEST(Writer, Instant) {
  EXPECT_EQ(event_words(event_of(EventType::Instant)),
            (Words{0x0002'0001'0100'0024,  // name 2, category 1, thread 1, instant (0), 2 words, event (4)
                   5000}));                // ticks
}

TEST(Writer, Counter) {
  Event event = event_of(EventType::Counter);
  event.arguments = Arguments{};
  EXPECT_EQ(words_after(
                [](Writer& writer) {
                  prepare_tables(writer);
                  writer.prepare("", "bytes");
                },
                [&](Writer& writer) {
                  writer.write(Event{.type = EventType::Counter,
                                     .time = 5000,
                                     .thread = kMain,
                                     .category = "app",
                                     .name = "main",
                                     .arguments = {{"bytes", 42U}},
                                     .id = 7});
                }),
            (Words{0x0002'0001'0111'0044,  // 1 argument, counter (1), 4 words
                   5000,
                   0x0000'002a'0003'0012,  // 42, name 3, 1 word, uint32 (2)
                   7}));                   // counter id
}

TEST(Writer, DurationBegin) {
  EXPECT_EQ(event_words(event_of(EventType::DurationBegin)), (Words{0x0002'0001'0102'0024, 5000}));
}

TEST(Writer, DurationEnd) {
  EXPECT_EQ(event_words(event_of(EventType::DurationEnd)), (Words{0x0002'0001'0103'0024, 5000}));
}

TEST(Writer, DurationCompleteHasItsEndTime) {
  Event event = event_of(EventType::DurationComplete);
  event.end = 6000;
  EXPECT_EQ(event_words(event), (Words{0x0002'0001'0104'0034, 5000, 6000}));
}

TEST(Writer, AsyncEventsAndFlowsHaveTheirId) {
  for (int type = 5; type <= 10; ++type) {
    Event event = event_of(static_cast<EventType>(type));
    event.id = 77;
    EXPECT_EQ(event_words(event),
              (Words{0x0002'0001'0100'0034 + (static_cast<std::uint64_t>(type) << 16), 5000, 77}));
  }
}

TEST(Writer, InlineStringsAndThreadsFollowTheTimestamp) {
  EXPECT_EQ(words_of([](Writer& writer) {
              writer.write(Event{.time = 5000,
                                 .thread = {.process = 100, .thread = 101, .storage = Storage::Inline},
                                 .category = Inline{"app"},
                                 .name = Inline{"ninechars"}});
            }),
            (Words{0x8009'8003'0000'0074,  // name inline of 9 bytes, category inline of 3, thread 0, 7 words
                   5000, 100, 101,
                   0x0070'7061,                                      // "app"
                   0x7261'6863'656e'696e, 0x0000'0000'0000'0073}));  // "ninechars"
}

TEST(Writer, EmptyStringsAreReferenceZero) {
  EXPECT_EQ(words_after(prepare_tables,
                        [](Writer& writer) {
                          writer.write(Event{.time = 1, .thread = kMain, .category = "", .name = Inline{""}});
                        }),
            (Words{0x0000'0000'0100'0024, 1}));
}

TEST(Writer, NullPointersAreEmptyStrings) {
  const char* const nothing = nullptr;
  EXPECT_EQ(
      words_after(prepare_tables,
                  [&](Writer& writer) { writer.write(Event{.time = 1, .thread = kMain, .name = nothing}); }),
      (Words{0x0000'0000'0100'0024, 1}));
}

struct ArgumentCase {
  std::string_view name;
  Value value;
  Words words;  // the name "x" is string 3, and the text "text" is string 4
};

void PrintTo(const ArgumentCase& test_case, std::ostream* out) { *out << test_case.name; }

class WriterArgument : public testing::TestWithParam<ArgumentCase> {};

constexpr std::array kBlobBytes = {std::byte{0xaa}, std::byte{0xbb}, std::byte{0xcc}};

TEST_P(WriterArgument, HasItsWords) {
  const auto words = words_after(
      [](Writer& writer) {
        prepare_tables(writer);
        writer.prepare("x", "text");
      },
      [&](Writer& writer) {
        writer.write(Event{.time = 5000,
                           .thread = kMain,
                           .category = "app",
                           .name = "main",
                           .arguments = {{"x", GetParam().value}}});
      });
  const std::uint64_t size = 2 + GetParam().words.size();
  EXPECT_EQ(words, joined({0x0002'0001'0110'0004 + (size << 4), 5000}, GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(
    All, WriterArgument,
    testing::Values(
        ArgumentCase{"Null", {}, {0x0000'0000'0003'0010}},
        ArgumentCase{"Int32", std::int32_t{-2}, {0xffff'fffe'0003'0011}},
        ArgumentCase{"Uint32", std::uint32_t{0xffff'ffff}, {0xffff'ffff'0003'0012}},
        ArgumentCase{"Int64", std::int64_t{-2}, {0x0000'0000'0003'0023, 0xffff'ffff'ffff'fffe}},
        ArgumentCase{"Uint64", ~std::uint64_t{0} >> 1, {0x0000'0000'0003'0024, 0x7fff'ffff'ffff'ffff}},
        ArgumentCase{"Double", 1.5, {0x0000'0000'0003'0025, 0x3ff8'0000'0000'0000}},
        ArgumentCase{"String", String("text"), {0x0000'0004'0003'0016}},
        ArgumentCase{"EmptyString", String(""), {0x0000'0000'0003'0016}},
        ArgumentCase{"InlineString",
                     Inline{"ninechars"},
                     {0x0000'8009'0003'0036, 0x7261'6863'656e'696e, 0x0000'0000'0000'0073}},
        ArgumentCase{"Pointer", Pointer{0x7fff'0000'1234}, {0x0000'0000'0003'0027, 0x7fff'0000'1234}},
        ArgumentCase{"Koid", Koid{100}, {0x0000'0000'0003'0028, 100}},
        ArgumentCase{"True", true, {0x0000'0001'0003'0019}},
        ArgumentCase{"False", false, {0x0000'0000'0003'0019}},
        ArgumentCase{"Blob", Bytes{kBlobBytes}, {0x0000'0003'0003'002a, 0x0000'0000'00cc'bbaa}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Writer, InlineArgumentNamesComeBeforeTheValue) {
  EXPECT_EQ(words_after(prepare_tables,
                        [](Writer& writer) {
                          writer.write(Event{.time = 5000,
                                             .thread = kMain,
                                             .category = "app",
                                             .name = "main",
                                             .arguments = {{Inline{"x"}, Inline{"y"}}, {Inline{"z"}, 1L}}});
                        }),
            (Words{0x0002'0001'0120'0084, 5000,        // 2 arguments, 8 words
                   0x0000'8001'8001'0036, 0x78, 0x79,  // string (6) of 3 words: "x", "y"
                   0x0000'0000'8001'0033, 0x7a, 1}));  // int64 (3) of 3 words: "z", 1
}

TEST(Writer, NamesProcessesAndThreads) {
  EXPECT_EQ(words_of([](Writer& writer) {
              writer.name_process(100, "app");
              writer.name_thread(100, 101, "main");
            }),
            (Words{0x0000'0003'0001'0022, 0x0070'7061,  // "app"
                   0x0000'0000'0101'0027, 100,          // name 1, process (1), 2 words, kernel object (7)
                   0x0000'0004'0002'0022, 0x6e69'616d,  // "main"
                   0x0000'0007'0003'0022, 0x0073'7365'636f'7270,  // "process"
                   0x0000'0100'0202'0047, 101,                    // 1 argument, name 2, thread (2), 4 words
                   0x0000'0000'0003'0028, 100}));                 // koid (8) argument "process"
}

TEST(Writer, Blob) {
  EXPECT_EQ(words_after([](Writer& writer) { writer.prepare("", "notes"); },
                        [](Writer& writer) { writer.write(Blob{.name = "notes", .bytes = kBlobBytes}); }),
            (Words{0x0001'0003'0001'0025, 0x0000'0000'00cc'bbaa}));  // data (1), 3 bytes, name 1, blob (5)
}

TEST(Writer, EmptyBlobIsOneRecord) {
  EXPECT_EQ(words_after([](Writer& writer) { writer.prepare("", "notes"); },
                        [](Writer& writer) { writer.write(Blob{.name = "notes"}); }),
            (Words{0x0001'0000'0001'0015}));
}

TEST(Writer, LargeBlobsAreSeveralRecordsWithOneName) {
  const std::vector<std::byte> bytes(32'001, std::byte{0xff});
  const Words words =
      words_after([](Writer& writer) { writer.prepare("", "notes"); },
                  [&](Writer& writer) { writer.write(Blob{.name = "notes", .bytes = bytes}); });
  ASSERT_EQ(words.size(), 4001U + 2U);
  EXPECT_EQ(words[0], 0x0001'7d00'0001'fa15U);  // 32,000 bytes, 4001 words
  EXPECT_EQ(words[4001], 0x0001'0001'0001'0025U);
  EXPECT_EQ(words[4002], 0xffU);
}

TEST(Writer, ABlobWithALongInlineNameStillFitsItsRecords) {
  const std::vector<std::byte> bytes(32'000);
  const std::string name(32'000, 'n');
  const Words words =
      words_of([&](Writer& writer) { writer.write(Blob{.name = Inline{name}, .bytes = bytes}); });
  EXPECT_EQ(RecordHeader::Size::get(words[0]), kMaxRecordWords);
}

TEST(Writer, ContextSwitch) {
  EXPECT_EQ(words_after(prepare_tables,
                        [](Writer& writer) {
                          writer.write(LegacyContextSwitch{
                              .time = 5000,
                              .cpu = 3,
                              .outgoing_state = ThreadState::Blocked,
                              .outgoing = kMain,
                              .incoming = {.process = 0, .thread = 0, .storage = Storage::Inline},
                              .outgoing_priority = 1,
                              .incoming_priority = 2});
                        }),
            (Words{0x0020'1000'1303'0048,  // priorities 2 and 1, incoming inline, outgoing 1, state 3, cpu 3
                   5000, 0, 0}));
}

TEST(Writer, ContextSwitchOnAHighCpuUsesTheNewerRecord) {
  EXPECT_EQ(scheduling_words(
                "incoming_weight",
                LegacyContextSwitch{
                    .time = 5000, .cpu = 256, .outgoing_state = ThreadState::Blocked, .outgoing = kMain}),
            (Words{0x1000'0030'1001'0058,  // subtype 1, state 3, cpu 256, 1 argument, 5 words
                   5000, 101, 0, 0x8000'0000'0001'0011}));  // incoming_weight of the idle thread
}

TEST(Writer, ContextSwitchWithWeights) {
  EXPECT_EQ(scheduling_words("outgoing_weight", ContextSwitch{.time = 5000,
                                                              .cpu = 1,
                                                              .outgoing_state = ThreadState::Dead,
                                                              .outgoing_thread = 101,
                                                              .incoming_thread = 102,
                                                              .arguments = {{"outgoing_weight", -1}}}),
            (Words{0x1000'0050'0011'0058, 5000, 101, 102, 0xffff'ffff'0001'0011}));
}

TEST(Writer, ThreadWakeup) {
  EXPECT_EQ(scheduling_words("", ThreadWakeup{.time = 5000, .cpu = 2, .thread = 101}),
            (Words{0x2000'0000'0020'0038, 5000, 101}));
}

TEST(Writer, Log) {
  EXPECT_EQ(words_after(
                prepare_tables,
                [](Writer& writer) { writer.write(Log{.time = 5000, .thread = kMain, .message = "hello"}); }),
            (Words{0x0000'0001'0005'0039, 5000, 0x6f'6c6c'6568}));  // thread 1, 5 bytes, 3 words, log (9)
}

TEST(Writer, ProfilerRecords) {
  constexpr std::array kBuildId = {std::byte{0xaa}, std::byte{0xbb}, std::byte{0xcc}, std::byte{0xdd}};
  constexpr std::array<std::uint64_t, 2> kFrames = {0xaa, 0xbb};
  const auto written = [](const auto& record) {
    return words_after(prepare_tables, [&](Writer& writer) { writer.write(record); });
  };
  EXPECT_EQ(written(ProfilerModule{
                .time = 3000, .thread = kMain, .module_id = 7, .name = "lib.m", .build_id = kBuildId}),
            (Words{0x0040'5000'7010'004a, 3000, 0x6d'2e62'696c,
                   0xddcc'bbaa}));  // build id of 4 bytes, name of 5 bytes, module 7, thread 1
  EXPECT_EQ(written(ProfilerMmap{.time = 3001,
                                 .thread = kMain,
                                 .module_id = 1,
                                 .flags = 1,
                                 .start = 0x1000,
                                 .range = 0x2000,
                                 .vaddr = 0x400}),
            (Words{0x0000'1000'1011'005a, 3001, 0x1000, 0x2000, 0x400}));
  EXPECT_EQ(written(ProfilerBacktrace{.time = 3002, .thread = kMain, .frames = kFrames}),
            (Words{0x0000'0000'2012'004a, 3002, 0xaa, 0xbb}));
}

TEST(Writer, BufferFullNamesTheProvider) {
  EXPECT_EQ(words_of([](Writer& writer) { writer.buffer_full(); }),
            (Words{0x0000'0000'0013'0010}));  // event 0, provider 1, provider event (3), 1 word
}

TEST(Writer, UserspaceObject) {
  EXPECT_EQ(words_after([](Writer& writer) { writer.prepare("", "object"); },
                        [](Writer& writer) {
                          writer.write(UserspaceObject{
                              .process = {.process = 100}, .pointer = 0xabcd, .name = "object"});
                        }),
            (Words{0x0000'0000'0100'0036, 0xabcd, 100}));  // name 1, inline process of one word (no thread)
}

TEST(Writer, LargeBlobWithMetadata) {
  EXPECT_EQ(words_after(
                prepare_tables,
                [](Writer& writer) {
                  writer.write(LargeBlob{
                      .time = 5000, .thread = kMain, .category = "app", .name = "main", .bytes = kBlobBytes});
                }),
            (Words{0x0000'0000'0000'005f,  // format 0, large type 0, 5 words, large (15)
                   0x0000'0010'0002'0001,  // thread 1, no arguments, name 2, category 1
                   5000, 3, 0x0000'0000'00cc'bbaa}));
}

TEST(Writer, LargeBlobWithoutMetadata) {
  EXPECT_EQ(words_after(prepare_tables,
                        [](Writer& writer) {
                          writer.write(LargeBlobWithoutMetadata{
                              .category = "app", .name = "main", .bytes = kBlobBytes});
                        }),
            (Words{0x0000'0100'0000'004f, 0x0000'0000'0002'0001, 3, 0x0000'0000'00cc'bbaa}));
}

TEST(Writer, OversizedRecordsSpanBuffers) {
  const std::vector<std::byte> bytes(100'001, std::byte{0x11});
  const Words words = words_after(prepare_tables, [&](Writer& writer) {
    writer.write(LargeBlob{.thread = kMain, .category = "app", .name = "main", .bytes = bytes});
  });
  ASSERT_EQ(words.size(), 4U + 12'501U);
  EXPECT_EQ(LargeBlobHeader::Size::get(words[0]), words.size());
  EXPECT_EQ(words[3], 100'001U);
  EXPECT_EQ(words[12'503], 0x1111'1111'1111'1111U);
  EXPECT_EQ(words.back(), 0x11U);
}

// ---- The short way ----

TEST(Writer, PreparedDurationsEqualDurationsWrittenAsValues) {
  const auto prepared = words_after(prepare_tables, [](Writer& writer) {
    const auto event = writer.prepare("app", "main");
    const auto thread = writer.thread_index(100, 101);
    writer.write_begin(*event, *thread, 10);
    writer.write_complete(*event, *thread, 11, 12);
    writer.write_end(*event, *thread, 13);
  });
  EXPECT_EQ(prepared, (Words{0x0002'0001'0102'0024, 10,      //
                             0x0002'0001'0104'0034, 11, 12,  //
                             0x0002'0001'0103'0024, 13}));
}

TEST(Writer, TheCallerFillsReservedSpace) {
  const auto words = words_after(prepare_tables, [](Writer& writer) {
    const auto event = writer.prepare("app", "main");
    const auto thread = writer.thread_index(100, 101);
    const auto room = writer.reserve(6);
    ASSERT_EQ(room.size(), 6U);
    room[0] = event->header(EventType::DurationComplete, *thread, Writer::kCompleteWords);
    room[1] = 11;
    room[2] = 12;
    writer.commit(3);
  });
  EXPECT_EQ(words, (Words{0x0002'0001'0104'0034, 11, 12}));
}

TEST(Writer, ManyRecordsCrossManyBuffers) {
  std::ostringstream stream;
  StreamOutput output(stream, kMinBufferWords);
  Writer writer(output);
  const auto event = writer.prepare("app", "main");
  const auto thread = writer.thread_index(100, 101);
  for (std::uint64_t i = 0; i < 10'000; ++i) writer.write_complete(*event, *thread, i, i + 1);
  writer.flush();
  const std::string bytes = stream.str();
  EXPECT_EQ(bytes.size(), (kStart.size() + 4 + 3 + 30'000) * 8);
  EXPECT_EQ(bytes.size(), writer.words_written() * 8);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x10\x00\x04\x46\x78\x54\x16\x00", 8));
}

TEST(Writer, AnOutputWithATooSmallBufferIsRejected) {
  struct Small : Output {
    std::span<std::uint64_t> exchange(std::size_t) override { return words; }
    std::array<std::uint64_t, 2> words = {};
  };
  Small output;
  EXPECT_THAT([&] { Writer(output).write(Event{.time = 1, .thread = kMain, .name = "nine words"}); },
              testing::ThrowsMessage<std::logic_error>(
                  "exchange() returned a buffer of 2 words, but an Output must return at least 4096"));
}

}  // namespace
}  // namespace fxt::test
