// Bytes in whole 64-bit words, padded with zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace fxt {

// The number of words for `bytes` bytes and their padding.
constexpr std::size_t words_of(std::size_t bytes) {
  return bytes / sizeof(std::uint64_t) + (bytes % sizeof(std::uint64_t) != 0 ? 1 : 0);
}

// Copies `size` bytes and pads them with zeros. Returns the end of the words. The ranges must not overlap.
inline std::uint64_t* put_padded(std::uint64_t* at, const void* bytes, std::size_t size) {
  constexpr std::size_t kShort =
      128;  // copied here: a call, or what compilers put in its place, takes longer
  if (size == 0) return at;
  std::uint64_t* const end = at + words_of(size);
  end[-1] = 0;
  if (size > kShort) {
    std::memcpy(at, bytes, size);
    return end;
  }
  auto* to = reinterpret_cast<std::byte*>(at);
  const auto* from = static_cast<const std::byte*>(bytes);
  // A size that the compiler knows makes it one move.
  const auto copy = [&](auto known_size) {
    std::memcpy(to, from, known_size());
    to += known_size();
    from += known_size();
  };
  for (std::size_t eights = size / 8; eights != 0; --eights) copy(std::integral_constant<std::size_t, 8>());
  if ((size & 4) != 0) copy(std::integral_constant<std::size_t, 4>());
  if ((size & 2) != 0) copy(std::integral_constant<std::size_t, 2>());
  if ((size & 1) != 0) copy(std::integral_constant<std::size_t, 1>());
  return end;
}

}  // namespace fxt
