#include "converters/tfile/events/values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

#include <boost/locale/utf.hpp>

#include "converters/model/reading/long_double.h"
#include "converters/model/reading/text.h"
#include "fxt/field.h"
#include "fxt/utf8.h"

namespace convert::tfile {

std::string hex_text(std::span<const std::byte> bytes, std::endian order) {
  std::string text = "0x";
  text.reserve(2 + bytes.size() * 2);
  const auto add = [&](std::byte byte) { add_hex_byte(text, byte); };
  if (order == std::endian::big)
    std::for_each(bytes.begin(), bytes.end(), add);
  else
    std::for_each(bytes.rbegin(), bytes.rend(), add);
  return text;
}

namespace {

// A set of flags in GDB's spelling: "(A | unknown: 0x8)". Empty for 0, or if an enumerator has
// several bits or is negative.
std::string enumerators_text(const Leaf& leaf, std::uint64_t value, const Names& names) {
  std::string text;
  for (const auto& [enumerator, name] : leaf.enumerators) {
    const auto bit = std::bit_cast<std::uint64_t>(enumerator);
    if (std::popcount(bit) > 1 || (leaf.is_signed && enumerator < 0)) return {};
    if ((value & bit) == 0) continue;  // the bit is not set, or an earlier name shows it
    value &= ~bit;
    text += (text.empty() ? "(" : " | ") + std::string(names.text(name));
  }
  if (value != 0) text += fmt::format("{}unknown: {:#x}", text.empty() ? "(" : " | ", value);
  return text.empty() ? text : text + ')';
}

bool is_pointer(ValueForm form) { return form == ValueForm::Pointer || has_pointee(form); }

constexpr std::size_t kQuadBytes = 16;

// The upper 64 bits of a quad's mantissa, and its exponent, form an x87 number.
std::array<std::byte, LongDouble::kBytes> as_x87(std::span<const std::byte> quad, std::endian order) {
  const bool is_little = order == std::endian::little;
  const std::uint64_t low = unsigned_bits(is_little ? quad.first(8) : quad.last(8), order);
  const std::uint64_t high = unsigned_bits(is_little ? quad.last(8) : quad.first(8), order);
  using Mantissa = fxt::Field<0, 47>;  // fields of `high`; the leading 1 is not stored
  using Exponent = fxt::Field<48, 62>;
  using SignAndExponent = fxt::Field<48, 63>;
  using RestOfMantissa = fxt::Field<49, 63>;  // the bits of `low` that fit into an x87 number
  const std::uint64_t sign_and_exponent = SignAndExponent::get(high);
  const std::uint64_t leading = Exponent::get(high) != 0 ? 1 : 0;
  const std::uint64_t mantissa =
      fxt::Field<63>::put(leading) | fxt::Field<15, 62>::put(Mantissa::get(high)) | RestOfMantissa::get(low);
  std::array<std::byte, LongDouble::kBytes> x87{};
  store(x87.data(), mantissa, std::endian::little);
  store(x87.data() + sizeof mantissa, static_cast<std::uint16_t>(sign_and_exponent), std::endian::little);
  return x87;
}

double half(std::uint64_t bits) {
  using Mantissa = fxt::Field<0, 9>;
  using Exponent = fxt::Field<10, 14>;
  using Sign = fxt::Field<15>;
  constexpr int kBias = 15, kMantissaBits = Mantissa::kWidth;
  const int exponent = static_cast<int>(Exponent::get(bits));
  const auto mantissa = static_cast<double>(Mantissa::get(bits));
  double value = std::ldexp(mantissa + (exponent == 0 ? 0 : Mantissa::kMax + 1),
                            std::max(exponent, 1) - kBias - kMantissaBits);
  if (exponent == Exponent::kMax)
    value =
        mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return Sign::get(bits) != 0 ? -value : value;
}

// A decimal number of 32 or 64 bits with a binary integer as its significand, as on x86.
double decimal(std::uint64_t bits, std::size_t size) {
  const unsigned width = 8 * static_cast<unsigned>(size), exponent_bits = size == 4 ? 8 : 10;
  const int bias = size == 4 ? 101 : 398;
  const bool is_negative = (bits >> (width - 1) & 1) != 0;
  const unsigned special = bits >> (width - 5) & 0xf;
  if (special == 0xf)
    return (bits >> (width - 6) & 1) != 0 ? std::numeric_limits<double>::quiet_NaN()
           : is_negative                  ? -std::numeric_limits<double>::infinity()
                                          : std::numeric_limits<double>::infinity();
  const bool is_long = special >= 0xc;  // the significand begins with the bits 100, which are not stored
  const unsigned shift = width - 1 - exponent_bits - (is_long ? 2 : 0);
  const auto exponent = static_cast<int>(bits >> shift & ((1U << exponent_bits) - 1));
  std::uint64_t significand = bits & ((std::uint64_t{1} << shift) - 1);
  if (is_long) significand |= std::uint64_t{1} << (shift + 2);
  const std::string text = fmt::format("{}{}e{}", is_negative ? "-" : "", significand, exponent - bias);
  return std::strtod(text.c_str(), nullptr);
}

// The number as a double; nothing if it is too large or too small for a double.
std::optional<double> as_double(FloatFormat format, std::span<const std::byte> bytes, std::endian order) {
  constexpr int kMissingBits = 16;  // bits of a float that a BFloat lacks
  switch (format) {
    case FloatFormat::Half:
      return half(unsigned_bits(bytes, order));
    case FloatFormat::BFloat:
      return std::bit_cast<float>(static_cast<std::uint32_t>(unsigned_bits(bytes, order) << kMissingBits));
    case FloatFormat::DoubleDouble: {
      const auto high = std::bit_cast<double>(unsigned_bits(bytes.first(8), order));
      return std::isfinite(high) ? high + std::bit_cast<double>(unsigned_bits(bytes.last(8), order)) : high;
    }
    case FloatFormat::Decimal:
      return decimal(unsigned_bits(bytes, order), bytes.size());
    case FloatFormat::Quad:
      if (bytes.size() < kQuadBytes) return std::nullopt;
      return as_double(FloatFormat::X87, as_x87(bytes, order), std::endian::little);
    case FloatFormat::X87:
      if (const LongDouble number(bytes, order); number.is_double()) return number.value();
      return std::nullopt;
    default:
      return std::bit_cast<double>(float_bits(bytes, order));
  }
}

// The number with as many digits as GDB shows. A quad gets the digits that 64 bits of its mantissa determine.
std::string float_text(FloatFormat format, std::span<const std::byte> bytes, std::endian order) {
  constexpr int kDigitsOfHalf = 5, kDigitsOfFloat = 9, kDigits = 17, kDigitsOfQuad = 18;
  if (format == FloatFormat::Quad)
    return LongDouble(as_x87(bytes, order), std::endian::little).text(kDigitsOfQuad);
  if (format == FloatFormat::X87) return LongDouble(bytes, order).text();
  return fmt::format("{:.{}g}", as_double(format, bytes, order).value_or(0),
                     bytes.size() == 2               ? kDigitsOfHalf
                     : bytes.size() == sizeof(float) ? kDigitsOfFloat
                                                     : kDigits);
}

// Returns "1.5 + -2i", for example, or "(1.5,-2)" in Fortran.
std::string complex_text(const Leaf& leaf, std::span<const std::byte> bytes, std::endian order) {
  const std::size_t half = bytes.size() / 2;
  const std::string real = float_text(leaf.format, bytes.first(half), order),
                    imaginary = float_text(leaf.format, bytes.subspan(half), order);
  return leaf.form == ValueForm::Complex ? fmt::format("{} + {}i", real, imaginary)
                                         : fmt::format("({},{})", real, imaginary);
}

constexpr std::size_t kPrinted = 200;  // greatest number of characters of an escaped text, as in GDB

// The text without the NULs at its end. A text with other NULs or with invalid units is spelled as in GDB:
// "\xd800x".
template <typename Unit>
std::string wide_string(std::span<const std::byte> bytes, std::endian order) {
  namespace utf = boost::locale::utf;
  std::basic_string<Unit> units;
  for (; bytes.size() >= sizeof(Unit); bytes = bytes.subspan(sizeof(Unit))) {
    const auto unit = static_cast<Unit>(unsigned_bits(bytes.first(sizeof(Unit)), order));
    units += unit;
  }
  while (units.ends_with(Unit{0})) units.pop_back();
  std::string text, as_spelled;
  bool is_valid = units.find(Unit{0}) == units.npos, is_after_hex = false;
  std::size_t count = 0;
  for (auto at = units.cbegin(); at != units.cend();) {
    const std::uint32_t unit = *at;
    const auto next = at + 1;
    const utf::code_point point = utf::utf_traits<Unit>::decode(at, units.cend());
    const bool is_character = utf::is_valid_codepoint(point);
    std::string character;
    if (is_character)
      utf::utf_traits<char>::encode(point, std::back_inserter(character));
    else
      at = next;
    is_valid &= is_character;
    text += character;
    if (count++ >= kPrinted) continue;
    const bool would_be_a_digit = is_after_hex && point < 0x80 && std::isxdigit(static_cast<int>(point)) != 0;
    as_spelled += !is_character      ? fmt::format("\\x{:x}", unit)
                  : would_be_a_digit ? fmt::format("\\{:03o}", point)
                                     : spelled(character);
    is_after_hex = !is_character;
  }
  return is_valid ? text : as_spelled + (count > kPrinted ? "..." : "");
}

// The argument for a number of 16 bytes: a number if 8 bytes can hold the value, and otherwise a text.
Argument wide_number(const Leaf& leaf, std::span<const std::byte> bytes, std::endian order,
                     std::string& text) {
  const bool is_little = order == std::endian::little;
  const std::uint64_t low = unsigned_bits(is_little ? bytes.first(8) : bytes.subspan(8), order);
  const std::uint64_t high = unsigned_bits(is_little ? bytes.subspan(8) : bytes.first(8), order);
  const bool is_negative = leaf.form == ValueForm::Signed && std::bit_cast<std::int64_t>(high) < 0;
  if (leaf.form == ValueForm::Unsigned && high == 0) return {leaf.name, low};
  const auto number = std::bit_cast<std::int64_t>(low);
  if (leaf.form == ValueForm::Signed && high == (number < 0 ? ~std::uint64_t{0} : 0))
    return {leaf.name, number};
  __extension__ using Wide = unsigned __int128;
  constexpr int kLowBits = 64;
  const Wide value = Wide{high} << kLowBits | low;
  text = is_negative ? fmt::format("-{}", Wide{0} - value) : fmt::format("{}", value);
  return {leaf.name, text};
}

std::uint64_t field_bits(const Leaf& leaf, std::span<const std::byte> bytes, std::endian order) {
  const std::uint64_t all = unsigned_bits(bytes, order);
  if (leaf.bit_size == 0) return all;
  const std::uint64_t above = 8 * bytes.size() - leaf.bit_offset - leaf.bit_size;
  return all >> (order == std::endian::little ? leaf.bit_offset : above);
}

std::uint64_t width_of(const Leaf& leaf) { return leaf.bit_size != 0 ? leaf.bit_size : 8 * leaf.size; }

std::uint64_t in_its_width(const Leaf& leaf, std::uint64_t value) {
  return extended(value, width_of(leaf), leaf.form == ValueForm::Signed || leaf.is_signed);
}

std::string printed(std::string_view bytes) {
  return bytes.size() > kPrinted ? spelled(bytes.substr(0, kPrinted)) + "..." : spelled(bytes);
}

}  // namespace

ValueForm untyped_form(std::size_t recorded, std::uint64_t size) {
  const bool has_number_size = recorded == size && (size == 1 || size == 2 || size == 4 || size == 8);
  if (!has_number_size) return ValueForm::Bytes;
  // A byte is a character, a flag or a small number, and rarely negative.
  return size == 1 ? ValueForm::Unsigned : ValueForm::Signed;
}

ArgumentKind argument_kind(ValueForm number) {
  if (is_pointer(number)) return ArgumentKind::Pointer;
  switch (number) {
    case ValueForm::Signed:
      return ArgumentKind::Int64;
    case ValueForm::Float:
      return ArgumentKind::Double;
    case ValueForm::Flags:
      return ArgumentKind::Name;
    default:
      return ArgumentKind::Uint64;
  }
}

Argument argument_of(const Leaf& leaf, std::span<const std::byte> bytes, std::endian order,
                     const Names& names, std::string& text) {
  if (leaf.form == ValueForm::Float) {
    if (const auto number = as_double(leaf.format, bytes, order)) return {leaf.name, *number};
    return {leaf.name, text = float_text(leaf.format, bytes, order)};
  }
  switch (leaf.form) {
    case ValueForm::Complex:
    case ValueForm::FortranComplex:
      return {leaf.name, text = complex_text(leaf, bytes, order)};
    case ValueForm::Fixed: {
      const std::uint64_t value = in_its_width(leaf, field_bits(leaf, bytes, order));
      const double number = leaf.is_signed ? static_cast<double>(std::bit_cast<std::int64_t>(value))
                                           : static_cast<double>(value);
      return {leaf.name, number * leaf.scale};
    }
    case ValueForm::Utf16:
    case ValueForm::Utf32:
      return {leaf.name, text = shown_string(wide_text(leaf.form == ValueForm::Utf16 ? 2 : 4, bytes, order))};
    case ValueForm::Signed:
    case ValueForm::Unsigned:
      if (leaf.bit_size == 0 && leaf.size == 16) return wide_number(leaf, bytes, order, text);
      break;
    default:
      break;
  }
  return argument_of(leaf, field_bits(leaf, bytes, order), names, text);
}

Argument number_of(const Leaf& leaf, std::span<const std::byte> bytes, std::endian order) {
  return {leaf.name, std::bit_cast<std::int64_t>(in_its_width(leaf, field_bits(leaf, bytes, order)))};
}

Argument argument_of(const Leaf& leaf, std::uint64_t value, const Names& names, std::string& text) {
  value = in_its_width(leaf, value);
  if (is_pointer(leaf.form)) return {leaf.name, convert::Pointer{value}};
  switch (leaf.form) {
    case ValueForm::Enum: {
      if (leaf.label) return {leaf.name, *leaf.label};
      const auto number = std::bit_cast<std::int64_t>(value);
      for (const auto& [enumerator, name] : leaf.enumerators)
        if (enumerator == number) return {leaf.name, name};
      text = enumerators_text(leaf, extended(value, width_of(leaf), false), names);
      if (!text.empty()) return {leaf.name, text};
      return leaf.is_signed ? Argument(leaf.name, number) : Argument(leaf.name, value);
    }
    case ValueForm::Bool:
      if (value <= 1) return {leaf.name, text = value == 1 ? "true" : "false"};
      return {leaf.name, value};
    case ValueForm::Character:
      return {leaf.name, text = spelled_character(std::bit_cast<std::int64_t>(value))};
    case ValueForm::Unsigned:
      return {leaf.name, value};
    default:
      return {leaf.name, std::bit_cast<std::int64_t>(value)};
  }
}

std::string string_text(std::span<const std::byte> bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view text = all.substr(0, all.find_last_not_of('\0') + 1);
  const bool is_plain = text.find('\0') == std::string_view::npos && fxt::is_valid_utf8(text);
  return is_plain ? std::string(text) : printed(text);
}

std::string c_string_text(std::span<const std::byte> bytes) {
  return string_text(
      bytes.first(static_cast<std::size_t>(std::ranges::find(bytes, std::byte{0}) - bytes.begin())));
}

std::string wide_text(std::size_t character_bytes, std::span<const std::byte> bytes, std::endian order) {
  return character_bytes == 2 ? wide_string<char16_t>(bytes, order) : wide_string<char32_t>(bytes, order);
}

std::string spelled_text(std::span<const std::byte> bytes, std::uint64_t size) {
  std::string text = spelled_bytes(bytes, kSpelledBytes);
  if (size > kSpelledBytes) text += fmt::format(" ({} bytes)", size);
  return text;
}

std::string flags_text(const Register& reg, std::uint64_t value) {
  std::string text = "[ ";
  for (const FlagField& field : *reg.flags) {
    const unsigned width = field.end - field.start + 1;
    const std::uint64_t part = extended(value >> field.start, width, false);
    if (width > 1)
      text += fmt::format("{}={} ", field.name, part);
    else if (part != 0)
      text += field.name + ' ';
  }
  return text + ']';
}

}  // namespace convert::tfile
