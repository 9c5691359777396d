// Finds a place for a text in a small table, by the address of the text. Programs often write a text again
// from the same address. Internal to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fxt {

// `places` must be a power of two.
inline std::size_t place_of_text(std::string_view text, std::size_t places) {
  // The upper half of a multiplication by 2^64 / golden ratio spreads neighbors well.
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(text.data()));
  return static_cast<std::size_t>((address * 0x9e37'79b9'7f4a'7c15u) >> 32) & (places - 1);
}

}  // namespace fxt
