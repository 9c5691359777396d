// Cuts traces with very many open calls. The Cutter has separate code for several forms of calls, so each
// form is tested.
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <span>
#include <variant>
#include <vector>

#include "tests/fxt/cutting/pieces.h"

namespace fxt::test::cutting {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kMany = 50'000, kEdge = 1'000'000, kLast = 2 * kEdge - 1;

struct Counts {
  std::uint64_t begins = 0, ends = 0, completes = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};
void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.begins << " begins, " << counts.ends << " ends, " << counts.completes << " completes";
}

// Cuts a trace at kEdge, and returns the counts of each piece. The trace has an instant at 0, followed by the
// events that `add` writes.
template <typename Add>
std::vector<Counts> counts_of(Add add, const CutOptions& options = {.split_ns = kEdge}) {
  const Words trace = file_of([&](Writer& writer) {
    writer.write(event(EventType::Instant, 0, "start"));
    add([&writer](const Event& event) { writer.write(event); });
  });
  std::vector<Counts> all;
  for (const Words& piece : cut(trace, options).pieces) {
    Counts& counts = all.emplace_back();
    Reader reader(std::as_bytes(std::span(piece)));
    for (const Entry& entry : reader) {
      const auto* const event = std::get_if<Event>(&entry.record);
      if (event == nullptr) continue;
      counts.begins +=
          event->type == EventType::DurationBegin || event->type == EventType::AsyncBegin ? 1 : 0;
      counts.ends += event->type == EventType::DurationEnd || event->type == EventType::AsyncEnd ? 1 : 0;
      counts.completes += event->type == EventType::DurationComplete ? 1 : 0;
    }
  }
  return all;
}

TEST(ManyOpen, NestedPairs) {
  EXPECT_THAT(counts_of([](auto write) {
                for (std::uint64_t i = 0; i < kMany; ++i) write(begin(i, "call"));
                for (std::uint64_t i = 0; i < kMany; ++i) write(end(kLast - kMany + i, "call"));
              }),
              ElementsAre(Counts{kMany, kMany, 0}, Counts{kMany, kMany, 0}));
}

TEST(ManyOpen, NestedCompleteEvents) {
  EXPECT_THAT(counts_of([](auto write) {
                for (std::uint64_t i = 0; i < kMany; ++i) write(complete(i, kLast - i, "call"));
              }),
              ElementsAre(Counts{kMany, kMany, 0}, Counts{0, 0, kMany}));
}

TEST(ManyOpen, NestedCompleteEventsInTheOrderOfTheirEnds) {
  EXPECT_THAT(counts_of([](auto write) {
                write(begin(0, "around"));
                for (std::uint64_t i = kMany; i-- > 0;) write(complete(i, kLast - i, "call"));
                write(end(kLast, "around"));
              }),
              ElementsAre(Counts{kMany + 1, kMany + 1, 0}, Counts{1, 1, kMany}));
}

TEST(ManyOpen, CompleteEventsThatCross) {
  EXPECT_THAT(counts_of([](auto write) {
                for (std::uint64_t i = 0; i < kMany; ++i) write(complete(i, kEdge + 1 + i, "call"));
              }),
              ElementsAre(Counts{kMany, kMany, 0}, Counts{0, 0, kMany}));
}

TEST(ManyOpen, PairsInCompleteEvents) {
  EXPECT_THAT(counts_of([](auto write) {
                for (std::uint64_t i = 0; i < kMany; ++i) {
                  write(complete(2 * i, kLast - kMany - i, "call"));
                  write(begin(2 * i + 1, "inside"));
                }
                for (std::uint64_t i = 0; i < kMany; ++i) write(end(kLast - kMany + i, "inside"));
              }),
              ElementsAre(Counts{2 * kMany, 2 * kMany, 0}, Counts{2 * kMany, 2 * kMany, 0}));
}

TEST(ManyOpen, PairsThatEndBeforeTheRange) {
  EXPECT_THAT(counts_of(
                  [](auto write) {
                    for (std::uint64_t i = 0; i < kMany; ++i) write(begin(i, "over"));
                    for (std::uint64_t i = 0; i < kMany; ++i) write(complete(kMany + i, kLast - i, "call"));
                    for (std::uint64_t i = 0; i < kMany; ++i) write(end(2 * kMany + i, "over"));
                    write(event(EventType::Instant, kLast, "last"));
                  },
                  {.range = {.from = TraceTime{.ns = kEdge}}}),
              ElementsAre(Counts{0, 0, kMany}));
}

TEST(ManyOpen, AsyncOperationsOfOneIdAndTwoNames) {
  const auto async = [](EventType type, std::uint64_t time, std::uint64_t i) {
    Event event = cutting::event(type, time, i % 2 == 0 ? "even" : "odd");
    event.id = 7;
    return event;
  };
  EXPECT_THAT(counts_of([&](auto write) {
                for (std::uint64_t i = 0; i < kMany; ++i) write(async(EventType::AsyncBegin, i, i));
                for (std::uint64_t i = 0; i < kMany; i += 2) write(async(EventType::AsyncEnd, kEdge + i, i));
                for (std::uint64_t i = 1; i < kMany; i += 2)
                  write(async(EventType::AsyncEnd, kEdge + kMany + i, i));
              }),
              ElementsAre(Counts{kMany, kMany, 0}, Counts{kMany, kMany, 0}));
}

TEST(ManyOpen, FlowsInPairsThatAreNotKept) {
  const auto flow = [](EventType type, std::uint64_t i) {
    Event event = cutting::event(type, kEdge + i, "kept");
    event.id = i;
    return event;
  };
  EXPECT_THAT(counts_of(
                  [&](auto write) {
                    for (std::uint64_t i = 0; i < kMany; ++i) write(begin(i, "call"));
                    for (std::uint64_t i = 0; i < kMany; ++i) write(flow(EventType::FlowBegin, i));
                    for (std::uint64_t i = 0; i < kMany; ++i) write(end(kLast - kMany + i, "call"));
                  },
                  {.keeps = [](const Event& event) { return event.name.text == "kept"; }}),
              ElementsAre(Counts{0, 0, kMany}));
}

}  // namespace
}  // namespace fxt::test::cutting
