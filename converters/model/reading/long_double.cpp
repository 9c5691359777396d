#include "converters/model/reading/long_double.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "converters/model/reading/bits.h"

namespace convert {
namespace {

// Numbers below 2^(1 - kBias) have exponent 0, which has the same meaning as exponent 1.
constexpr int kSmallest = 1, kSpecial = 0x7fff, kBias = 16383, kFractionBits = 63;
constexpr std::uint64_t kWholeBit = std::uint64_t{1} << kFractionBits;

}  // namespace

LongDouble::LongDouble(std::span<const std::byte> bytes, std::endian order) {
  const bool is_little = order == std::endian::little;
  const std::byte* const at = is_little ? bytes.data() : bytes.data() + bytes.size() - kBytes;
  mantissa_ = load<std::uint64_t>(is_little ? at : at + sizeof(std::uint16_t), order);
  const auto top = load<std::uint16_t>(is_little ? at + sizeof mantissa_ : at, order);
  exponent_ = top & kSpecial;
  is_negative_ = (top & ~kSpecial) != 0;
}

bool LongDouble::is_number() const { return (exponent_ != 0) == ((mantissa_ & kWholeBit) != 0); }

template <typename Float>
Float LongDouble::scaled() const {
  Float value =
      std::ldexp(static_cast<Float>(mantissa_), std::max(exponent_, kSmallest) - kBias - kFractionBits);
  if (exponent_ == kSpecial)
    value = mantissa_ == kWholeBit ? std::numeric_limits<Float>::infinity()
                                   : std::numeric_limits<Float>::quiet_NaN();
  return is_negative_ ? -value : value;
}

bool LongDouble::is_double() const {
  if (!is_number()) return false;
  return mantissa_ == 0 || exponent_ == kSpecial || std::isnormal(scaled<double>());
}

double LongDouble::value() const { return scaled<double>(); }

std::string LongDouble::text(int digits) const {
  if (!is_number()) return "<invalid float value>";
  return fmt::format("{:.{}g}", scaled<long double>(), digits);
}

}  // namespace convert
