// The reader returns records in the order of time, for every order in the file.
#include "fxt/ordered_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "tests/fxt/sample_trace.h"

namespace fxt::test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// Builds the words of records. By default, an event has the thread at index 1 (thread 101 of process 100),
// and the string at index 2 ("one") as its name.
class Trace {
 public:
  Trace& string(std::uint64_t index, std::uint64_t three_letters) {
    return add({std::uint64_t{3} << 32 | index << 16 | 2 << 4 | 2, three_letters});
  }
  Trace& thread(std::uint64_t index, std::uint64_t process, std::uint64_t thread) {
    return add({index << 16 | 3 << 4 | 3, process, thread});
  }
  Trace& instant(std::uint64_t time, std::uint64_t name = 2, std::uint64_t thread = 1) {
    return add({name << 48 | thread << 24 | 2 << 4 | 4, time});
  }
  Trace& complete(std::uint64_t begin, std::uint64_t end) {
    return add({std::uint64_t{2} << 48 | 1 << 24 | 4 << 16 | 3 << 4 | 4, begin, end});
  }
  Trace& add(const Words& words) {
    words_.insert(words_.end(), words.begin(), words.end());
    return *this;
  }
  const Words& words() const { return words_; }

 private:
  Words words_ = joined(
      kStart, {2 << 16 | std::uint64_t{3} << 32 | 2 << 4 | 2, 0x65'6e6f, 1 << 16 | 3 << 4 | 3, 100, 101});
};

// One text for each event: "TIME NAME PROCESS/THREAD". A complete event has "TIME-END".
std::vector<std::string> events_of(OrderedReader&& reader) {
  std::vector<std::string> events;
  while (const Entry* const entry = reader.next()) {
    const auto* const event = std::get_if<Event>(&entry->record);
    if (event == nullptr) continue;
    const std::string end = event->type == EventType::DurationComplete ? fmt::format("-{}", event->end) : "";
    events.push_back(fmt::format("{}{} {} {}/{}", reader.reader().to_ns(event->time).value_or(0), end,
                                 event->name.text, event->thread.process, event->thread.thread));
  }
  EXPECT_EQ(reader.reader().end().reason, ReadEnd::Reason::EndOfFile);
  return events;
}
std::vector<std::string> events_of(const Trace& trace, const OrderedReader::Options& options = {}) {
  return events_of(OrderedReader(bytes_of(trace.words()), options));
}

TEST(OrderedReader, PutsLateRecordsAtTheirTimes) {
  EXPECT_THAT(
      events_of(Trace().instant(10).instant(30).instant(20).instant(5).instant(40)),
      ElementsAre("5 one 100/101", "10 one 100/101", "20 one 100/101", "30 one 100/101", "40 one 100/101"));
}

TEST(OrderedReader, KeepsTheOrderOfTheFileForEqualTimes) {
  EXPECT_THAT(events_of(Trace().string(3, 0x6f7774).instant(10).instant(30, 3).instant(10, 3).instant(30)),
              ElementsAre("10 one 100/101", "10 two 100/101", "30 two 100/101", "30 one 100/101"));
}

TEST(OrderedReader, PutsOuterCallsFirst) {
  EXPECT_THAT(events_of(Trace().complete(5, 8).complete(5, 5).complete(5, 9).complete(6, 7)),
              ElementsAre("5-9 one 100/101", "5-8 one 100/101", "5-5 one 100/101", "6-7 one 100/101"));
  EXPECT_THAT(events_of(Trace().complete(5, 5).complete(6, 7).complete(5, 8).complete(5, 9)),
              ElementsAre("5-5 one 100/101", "5-9 one 100/101", "5-8 one 100/101", "6-7 one 100/101"));
}

// In the file, the string is replaced and the thread is registered between events that are not in the order
// of time. Each event has the names that were valid at its place in the file.
TEST(OrderedReader, ReadsNamesAsTheyWereAtTheRecord) {
  EXPECT_THAT(events_of(Trace()
                            .instant(50)
                            .instant(10)
                            .instant(30, 2, 7)
                            .string(2, 0x6f7774)
                            .thread(7, 100, 107)
                            .instant(20)
                            .instant(40, 2, 7)
                            .instant(60)),
              ElementsAre("10 one 100/101", "20 two 100/101", "30 one 0/0", "40 two 100/107",
                          "50 one 100/101", "60 two 100/101"));
}

TEST(OrderedReader, ComparesTimesOfDifferentRatesInNs) {
  const Words other{0x0010'0000'0021'0020 | std::uint64_t{1} << 52,
                    0x78,
                    0x21,
                    1'000'000,
                    2 << 16 | std::uint64_t{3} << 32 | 2 << 4 | 2,
                    0x65'6e6f,
                    1 << 16 | 3 << 4 | 3,
                    200,
                    201};
  EXPECT_THAT(events_of(Trace().instant(5000).add(other).instant(2).instant(9)),
              ElementsAre("2000 one 200/201", "5000 one 100/101", "9000 one 200/201"));
}

TEST(OrderedReader, LeavesRecordsWithoutAPossibleTimeInPlace) {
  EXPECT_THAT(
      events_of(Trace().instant(10).instant(kTimeLimit).complete(9, 3).instant(20)),
      ElementsAre("9-3 one 100/101", "10 one 100/101", "9223372036854775808 one 100/101", "20 one 100/101"));
}

// The first provider counts in microseconds. The second provider has no rate, so it counts in ns.
TEST(OrderedReader, ComparesTimesOfAProviderWithoutARateInNs) {
  const Words rate{0x21, 1'000'000};
  const Words other{0x0010'0000'0021'0020 | std::uint64_t{1} << 52,
                    0x78,
                    2 << 16 | std::uint64_t{3} << 32 | 2 << 4 | 2,
                    0x65'6e6f,
                    1 << 16 | 3 << 4 | 3,
                    200,
                    201};
  EXPECT_THAT(events_of(Trace().add(rate).instant(7).add(other).instant(5000)),
              ElementsAre("5000 one 200/201", "7000 one 100/101"));
}

TEST(OrderedReader, ReportsTheProviderOfARecord) {
  const Words other{0x0010'0000'0021'0020 | std::uint64_t{1} << 52, 0x78};
  const Words section_of_first{0x12'0010};
  const auto bytes =
      bytes_of(Trace().instant(30).add(other).instant(10).add(section_of_first).instant(20).words());
  OrderedReader reader(bytes);
  std::vector<std::string> providers;
  while (const Entry* const entry = reader.next())
    if (std::holds_alternative<Event>(entry->record))
      providers.push_back(
          fmt::format("{} {}", reader.reader().provider_id(), reader.reader().provider_name()));
  EXPECT_THAT(providers, ElementsAre("2 x", "1 fxt", "1 fxt"));
}

// Three threads use index 1 in turn, many times.
TEST(OrderedReader, StoresAThreadThatIsRegisteredManyTimesOnlyOnce) {
  Trace trace;
  std::vector<std::string> expected;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    trace.thread(1, 100, 101 + i % 3).instant(9000 - i);
    expected.push_back(fmt::format("{} one 100/{}", 9000 - i, 101 + i % 3));
  }
  std::ranges::reverse(expected);
  EXPECT_THAT(events_of(trace), ElementsAreArray(expected));
}

TEST(OrderedReader, ReportsTheOffsetOfARecord) {
  const Words words = Trace().instant(30).instant(20).words();
  const auto bytes = bytes_of(words);
  OrderedReader reader(bytes);
  std::vector<std::uint64_t> offsets;
  while (const Entry* const entry = reader.next())
    if (std::holds_alternative<Event>(entry->record)) offsets.push_back(entry->offset);
  EXPECT_THAT(offsets, ElementsAre((words.size() - 2) * 8, (words.size() - 4) * 8));
}

Trace many_records(std::vector<std::string>& sorted) {
  std::mt19937_64 random(7);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> events;
  Trace trace;
  trace.string(3, 0x6f7774);
  for (int i = 0; i < 50'000; ++i) {
    events.emplace_back(random() % 40'000, 2 + random() % 2);
    trace.instant(events.back().first, events.back().second);
  }
  std::ranges::stable_sort(events, {}, [](const auto& event) { return event.first; });
  for (const auto& [time, name] : events)
    sorted.push_back(fmt::format("{} {} 100/101", time, name == 2 ? "one" : "two"));
  return trace;
}

TEST(OrderedReader, SortsInATemporaryFile) {
  std::vector<std::string> sorted;
  const Trace trace = many_records(sorted);
  EXPECT_THAT(events_of(trace), ElementsAreArray(sorted));
  EXPECT_THAT(events_of(trace, {.memory_bytes = 40'000}), ElementsAreArray(sorted));
}

TEST(OrderedReader, ReportsATemporaryFileWithoutSpace) {
  std::vector<std::string> sorted;
  const Trace trace = many_records(sorted);
  const char* const variable = std::getenv("TMPDIR");
  const auto before = variable != nullptr ? std::optional<std::string>(variable) : std::nullopt;
  ::setenv("TMPDIR", "/dev/null", 1);  // this is not a folder, so no temporary file can be created
  std::string problem;
  try {
    events_of(trace, {.memory_bytes = 40'000});
  } catch (const std::system_error& error) {
    problem = error.what();
  }
  before ? ::setenv("TMPDIR", before->c_str(), 1) : ::unsetenv("TMPDIR");
  EXPECT_EQ(problem,
            "/dev/null: can't use a temporary file (set TMPDIR to use another folder): Not a directory");
}

// Returns a few bytes at a time, and optionally fails at the end. Can be read only once.
class Pipe final : public Input {
 public:
  explicit Pipe(std::vector<std::byte> bytes, bool fails = false) : bytes_(std::move(bytes)), fails_(fails) {}
  std::size_t read(std::span<std::byte> room) override {
    const std::size_t size = std::min({room.size(), bytes_.size() - at_, std::size_t{1000}});
    if (size == 0 && fails_) throw std::runtime_error("broken");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), size, room.begin());
    at_ += size;
    return size;
  }

 private:
  std::vector<std::byte> bytes_;
  bool fails_;
  std::size_t at_ = 0;
};

TEST(OrderedReader, ReadsAPipe) {
  std::vector<std::string> sorted;
  const Trace trace = many_records(sorted);
  Pipe pipe(bytes_of(trace.words())), again(bytes_of(trace.words()));
  EXPECT_THAT(events_of(OrderedReader(pipe)), ElementsAreArray(sorted));
  EXPECT_THAT(events_of(OrderedReader(again, {.memory_bytes = 40'000})), ElementsAreArray(sorted));
}

TEST(OrderedReader, PassesAFailureOnAfterTheRecords) {
  Pipe pipe(bytes_of(Trace().instant(20).instant(10).words()), true);
  OrderedReader reader(pipe);
  std::vector<std::uint64_t> times;
  const auto read_all = [&] {
    while (const Entry* const entry = reader.next())
      if (const auto* const event = std::get_if<Event>(&entry->record)) times.push_back(event->time);
  };
  EXPECT_THROW(read_all(), std::runtime_error);
  EXPECT_THAT(times, ElementsAre(10, 20));
}

TEST(OrderedReader, ReadsTheOtherByteOrder) {
  Words words = Trace().instant(20).instant(10).words();
  for (std::uint64_t& word : words) word = __builtin_bswap64(word);
  // The bytes of a text have the same order in both byte orders, so they are swapped back.
  words[kStart.size() + 1] = __builtin_bswap64(words[kStart.size() + 1]);
  words[2] = __builtin_bswap64(words[2]);
  const auto bytes = bytes_of(words);
  EXPECT_THAT(events_of(OrderedReader(bytes)), ElementsAre("10 one 100/101", "20 one 100/101"));
}

}  // namespace
}  // namespace fxt::test
