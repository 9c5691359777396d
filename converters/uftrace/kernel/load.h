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
  bool fits(std::span<const std::byte> payload) const {
    return payload.size() >= size && offset <= payload.size() - size;
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

}  // namespace convert::uftrace
