// The bytes of numbers in a file of either byte order.
#pragma once

#include <array>
#include <bit>
#include <string>

#include <boost/endian/conversion.hpp>

namespace convert {

// An integer or a float.
template <typename T>
std::string number_bytes(T value, std::endian order = std::endian::little) {
  using boost::endian::endian_store;
  using Order = boost::endian::order;
  std::array<unsigned char, sizeof(T)> bytes;
  if (order == std::endian::little)
    endian_store<T, sizeof(T), Order::little>(bytes.data(), value);
  else
    endian_store<T, sizeof(T), Order::big>(bytes.data(), value);
  return {bytes.begin(), bytes.end()};
}

}  // namespace convert
