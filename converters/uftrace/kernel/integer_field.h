// Where the numbers of kernel events stand: of any size and byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "converters/model/reading/load.h"

namespace convert::uftrace {

// Where a number stands in an event's payload.
struct IntegerField {
  std::uint32_t offset = 0;
  std::uint8_t size = 0;  // 1, 2, 4 or 8; 0: there is none

  bool is_there() const { return size != 0; }
  // Whether it stands in this one.
  bool fits(std::span<const std::byte> payload) const {
    return is_there() && payload.size() >= size && offset <= payload.size() - size;
  }
  // fits() must hold.
  std::uint64_t load_from(std::span<const std::byte> payload, std::endian order) const {
    return load_unsigned(payload.data() + offset, size, order);
  }
};

}  // namespace convert::uftrace
