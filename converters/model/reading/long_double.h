// The x87 numbers of 80 bits: a mantissa of 64 bits, whose first bit is before the point, an exponent of 15
// bits, and the sign.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace convert {

class LongDouble {
 public:
  static constexpr std::size_t kBytes = 10;  // bytes with a value; in memory it takes 12 or 16

  // Takes at least kBytes bytes. Padding comes after the number.
  LongDouble(std::span<const std::byte> bytes, std::endian order);

  // True if a double can hold the number, apart from its last digits: it is neither too large nor too small.
  bool is_double() const;
  double value() const;
  // The number in GDB's spelling: "1.18973149535723176502e+4932", or "<invalid float value>" for invalid
  // bits.
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
