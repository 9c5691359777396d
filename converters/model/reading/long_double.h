// The x87's numbers of 80 bits: 64 bits of mantissa, the first of them before the point, 15 of exponent, and
// the sign.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace convert {

class LongDouble {
 public:
  static constexpr std::size_t kBytes = 10;  // that count; in memory it takes 12 or 16

  // `bytes`: kBytes, or more, whose padding lies above the number.
  LongDouble(std::span<const std::byte> bytes, std::endian order);

  // Whether a double holds it, but for its last digits: it is neither too large nor too small.
  bool is_double() const;
  double value() const;
  // As GDB prints it: "1.18973149535723176502e+4932", or "<invalid float value>" of bits that are no number.
  static constexpr int kDigits = 21;
  std::string text(int digits = kDigits) const;

 private:
  bool is_number() const;
  template <typename Float>
  Float scaled() const;

  std::uint64_t mantissa_;
  int exponent_;
  bool is_negative_;
};

}  // namespace convert
