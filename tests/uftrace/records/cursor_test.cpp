// Tests which items RecordCursor finds in a file. The size of blocks must not change the items.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "converters/uftrace/records/record_cursor.h"
#include "tests/uftrace/records/record_bytes.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The candidate layouts for payloads of one function.
class FakeLayouts : public CandidateLayouts {
 public:
  // Makes a layout for each size. The most likely size comes first.
  FakeLayouts(std::uint64_t address, const std::vector<std::size_t>& sizes) : address_(address) {
    for (const std::size_t size : sizes)
      layouts_.emplace_back(std::vector{SpecItem{.number = 1, .format = Format::Struct, .size = size}},
                            PayloadLayout::Context{std::endian::little, names_, enums_});
  }
  std::span<const PayloadLayout> candidates(std::uint64_t, std::uint64_t address, bool) override {
    return address == address_ ? std::span<const PayloadLayout>(layouts_) : std::span<const PayloadLayout>();
  }
  std::size_t index_of(const PayloadLayout* layout) const {
    return static_cast<std::size_t>(layout - layouts_.data());
  }

 private:
  std::uint64_t address_;
  Names names_;
  EnumTypes enums_;
  std::vector<PayloadLayout> layouts_;
};

struct Way {
  std::size_t block = 4096;
  bool plain = true;     // true if runs of plain records are accepted
  bool payloads = true;  // true if payloads whose layout is certain are accepted
  FakeLayouts* layouts = nullptr;
  ThreadFacts facts = {};
};

std::string text_of(const RecordItem& item, const FakeLayouts* layouts) {
  const auto& call = item.call;
  switch (item.what) {
    case RecordItem::What::Call:
      return fmt::format(
          "{}{} {} {:x}{}{}", item.call.is_entry() ? ">" : "<", call.depth, call.time_ns, call.address,
          item.has_payload ? fmt::format(" +{}", item.end - item.begin - 16) : "",
          item.layout != nullptr
              ? fmt::format(" layout {} of {}", layouts->index_of(item.layout), item.payload.size())
              : "");
    case RecordItem::What::Event:
      return fmt::format("event {} {} +{}", call.time_ns, call.address, item.payload.size());
    case RecordItem::What::Loss:
      return fmt::format("lost {}", call.address);
    case RecordItem::What::BadTime:
      return fmt::format("bad time {}", call.time_ns);
    case RecordItem::What::NotRecords:
      return fmt::format("not records {}..{}", item.begin, item.end);
    case RecordItem::What::Zeros:
      return fmt::format("zeros {}..{}", item.begin, item.end);
    case RecordItem::What::Truncated:
      return fmt::format("truncated {}..{} of {}", item.begin, item.end, item.needed);
  }
  return {};
}

struct PlainTaker {
  std::function<bool(const CallRecord&)> add;
  std::function<bool(const CallRecord&, const PayloadLayout&, std::span<const std::byte>)> try_add;

  template <std::endian Order>
  std::size_t operator()(const PlainRecords<Order>& run, std::uint64_t) const {
    return run.count_while(add);
  }
};

std::size_t sure_payloads = 0;  // number of payloads whose layout is certain, in all tests

std::vector<std::string> items_of(const std::string& bytes, const Way& way = {}) {
  TextRecording directory;
  directory.file("1.dat", bytes);
  const InputFile file{fxt::FilePlace(directory.path() / "1.dat")};
  ScannedCalls<> open;
  RecordCursor cursor(file, way.facts, open, way.layouts);
  std::vector<std::string> items;
  std::vector<std::byte> block(way.block);
  std::uint64_t seen_ns = 0, records = 0;
  const auto say = [&](const RecordItem& item) { items.push_back(text_of(item, way.layouts)); };
  const auto try_follow = [&](const CallRecord& call) {
    if (call.time_ns < seen_ns || !open.try_follow(call)) return false;
    seen_ns = call.time_ns;
    ++records;
    return true;
  };
  const auto add = [&](const CallRecord& call) {
    if (!way.plain || !try_follow(call)) return false;
    say({.what = RecordItem::What::Call, .begin = 0, .end = 0, .call = call});
    return true;
  };
  const auto add_payload = [&](const CallRecord& call, const PayloadLayout& layout,
                               std::span<const std::byte> payload) {
    if (!way.payloads || !try_follow(call)) return false;
    ++sure_payloads;
    say({.what = RecordItem::What::Call,
         .begin = 0,
         .end = kRecordSize + padded(payload.size()),
         .call = call,
         .has_payload = true,
         .payload = payload,
         .layout = &layout});
    return true;
  };
  const PlainTaker plain{add, add_payload};
  while (!cursor.is_done()) {
    const std::uint64_t before = cursor.offset();
    cursor.read(block);
    while (const auto item = cursor.next({}, plain)) {
      if (item->what == RecordItem::What::Call) {
        open.follow(item->call);
        seen_ns = std::max(seen_ns, item->call.time_ns);
      }
      records += item->what <= RecordItem::What::BadTime;
      say(*item);
    }
    if (cursor.offset() == before && !cursor.is_done()) {
      ADD_FAILURE() << "no progress at " << before;
      break;
    }
  }
  EXPECT_EQ(cursor.offset(), bytes.size());
  EXPECT_EQ(cursor.records(), records);
  return items;
}

TEST(RecordCursor, ReturnsAllKindsOfItems) {
  RecordBytes bytes;
  bytes.entry(10, 0, kF).entry(11, 1, kG, 24).event(12, 1000000).event_with(13, 100011, 0x0001'0004).lost(7);
  bytes.exit(20, 1, kG).zeros(32).lost(2).text(24).exit(30, 0, kF).word(5);
  EXPECT_THAT(items_of(bytes.whole()),
              ElementsAre(">0 10 401100", ">1 11 401200 +24", "event 12 1000000 +0", "event 13 100011 +4",
                          "lost 7", "<1 20 401200", "zeros 128..160", "lost 2", "not records 176..200",
                          "<0 30 401100", "truncated 216..224 of 16"));
}

TEST(RecordCursor, AnEmptyFileHasNoItems) { EXPECT_THAT(items_of(""), IsEmpty()); }

TEST(RecordCursor, StopsAtTheTimeUpToWhichSideStreamsAreComplete) {
  TextRecording directory;
  directory.file("1.dat", RecordBytes().entry(10, 0, kF).entry(20, 1, kG).exit(30, 1, kG).whole());
  const InputFile file{fxt::FilePlace(directory.path() / "1.dat")};
  ScannedCalls<> open;
  const ThreadFacts facts;
  RecordCursor cursor(file, facts, open);
  std::vector<std::byte> block(4096);
  std::vector<std::uint64_t> times;
  const auto plain = [&](const auto& run, std::uint64_t) {
    return run.count_while([&](const CallRecord& call) {
      if (!open.try_follow(call)) return false;
      times.push_back(call.time_ns);
      return true;
    });
  };
  const auto go_to = [&](std::uint64_t delivered_until_ns) {
    cursor.read(block);
    while (const auto item = cursor.next({.delivered_until_ns = delivered_until_ns}, plain)) {
      open.follow(item->call);
      times.push_back(item->call.time_ns);
    }
  };
  go_to(10);
  EXPECT_TRUE(cursor.is_held());
  EXPECT_THAT(times, IsEmpty());
  go_to(30);
  EXPECT_THAT(times, ElementsAre(10u, 20u));
  EXPECT_TRUE(cursor.is_held());
  EXPECT_FALSE(cursor.is_done());
  go_to(31);
  EXPECT_THAT(times, ElementsAre(10u, 20u, 30u));
  EXPECT_TRUE(cursor.is_done());
}

// ---- Layouts of payloads ----

TEST(RecordCursorLayouts, FitIfARecordThatFitsComesAfterThem) {
  const std::string bytes =
      RecordBytes().entry(10, 0, kF, 24).entry(11, 1, kG).exit(12, 1, kG).exit(13, 0, kF, 8).whole();
  FakeLayouts right(kF, {20});  // 20 bytes and 4 bytes of padding
  EXPECT_THAT(
      items_of(bytes, {.layouts = &right}),
      ElementsAre(">0 10 401100 +24 layout 0 of 20", ">1 11 401200", "<1 12 401200", "<0 13 401100 +8"));
  FakeLayouts second(kF, {8, 40, 24});
  EXPECT_THAT(items_of(bytes, {.layouts = &second}).front(), ">0 10 401100 +24 layout 2 of 24");
  FakeLayouts none(kF, {8, 16, 2000});
  EXPECT_THAT(items_of(bytes, {.layouts = &none}).front(), ">0 10 401100 +24");
}

// The layout has 56 bytes, so the payload would include the next two records.
TEST(RecordCursorLayouts, AreNotLargerThanThePayload) {
  const std::string bytes =
      RecordBytes().entry(10, 0, kF, 24).entry(11, 1, kG).exit(12, 1, kG).exit(13, 0, kF).whole();
  FakeLayouts too_large(kF, {24 + 32});
  EXPECT_THAT(items_of(bytes, {.layouts = &too_large}),
              ElementsAre(">0 10 401100 +24", ">1 11 401200", "<1 12 401200", "<0 13 401100"));
}

TEST(RecordCursorLayouts, FitAtTheEndOfTheFile) {
  FakeLayouts layouts(kF, {24});
  EXPECT_THAT(items_of(RecordBytes().entry(10, 0, kF, 24).whole(), {.layouts = &layouts}),
              ElementsAre(">0 10 401100 +24 layout 0 of 24"));
  EXPECT_THAT(items_of(RecordBytes().entry(10, 0, kF, 16).whole(), {.layouts = &layouts}),
              ElementsAre(">0 10 401100 +16"));
  // A layout without values is wrong, because bytes come after the record.
  FakeLayouts none(kF, {0});
  EXPECT_THAT(items_of(RecordBytes().entry(10, 0, kF, 8).whole(), {.layouts = &none}),
              ElementsAre(">0 10 401100 +8"));
}

TEST(RecordCursorLayouts, FitEvenIfTheNextRecordMatchesNoOpenCall) {
  // The exit after the payload matches no open call, but it is a record.
  FakeLayouts layouts(kF, {24});
  const auto items =
      items_of(RecordBytes().entry(10, 0, kF, 24).exit(11, 5, kG).whole(), {.layouts = &layouts});
  EXPECT_THAT(items, ElementsAre(">0 10 401100 +24 layout 0 of 24", "<5 11 401200"));
}

// Payloads are random, may look like records, and may be damaged. If the layout of a payload is certain,
// the fast path must give the same items as the slow check.
TEST(RecordCursorLayouts, CertainLayoutsGiveTheSameResult) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto one_of = [&](unsigned count) { return random() % count; };
    RecordBytes bytes;
    std::uint64_t time = 1'000'000'000'000;
    std::vector<std::uint64_t> open;
    const auto put_payload = [&](std::size_t words) {
      for (std::size_t i = 0; i < words; ++i) {
        const std::array lookalikes{
            std::uint64_t{0},        random(),
            time + one_of(5) - 2,    time + (std::uint64_t{1} << 42) - one_of(1010),
            time - 995 - one_of(10), 0x28 + one_of(8) + 64 * (open.size() + one_of(3) - 1) + kF * 65536,
            0x2a + 65536 * one_of(3)};
        bytes.word(lookalikes[one_of(3) == 0 ? 1 : one_of(lookalikes.size())]);
      }
    };
    for (int i = 0; i < 100; ++i) {
      time += one_of(50) == 0 ? 10'000'000 : one_of(5);
      const std::size_t words = one_of(2) == 0 ? 1 + one_of(4) : 0;
      const bool is_exit = open.size() > 5 || (!open.empty() && one_of(2) == 0);
      if (!is_exit) open.push_back(one_of(4) != 0 ? kF : kG);
      const std::uint64_t depth = open.size() - (one_of(40) == 0 ? 0 : 1);
      bytes.word(time - (one_of(40) == 0 ? one_of(1100) : 0))
          .word((is_exit ? 0x29u : 0x28u) + (words != 0 ? 4u : 0u) + 64 * depth + 65536 * open.back());
      if (is_exit) open.pop_back();
      put_payload(words);
    }
    std::string damaged = bytes.whole();
    if (seed % 2 == 1)
      for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] ^= static_cast<char>(1 << one_of(8));
    const auto ways = std::to_array<std::vector<std::size_t>>({{8}, {24}, {16, 8}, {0, 16}, {12, 20}});
    FakeLayouts layouts(kF, ways[seed % ways.size()]);
    ASSERT_EQ(items_of(damaged, {.layouts = &layouts}),
              items_of(damaged, {.plain = false, .payloads = false, .layouts = &layouts}))
        << "seed " << seed;
  }
  EXPECT_GT(sure_payloads, 1000u);
}

// ---- Events ----

TEST(RecordCursorEvents, WithAWrongLengthLoseNoRecord) {
  const auto items = items_of(RecordBytes()
                                  .entry(10, 0, kF)
                                  // The event has 4 bytes of data, but a length of 20 bytes.
                                  .event_with(11, 100011, 0x0001'0014)
                                  .entry(12, 1, kG)
                                  .exit(13, 1, kG)
                                  .exit(14, 0, kF)
                                  .whole());
  EXPECT_THAT(items, ElementsAre(">0 10 401100", "event 11 100011 +0", ">1 12 401200", "<1 13 401200",
                                 "<0 14 401100"));
}

TEST(RecordCursorEvents, MayBeTruncatedByTheEndOfTheFile) {
  EXPECT_THAT(items_of(RecordBytes().event_with(11, 100001, 0x18).word(1).whole()),
              ElementsAre("event 11 100001 +0", "truncated 16..32 of 32"));
}

// ---- Damage ----

// The third record is earlier than the second. The fourth record shows that the third record is damaged.
TEST(RecordCursorTimes, AreKeptIfTheNextRecordIsTheDamagedOne) {
  constexpr std::uint64_t kMinute = 60'000'000'000;
  const auto items = items_of(RecordBytes()
                                  .entry(10, 0, kF)
                                  .entry(10 + kMinute, 1, kG)
                                  .exit(12, 1, kG)
                                  .exit(20 + kMinute, 0, kF)
                                  .whole());
  EXPECT_THAT(items,
              ElementsAre(">0 10 401100", ">1 60000000010 401200", "<1 12 401200", "<0 60000000020 401100"));
}

TEST(RecordCursorTimes, AreDroppedIfTheNextTwoRecordsContradictThem) {
  constexpr std::uint64_t kMinute = 60'000'000'000;
  const auto items = items_of(
      RecordBytes().entry(10, 0, kF).entry(10 + kMinute, 1, kG).exit(12, 1, kG).exit(20, 0, kF).whole());
  EXPECT_THAT(items, ElementsAre(">0 10 401100", "bad time 60000000010", "<1 12 401200", "<0 20 401100"));
}

TEST(RecordCursorDepths, Exceed1023OnlyIfTheRecorderAllowsIt) {
  RecordBytes bytes;
  for (std::uint64_t depth = 0; depth < 1024; ++depth) bytes.entry(10 + depth, depth, kF);
  bytes.entry(2000, 0, kF + 1);
  Way way;
  EXPECT_EQ(items_of(bytes.whole(), way).back(), ">1024 2000 401100");
  way.facts.max_stack = 2000;
  EXPECT_EQ(items_of(bytes.whole(), way).back(), ">1024 2000 401100");
  way.facts.max_stack = 1024;
  EXPECT_EQ(items_of(bytes.whole(), way).back(), ">0 2000 401101");
}

// After damage, a call of an unknown function with a payload is accepted only if a record comes after the
// payload. This must work wherever a block of the file ends.
TEST(RecordCursor, TheLongestPayloadAfterDamageMayBeAnywhereInABlock) {
  constexpr std::uint64_t kUnlisted = 0x7fff'1234'5678;
  constexpr std::size_t kLongest = 1024, kWords = 4096 / 8;
  Way way;
  way.facts.code = std::make_shared<CodeAt>();
  for (std::size_t words = 1; words <= kWords; ++words) {
    RecordBytes bytes;
    bytes.entry(10, 0, kF).text(8 * words).entry(11, 1, kUnlisted, kLongest).exit(12, 1, kUnlisted);
    for (std::uint64_t time = 20; time < 600; time += 2) bytes.entry(time, 1, kG).exit(time + 1, 1, kG);
    const auto items = items_of(bytes.whole(), way);
    ASSERT_EQ(items[2], ">1 11 7fff12345678 +1024") << words << " words";
    ASSERT_EQ(items.size(), 4 + 580u);
  }
}

// A file with all kinds of records in random order, and some damage. The items must be the same for every
// block size, with and without the fast path for plain records.
TEST(RecordCursor, ItemsDoNotDependOnBlocks) {
  constexpr int kFiles = 40, kRecords = 1500;
  for (unsigned seed = 0; seed < kFiles; ++seed) {
    std::mt19937 random(seed);
    const auto one_of = [&](unsigned count) { return random() % count; };
    RecordBytes bytes;
    std::uint64_t time = 1'000'000'000'000;
    std::vector<std::uint64_t> open;
    for (int i = 0; i < kRecords; ++i) {
      time += one_of(400) == 0 ? 10'000'000 : one_of(5);
      const std::size_t payload = one_of(3) == 0 ? 8 * one_of(one_of(20) == 0 ? 129 : 6) : 0;
      if (open.size() > 20 || (!open.empty() && one_of(2) == 0)) {
        bytes.exit(time, open.size() - 1, open.back(), payload);
        open.pop_back();
      } else {
        open.push_back(one_of(2) == 0 ? kF : kG);
        bytes.entry(time, open.size() - 1, open.back(), payload);
      }
      switch (one_of(60)) {
        case 0:
          bytes.lost(1 + one_of(9));
          break;
        case 1:
          bytes.event_with(time, 100011, 4);
          break;
        case 2:
          bytes.zeros(8 * one_of(one_of(4) == 0 ? 2000 : 10));
          break;
        case 3:
          bytes.text(8 * one_of(one_of(4) == 0 ? 2000 : 10));
          break;
        default:
          break;
      }
    }
    std::string damaged = bytes.whole();
    if (seed % 2 == 1)
      for (int i = 0; i < 20; ++i) damaged[random() % damaged.size()] ^= static_cast<char>(1 << one_of(8));
    damaged.resize(damaged.size() - one_of(20));
    const auto expected = items_of(damaged, {.block = std::size_t{1} << 20});
    for (const std::size_t block : {4096u, 4112u, 10'000u})
      ASSERT_EQ(items_of(damaged, {.block = block}), expected) << "seed " << seed << ", blocks of " << block;
    ASSERT_EQ(items_of(damaged, {.block = 8192, .plain = false}), expected)
        << "seed " << seed << ", nothing plain";
    if (seed % 2 == 0) {
      EXPECT_THAT(expected, testing::Not(testing::Contains(testing::StartsWith("bad time"))));
    }
  }
}

// A hole in a file may have many gigabytes, so reading its zeros would take too long.
TEST(RecordCursorHoles, AreNotRead) {
  constexpr std::uint64_t kHoleEnd = std::uint64_t{1} << 26;
  TextRecording directory;
  const std::string begin = RecordBytes().entry(10, 0, kF).whole(),
                    end = RecordBytes().exit(20, 0, kF).whole();
  directory.file("1.dat", begin);
  std::fstream sparse(directory.path() / "1.dat", std::ios::in | std::ios::out | std::ios::binary);
  sparse.seekp(kHoleEnd);
  sparse << end;
  sparse.close();
  const InputFile file{fxt::FilePlace(directory.path() / "1.dat")};
  const std::uint64_t data = file.end_of_hole(std::uint64_t{1} << 20);
  if (data == std::uint64_t{1} << 20) return;  // this file system does not support holes
  EXPECT_EQ(data, kHoleEnd);
  EXPECT_EQ(file.end_of_hole(kHoleEnd), kHoleEnd);
  ScannedCalls<> open;
  const ThreadFacts facts;
  RecordCursor cursor(file, facts, open);
  std::vector<std::byte> block(4096);
  std::vector<std::string> items;
  for (std::size_t reads = 0; !cursor.is_done() && reads < 10; ++reads) {
    cursor.read(block);
    while (const auto item = cursor.next({}, [](const auto&, std::uint64_t) { return std::size_t{0}; }))
      items.push_back(text_of(*item, nullptr));
  }
  EXPECT_THAT(items, ElementsAre(">0 10 401100", fmt::format("zeros 16..{}", kHoleEnd), "<0 20 401100"));
}

TEST(RecordBlock, ContinuesAfterTheConsumedBytes) {
  TextRecording recording;
  recording.file("1.dat", "0123456789");
  const InputFile file{fxt::FilePlace(recording.path() / "1.dat")};
  RecordBlock block(file);
  std::array<std::byte, 4> bytes;
  block.read(bytes);
  block.consume(3);
  EXPECT_EQ(block.offset(), 3u);
  EXPECT_EQ(block.end_offset(), 4u);
  EXPECT_EQ(block.rest().bytes.front(), std::byte{'3'});
  block.read(bytes);
  EXPECT_EQ(block.end_offset(), 7u);
  EXPECT_FALSE(block.rest().at_end);
  block.jump_to(8);
  block.read(bytes);
  EXPECT_EQ(block.rest().bytes.size(), 2u);
  EXPECT_TRUE(block.rest().at_end);
  EXPECT_FALSE(block.is_at_end());
  block.consume(2);
  EXPECT_TRUE(block.is_at_end());
}

}  // namespace
}  // namespace convert::uftrace
