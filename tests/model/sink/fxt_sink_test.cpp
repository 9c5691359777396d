#include "converters/model/sink/fxt_sink.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/output.h"
#include "fxt/utf8.h"
#include "tests/model/story.h"

namespace convert {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::uint64_t>;

class FxtSinkTest : public testing::Test {
 protected:
  // Returns the words of a lane, without the records that name its thread and process. The lane is thread 8
  // in process 7.
  Words words_of(const std::function<void(Lane&)>& fill) {
    fxt::MemoryOutput output;
    fxt::Writer writer(output, {.provider_name = "t"});
    Timeline timeline({.lanes = {.limits = FxtSink::kLimits}}, notes);
    timeline.begin_input("story");
    Lane& lane = timeline.add_lane(
        {.process = ProcessId{7}, .thread = ThreadId{8}, .process_name = "p", .thread_name = "t"});
    FxtSink sink(writer, names);
    std::size_t head = 0;
    timeline.add_source(std::make_unique<Story>(lane,
                                                [&](Lane& l) {
                                                  writer.flush();
                                                  head = output.words().size();
                                                  fill(l);
                                                }),
                        {&lane});
    timeline.run(sink, [] {});
    writer.flush();
    timeline.note_losses(names, "out.fxt");
    sink.note_losses(timeline, "out.fxt", notes);
    sink.note_limits_of_readers(timeline, "out.fxt", notes);
    events_written = sink.events_written();
    const auto words = output.words().subspan(head);
    return {words.begin(), words.end()};
  }
  LabelId label(std::string_view name) { return names.intern_label("app", name); }

  Names names;
  Notes notes;
  std::uint64_t events_written = 0;
};

// A program whose calls end before its last event.
class EndsEarly : public Story {
 public:
  using Story::Story;
  std::uint64_t calls_end_ns() const override { return 20; }
};

TEST_F(FxtSinkTest, ViewersGetTheEndOfTheCalls) {
  fxt::MemoryOutput output;
  fxt::Writer writer(output, {.provider_name = "t"});
  Timeline timeline({.lanes = {.limits = FxtSink::kLimits}}, notes);
  timeline.begin_input("story");
  Lane& lane = timeline.add_lane({.process = ProcessId{7},
                                  .thread = ThreadId{8},
                                  .process_name = "p",
                                  .thread_name = "t",
                                  .first_call_ns = 10});
  FxtSink sink(writer, names, &timeline.info());
  std::size_t head = 0;
  const auto words = [&] {
    writer.flush();
    return output.words().size();
  };
  timeline.add_source(std::make_unique<EndsEarly>(lane,
                                                  [&](Lane& l) {
                                                    head = words();
                                                    l.instant(5, label("a"));
                                                    l.instant(30, label("a"));
                                                  }),
                      {&lane});
  timeline.run(sink, [] {});
  words();
  // A record of type 5 (blob) and 4 words. It has an inline name of 8 bytes ("perfetto"), and 9 bytes of
  // data. The type of the blob is 3.
  constexpr std::uint64_t kHeader = 0x0003'0009'8008'0045, kName = 0x6f74'7465'6672'6570;
  EXPECT_THAT(output.words().last(4), ElementsAre(kHeader, kName, 0x2802'04aa'1440'070a,
                                                  0x01));  // time 20, field 5: tracing_disabled
  EXPECT_THAT(output.words().subspan(head - 4, 4),
              ElementsAre(kHeader, kName, 0x1002'04aa'0a40'070a, 0x01));  // time 10, field 2: tracing_started
}

// A program without calls, but with instants from time 2000 to 42000.
class OnlyMarks : public Story {
 public:
  using Story::Story;
  std::uint64_t calls_end_ns() const override { return 0; }
  std::optional<TimeSpan> marks() const override { return TimeSpan{.begin_ns = 2000, .end_ns = 42'000}; }
};

TEST_F(FxtSinkTest, ViewersGetTheRangeOfMarks) {
  fxt::MemoryOutput output;
  fxt::Writer writer(output, {.provider_name = "t"});
  Timeline timeline({.lanes = {.limits = FxtSink::kLimits}}, notes);
  timeline.begin_input("story");
  Lane& lane = timeline.add_lane(
      {.process = ProcessId{7}, .thread = ThreadId{8}, .process_name = "p", .thread_name = "t"});
  FxtSink sink(writer, names, &timeline.info());
  timeline.add_source(std::make_unique<OnlyMarks>(lane, [&](Lane& l) { l.instant(42'000, label("a")); }),
                      {&lane});
  timeline.run(sink, [] {});
  writer.flush();
  fxt::PerfettoPackets packets;
  packets.first_view_begins(0);
  packets.first_view_ends(44'000);
  const std::size_t words = 2 + (packets.bytes().size() + 7) / 8;  // the first two words are header and name
  const auto written = std::as_bytes(output.words().last(words)).subspan(16, packets.bytes().size());
  EXPECT_TRUE(std::ranges::equal(written, packets.bytes()));
}

// The strings "process", "p" and "t" have the indexes 1 to 3.
constexpr std::uint64_t kApp = 0x0000'0003'0004'0022;   // string record: index 4, 3 bytes, 2 words
constexpr std::uint64_t kMain = 0x0000'0004'0005'0022;  // index 5, 4 bytes

TEST_F(FxtSinkTest, APlainCallIsThreeWords) {
  EXPECT_THAT(words_of([&](Lane& lane) {
                for (const std::uint64_t begin : {10u, 30u}) {
                  lane.begin(begin, label("main"));
                  lane.end(begin + 10);
                }
              }),
              ElementsAre(kApp, 0x00'70'70'61,            // "app"
                          kMain, 0x6e'69'61'6d,           // "main"
                          0x0005'0004'0104'0034, 10, 20,  // name 5, category 4, thread 1, complete, 3 words
                          0x0005'0004'0104'0034, 30, 40));
  EXPECT_EQ(events_written, 2u);
}

TEST_F(FxtSinkTest, APairIsTwoRecordsOfTwoWords) {
  EXPECT_THAT(words_of([&](Lane& lane) {
                lane.begin(10, label("main"));
                lane.end(10);
              }),
              ElementsAre(kApp, 0x00'70'70'61, kMain, 0x6e'69'61'6d, 0x0005'0004'0102'0024, 10,  // begin (2)
                          0x0005'0004'0103'0024, 10));                                           // end (3)
}

TEST_F(FxtSinkTest, AWakeupNamesTheWakerIfItIsKnown) {
  EXPECT_THAT(words_of([&](Lane& lane) {
                lane.wakeup(10, {.cpu = 3, .thread = ThreadId{8}, .waker = ThreadId{}});
                lane.wakeup(11, {.cpu = 3, .thread = ThreadId{8}, .waker = ThreadId{9}});
              }),
              ElementsAre(0x2000'0000'0030'0038, 10, 8,                              // wakeup (2), cpu 3
                          0x0000'0005'0004'0022, 0x72'65'6b'61'77,                   // "waker"
                          0x2000'0000'0031'0058, 11, 8, 0x0000'0000'0004'0028, 9));  // one argument, koid (8)
}

// Perfetto aborts if a CPU has a number above 4095.
TEST_F(FxtSinkTest, ACpuBeyond4095IsWrittenAs4095) {
  EXPECT_THAT(words_of([&](Lane& lane) {
                lane.wakeup(10, {.cpu = 4095, .thread = ThreadId{8}, .waker = ThreadId{}});
                lane.wakeup(11, {.cpu = 4096, .thread = ThreadId{8}, .waker = ThreadId{}});
                lane.context_switch(12, {.cpu = 5000,
                                         .outgoing_state = ThreadState::Blocked,
                                         .outgoing_process = ProcessId{7},
                                         .outgoing_thread = ThreadId{8},
                                         .incoming_process = ProcessId{},
                                         .incoming_thread = ThreadId{}});
              }),
              ElementsAre(0x2000'0000'fff0'0038, 10, 8, 0x2000'0000'fff0'0038, 11, 8, 0x0000'000f'0004'0032,
                          0x676e'696d'6f63'6e69, 0x74'6867'6965'775f,  // "incoming_weight"
                          0x1000'0030'fff1'0058, 12, 8, 0,             // one argument:
                          0x8000'0000'0004'0011));                     // the weight of the idle thread
  EXPECT_EQ(notes.count(kCpuCut), 2u);
}

// In Tracy, an instant whose name contains "frame" is the start of a frame.
TEST_F(FxtSinkTest, AnInstantThatNamesAFrameIsAPairOfZeroLength) {
  EXPECT_THAT(words_of([&](Lane& lane) {
                lane.instant(10, label("aFrame"), {{names.intern("t"), std::uint64_t{5}}});
                lane.instant(10, label("main"));
              }),
              ElementsAre(kApp, 0x00'70'70'61, 0x0000'0006'0005'0022, 0x65'6d'61'72'46'61,  // "aFrame" is 5
                          0x0005'0004'0112'0034, 10, 0x0000'0005'0002'0012,                 // begin, t = 5
                          0x0005'0004'0103'0024, 10,                                        // end
                          0x0000'0004'0006'0022, 0x6e'69'61'6d,                             // "main" is 6
                          0x0006'0004'0100'0024, 10));                                      // instant
  EXPECT_EQ(events_written, 2u);
}

TEST_F(FxtSinkTest, WithFullTablesTheStartOfAPairHoldsTheName) {
  for (int i = 0; i < 32'767; ++i) label(std::to_string(i));
  const Words words = words_of([&](Lane& lane) {
    for (int i = 0; i < 32'767; ++i) lane.instant(10, label(std::to_string(i)));
    lane.instant(11, label("frame"));
  });
  EXPECT_EQ(Words(words.end() - 5, words.end()),
            (Words{0x8005'0004'0102'0034, 11, 0x65'6d'61'72'66,  // begin, with an inline name
                   0x0000'0000'0103'0024, 11}));                 // end
}

// At the first record of a name, FxtSink finds out that the full string table has no space for the name.
// FxtSink keeps this result for later records with this name.
TEST_F(FxtSinkTest, WithFullTablesEveryRecordHoldsItsName) {
  const std::string too_long(300, 'x');
  for (int i = 0; i < 32'767; ++i) label(std::to_string(i));
  const Words words = words_of([&](Lane& lane) {
    for (int i = 0; i < 32'767; ++i) lane.instant(10, label(std::to_string(i)));
    for (const std::uint64_t begin : {11u, 21u, 31u}) {
      lane.begin(begin, label(too_long));
      lane.end(begin + 1);
      lane.begin(begin + 2, label("late name"));
      lane.end(begin + 5);
    }
  });
  constexpr std::ptrdiff_t kTooLong = 3 + 30, kLate = 3 + 2;
  for (const std::uint64_t i : {0u, 1u, 2u}) {
    const auto end = words.end() - static_cast<std::ptrdiff_t>(2 - i) * (kTooLong + kLate);
    EXPECT_EQ(Words(end - kLate, end), (Words{0x8009'0004'0104'0054, 13 + 10 * i,  // complete, 5 words
                                              0x6d61'6e20'6574'616c, 0x65, 16 + 10 * i}))
        << "late name";
    EXPECT_EQ(*(end - kLate - kTooLong), 0x80f0'0004'0104'0214u) << "240 bytes of the name";
  }
  EXPECT_EQ(notes.count(kNameTableFull), 8u + 6) << "the table holds eight other names, too";
  EXPECT_EQ(notes.count(kStringsCut), 3u);
}

TEST_F(FxtSinkTest, WithFullTablesArgumentsHoldTheirTexts) {
  for (int i = 0; i < 32'767; ++i) label(std::to_string(i));
  const NameId known = names.intern("0"), late = names.intern("RED");
  const Words words = words_of([&](Lane& lane) {
    for (int i = 0; i < 32'767; ++i) lane.instant(10, label(std::to_string(i)));
    for (const std::uint64_t time : {11u, 12u, 13u}) lane.instant(time, label("0"), {{known, late}});
  });
  constexpr std::size_t kWords = 2 + 1 + 1;
  for (const std::size_t i : {1u, 2u, 3u}) {
    const auto record = words.end() - static_cast<std::ptrdiff_t>(i * kWords);
    EXPECT_EQ(record[1], 14 - i);
    const std::uint64_t name = record[0] >> 48;           // the name of the event and of the argument
    EXPECT_EQ(record[2], 0x8003'0000'0026 | name << 16);  // 3 bytes, 2 words
    EXPECT_EQ(record[3], 0x44'45'52u);                    // "RED"
  }
}

TEST_F(FxtSinkTest, NumbersHaveTheSmallestType) {
  EXPECT_THAT(
      words_of([&](Lane& lane) {
        const NameId n = names.intern("n");
        lane.instant(10, label("main"),
                     {{n, std::uint64_t{5}}, {n, std::int64_t{-1}}, {n, std::uint64_t{1} << 32}});
      }),
      ElementsAre(kApp, 0x00'70'70'61, kMain, 0x6e'69'61'6d, 0x0000'0001'0006'0022, 0x6e,  // "n" is string 6
                  0x0005'0004'0130'0064, 10,               // instant (0), 3 arguments, 6 words
                  0x0000'0005'0006'0012,                   // u32 (2)
                  0xffff'ffff'0006'0011,                   // i32 (1)
                  0x0000'0000'0006'0024, 0x1'0000'0000));  // u64 (4)
}

TEST_F(FxtSinkTest, StringsTooLongForARecordAreCutAtACharacterAndNoted) {
  std::string text;
  while (text.size() < 40'000) text += "\xc3\xa4";
  const Words words = words_of([&](Lane& lane) {
    lane.instant(10, label("main"), {{names.intern("a"), text}, {names.intern("b"), "x" + text}});
  });
  EXPECT_LT(words.size(), 4095u);
  ASSERT_EQ(notes.count(kStringsCut), 2u);
  EXPECT_EQ(notes.groups().front().first.front(),
            "out.fxt: 2 strings truncated because they do not fit into a record");
  EXPECT_EQ(notes.count(kStringsRepaired), 0u) << "no character was split";
}

TEST_F(FxtSinkTest, StringsThatAreNotUtf8AreEscapedAndNoted) {
  const Words words = words_of([&](Lane& lane) { lane.instant(10, label("caf\xe9")); });
  const std::string_view written(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
  EXPECT_NE(written.find("caf\\351"), std::string_view::npos);
  EXPECT_EQ(notes.count(kStringsRepaired), 1u);
  EXPECT_EQ(notes.groups().front().first.front(), "story: 1 string in thread 8 (t), the first in caf\xe9");
}

TEST_F(FxtSinkTest, TheNoteAboutStringsNamesTheirThread) {
  fxt::MemoryOutput output;
  fxt::Writer writer(output, {.provider_name = "t"});
  Timeline timeline({.lanes = {.limits = FxtSink::kLimits}}, notes);
  const auto add = [&](std::string_view name, std::uint64_t thread, const std::function<void(Lane&)>& fill) {
    Lane& lane = timeline.add_lane({.process = ProcessId{7},
                                    .thread = ThreadId{thread},
                                    .process_name = "p",
                                    .thread_name = std::string(name)});
    timeline.add_source(std::make_unique<Story>(lane, fill), {&lane});
  };
  const NameId word = names.intern("word");
  timeline.begin_input("first");
  add("t", 8, [&](Lane& lane) {
    lane.instant(10, label("main"), {{word, "sound"}});
    lane.instant(11, label("f"), {{word, "\xe9"}, {word, "\xe8"}});
    lane.instant(12, label("g"), {{word, "\xe7"}});
  });
  add("caf\xe9", 9, [&](Lane& lane) { lane.instant(13, label("g"), {{word, "\xe7"}}); });
  timeline.begin_input("second");
  add("t", 10, [&](Lane& lane) { lane.blob(14, "file\xe9", {}); });
  FxtSink sink(writer, names);
  timeline.run(sink, [] {});
  sink.note_losses(timeline, "out.fxt", notes);
  const auto repaired =
      std::ranges::find(notes.groups(), &kStringsRepaired, [](const Notes::Group& g) { return g.kind; });
  ASSERT_NE(repaired, notes.groups().end());
  EXPECT_THAT(
      repaired->first,
      ElementsAre("first: 3 strings in thread 8 (t), the first in f",
                  "first: 2 strings in thread 9 (caf\xe9), the first in the name of the thread or process",
                  "second: 1 string in thread 10 (t), the first in file\xe9"));
  EXPECT_EQ(repaired->count, 6u);
}

// The first event with a name is encoded on the slow path, which adds the name to the table. Later events use
// the fast path. Both paths must write the same words.
class FastEncodeTest : public FxtSinkTest {
 protected:
  static constexpr std::uint64_t kEvent = 4, kBlob = 5;  // types of records
  using Fill = std::function<void(Lane&, std::uint64_t time_ns)>;

  // Returns the records of events and blobs. All times are set to 0, so that records with different times can
  // be compared.
  static std::vector<Words> records_of(std::span<const std::uint64_t> words) {
    std::vector<Words> records;
    while (!words.empty()) {
      const std::size_t size = words.front() >> 4 & 0xfff;
      Words record(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(size));
      const std::uint64_t type = record.front() & 0xf;
      const std::uint64_t event_type = record.front() >> 16 & 0xf;
      if (type == kEvent) record[1] = 0;
      if (type == kEvent && event_type == 4) record.back() = 0;  // the end of a complete event
      if (type == kEvent || type == kBlob) records.push_back(std::move(record));
      words = words.subspan(size);
    }
    return records;
  }
  // Calls `fill` three times, and checks that the records are the same each time. Returns the records of the
  // first time.
  std::vector<Words> records_of_three(const Fill& fill) {
    auto all = records_of(words_of([&](Lane& lane) {
      for (const std::uint64_t time_ns : {100u, 200u, 300u}) fill(lane, time_ns);
    }));
    EXPECT_EQ(all.size() % 3, 0u);
    const auto third = static_cast<std::ptrdiff_t>(all.size() / 3);
    const std::vector<Words> first(all.begin(), all.begin() + third);
    EXPECT_EQ(first, std::vector<Words>(all.begin() + third, all.end() - third));
    EXPECT_EQ(first, std::vector<Words>(all.end() - third, all.end()));
    return first;
  }
  Arguments of_all_types() {
    const NameId n = names.intern("n");
    return {{n, std::monostate{}},
            {n, std::int32_t{-1}},
            {n, std::uint32_t{1}},
            {n, ~std::int64_t{1}},
            {n, (std::uint64_t{1} << 63) - 1},
            {n, 1.5},
            {n, "seven and eight"},
            {n, Pointer{0x8000}},
            {n, names.intern("name")},
            {n, ""}};
  }
};

TEST_F(FastEncodeTest, EventsAreTheSameOnBothPaths) {
  EXPECT_THAT(
      records_of_three([&](Lane& lane, std::uint64_t t) { lane.instant(t, label("main"), of_all_types()); }),
      ElementsAre(testing::SizeIs(2 + 15)));
  EXPECT_THAT(records_of_three([&](Lane& lane, std::uint64_t t) {
                lane.begin(t, label("main"), 0, of_all_types());
                lane.end(t + 1, {{names.intern("ret"), std::int32_t{5}}});
              }),
              ElementsAre(testing::SizeIs(2 + 15 + 1 + 1)));
  EXPECT_THAT(records_of_three([&](Lane& lane, std::uint64_t t) {
                lane.begin(t, label("main"), 0, of_all_types());
                lane.end(t, of_all_types());
              }),
              ElementsAre(testing::SizeIs(2 + 15), testing::SizeIs(2 + 15)));
  EXPECT_EQ(words_of_arguments(of_all_types().row()), 15u);
  const auto counters = records_of_three([&](Lane& lane, std::uint64_t t) {
    lane.counter(t, label("memory"), 77, {{names.intern("bytes"), std::uint64_t{1} << 40}});
  });
  ASSERT_THAT(counters, ElementsAre(testing::SizeIs(2 + 2 + 1)));
  EXPECT_EQ(counters.front().back(), 77u);
}

TEST_F(FastEncodeTest, WordsOfArgumentsAreAsManyAsAreWritten) {
  const NameId n = names.intern("n");
  std::vector<Argument> all{{n, std::monostate{}}, {n, n},           {n, ""},
                            {n, "eight by"},       {n, "nine byte"}, {n, "caf\xe9"}};
  for (const ArgumentKind kind :
       {ArgumentKind::Int64, ArgumentKind::Uint64, ArgumentKind::Double, ArgumentKind::Pointer})
    for (std::uint64_t power = 1; power != 0; power *= 2)
      for (const std::uint64_t bits : {power - 1, power, power + 1, 0 - power, ~power, 1 - power})
        all.emplace_back(n, kind, bits);
  const auto records = records_of_three([&](Lane& lane, std::uint64_t t) {
    std::uint64_t at_ns = 10'000 * t;
    for (const Argument& argument : all) lane.instant(++at_ns, label("main"), {argument});
  });
  ASSERT_EQ(records.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(words_of_arguments(Arguments{all[i]}.row()), records[i].size() - 2)
        << static_cast<int>(all[i].kind) << " " << all[i].bits << " " << all[i].text;
}

// Perfetto treats unsigned arguments as signed. All readers treat the values of counters as doubles.
TEST_F(FastEncodeTest, NumbersAbove63BitsAreTextsAndCounterValuesAreDoubles) {
  const Arguments large{{names.intern("n"), (std::uint64_t{1} << 63) + 25}};
  const auto instant =
      records_of_three([&](Lane& lane, std::uint64_t t) { lane.instant(t, label("main"), large); });
  ASSERT_THAT(instant, ElementsAre(testing::SizeIs(2 + 1 + 3)));
  EXPECT_EQ(words_of_arguments(large.row()), 1u + 3);
  const std::uint64_t header = instant[0][2];
  EXPECT_EQ(header & 0xf, code(fxt::ArgumentType::String));
  EXPECT_EQ(header >> 32, 0x8000u | 19) << "the size of a string";
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(&instant[0][3]), 19), "9223372036854775833");
  const auto counter =
      records_of_three([&](Lane& lane, std::uint64_t t) { lane.counter(t, label("main"), 7, large); });
  ASSERT_THAT(counter, ElementsAre(testing::SizeIs(2 + 2 + 1)));
  EXPECT_EQ(counter[0][2] & 0xf, code(fxt::ArgumentType::Double));
  EXPECT_EQ(std::bit_cast<double>(counter[0][3]), 9223372036854775808.0 /* the nearest */);
}

TEST_F(FastEncodeTest, NewNamesGoIntoTheTable) {
  const auto records = records_of(words_of([&](Lane& lane) {
    lane.instant(1, label("main"), {{names.intern("a"), std::int32_t{1}}});
    lane.instant(2, label("main"), {{names.intern("b"), names.intern("c")}});
  }));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0][2], 0x0000'0001'0006'0011u) << "a is string 6";
  EXPECT_EQ(records[1][2], 0x0000'0008'0007'0016u) << "b is string 7, and its value string 8";
}

TEST_F(FastEncodeTest, StringsAreRepairedAndCut) {
  const NameId n = names.intern("n");
  EXPECT_THAT(records_of_three([&](Lane& lane, std::uint64_t t) {
                lane.instant(t, label("main"), {{n, "caf\xe9"}});
              }),
              ElementsAre(testing::SizeIs(2 + 2)));  // "caf\\351"
  EXPECT_EQ(words_of_arguments(Arguments{{n, "caf\xe9"}}.row()), 1u + 1);
  EXPECT_EQ(notes.count(kStringsRepaired), 3u);
  const std::string text(15'000, 'x');
  records_of_three([&](Lane& lane, std::uint64_t t) {
    lane.instant(t, label("main"), {{n, text}, {n, text}});
  });
  EXPECT_EQ(notes.count(kStringsCut), 6u) << "30,000 bytes are too many";
  records_of_three([&](Lane& lane, std::uint64_t t) { lane.instant(t, label("main"), {{n, text}}); });
  EXPECT_EQ(notes.count(kStringsCut), 6u);
}

TEST_F(FastEncodeTest, InvalidBytesAreFoundAtEachPositionOfAText) {
  const NameId n = names.intern("n");
  std::uint64_t repaired = 0;
  for (const std::size_t size : {1u, 7u, 8u, 9u, 15u, 16u, 17u})
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1})
      for (const char other : {'~', '\x01', '\0', '\xff'}) {
        std::string text(size, '~');
        text[at] = other;
        records_of_three([&](Lane& lane, std::uint64_t t) { lane.instant(t, label("main"), {{n, text}}); });
        if (!fxt::is_sound(text)) repaired += 3;
        EXPECT_EQ(notes.count(kStringsRepaired), repaired) << size << " bytes, byte " << at;
      }
}

TEST_F(FastEncodeTest, BlobsAreTheSameOnBothPaths) {
  const std::vector<std::byte> bytes(40'000, std::byte{7});
  const auto sizes_of = [&](std::string_view name, std::size_t size) {
    std::vector<std::size_t> sizes;
    for (const Words& record : records_of_three(
             [&](Lane&lane, std::uint64_t t) { lane.blob(t, name, std::span(bytes).first(size)); }))
      sizes.push_back(record.size());
    return sizes;
  };
  EXPECT_THAT(sizes_of("memory", 13), ElementsAre(1 + 1 + 2));
  EXPECT_THAT(sizes_of("", 0), ElementsAre(1));
  EXPECT_THAT(sizes_of("caf\xe9", 8), ElementsAre(1 + 1 + 1));
  EXPECT_EQ(notes.count(kStringsRepaired), 3u);
  EXPECT_THAT(sizes_of("memory", 27'000), ElementsAre(1 + 1 + 3375));
  EXPECT_THAT(sizes_of("memory", 40'000), ElementsAre(1 + 1 + 4000, 1 + 1 + 1000)) << "split";
}

TEST_F(FastEncodeTest, FlowsHaveAStartAndAnEnd) {
  const auto types_of = [this](int rounds) {
    const auto records = records_of(words_of([&](Lane& lane) {
      for (int i = 0; i < rounds; ++i) {
        const auto id = static_cast<std::uint64_t>(i);
        lane.begin(10 * id, label("main"));
        lane.flow(FlowStep::Begin, 10 * id + 1, label("arrow"), id);
        lane.flow(FlowStep::End, 10 * id + 3, label("arrow"), id);
        lane.end(10 * id + 4);
      }
    }));
    std::vector<fxt::EventType> types;
    for (std::size_t i = records.size() - 2; i < records.size(); ++i)
      types.push_back(static_cast<fxt::EventType>(fxt::EventHeader::EventType::get(records[i][0])));
    return types;
  };
  using enum fxt::EventType;
  const std::vector expected{FlowBegin, FlowEnd};
  EXPECT_EQ(types_of(1), expected);
  EXPECT_EQ(types_of(2), expected) << "emitted again";
}

// Events for the fast path and events for the slow path alternate, and fill many buffers.
TEST_F(FastEncodeTest, FastAndSlowPathKeepTheOrder) {
  constexpr std::uint64_t kRounds = 3000;
  const auto records = records_of(words_of([&](Lane& lane) {
    for (std::uint64_t i = 1; i <= kRounds; ++i) {
      lane.instant(10 * i, label("main"), {{names.intern("i"), i}});
      lane.begin(10 * i + 1, label("work"));
      lane.flow(FlowStep::Begin, 10 * i + 2, label("arrow"), i);
      lane.end(10 * i + 3);
    }
  }));
  ASSERT_EQ(records.size(), 3 * kRounds);
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    ASSERT_EQ(records[3 * i][2] >> 32, i + 1);
    ASSERT_EQ(records[3 * i + 1].size(), 3u);
    ASSERT_EQ(records[3 * i + 2].back(), i + 1) << "the arrow's id";
  }
  EXPECT_EQ(events_written, 3 * kRounds);
}

// Only 255 threads have an index. The records of all other threads contain the thread's and the process's
// ids.
TEST_F(FxtSinkTest, RecordsOfThreadsWithoutAnIndexHoldTheirIds) {
  fxt::MemoryOutput output;
  fxt::Writer writer(output, {.provider_name = "t"});
  Timeline timeline({.lanes = {.limits = FxtSink::kLimits}}, notes);
  timeline.begin_input("story");
  for (std::uint64_t thread = 1; thread <= 256; ++thread) {
    Lane& lane = timeline.add_lane(
        {.process = ProcessId{7}, .thread = ThreadId{thread}, .process_name = "p", .thread_name = "t"});
    timeline.add_source(std::make_unique<Story>(lane,
                                                [&, thread](Lane& l) {
                                                  if (thread != 256) return;
                                                  for (const std::uint64_t begin : {10u, 20u}) {
                                                    l.begin(begin, label("main"));
                                                    l.end(begin + 5);
                                                  }
                                                }),
                        {&lane});
  }
  FxtSink sink(writer, names);
  timeline.run(sink, [] {});
  writer.flush();
  const auto words = output.words();
  EXPECT_EQ(Words(words.end() - 5, words.end()), (Words{words[words.size() - 10], 20, 7, 256, 25}));
  EXPECT_EQ(words[words.size() - 5] & 0xff'ffff, 0x04'0054u) << "complete, 5 words, no arguments, no index";
}

TEST_F(FxtSinkTest, TheLimitsOfTracyAreNoted) {
  words_of([&](Lane& lane) {
    lane.instant(10, label("main"));
    lane.instant(10 + (std::uint64_t{1} << 47), label("main"));
  });
  EXPECT_EQ(notes.count(kLongSpan), 1u);
  EXPECT_EQ(notes.count(kManyNames), 0u);
  for (int i = 0; i < 32'768; ++i) label(std::to_string(i));
  words_of([&](Lane& lane) { lane.instant(10, label("main")); });
  EXPECT_EQ(notes.count(kManyNames), 32'769u);
}

TEST_F(FxtSinkTest, ArrowsThatEndBeforeTheyBeginAreDropped) {
  words_of([&](Lane& lane) {
    lane.begin(1, label("main"));
    lane.flow(FlowStep::End, 2, label("fork"), 7);
    lane.flow(FlowStep::Begin, 3, label("fork"), 7);
    lane.flow(FlowStep::Begin, 4, label("fork"), 8);
    lane.flow(FlowStep::End, 5, label("fork"), 8);
    lane.end(6);
  });
  EXPECT_EQ(notes.count(kArrowBackwards), 1u);
  EXPECT_EQ(events_written, 3u);
}

TEST_F(FxtSinkTest, CallsTooDeepAreNoted) {
  words_of([&](Lane& lane) {
    for (std::uint64_t i = 0; i < 512; ++i) lane.begin(i, label("main"));
    for (std::uint64_t i = 512; i < 514; ++i) lane.begin(i, label("leaf"));
    for (std::uint64_t i = 0; i < 514; ++i) lane.end(1000 + i);
  });
  EXPECT_EQ(notes.count(kTooDeep), 2u);
  EXPECT_EQ(notes.groups().front().first.front(),
            "out.fxt: 2 calls and instants in thread 8 (t), the first is leaf");
  EXPECT_EQ(events_written, 512u);
}

}  // namespace
}  // namespace convert
