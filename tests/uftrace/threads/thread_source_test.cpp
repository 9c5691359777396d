// Reading the file of one thread: two threads take turns, and each reads ahead for its next turn.
#include "converters/uftrace/threads/thread_source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

constexpr std::uint64_t kCalls = 200'000;
constexpr std::uint64_t kTurnCalls = 32'768;
constexpr std::uint64_t kLeft = 200;  // a turn leaves its last few records for the next one

RecordingBuilder& add_calls(RecordingBuilder& recording, std::uint64_t address) {
  for (std::uint64_t i = 1; i <= kCalls; ++i)
    recording.entry(20 * i, 0, address).exit(20 * i + 10, 0, address);
  return recording;
}

// The number of turns whose calls are unchanged if the calls of the file change after some rounds.
std::uint64_t turns_before_change(std::size_t rounds, bool are_two) {
  RecordingBuilder recording, changed;
  add_calls(recording, RecordingBuilder::kF);
  add_calls(changed, RecordingBuilder::kG).lines();
  std::size_t round = 0;
  const auto change = [&] {
    if (++round != rounds) return;
    std::ifstream from(changed.path() / "100.dat", std::ios::binary);
    std::fstream(recording.path() / "100.dat", std::ios::binary | std::ios::in | std::ios::out)
        << from.rdbuf();
  };
  recording.each_round(change);
  if (are_two) recording.two_threads();
  const auto lines = recording.lines();
  const auto calls_of = [&](std::string_view name) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(lines, [&](const std::string& line) { return line.find(name) != line.npos; }));
  };
  EXPECT_EQ(calls_of("demo:f") + calls_of("demo:g"), kCalls);
  return (calls_of("demo:f") + kLeft) / kTurnCalls;
}

TEST(ThreadSource, EachTurnIsReadInThePreviousTurn) {
  EXPECT_EQ(turns_before_change(2, false), 2u);
  EXPECT_EQ(turns_before_change(2, true), 3u);
  EXPECT_EQ(turns_before_change(3, true), 4u);
}

}  // namespace
}  // namespace convert::uftrace
