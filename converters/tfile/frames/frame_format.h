// The bytes of a frame: its header and its blocks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fxt/support/budget.h"

namespace convert::tfile {

// The properties of a file that are needed to read its frames.
struct FrameFormat {
  std::endian order = std::endian::little;
  std::uint64_t register_block_size = 0;
  std::uint64_t address_mask = ~std::uint64_t{0};  // the significant bits of a memory block's address
};

inline constexpr std::size_t kFrameHeaderBytes = 6;  // int16 tracepoint number, uint32 size

struct FrameHeader {
  std::int16_t tracepoint;  // number that the target gave the tracepoint; 0 after the last frame
  std::uint32_t size;       // size of the frame's blocks in bytes
};
// `bytes` holds at least kFrameHeaderBytes.
FrameHeader frame_header(std::span<const std::byte> bytes, std::endian order);

struct Block {
  enum class Kind : std::uint8_t { Registers, Memory, Variable, StaticData };
  Kind kind;
  std::uint64_t address = 0;         // address of the first byte; for a Variable, the number of the variable
  std::int64_t value = 0;            // for a Variable, its value as a number
  std::span<const std::byte> bytes;  // the recorded bytes; for a Variable, the bytes of its value
};

// The number of blocks is limited, because each block may become an argument of the frame's event.
inline constexpr fxt::Limit kFrameBlocks{"blocks of a frame", 131'072, 0};

// Walks the blocks of a frame and appends them to `blocks`, which may be null. Returns the size of the
// complete blocks of known kinds in bytes. If it is less than the size of `data`, the frame is damaged, or
// has more blocks than kFrameBlocks.
std::size_t walk_blocks(std::span<const std::byte> data, const FrameFormat& format,
                        std::vector<Block>* blocks);

}  // namespace convert::tfile
