#include "converters/uftrace/records/record_block.h"

#include <array>
#include <gtest/gtest.h>
#include <span>
#include <string>

#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

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

// The bytes of the file differ from those that were read ahead, to show which of them are used.
TEST(RecordBlock, BorrowsBytesThatWereReadAlready) {
  TextRecording recording;
  recording.file("1.dat", "0123456789");
  const InputFile file{fxt::FilePlace(recording.path() / "1.dat")};
  RecordBlock block(file);
  const std::string text = "cdefghij";
  const BytesAhead ahead{.begin = 2, .bytes = std::as_bytes(std::span(text))};
  std::array<std::byte, 4> bytes;
  const auto read_at = [&](std::uint64_t offset, std::size_t size) {
    block.jump_to(offset);
    block.read(std::span(bytes).first(size), ahead);
    const auto read = block.rest().bytes;
    return std::string(reinterpret_cast<const char*>(read.data()), read.size());
  };
  EXPECT_EQ(read_at(2, 4), "cdef");
  EXPECT_EQ(read_at(6, 3), "ghi");
  EXPECT_FALSE(block.rest().at_end);
  EXPECT_EQ(read_at(8, 4), "ij");  // end of the file
  EXPECT_TRUE(block.rest().at_end);
  EXPECT_EQ(read_at(1, 4), "1234");  // the bytes that were read ahead begin too late
  const BytesAhead short_ahead{.begin = 2, .bytes = ahead.bytes.first(3)};
  EXPECT_TRUE(short_ahead.cover(5, 0));
  EXPECT_FALSE(short_ahead.cover(2, 4));  // the bytes that were read ahead end too early
  EXPECT_FALSE(short_ahead.cover(6, 0));
  EXPECT_EQ(read_at(10, 4), "");
  EXPECT_TRUE(block.is_at_end());
}

}  // namespace
}  // namespace convert::uftrace
