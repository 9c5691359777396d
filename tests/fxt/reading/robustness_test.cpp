// Tests the Reader with damaged files: every prefix of a file, every change of a header byte, every block
// size.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "fxt/reader.h"
#include "fxt/tools/record_text.h"
#include "tests/fxt/sample_trace.h"

namespace fxt::test {
namespace {

// Returns a fixed number of bytes at a time.
class PieceInput final : public Input {
 public:
  PieceInput(std::span<const std::byte> bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
  std::size_t read(std::span<std::byte> room) override {
    const auto piece = bytes_.first(std::min({room.size(), piece_, bytes_.size()}));
    std::ranges::copy(piece, room.begin());
    bytes_ = bytes_.subspan(piece.size());
    return piece.size();
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t piece_;
};

std::string dump(Reader& reader) {
  TextBuffer text;
  while (const Entry* entry = reader.next()) {
    fmt::format_to(std::back_inserter(text), "{} ", entry->offset);
    tools::append_line(text, *entry);
    text.push_back('\n');
  }
  fmt::format_to(std::back_inserter(text), "{} {}", reader.end().offset, describe(reader.end()));
  return fmt::to_string(text);
}

std::string dump(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  return dump(reader);
}

std::vector<std::byte> everything() { return bytes_of(joined(sample_trace(), kUncommonRecords)); }

class ReaderPieces : public testing::TestWithParam<std::size_t> {};

TEST_P(ReaderPieces, EqualTheWhole) {
  const auto bytes = everything();
  PieceInput input(bytes, GetParam());
  Reader reader(input);
  EXPECT_EQ(dump(reader), dump(bytes));
}

INSTANTIATE_TEST_SUITE_P(Sizes, ReaderPieces, testing::Values(1, 7, 8, 9, 63, 4096));

TEST(ReaderDamage, EveryPrefixIsReadToItsEnd) {
  const auto bytes = everything();
  const std::string whole = dump(bytes);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::string part = dump(std::span(bytes).first(size));
    const std::size_t lines = part.rfind('\n') + 1;
    EXPECT_EQ(part.substr(0, lines), whole.substr(0, lines)) << "of " << size << " bytes";
  }
}

TEST(ReaderDamage, EveryChangedHeaderByteIsSurvived) {
  const auto bytes = everything();
  std::vector<std::uint64_t> headers;
  Reader reader(bytes);
  while (const Entry* entry = reader.next()) headers.push_back(entry->offset);
  for (const std::uint64_t header : headers) {
    for (std::size_t i = 0; i < 8; ++i) {
      for (const unsigned flip : {0x01U, 0x10U, 0x80U, 0xffU}) {
        auto damaged = bytes;
        damaged[header + i] ^= static_cast<std::byte>(flip);
        EXPECT_FALSE(dump(damaged).empty());
      }
    }
  }
}

TEST(ReaderDamage, RandomBytesAreSurvived) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 300; ++round) {
    Words words = sample_trace();
    for (int change = 0; change < 20; ++change) words[random() % words.size()] ^= 1ULL << random() % 64;
    EXPECT_FALSE(dump(bytes_of(words)).empty());
  }
}

}  // namespace
}  // namespace fxt::test
