// Tests how large pieces become if their size is limited, for all kinds of traces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fxt/cutting/pieces.h"

namespace fxt::test {
namespace {

constexpr Thread kThread{.process = 1, .thread = 2};

Event complete(std::uint64_t begin, std::uint64_t end, std::string_view name) {
  return {.type = EventType::DurationComplete, .time = begin, .thread = kThread, .name = name, .end = end};
}

Event instant(std::uint64_t time, std::string_view name) {
  return {.type = EventType::Instant, .time = time, .thread = kThread, .name = name};
}

// Returns the size of the largest piece. Also checks that no piece breaks a rule.
std::uint64_t largest_piece(const std::function<void(Writer&)>& write, std::uint64_t limit) {
  std::uint64_t largest = 0;
  const Cuts cuts = cut(file_of(write), {.split_bytes = limit});
  EXPECT_GT(cuts.pieces.size(), 3U);
  std::size_t oversized = 0;
  for (const Words& piece : cuts.pieces) {
    EXPECT_EQ(broken_rules(piece), "");
    largest = std::max<std::uint64_t>(largest, piece.size() * sizeof(std::uint64_t));
    oversized += piece.size() * sizeof(std::uint64_t) > limit + limit / 64 ? 1U : 0U;
  }
  EXPECT_EQ(cuts.counters.oversized, oversized);
  EXPECT_EQ(cuts.counters.largest_bytes, largest);
  return largest;
}

constexpr std::uint64_t kLimit = 20'000, kTolerance = kLimit / 64;

TEST(SplitSize, IsKeptAfterAQuietPeriod) {
  const auto largest = largest_piece(
      [](Writer& writer) {
        std::uint64_t time = 1000;
        for (int i = 0; i < 400; ++i, time += 1'000'000'000) writer.write(complete(time, time, "seldom"));
        for (int i = 0; i < 5000; ++i, time += 2) writer.write(complete(time, time + 1, "often"));
      },
      kLimit);
  EXPECT_LE(largest, kLimit + kTolerance);
  EXPECT_GT(largest, kLimit - 2 * kTolerance);
}

TEST(SplitSize, HasSpaceForOpenDurations) {
  const auto largest = largest_piece(
      [](Writer& writer) {
        std::uint64_t time = 1000, end = 1'000'000;
        for (int i = 0; i < 100; ++i, ++time, --end) writer.write(complete(time, end, "deep"));
        for (int i = 0; i < 5000; ++i, time += 2) writer.write(complete(time, time + 1, "leaf"));
      },
      kLimit);
  EXPECT_LE(largest, kLimit + kTolerance);
}

// The calls of 500 threads are open at once. Each piece must repeat them, so the limit can't be kept.
TEST(SplitSize, IsExceededByRepeatedState) {
  const auto largest = largest_piece(
      [](Writer& writer) {
        for (std::uint64_t thread = 0; thread < 500; ++thread) {
          Event call = complete(1000 + thread, 100'000 + 10 * thread, "long");
          call.thread.thread = 2 + thread;
          writer.write(call);
        }
      },
      kLimit);
  EXPECT_GT(largest, kLimit);
  EXPECT_LE(largest, 4 * kLimit);
}

TEST(SplitSize, ATinySizeStillMakesProgress) {
  const Cuts cuts = cut(file_of([](Writer& writer) {
                          for (std::uint64_t i = 0; i < 50; ++i)
                            writer.write(complete(10 + 2 * i, 11 + 2 * i, "x"));
                        }),
                        {.split_bytes = 1});
  EXPECT_GT(cuts.pieces.size(), 10U);
  EXPECT_EQ(cuts.counters.events, 50U);
}

// A converted recording starts with blobs of its files. If only a few instants follow, these blobs are in the
// same piece as the first calls.
TEST(SplitSize, APieceWithoutCallsIsJoinedWithTheNextOne) {
  const std::vector<std::byte> bytes(4500);
  const auto texts = [&](std::uint64_t instants) {
    return texts_of(cut(file_of([&](Writer& writer) {
                          writer.write(instant(5, "info"));
                          writer.write(Blob{.name = "files", .bytes = bytes});
                          for (std::uint64_t i = 0; i < instants; ++i) writer.write(instant(6 + i, "hit"));
                          for (std::uint64_t time = 1000; time < 1500; ++time)
                            writer.write(complete(time, time + 1, "work"));
                        }),
                        {.split_bytes = 4096}));
  };
  EXPECT_NE(texts(3).front().find("work"), std::string::npos);
  EXPECT_NE(texts(3).at(1).find("work"), std::string::npos);
  EXPECT_EQ(texts(100).front().find("work"), std::string::npos)
      << "many instants are the contents of a trace";
}

TEST(SplitSize, TakesAllKindsOfRecords) {
  const std::vector<std::byte> bytes(3000);
  const Cuts cuts = cut(file_of([&](Writer& writer) {
                          writer.name_process(1, "app");
                          writer.name_thread(1, 2, "main");
                          for (std::uint64_t time = 10; time < 400; time += 10) {
                            writer.write(complete(time, time + 5, "x"));
                            writer.write(LegacyContextSwitch{.time = time + 6, .incoming = kThread});
                            writer.write(Log{.time = time + 7, .thread = kThread, .message = "said"});
                            writer.write(Blob{.name = "blob", .bytes = bytes});
                          }
                        }),
                        {.split_bytes = 10'000});
  EXPECT_EQ(cuts.counters.events, 4U * 39);
  EXPECT_EQ(cuts.counters.unwritable, 0U);
  std::string all;
  for (const std::string& text : texts_of(cuts)) all += text;
  const auto count = [&all](const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = all.find(word, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("log "), 39U);
  EXPECT_EQ(count("blob \"blob\""), 39U);
}

}  // namespace
}  // namespace fxt::test
