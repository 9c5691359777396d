#include "converters/tfile/frames/frame_format.h"

#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMemoryHead = 1 + 8 + 2;     // letter, address, length
constexpr std::size_t kVariableBytes = 1 + 4 + 8;  // letter, number, value
constexpr std::size_t kStaticHead = 1 + 2;         // letter, length
constexpr std::size_t kOseBytes = 1 + 4 + 4;       // letter, two numbers

}  // namespace

FrameHeader frame_header(std::span<const std::byte> bytes, std::endian order) {
  return {.tracepoint = load<std::int16_t>(bytes.data(), order),
          .size = load<std::uint32_t>(bytes.data() + 2, order)};
}

std::size_t walk_blocks(std::span<const std::byte> data, const FrameFormat& format,
                        std::vector<Block>* blocks) {
  const std::byte* const begin = data.data();
  std::size_t at = 0;
  while (at < data.size()) {
    const std::size_t left = data.size() - at;
    Block block{};
    std::size_t size = 0;
    switch (std::to_integer<char>(begin[at])) {
      case 'R':
        if (format.register_block_size >= left || format.register_block_size == 0) return at;
        size = 1 + format.register_block_size;
        block.kind = Block::Kind::Registers;
        block.bytes = data.subspan(at + 1, size - 1);
        break;
      case 'M': {
        if (left < kMemoryHead) return at;
        const auto length = load<std::uint16_t>(begin + at + 9, format.order);
        if (left - kMemoryHead < length) return at;
        size = kMemoryHead + length;
        block.kind = Block::Kind::Memory;
        block.address = load<std::uint64_t>(begin + at + 1, format.order) & format.address_mask;
        block.bytes = data.subspan(at + kMemoryHead, length);
        break;
      }
      case 'V':
        if (left < kVariableBytes) return at;
        size = kVariableBytes;
        block.kind = Block::Kind::Variable;
        block.address = load<std::uint32_t>(begin + at + 1, format.order);
        block.value = load<std::int64_t>(begin + at + 5, format.order);
        block.bytes = data.subspan(at + 5, 8);
        break;
      case 'S': {
        if (left < kStaticHead) return at;
        const auto length = load<std::uint16_t>(begin + at + 1, format.order);
        if (left - kStaticHead < length) return at;
        size = kStaticHead + length;
        block.kind = Block::Kind::StaticData;
        block.bytes = data.subspan(at + kStaticHead, length);
        break;
      }
      case 'E':  // Enea OSE: two numbers of 4 bytes with an unknown meaning
        if (left < kOseBytes) return at;
        at += kOseBytes;
        continue;
      default:
        return at;
    }
    if (blocks != nullptr) {
      if (blocks->size() == kFrameBlocks.least) return at;
      blocks->push_back(block);
    }
    at += size;
  }
  return at;
}

}  // namespace convert::tfile
