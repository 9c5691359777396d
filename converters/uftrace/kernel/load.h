// Numbers of the kernel's, of any size and byte order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace convert::uftrace {

template <typename T>
T load(const std::byte* at, std::endian order) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), at, sizeof(T));
  if (order != std::endian::native) std::ranges::reverse(raw);
  return std::bit_cast<T>(raw);
}

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
