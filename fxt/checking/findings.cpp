// Places in words.
#include "fxt/checking/findings.h"

#include <array>
#include <charconv>

namespace fxt {

std::string place(std::uint64_t offset) {
  std::array<char, 16> digits = {};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), offset, 16).ptr;
  return "+0x" + std::string(digits.data(), end);
}

}  // namespace fxt
