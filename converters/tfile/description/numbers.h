// Numbers as the target lays them out in memory, in its byte order.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <boost/endian/conversion.hpp>

#include "converters/model/reading/load.h"

namespace convert::tfile {

// The other way than load(); there must be room.
template <std::integral T>
void store(std::byte* bytes, T value, std::endian order) {
  using boost::endian::endian_store;
  auto* const to = reinterpret_cast<unsigned char*>(bytes);
  if (order == std::endian::little)
    endian_store<T, sizeof(T), boost::endian::order::little>(to, value);
  else
    endian_store<T, sizeof(T), boost::endian::order::big>(to, value);
}

// Up to 8 bytes as a number; of more, the lowest 8.
std::uint64_t unsigned_bits(std::span<const std::byte> bytes, std::endian order);
// The same, its sign extended to 64 bits.
std::uint64_t signed_bits(std::span<const std::byte> bytes, std::endian order);
// An IEEE single or double (4 or 8 bytes) as the bits of a double.
std::uint64_t float_bits(std::span<const std::byte> bytes, std::endian order);

}  // namespace convert::tfile
