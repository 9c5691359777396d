// The blocks of a frame; fact sheet, section 3.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace convert::tfile {

// How the numbers of the frames section are to be read.
struct FrameFormat {
  std::endian order = std::endian::little;
  std::uint64_t register_block_size = 0;
  std::uint64_t address_mask = ~std::uint64_t{0};  // the bits of a memory block's address that count
};

inline constexpr std::size_t kFrameHeaderBytes = 6;  // int16 tracepoint number, uint32 size

struct FrameHeader {
  std::int16_t tracepoint;  // the target's number; 0 ends the trace
  std::uint32_t size;       // bytes of blocks that follow
};
// `bytes` holds at least kFrameHeaderBytes.
FrameHeader frame_header(std::span<const std::byte> bytes, std::endian order);

struct Block {
  enum class Kind : std::uint8_t { Registers, Memory, Variable, StaticData };
  Kind kind;
  std::uint64_t address = 0;         // Memory: of its first byte; Variable: its number
  std::int64_t value = 0;            // Variable
  std::span<const std::byte> bytes;  // what was recorded; of a Variable, its value
};

// Walks the blocks of a frame. Appends them to `blocks` (may be null) and returns how many bytes were whole,
// known blocks: all of `data` when the frame is in order.
std::size_t walk_blocks(std::span<const std::byte> data, const FrameFormat& format,
                        std::vector<Block>* blocks);

}  // namespace convert::tfile
