// SPDX-License-Identifier: Apache-2.0
// Bit fields of a 64-bit word in the spec's own notation: Field<16, 19> is "[16 .. 19]". Only this code
// extracts and inserts the fields of header words.
#pragma once

#include <cstdint>

#include "fxt/visibility.h"

namespace FXT_API fxt {

// Throws std::logic_error. The function is in the library because programs without exceptions also use this
// header.
[[noreturn]] void refuse_wide_value();

// Bits [Lo .. Hi] of a 64-bit word, both ends inclusive.
template <unsigned Lo, unsigned Hi = Lo>
struct Field {
  static_assert(Lo <= Hi && Hi <= 63, "the bits of a field are inside one word");
  static constexpr unsigned kWidth = Hi - Lo + 1;
  static constexpr std::uint64_t kMax = ~std::uint64_t{0} >> (64 - kWidth);
  static constexpr std::uint64_t kMask = kMax << Lo;

  static constexpr std::uint64_t get(std::uint64_t word) { return (word >> Lo) & kMax; }

  // A value that does not fit is a bug of the caller. A truncated value would silently corrupt the trace.
  static constexpr std::uint64_t put(std::uint64_t value) {
    if (value > kMax) refuse_wide_value();
    return value << Lo;
  }
};

// True if the fields cover each bit of a word exactly once.
template <typename... Fields>
constexpr bool kTilesWord = (Fields::kMask | ...) == ~std::uint64_t{0} && (Fields::kWidth + ...) == 64;

}  // namespace fxt
