// Prepared events with arguments, instants and counters, and durations that follow a scope.
#include <gtest/gtest.h>

#include "fxt/reader.h"
#include "fxt/scoped_duration.h"
#include "tests/fxt/check_words.h"

namespace fxt::test {
namespace {

struct Prepared {
  explicit Prepared(Writer& writer)
      : event(writer.prepare("app", "main").value()),
        thread(writer.thread_index(100, 101).value()),
        size(TextRef::table(writer.string_ref("size").value())) {}
  PreparedEvent event;
  ThreadIndex thread;
  TextRef size;
};

// The words after category 1, name 2, thread 1 and the argument name 3 are known.
Words words_of_prepared(const std::function<void(Writer&, const Prepared&)>& write) {
  std::optional<Prepared> prepared;
  return words_after([&](Writer& writer) { prepared.emplace(writer); },
                     [&](Writer& writer) { write(writer, *prepared); });
}

PreparedArguments one_argument(const Prepared& prepared) {
  return PreparedArguments().add(prepared.size, 42U);
}

TEST(WriterShortWay, Instants) {
  EXPECT_EQ(words_of_prepared(
                [](Writer& writer, const Prepared& p) { writer.write_instant(p.event, p.thread, 5); }),
            (Words{0x0002'0001'0100'0024, 5}));
  EXPECT_EQ(words_of_prepared([](Writer& writer, const Prepared& p) {
              writer.write_instant(p.event, p.thread, 5, one_argument(p));
            }),
            (Words{0x0002'0001'0110'0034, 5, 0x0000'002a'0003'0012}));
}

TEST(WriterShortWay, DurationsWithArguments) {
  EXPECT_EQ(words_of_prepared([](Writer& writer, const Prepared& p) {
              writer.write_complete(p.event, p.thread, 5, 9, one_argument(p));
            }),
            (Words{0x0002'0001'0114'0044, 5, 0x0000'002a'0003'0012, 9}));
  EXPECT_EQ(words_of_prepared([](Writer& writer, const Prepared& p) {
              writer.write_begin(p.event, p.thread, 5, one_argument(p));
              writer.write_end(p.event, p.thread, 6);
              writer.write_begin(p.event, p.thread, 7);
              writer.write_end(p.event, p.thread, 8, one_argument(p));
            }),
            (Words{0x0002'0001'0112'0034, 5, 0x0000'002a'0003'0012,  //
                   0x0002'0001'0103'0024, 6,                         //
                   0x0002'0001'0102'0024, 7,                         //
                   0x0002'0001'0113'0034, 8, 0x0000'002a'0003'0012}));
}

TEST(WriterShortWay, Counters) {
  EXPECT_EQ(words_after([](Writer& writer) { Prepared{writer}; },
                        [](Writer& writer) {
                          const auto counter = writer.prepare_counter("app", "main", "size").value();
                          const auto thread = writer.thread_index(100, 101).value();
                          writer.write_counter(counter, thread, 5, -1, 9);
                          writer.write_counter(counter, thread, 6, 0.5);
                          writer.write_counter(counter, thread, 7, std::uint64_t{1} << 40);
                        }),
            (Words{0x0002'0001'0111'0044, 5, 0xffff'ffff'0003'0011, 9,                         //
                   0x0002'0001'0111'0054, 6, 0x0000'0000'0003'0025, 0x3fe0'0000'0000'0000, 0,  //
                   0x0002'0001'0111'0054, 7, 0x0000'0000'0003'0024, 0x100'0000'0000, 0}));
}

TEST(WriterShortWay, SeriesBelongToOneCounterThereAsWell) {
  MemoryOutput output;
  Writer writer(output);
  EXPECT_TRUE(writer.prepare_counter("app", "rss", "value"));
  EXPECT_TRUE(writer.prepare_counter("app", "rss", "value"));
  EXPECT_THROW(writer.prepare_counter("app", "faults", "value"), WriterError);
  EXPECT_THROW(writer.write(Event{.type = EventType::Counter,
                                  .thread = {.process = 1, .thread = 2},
                                  .name = "faults",
                                  .arguments = {{"value", 1}}}),
               WriterError);
}

TEST(WriterShortWay, CountersAreWatchedForTheirTimes) {
  MemoryOutput output;
  Writer writer(output);
  const auto counter = writer.prepare_counter("app", "rss", "value").value();
  const auto thread = writer.thread_index(100, 101).value();
  writer.write_counter(counter, thread, 7, 1);
  EXPECT_THROW(writer.write_counter(counter, thread, 7 + kSpanLimit, 1), WriterError);
  EXPECT_THROW(writer.write_counter(counter, thread, kTimeLimit, 1), WriterError);
  EXPECT_NO_THROW(writer.write_counter(counter, thread, 6 + kSpanLimit, 1));
}

TEST(WriterShortWay, TakesAnyOrderThatIsTrusted) {
  MemoryOutput output;
  Writer writer(output, {.trust_nesting = true});
  const Prepared p(writer);
  writer.write_complete(p.event, p.thread, 10, 20);
  EXPECT_NO_THROW(writer.write_complete(p.event, p.thread, 5, 15));
  EXPECT_NO_THROW(writer.write_end(p.event, p.thread, 4));
}

TEST(PreparedArguments, HoldEveryType) {
  MemoryOutput output;
  Writer writer(output, {.trust_nesting = true});
  const Prepared p(writer);
  PreparedArguments arguments;
  arguments.add(TextRef::inlined("i"), -5)
      .add(TextRef::inlined("u"), 5U)
      .add(TextRef::inlined("l"), std::int64_t{-1} << 40)
      .add(TextRef::inlined("d"), 0.5F)
      .add(TextRef::inlined("t"), TextRef::inlined("some text"))
      .add(TextRef::inlined("r"), p.size)
      .add(TextRef::inlined("p"), Pointer{9})
      .add(TextRef::inlined("k"), Koid{8})
      .add(TextRef::inlined("b"), true);
  writer.write_instant(p.event, p.thread, 5, arguments);
  EXPECT_EQ(arguments.count(), 9U);
  arguments.clear();
  writer.write_instant(p.event, p.thread, 6, arguments.add(p.size, 1));
  writer.finish();
  Reader reader(std::as_bytes(output.words()));
  std::vector<std::vector<Argument>> read;
  for (const Entry& entry : reader) {
    EXPECT_TRUE(entry.problems.empty());
    if (const auto* event = std::get_if<Event>(&entry.record)) {
      const Arguments expected =
          event->time == 5 ? Arguments{{"i", -5},         {"u", 5U},          {"l", std::int64_t{-1} << 40},
                                       {"d", 0.5},        {"t", "some text"}, {"r", "size"},
                                       {"p", Pointer{9}}, {"k", Koid{8}},     {"b", true}}
                           : Arguments{{"size", 1}};
      EXPECT_EQ(event->arguments, expected);
    }
  }
}

TEST(PreparedArguments, AreAtMostFifteenOfDifferentNames) {
  PreparedArguments arguments;
  const std::string names = "abcdefghijklmno";
  for (std::size_t i = 0; i < 15; ++i)
    arguments.add(TextRef::inlined(std::string_view(names).substr(i, 1)), 1);
  EXPECT_THROW(arguments.add(TextRef::inlined("p"), 1), WriterError);
  EXPECT_EQ(arguments.count(), 15U);
  EXPECT_EQ(arguments.words().size(), 30U);
  arguments.clear();
  arguments.add(TextRef::table(1), 1).add(TextRef::table(2), 1).add(TextRef::inlined("a"), 1);
  EXPECT_THROW(arguments.add(TextRef::table(1), 2), WriterError);
  EXPECT_THROW(arguments.add(TextRef::table(2), 2), WriterError);
  EXPECT_THROW(arguments.add(TextRef::inlined("a"), 2), WriterError);
  EXPECT_EQ(arguments.count(), 3U);
}

TEST(PreparedArguments, AreAsLongAsARecordMayBe) {
  MemoryOutput output;
  Writer writer(output);
  const Prepared p(writer);
  const std::string text(32'000, 't');
  const auto with_text = [&](std::size_t bytes) {
    return PreparedArguments()
        .add(p.size, TextRef::inlined(text))
        .add(TextRef::inlined("more"), TextRef::inlined(std::string_view(text).substr(0, bytes)));
  };
  EXPECT_NO_THROW(writer.write_instant(p.event, p.thread, 5, with_text(90 * 8)));
  EXPECT_THROW(writer.write_complete(p.event, p.thread, 5, 6, with_text(90 * 8)), WriterError);
  EXPECT_NO_THROW(writer.write_complete(p.event, p.thread, 5, 6, with_text(89 * 8)));
}

TEST(PreparedArguments, HaveTextsThatReadersTake) {
  const std::string text(32'001, 't'), longest(32'000, 't');
  PreparedArguments arguments;
  arguments.add(TextRef::inlined(longest), 1);
  EXPECT_THROW(arguments.add(TextRef::inlined(text), 1), WriterError);
  EXPECT_THROW(arguments.add(TextRef::inlined("a"), TextRef::inlined(text)), WriterError);
  EXPECT_THROW(arguments.add(TextRef::inlined("\xff"), 1), WriterError);
  EXPECT_THROW(arguments.add(TextRef::inlined("a"), TextRef::inlined(std::string_view("\0", 1))),
               WriterError);
  EXPECT_THROW(arguments.add(TextRef::inlined(longest), TextRef::inlined(longest)), WriterError);
  EXPECT_EQ(arguments.count(), 1U);
  EXPECT_EQ(arguments.words().size(), 4001U) << "nothing is left of what was refused";
}

TEST(PreparedArguments, HaveNamesOfTheirOwnInTheTableAndInline) {
  MemoryOutput output;
  Writer writer(output);
  const Prepared p(writer);
  PreparedArguments arguments;
  arguments.add(p.size, 1).add(TextRef::inlined("siz"), 1).add(TextRef::inlined("sizf"), 1);
  EXPECT_NO_THROW(writer.write_instant(p.event, p.thread, 5, arguments));
  arguments.add(TextRef::inlined("size"), 1);
  EXPECT_THROW(writer.write_instant(p.event, p.thread, 5, arguments), WriterError);
  EXPECT_THROW(writer.write_begin(p.event, p.thread, 5, arguments), WriterError);
  arguments.clear();
  arguments.add(TextRef::inlined("size"), 1);
  EXPECT_NO_THROW(writer.write_instant(p.event, p.thread, 5, arguments));
}

TEST(ScopedDuration, LastsAsLongAsItsScope) {
  MemoryOutput output;
  Writer writer(output);
  const std::uint64_t before = now_ns();
  {
    const ScopedDuration outer(writer, {.process = 100, .thread = 101}, "app", "outer", {{"size", 1}});
    const ScopedDuration inner(writer, {.process = 100, .thread = 101}, "app", "inner");
  }
  writer.flush();
  EXPECT_EQ(broken_rules(output.words()), "");
  Reader reader(std::as_bytes(output.words()));
  std::string text;
  for (const Entry& entry : reader)
    if (const auto* event = std::get_if<Event>(&entry.record)) {
      EXPECT_GE(event->time, before);
      EXPECT_LE(event->time, now_ns());
      text += (event->type == EventType::DurationBegin ? "<" : ">") + std::string(event->name.text) +
              std::to_string(event->arguments.size());
    }
  EXPECT_EQ(text, "<outer1<inner0>inner0>outer0");
}

}  // namespace
}  // namespace fxt::test
