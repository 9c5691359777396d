// Forms: filled in, they are written word for word as their events are when each is said by itself.
#include "converters/model/form.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <numeric>

#include "converters/model/field_queue.h"
#include "converters/model/sink/fxt_sink.h"
#include "fxt/output.h"
#include "tests/model/event_text.h"
#include "tests/model/story.h"

namespace convert {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using Words = std::vector<std::uint64_t>;
using Fields = std::vector<std::uint64_t>;

void fill(Lane& lane, std::uint64_t time_ns, FormId form, const Fields& fields) {
  std::ranges::copy(fields, lane.formed(time_ns, form, fields.size()));
}

class FormTest : public testing::Test {
 protected:
  // The whole file, of one lane.
  Words words_of(const std::function<void(Lane&)>& tell) {
    fxt::MemoryOutput output;
    fxt::Writer writer(output, {.trust_nesting = true});
    Timeline timeline({}, notes);
    FxtSink sink(writer, names, notes);
    run(timeline, sink, tell);
    writer.flush();
    sink.finish(timeline, "out.fxt");
    events_written = sink.events_written();
    return {output.words().begin(), output.words().end()};
  }
  std::vector<std::string> lines_of(const std::function<void(Lane&)>& tell) {
    Timeline timeline({}, notes);
    EventText text(names);
    run(timeline, text, tell);
    return text.lines();
  }
  static void run(Timeline& timeline, EventSink& sink, const std::function<void(Lane&)>& tell) {
    timeline.begin_input("story");
    Lane& lane = timeline.add_lane(
        {.process = ProcessId{7}, .thread = ThreadId{8}, .process_name = "p", .thread_name = "t"});
    timeline.add_source(std::make_unique<Story>(lane, tell), {&lane});
    timeline.run(sink, [] {});
  }

  // An instant with one argument `n`, of the type of `type`.
  FormId form_of_one(Value type) {
    FormEvent event{
        .kind = SlotKind::Instant, .label = hit, .arguments = {{n, std::move(type), FieldIndex{0}}}};
    return names.add_form({.records = {std::move(event)}, .fields = 1});
  }
  // A hit with its number and a text, 12 bytes of memory, and a counter.
  FormId form_of_all() {
    const FormEvent event{.kind = SlotKind::Instant,
                          .label = hit,
                          .arguments = {{n, std::uint32_t{}, FieldIndex{0}},
                                        {names.intern("at"), std::string("tick.c:12")},
                                        {names.intern("in"), names.intern("main")},
                                        {names.intern("pc"), Pointer{0x401000}}}};
    const FormBlob blob{.before = "frame/",
                        .number = FieldIndex{0},
                        .after = "/0x40",
                        .first = FieldIndex{1},
                        .size_bytes = 12};
    const FormEvent counter{
        .kind = SlotKind::Counter, .label = hit, .arguments = {{n, std::int64_t{}, FieldIndex{3}}}};
    return names.add_form({.records = {event, blob, counter}, .fields = 4});
  }
  void say_all(Lane& lane, std::uint64_t time_ns, std::uint32_t number, std::string_view memory,
               std::int64_t count) {
    lane.instant(time_ns, hit,
                 {{n, number},
                  {names.intern("at"), std::string("tick.c:12")},
                  {names.intern("in"), names.intern("main")},
                  {names.intern("pc"), Pointer{0x401000}}});
    lane.blob(time_ns, "frame/" + std::to_string(number) + "/0x40", std::as_bytes(std::span(memory)));
    lane.counter(time_ns, hit, 0, {{n, count}});
  }
  static Fields fields_of_all(std::uint32_t number, std::string_view memory, std::int64_t count) {
    Fields fields{number, 0, 0, static_cast<std::uint64_t>(count)};
    std::memcpy(&fields[1], memory.data(), memory.size());
    return fields;
  }

  Names names;
  Notes notes;
  NameId n = names.intern("n");
  LabelId hit = names.label("tracepoint", "hit");
  std::uint64_t events_written = 0;
};

TEST_F(FormTest, ItIsSaidAsItsEvents) {
  const FormId form = form_of_all();
  EXPECT_THAT(lines_of([&](Lane& lane) { fill(lane, 10, form, fields_of_all(3, "hello, world", -1)); }),
              ElementsAre("7/8 @10 tracepoint:hit n=3 at=\"tick.c:12\" in='main' pc=0x401000",
                          "7/8 blob frame/3/0x40 12 bytes", "7/8 @10 counter tracepoint:hit #0 n=-1"));
}

TEST_F(FormTest, ItIsWrittenAsItsEvents) {
  const FormId form = form_of_all();
  constexpr std::array<std::uint32_t, 9> kNumbers{0, 9, 10, 11, 99, 100, 999'999'999, 5, 4'294'967'295};
  const auto filled = words_of([&](Lane& lane) {
    for (const std::uint32_t number : kNumbers)
      fill(lane, 10, form, fields_of_all(number, "hello, world", 1));
  });
  EXPECT_EQ(events_written, 27u);
  EXPECT_THAT(filled, ElementsAreArray(words_of([&](Lane& lane) {
                for (const std::uint32_t number : kNumbers) say_all(lane, 10, number, "hello, world", 1);
              })));
  EXPECT_EQ(events_written, 27u);
}

TEST_F(FormTest, NumbersTakeTheirSmallestForm) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t kPositive = 0x7fff'ffff, kNegative = kMost - kPositive;  // the ends of 32 bits
  for (const std::uint64_t bits :
       {std::uint64_t{0}, std::uint64_t{5}, kPositive, kPositive + 1, kNegative, kNegative - 1,
        std::uint64_t{0xffff'ffff}, std::uint64_t{0x1'0000'0000}, kMost}) {
    const auto low = static_cast<std::uint32_t>(bits);
    for (const Value& value :
         {Value(static_cast<std::int32_t>(low)), Value(low), Value(static_cast<std::int64_t>(bits)),
          Value(bits), Value(Pointer{bits}), Value(std::bit_cast<double>(bits))}) {
      const FormId form = form_of_one(value);
      EXPECT_THAT(words_of([&](Lane& lane) { fill(lane, 10, form, {bits}); }),
                  ElementsAreArray(words_of([&](Lane& lane) {
                    lane.instant(10, hit, {{n, value}});
                  })))
          << bits << ", type " << value.index();
    }
  }
}

TEST_F(FormTest, AmongOtherEventsItKeepsItsPlace) {
  const FormId form = form_of_one(std::uint64_t{});
  EXPECT_THAT(
      lines_of([&](Lane& lane) {
        fill(lane, 10, form, {1});
        lane.begin(20, hit);
        fill(lane, 30, form, {2});
        lane.instant(30, hit);
        fill(lane, 40, form, {3});
        lane.end(40);
        fill(lane, 50, form, {4});
      }),
      ElementsAre("7/8 @10 tracepoint:hit n=1", "7/8 [20 tracepoint:hit", "7/8 @30 tracepoint:hit n=2",
                  "7/8 @30 tracepoint:hit", "7/8 @40 tracepoint:hit n=3", "7/8 40] tracepoint:hit",
                  "7/8 @50 tracepoint:hit n=4"));
}

TEST_F(FormTest, WithoutRoomInTheStringTableItIsWrittenAllTheSame) {
  const FormId form = form_of_all();
  const auto with_full_table = [&](const std::function<void(Lane&)>& tell) {
    return words_of([&](Lane& lane) {
      for (std::uint64_t i = 0; i < 32'768; ++i) lane.instant(i, names.label("many", std::to_string(i)));
      tell(lane);
    });
  };
  EXPECT_TRUE(with_full_table([&](Lane& lane) {
                fill(lane, 40'000, form, fields_of_all(3, "hello, world", 1));
              }) == with_full_table([&](Lane& lane) { say_all(lane, 40'000, 3, "hello, world", 1); }));
}

// Perfetto takes 512 of them at one time.
TEST_F(FormTest, OfTooManyInstantsAtOneTimeItIsNotShown) {
  const FormId form = form_of_one(std::uint64_t{});
  std::size_t shown = 0;
  const auto lines = lines_of([&](Lane& lane) {
    for (; shown < 1000 && lane.shows_instant(10); ++shown) fill(lane, 10, form, {1});
    lane.instant(10, hit);
    fill(lane, 20, form, {1});
  });
  EXPECT_EQ(shown, 512u);
  EXPECT_EQ(lines.size(), 513u);
  EXPECT_EQ(lines.back(), "7/8 @20 tracepoint:hit n=1");
}

TEST(FieldQueue, GivesBackWhatWasAddedHoweverMuchWaits) {
  constexpr std::uint64_t kCount = 20'000;
  FieldQueue queue;
  const auto add = [&](std::uint64_t number) {
    std::uint64_t* const fields = queue.add(3);
    std::iota(fields, fields + 3, number * 3);
  };
  std::uint64_t added = 0;
  for (std::uint64_t taken = 0; taken < kCount; ++taken) {
    for (; added < kCount && added < 2 * taken + 5; ++added) add(added);
    EXPECT_EQ(queue.at(taken * 3)[2], taken * 3 + 2);
    queue.drop_until((taken + 1) * 3);
    EXPECT_EQ(queue.waiting_bytes(), (added - taken - 1) * 3 * sizeof(std::uint64_t));
  }
  EXPECT_EQ(queue.end(), kCount * 3);
}

}  // namespace
}  // namespace convert
