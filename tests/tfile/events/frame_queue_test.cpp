// Tests the queue that sorts frames by time.
#include "converters/tfile/events/frame_queue.h"

#include <gtest/gtest.h>

namespace convert::tfile {
namespace {

// A frame with one byte of registers.
struct OneByteFrame {
  std::vector<std::byte> bytes;
  Frame frame;

  OneByteFrame(std::uint64_t number, std::uint8_t value) : bytes{std::byte{'R'}, std::byte{value}} {
    frame.number = number;
    frame.bytes = bytes;
    frame.blocks.push_back({.kind = Block::Kind::Registers, .bytes = frame.bytes.subspan(1)});
  }
};

TEST(FrameQueue, ReturnsTheEarliestWithItsOwnBytes) {
  FrameQueue queue;
  for (const std::uint64_t number : {0u, 1u, 2u, 3u}) {
    const std::uint64_t time_ns = number == 0 ? 30 : 10;
    const OneByteFrame pushed(number, static_cast<std::uint8_t>(number));
    queue.push(pushed.frame, {}, {.ns = time_ns, .is_synthetic = false});
  }
  for (const std::uint64_t number : {1u, 2u, 3u, 0u}) {  // frames with the same time keep their order
    const WaitingFrame earliest = queue.pop_earliest();
    EXPECT_EQ(earliest.frame.number, number);
    ASSERT_EQ(earliest.frame.blocks.size(), 1u);
    EXPECT_EQ(earliest.frame.blocks.front().bytes.front(), static_cast<std::byte>(number));
  }
  EXPECT_TRUE(queue.empty());
}

TEST(FrameQueue, IsFullAfter4096Frames) {
  FrameQueue queue;
  for (std::uint64_t number = 0; number < 4096; ++number)
    queue.push(OneByteFrame(number, 0).frame, {}, {.ns = number, .is_synthetic = false});
  EXPECT_FALSE(queue.is_full());
  queue.push(OneByteFrame(4096, 0).frame, {}, {.ns = 0, .is_synthetic = false});
  EXPECT_TRUE(queue.is_full());
  queue.pop_earliest();
  EXPECT_FALSE(queue.is_full());
}

}  // namespace
}  // namespace convert::tfile
