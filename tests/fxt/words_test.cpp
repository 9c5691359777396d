// Encodes records by hand with the public functions. The words must be those of the spec.
#include "fxt/words.h"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "fxt/reader.h"
#include "tests/fxt/trace_words.h"

namespace fxt::test {
namespace {

constexpr TextRef kName = TextRef::table(2);

// Returns the words that `put` writes. First sets all bits of these words, so that missing padding is found.
template <typename Put>
Words words_put(Put put) {
  Words words(64, ~std::uint64_t{0});
  words.resize(static_cast<std::size_t>(put(words.data()) - words.data()));
  return words;
}

TEST(Words, SizesIncludeAPartialWord) {
  EXPECT_EQ(fxt::words_of(0), 0U);
  EXPECT_EQ(fxt::words_of(1), 1U);
  EXPECT_EQ(fxt::words_of(8), 1U);
  EXPECT_EQ(fxt::words_of(9), 2U);
  EXPECT_EQ(fxt::words_of(std::numeric_limits<std::size_t>::max()), std::size_t{1} << 61);
}

TEST(Words, BytesArePaddedWithZeros) {
  EXPECT_EQ(words_put([](std::uint64_t* at) { return put_bytes(at, "", 0); }), Words{});
  EXPECT_EQ(words_put([](std::uint64_t* at) { return put_bytes(at, "abcdefgh", 8); }),
            Words{0x6867'6665'6463'6261});
  EXPECT_EQ(words_put([](std::uint64_t* at) { return put_bytes(at, "abcdefghi", 9); }),
            (Words{0x6867'6665'6463'6261, 0x69}));
}

// Different numbers of bytes are copied by different code, so each number up to 300 is tested.
TEST(Words, EachNumberOfBytesIsPadded) {
  std::string bytes;
  Words expected;
  for (std::size_t size = 0; size <= 300; ++size) {
    const std::string exact = bytes;  // sanitizers report a read beyond the end of `exact`
    EXPECT_EQ(words_put([&](auto* at) { return put_bytes(at, exact.data(), size); }), expected) << size;
    const auto next = static_cast<unsigned char>(0x80 + size * 7 % 251);
    bytes += static_cast<char>(next);
    if (size % 8 == 0) expected.push_back(0);
    expected.back() |= std::uint64_t{next} << 8 * (size % 8);
  }
}

TEST(Words, ReferencesToText) {
  EXPECT_EQ(TextRef::table(7).ref, 7);
  EXPECT_EQ(TextRef::inlined("four").ref, 0x8004);
  EXPECT_EQ(TextRef::inlined("four").words(), 1U);
  EXPECT_EQ(TextRef::inlined("").ref, 0);  // an empty string has no text in the record
}

// The upper half of an argument's word is the value or the number of bytes. The lower half has name 2, the
// size and the type.
TEST(Words, Arguments) {
  EXPECT_EQ(words_put([](auto* at) { return put_null(at, kName); }), Words{0x0002'0010});
  EXPECT_EQ(words_put([](auto* at) { return put_int32(at, kName, -2); }), Words{0xffff'fffe'0002'0011});
  EXPECT_EQ(words_put([](auto* at) { return put_uint32(at, kName, 7); }), Words{0x0000'0007'0002'0012});
  EXPECT_EQ(words_put([](auto* at) { return put_int64(at, kName, -2); }),
            (Words{0x0002'0023, 0xffff'ffff'ffff'fffe}));
  EXPECT_EQ(words_put([](auto* at) { return put_uint64(at, kName, 7); }), (Words{0x0002'0024, 7}));
  EXPECT_EQ(words_put([](auto* at) { return put_double(at, kName, 0.5); }),
            (Words{0x0002'0025, 0x3fe0'0000'0000'0000}));
  EXPECT_EQ(words_put([](auto* at) { return put_text(at, kName, TextRef::table(3)); }),
            Words{0x0000'0003'0002'0016});
  EXPECT_EQ(words_put([](auto* at) { return put_pointer(at, kName, 9); }), (Words{0x0002'0027, 9}));
  EXPECT_EQ(words_put([](auto* at) { return put_koid(at, kName, 9); }), (Words{0x0002'0028, 9}));
  EXPECT_EQ(words_put([](auto* at) { return put_bool(at, kName, true); }), Words{0x0000'0001'0002'0019});
  EXPECT_EQ(words_put([](auto* at) { return put_bool(at, kName, false); }), Words{0x0002'0019});
  EXPECT_EQ(words_put([](auto* at) { return put_blob(at, kName, "abc", 3); }),
            (Words{0x0000'0003'0002'002a, 0x63'6261}));
}

TEST(Words, InlineNamesComeBeforeValues) {
  EXPECT_EQ(words_put([](auto* at) { return put_text(at, TextRef::inlined("n"), TextRef::inlined("text")); }),
            (Words{0x0000'8004'8001'0036, 0x6e, 0x7478'6574}));
  EXPECT_EQ(words_put([](auto* at) { return put_uint64(at, TextRef::inlined("n"), 7); }),
            (Words{0x8001'0034, 0x6e, 7}));
}

TEST(Words, NumbersThatFitInto32BitsAreShort) {
  EXPECT_EQ(words_put([](auto* at) { return put_signed(at, kName, -0x8000'0000LL); }),
            Words{0x8000'0000'0002'0011});
  EXPECT_EQ(words_put([](auto* at) { return put_signed(at, kName, 0x8000'0000LL); }),
            (Words{0x0002'0023, 0x8000'0000}));
  EXPECT_EQ(words_put([](auto* at) { return put_unsigned(at, kName, 0xffff'ffffU); }),
            Words{0xffff'ffff'0002'0012});
  EXPECT_EQ(words_put([](auto* at) { return put_unsigned(at, kName, 0x1'0000'0000U); }),
            (Words{0x0002'0024, 0x1'0000'0000}));
}

TEST(Words, Headers) {
  // name 2, category 1, thread 3, 15 arguments, complete (4), 33 words, event (4)
  static_assert(event_header(EventType::DurationComplete, 3, 1, 2, 15, 33) == 0x0002'0001'03f4'0214);
  // type 1, 5 bytes, inline name of 4, 3 words, blob (5)
  static_assert(blob_header(0x8004, 5, 3) == 0x0001'0005'8004'0035);
}

TEST(Words, ARecordFilledInByHandIsReadBack) {
  MemoryOutput output;
  Writer writer(output);
  const auto thread = writer.thread_index(100, 101);
  const std::uint16_t app = writer.string_ref("app").value(), size = writer.string_ref("size").value();
  EXPECT_EQ(writer.string_ref("").value(), 0);
  EXPECT_EQ(writer.string_ref("app").value(), app);
  std::uint64_t* const record = writer.reserve(kMaxRecordWords).data();
  record[1] = 5000;
  const std::uint64_t* const end = put_unsigned(record + 2, TextRef::table(size), 42);
  const auto words = static_cast<std::size_t>(end - record);
  record[0] = event_header(EventType::Instant, static_cast<std::uint8_t>(*thread), app, size, 1, words);
  writer.commit(words);
  writer.finish();

  Reader reader(std::as_bytes(output.words()));
  const Event* event = nullptr;
  while (const Entry* entry = reader.next()) {
    EXPECT_TRUE(entry->problems.empty());
    event = std::get_if<Event>(&entry->record);
  }
  ASSERT_NE(event, nullptr);
  const Event expected{.time = 5000,
                       .thread = {.process = 100, .thread = 101},
                       .category = "app",
                       .name = "size",
                       .arguments = event->arguments};
  EXPECT_EQ(*event, expected);
  ASSERT_EQ(event->arguments.size(), 1U);
  EXPECT_EQ(event->arguments[0], (Argument{"size", std::uint32_t{42}}));
}

TEST(Words, AStringRefNeedsSpaceInTheTable) {
  MemoryOutput output;
  Writer writer(output);
  for (std::size_t i = 0; i < kMaxStringIndex; ++i) ASSERT_EQ(writer.string_ref(std::to_string(i)), i + 1);
  EXPECT_EQ(writer.string_ref("one more"), std::nullopt);
  EXPECT_EQ(writer.string_ref("0"), 1);
}

}  // namespace
}  // namespace fxt::test
