// Where the numbers of kernel events stand: of any size and byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "converters/model/load.h"

namespace convert::uftrace {

// Where a number stands in an event's payload.
struct NumberPlace {
  std::uint32_t offset = 0;
  std::uint8_t size = 0;  // 1, 2, 4 or 8; 0: there is none

  bool is_there() const { return size != 0; }
  // Whether it stands in this one.
  bool fits(std::span<const std::byte> payload) const {
    return is_there() && payload.size() >= size && offset <= payload.size() - size;
  }
  // fits() must hold.
  std::uint64_t load_from(std::span<const std::byte> payload, std::endian order) const {
    const std::byte* const at = payload.data() + offset;
    switch (size) {
      case 1:
        return load<std::uint8_t>(at, order);
      case 2:
        return load<std::uint16_t>(at, order);
      case 4:
        return load<std::uint32_t>(at, order);
      case 8:
        return load<std::uint64_t>(at, order);
      default:
        return 0;
    }
  }
};

// A signed number of so many bytes, in all 64 bits.
inline std::int64_t sign_extended(std::uint64_t value, std::size_t size) {
  switch (size) {
    case 1:
      return static_cast<std::int8_t>(value);
    case 2:
      return static_cast<std::int16_t>(value);
    case 4:
      return static_cast<std::int32_t>(value);
    default:
      return static_cast<std::int64_t>(value);
  }
}

}  // namespace convert::uftrace
