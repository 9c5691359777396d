// Loads numbers in a given byte order from any address. Chooses between numbers without branches.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <boost/endian/conversion.hpp>

namespace convert {

// Loads an integer or a float. The caller must have checked that the bytes exist. The innermost loops use
// this function instead of ByteCursor, which checks each number and may throw.
template <typename T>
T load(const std::byte* bytes, std::endian order) {
  using boost::endian::endian_load;
  const auto* const from = reinterpret_cast<const unsigned char*>(bytes);
  return order == std::endian::little ? endian_load<T, sizeof(T), boost::endian::order::little>(from)
                                      : endian_load<T, sizeof(T), boost::endian::order::big>(from);
}

// Returns up to 8 bytes as a number. If there are more bytes, uses the 8 least significant bytes.
inline std::uint64_t unsigned_bits(std::span<const std::byte> bytes, std::endian order) {
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

// Returns the lowest `width` bits of a number, sign-extended if `has_sign` is true. A width of 0 means 64.
constexpr std::uint64_t extended(std::uint64_t bits, std::uint64_t width, bool has_sign) {
  if (width == 0 || width >= 64) return bits;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  bits &= sign | (sign - 1);
  return has_sign ? (bits ^ sign) - sign : bits;
}

// Does the same as unsigned_bits(), and extends the sign to 64 bits.
inline std::uint64_t signed_bits(std::span<const std::byte> bytes, std::endian order) {
  return extended(unsigned_bits(bytes, order), 8 * bytes.size(), true);
}

// ---- Choices without branches ----
//
// For hot loops whose branches can't be predicted. A mispredicted branch costs more than both sides of the
// choice.

// Returns a word with all bits set if `bit` is 1, and 0 if it is 0.
inline std::uint64_t mask_of(std::uint64_t bit) {
  std::uint64_t mask = -bit;
  asm("" : "+r"(mask));  // hides from compilers how the mask was made; otherwise, they would use a branch
  return mask;
}

inline std::uint64_t pick(std::uint64_t mask, std::uint64_t one, std::uint64_t other) {
  return other ^ ((one ^ other) & mask);
}

}  // namespace convert
