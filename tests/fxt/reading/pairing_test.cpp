// Tests the ends, depths, self times and parents of calls and async operations.
#include "fxt/pairing.h"

#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/ordered_reader.h"
#include "tests/fxt/cutting/pieces.h"

namespace fxt::test::pairing {
namespace {

using cutting::begin;
using cutting::complete;
using cutting::end;
using cutting::event;
using cutting::kOther;
using testing::ElementsAre;

Event async(EventType type, std::uint64_t time, std::string_view name, std::uint64_t id) {
  Event one = event(type, time, name);
  one.id = id;
  return one;
}

// One text for each call, in the order of their ends: "NUMBER NAME START..END depth D self S in PARENT".
std::vector<std::string> calls_of(const std::vector<Event>& events, const PairingOptions& options = {}) {
  const Words words = file_of([&](Writer& writer) {
    for (const Event& one : events) writer.write(one);
  });
  std::vector<std::string> calls;
  Pairing pairing(
      [&calls](const Call& call) {
        calls.push_back(fmt::format("{} {} {}..{}{} depth {} self {}{}", call.number, call.name(),
                                    call.start_ns, call.end_ns, call.has_end ? "" : "?", call.depth,
                                    call.self_ns(),
                                    call.parent == Call::kNone ? "" : fmt::format(" in {}", call.parent)));
      },
      options);
  OrderedReader reader(std::as_bytes(std::span(words)));
  while (const Entry* const entry = reader.next()) pairing.add(*entry, reader.reader());
  pairing.finish();
  return calls;
}

TEST(Pairing, PairsStartsEndsAndCompleteEvents) {
  EXPECT_THAT(calls_of({begin(10, "a"), complete(20, 50, "b"), complete(30, 40, "c"), end(90, "a"),
                        complete(10, 15, "other", kOther)}),
              ElementsAre("3 c 30..40 depth 2 self 10 in 2", "2 b 20..50 depth 1 self 20 in 0",
                          "0 a 10..90 depth 0 self 50", "1 other 10..15 depth 0 self 5"));
}

TEST(Pairing, DoesNotDependOnTheOrderInTheFile) {
  EXPECT_THAT(calls_of({complete(30, 40, "c"), complete(20, 50, "b"), end(90, "a"), begin(10, "a")}),
              ElementsAre("2 c 30..40 depth 2 self 10 in 1", "1 b 20..50 depth 1 self 20 in 0",
                          "0 a 10..90 depth 0 self 50"));
}

TEST(Pairing, CallsWithoutAnEndLastUntilTheEndOfTheThread) {
  EXPECT_THAT(calls_of({begin(10, "a"), begin(20, "b"), complete(30, 70, "c")}),
              ElementsAre("2 c 30..70 depth 2 self 40 in 1", "1 b 20..70? depth 1 self 10 in 0",
                          "0 a 10..70? depth 0 self 10"));
}

TEST(Pairing, PairsAsyncOperationsById) {
  EXPECT_THAT(
      calls_of({async(EventType::AsyncBegin, 10, "request", 7), async(EventType::AsyncBegin, 15, "x", 8),
                async(EventType::AsyncBegin, 20, "read", 7), async(EventType::AsyncInstant, 25, "read", 7),
                async(EventType::AsyncEnd, 30, "read", 7), async(EventType::AsyncEnd, 40, "request", 7),
                async(EventType::AsyncEnd, 50, "x", 8)}),
      ElementsAre("2 read 20..30 depth 1 self 10 in 0", "0 request 10..40 depth 0 self 20",
                  "1 x 15..50 depth 0 self 35"));
}

// In Perfetto, inner operations end together with the operation around them.
TEST(Pairing, AsyncOperationsEndWithTheOuterOperation) {
  EXPECT_THAT(
      calls_of({async(EventType::AsyncBegin, 10, "request", 7), async(EventType::AsyncBegin, 20, "read", 7),
                async(EventType::AsyncEnd, 40, "request", 7), async(EventType::AsyncEnd, 50, "read", 7)}),
      ElementsAre("1 read 20..40? depth 1 self 20 in 0", "0 request 10..40 depth 0 self 10"));
}

TEST(Pairing, OptionsSelectKindAndRange) {
  const std::vector<Event> events{begin(10, "a"), complete(20, 50, "b"), end(90, "a"),
                                  async(EventType::AsyncBegin, 10, "x", 7),
                                  async(EventType::AsyncEnd, 20, "x", 7)};
  EXPECT_THAT(calls_of(events, {.durations = false}), ElementsAre("0 x 10..20 depth 0 self 10"));
  EXPECT_THAT(calls_of(events, {.asyncs = false, .range = {.to = TraceTime{.ns = 30}}}),
              ElementsAre("1 b 20..50 depth 1 self 30 in 0", "0 a 10..90 depth 0 self 70"))
      << "10 ns of b lie in the range";
}

}  // namespace
}  // namespace fxt::test::pairing
