// How a file ends: what is open is ended, and the file passes the check.
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "fxt/reader.h"
#include "fxt/records.h"
#include "tests/fxt/check_words.h"

namespace fxt::test {
namespace {

Event event_at(EventType type, std::uint64_t time, std::uint64_t end = 0, std::uint64_t thread = 101) {
  return {.type = type,
          .time = time,
          .thread = {.process = 100, .thread = thread},
          .category = "app",
          .name = "x",
          .id = 7,
          .end = end};
}

// What finish() adds to these events, in short; "!" if the file then breaks a rule.
std::string ended(const std::vector<Event>& events, const WriterOptions& options = {}) {
  MemoryOutput output;
  Writer writer(output, options);
  for (const Event& event : events) writer.write(event);
  const std::uint64_t before = writer.words_written() * sizeof(std::uint64_t);
  EXPECT_NO_THROW(writer.finish());
  std::string text;
  Reader reader(std::as_bytes(output.words()));
  for (const Entry& entry : reader) {
    const auto* event = std::get_if<Event>(&entry.record);
    if (event == nullptr || entry.offset < before) continue;
    text += (text.empty() ? "" : ", ") + std::string(kind_of(event->type)) + ' ' +
            std::to_string(event->time) + " on " + std::to_string(event->thread.thread) + ' ' +
            std::string(event->category.text) + ' ' + std::string(event->name.text);
  }
  return broken_rules(output.words()) + (broken_rules(output.words()).empty() ? "" : "! ") + text;
}

TEST(WriterFinish, EndsDurationsAtTheLastTime) {
  EXPECT_EQ(ended({event_at(EventType::DurationBegin, 5), event_at(EventType::Instant, 9, 0, 102)}),
            "end 9 on 101 app x");
  EXPECT_EQ(ended({event_at(EventType::DurationBegin, 5), event_at(EventType::DurationBegin, 6)}),
            "end 6 on 101 app x, end 6 on 101 app x");
  EXPECT_EQ(ended({}), "");
}

// A flow's time is its thread's, too.
TEST(WriterFinish, GoesOnAfterAFlowThatCameLast) {
  EXPECT_EQ(ended({event_at(EventType::DurationBegin, 5), event_at(EventType::FlowBegin, 50),
                   event_at(EventType::FlowEnd, 60)}),
            "end 60 on 101 app x");
}

TEST(WriterFinish, EndsNothingBeyondWhatIsAroundIt) {
  EXPECT_EQ(ended({event_at(EventType::DurationComplete, 0, 10), event_at(EventType::DurationBegin, 5),
                   event_at(EventType::Instant, 100, 0, 102)}),
            "end 10 on 101 app x");
  EXPECT_EQ(ended({event_at(EventType::DurationBegin, 0), event_at(EventType::DurationComplete, 0, 10),
                   event_at(EventType::DurationBegin, 5), event_at(EventType::Instant, 100, 0, 102)}),
            "end 10 on 101 app x, end 100 on 101 app x");
}

TEST(WriterFinish, EndsFlowsInTheirDurations) {
  EXPECT_EQ(ended({event_at(EventType::DurationBegin, 5), event_at(EventType::FlowBegin, 6)}),
            "flow-end 6 on 101 app x, end 6 on 101 app x");
  EXPECT_EQ(ended({event_at(EventType::DurationComplete, 5, 9), event_at(EventType::FlowBegin, 6)}),
            "flow-end 6 on 101 app x");
  EXPECT_EQ(
      ended({event_at(EventType::DurationComplete, 5, 9), event_at(EventType::FlowBegin, 6),
             event_at(EventType::DurationComplete, 0, 50, 102), event_at(EventType::FlowStep, 20, 0, 102)}),
      "flow-end 20 on 102 app x");
}

// Perfetto would bind them to what is over.
TEST(WriterFinish, GivesAFlowBehindWhatIsOverOneOfNoLength) {
  EXPECT_EQ(ended({event_at(EventType::DurationBegin, 5), event_at(EventType::FlowBegin, 6),
                   event_at(EventType::Instant, 7)}),
            "end 7 on 101 app x, complete 7 on 101 app x, flow-end 7 on 101 app x");
}

TEST(WriterFinish, GivesAFlowThatIsInNoDurationOneOfNoLength) {
  EXPECT_EQ(ended({event_at(EventType::DurationComplete, 5, 9), event_at(EventType::FlowBegin, 6),
                   event_at(EventType::Instant, 30)}),
            "complete 30 on 101 app x, flow-end 30 on 101 app x");
  std::vector<Event> crowd(514, event_at(EventType::Instant, 30));
  crowd[0] = event_at(EventType::DurationComplete, 5, 9);
  crowd[1] = event_at(EventType::FlowBegin, 6);
  EXPECT_EQ(ended(crowd), "begin 30 on 101 app x, flow-end 30 on 101 app x, end 30 on 101 app x");
}

TEST(WriterFinish, EndsAFlowInItsOwnProcessWhereAnotherOneTookItsId) {
  const auto elsewhere = [](Event event) {
    event.thread.process = 200;
    return event;
  };
  EXPECT_EQ(ended({event_at(EventType::DurationComplete, 5, 90),
                   elsewhere(event_at(EventType::DurationComplete, 5, 90, 201)),
                   event_at(EventType::FlowBegin, 10), elsewhere(event_at(EventType::FlowStep, 20, 0, 201)),
                   elsewhere(event_at(EventType::FlowBegin, 30, 0, 201))}),
            "flow-end 30 on 101 app x, flow-end 30 on 201 app x");
}

// Nothing is written beyond the last time that readers take.
TEST(WriterFinish, StaysWithinTheSpanOfTheTrace) {
  for (const std::uint64_t first : {std::uint64_t{0}, kTimeLimit - kSpanLimit}) {
    const std::uint64_t last = first + kSpanLimit - 1;
    std::vector<Event> crowd(515, event_at(EventType::Instant, last));
    crowd[0] = event_at(EventType::DurationComplete, first, first + 9);
    crowd[1] = crowd[2] = event_at(EventType::FlowBegin, first + 1);
    crowd[2].id = 8;
    const std::string at = std::to_string(last) + " on 101 app x";
    EXPECT_EQ(ended(crowd),
              "begin " + at + ", flow-end " + at + ", end " + at + ", complete " + at + ", flow-end " + at);
  }
}

TEST(WriterFinish, EndsAsyncOperationsByTheirNames) {
  Event outer = event_at(EventType::AsyncBegin, 5), inner = outer;
  inner.category = inner.name = Inline{"inline"};
  EXPECT_EQ(ended({outer, inner, event_at(EventType::Instant, 9)}),
            "async-end 9 on 101 inline inline, async-end 9 on 101 app x");
  EXPECT_EQ(ended({event_at(EventType::Instant, 3), event_at(EventType::AsyncBegin, 5)}),
            "async-end 5 on 101 app x");
}

// An inline name has no ref that could be used again.
TEST(WriterFinish, EndsWithoutNamesWhatWasNamedInline) {
  Event inline_category = event_at(EventType::DurationBegin, 5), inline_name = inline_category;
  inline_category.category = Inline{"once"};
  inline_name.name = Inline{"once"};
  EXPECT_EQ(ended({inline_category, inline_name}), "end 5 on 101  , end 5 on 101  ");
}

TEST(WriterFinish, EndsNothingThatIsTrusted) {
  EXPECT_EQ(ended({event_at(EventType::DurationBegin, 5)}, {.trust_nesting = true}), "W17! ");
}

TEST(WriterFinish, MayComeTwice) {
  MemoryOutput output;
  Writer writer(output);
  writer.write(event_at(EventType::DurationBegin, 5));
  writer.finish();
  writer.finish();
  EXPECT_EQ(broken_rules(output.words()), "");
}

class CountingOutput final : public Output {
 public:
  std::span<std::uint64_t> exchange(std::size_t filled_words) override {
    words += filled_words;
    if (fails) throw std::runtime_error("full");
    return buffer_;
  }
  void finish() override { ++finishes; }

  std::size_t words = 0;
  int finishes = 0;
  bool fails = false;

 private:
  std::vector<std::uint64_t> buffer_ = std::vector<std::uint64_t>(kMinBufferWords);
};

TEST(WriterFinish, TellsTheOutput) {
  CountingOutput output;
  Writer writer(output);
  writer.flush();
  EXPECT_EQ(output.finishes, 0);
  writer.finish();
  EXPECT_EQ(output.finishes, 1);
  EXPECT_EQ(output.words, kStart.size());
}

TEST(WriterFinish, PassesOnWhatTheOutputThrows) {
  CountingOutput output;
  Writer writer(output);
  output.fails = true;
  EXPECT_THROW(writer.finish(), std::runtime_error);
  EXPECT_EQ(output.words, kStart.size());
  output.fails = false;
  writer.flush();
  EXPECT_EQ(output.words, kStart.size()) << "nothing is sent twice";
}

// The time of the last event of an id that is over is remembered for a while only; of an open one, always.
TEST(WriterFinish, IdsThatAreOverAreForgotten) {
  MemoryOutput output;
  Writer writer(output);
  const auto write = [&](EventType type, std::uint64_t time, std::uint64_t id) {
    writer.write(Event{.type = type,
                       .time = time,
                       .thread = {.process = 1, .thread = id},
                       .category = "c",
                       .name = "n",
                       .id = id});
  };
  write(EventType::AsyncBegin, 500, 1);
  write(EventType::AsyncBegin, 500, 2);
  write(EventType::AsyncEnd, 600, 2);
  EXPECT_THROW(write(EventType::AsyncBegin, 400, 2), WriterError);
  for (std::uint64_t id = 10; id < 10 + (std::uint64_t{1} << 17); ++id) {
    write(EventType::AsyncBegin, 5, id);
    write(EventType::AsyncEnd, 6, id);
  }
  EXPECT_THROW(write(EventType::AsyncInstant, 400, 1), WriterError);
  EXPECT_THROW(write(EventType::AsyncInstant, 700, 2), WriterError) << "it has ended";
  EXPECT_NO_THROW(write(EventType::AsyncInstant, 700, 1));
  EXPECT_NO_THROW(write(EventType::AsyncBegin, 400, 2));
}

}  // namespace
}  // namespace fxt::test
