// The 80-bit numbers of x87. They have a mantissa of 64 bits, an exponent of 15 bits, and a sign. The first
// bit of the mantissa is before the binary point.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace convert {

class LongDouble {
 public:
  static constexpr std::size_t kBytes = 10;  // without padding; in memory, a number has 12 or 16 bytes

  // There must be at least kBytes bytes. Padding bytes are the most significant bytes.
  LongDouble(std::span<const std::byte> bytes, std::endian order);

  // True if the number is in the range of doubles. A double may still lack the last digits.
  bool is_double() const;
  double value() const;
  // Returns the number as GDB prints it, such as "1.18973149535723176502e+4932". For invalid bits, returns
  // "<invalid float value>".
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
