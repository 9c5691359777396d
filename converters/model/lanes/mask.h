// Choices without branches, for hot loops whose branches can't be predicted. A mispredicted branch costs more
// than both sides of the choice.
#pragma once

#include <cstdint>

namespace convert {

// Returns a word with all bits set if `bit` is 1, and 0 if it is 0.
inline std::uint64_t mask_of(std::uint64_t bit) {
  std::uint64_t mask = -bit;
  asm("" : "+r"(mask));  // hides the origin of the mask from compilers, which would use a branch
  return mask;
}

// Returns `one` if the bits of the mask are set, and `other` if not.
inline std::uint64_t pick(std::uint64_t mask, std::uint64_t one, std::uint64_t other) {
  return other ^ ((one ^ other) & mask);
}

}  // namespace convert
