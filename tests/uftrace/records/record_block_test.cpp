#include "converters/uftrace/records/record_block.h"

#include <array>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace convert::uftrace
