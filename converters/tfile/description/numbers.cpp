#include "converters/tfile/description/numbers.h"

#include <algorithm>
#include <array>

namespace convert::tfile {

std::uint64_t unsigned_bits(std::span<const std::byte> bytes, std::endian order) {
  switch (bytes.size()) {
    case 1:
      return load<std::uint8_t>(bytes.data(), order);
    case 2:
      return load<std::uint16_t>(bytes.data(), order);
    case 4:
      return load<std::uint32_t>(bytes.data(), order);
    case 8:
      return load<std::uint64_t>(bytes.data(), order);
    default:
      break;
  }
  std::array<std::byte, sizeof(std::uint64_t)> word{};
  const std::size_t size = std::min(bytes.size(), word.size());
  if (order == std::endian::little)
    std::ranges::copy(bytes.first(size), word.begin());
  else
    std::ranges::copy(bytes.last(size), word.end() - static_cast<std::ptrdiff_t>(size));
  return load<std::uint64_t>(word.data(), order);
}

std::uint64_t signed_bits(std::span<const std::byte> bytes, std::endian order) {
  const std::uint64_t bits = unsigned_bits(bytes, order);
  if (bytes.empty() || bytes.size() >= sizeof bits) return bits;
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes.size() - 1);
  return (bits ^ sign) - sign;
}

std::uint64_t float_bits(std::span<const std::byte> bytes, std::endian order) {
  const std::uint64_t bits = unsigned_bits(bytes, order);
  if (bytes.size() != sizeof(float)) return bits;
  return std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))});
}

}  // namespace convert::tfile
