// Numbers of a given byte order, wherever they lie.
#pragma once

#include <bit>
#include <cstddef>

#include <boost/endian/conversion.hpp>

namespace convert {

// An integer or a float whose bytes are there: the caller has checked it. This is for the innermost loops of
// reading, and of searching behind damage, where an exception per byte would not do.
template <typename T>
T load(const std::byte* bytes, std::endian order) {
  using boost::endian::endian_load;
  const auto* const from = reinterpret_cast<const unsigned char*>(bytes);
  return order == std::endian::little ? endian_load<T, sizeof(T), boost::endian::order::little>(from)
                                      : endian_load<T, sizeof(T), boost::endian::order::big>(from);
}

}  // namespace convert
