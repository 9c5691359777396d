#include "converters/tfile/events/values.h"

#include <algorithm>
#include <fmt/format.h>

#include <boost/locale/encoding_utf.hpp>

#include "converters/model/reading/long_double.h"
#include "converters/tfile/description/hex.h"
#include "converters/tfile/description/numbers.h"
#include "fxt/utf8.h"

namespace convert::tfile {
namespace {

std::string wide_text(std::span<const std::byte> bytes, std::endian order) {
  std::string text = "0x";
  text.reserve(2 + bytes.size() * 2);
  const auto add = [&](std::byte byte) { add_hex_byte(text, byte); };
  if (order == std::endian::big)
    std::for_each(bytes.begin(), bytes.end(), add);
  else
    std::for_each(bytes.rbegin(), bytes.rend(), add);
  return text;
}

}  // namespace

Reading reading_of(const Register& reg) {
  if (reg.size > 8) return Reading::Wide;
  switch (reg.kind) {
    case RegisterKind::Pointer:
      return Reading::Pointer;
    case RegisterKind::Flags:
      return Reading::Flags;
    case RegisterKind::Float:
      return Reading::Float;
    case RegisterKind::Unsigned:
      return Reading::Unsigned;
    case RegisterKind::Signed:
      return Reading::Signed;
    default:
      return Reading::Wide;
  }
}

Reading reading_of(std::size_t here, std::uint64_t size) {
  const bool is_number = here == size && (size == 1 || size == 2 || size == 4 || size == 8);
  if (!is_number) return Reading::Spelled;
  // A byte is a character, a flag or a small number: rarely a negative one.
  return size == 1 ? Reading::Unsigned : Reading::Signed;
}

std::optional<Reading> reading_of(const PlannedLeaf& leaf) {
  if (leaf.bit_size != 0) return std::nullopt;
  switch (leaf.form) {
    case Leaf::Form::Signed:
      return leaf.size <= 8 ? std::optional(Reading::Signed) : std::nullopt;
    case Leaf::Form::Unsigned:
      return leaf.size <= 8 ? std::optional(Reading::Unsigned) : std::nullopt;
    case Leaf::Form::Pointer:
      return Reading::Pointer;
    case Leaf::Form::Float:
      return leaf.size == 4 || leaf.size == 8 ? std::optional(Reading::Float) : std::nullopt;
    case Leaf::Form::Enum:
    case Leaf::Form::Complex:
    case Leaf::Form::Utf16:
    case Leaf::Form::Utf32:
      return std::nullopt;
    case Leaf::Form::Text:
      return Reading::String;
    case Leaf::Form::Bytes:
      break;
  }
  return Reading::Spelled;
}

ArgumentType type_of(Reading number) {
  switch (number) {
    case Reading::Signed:
      return ArgumentType::Int64;
    case Reading::Pointer:
      return ArgumentType::Pointer;
    case Reading::Float:
      return ArgumentType::Double;
    default:
      return ArgumentType::Uint64;
  }
}

std::uint64_t bits_of(Reading number, std::span<const std::byte> bytes, std::endian order) {
  switch (number) {
    case Reading::Signed:
      return signed_bits(bytes, order);
    case Reading::Float:
      return float_bits(bytes, order);
    default:
      return unsigned_bits(bytes, order);
  }
}

namespace {

// Bits that every enumerator but 0 has for itself: "(A | C)", as GDB says it. Empty for other values.
std::string flags_text(const PlannedLeaf& leaf, std::int64_t value, const Names& names) {
  std::string text;
  std::uint64_t left = std::bit_cast<std::uint64_t>(value), seen = 0;
  for (const auto& [enumerator, name] : leaf.enumerators) {
    const auto bits = std::bit_cast<std::uint64_t>(enumerator);
    if (enumerator < 0 || std::popcount(bits) > 1 || (seen & bits) != 0) return {};
    seen |= bits;
    if ((left & bits) == 0) continue;
    left &= ~bits;
    text += (text.empty() ? "(" : " | ") + std::string(names.text(name));
  }
  if (left != 0 && !text.empty()) text += fmt::format(" | unknown: {:#x}", left);
  return text.empty() ? text : text + ')';
}

// With as many digits as GDB gives.
std::string float_text(std::span<const std::byte> bytes, std::endian order) {
  if (bytes.size() >= LongDouble::kBytes) return LongDouble(bytes, order).text();
  constexpr int kDigitsOfFloat = 9, kDigits = 17;
  return fmt::format("{:.{}g}", std::bit_cast<double>(float_bits(bytes, order)),
                     bytes.size() == sizeof(float) ? kDigitsOfFloat : kDigits);
}

// "1.5 + -2i".
std::string complex_text(std::span<const std::byte> bytes, std::endian order) {
  const std::size_t half = bytes.size() / 2;
  return fmt::format("{} + {}i", float_text(bytes.first(half), order),
                     float_text(bytes.subspan(half), order));
}

// Up to the first character that is 0; halves of characters are left out.
template <typename Character>
std::string wide_string(std::span<const std::byte> bytes, std::endian order) {
  std::basic_string<Character> characters;
  for (; bytes.size() >= sizeof(Character); bytes = bytes.subspan(sizeof(Character))) {
    const auto character = static_cast<Character>(unsigned_bits(bytes.first(sizeof(Character)), order));
    if (character == 0) break;
    characters += character;
  }
  return boost::locale::conv::utf_to_utf<char>(characters);
}

// As a number if it is small enough for one.
Argument wide_number(const PlannedLeaf& leaf, std::span<const std::byte> bytes, std::endian order,
                     std::string& text) {
  const bool is_little = order == std::endian::little;
  const std::uint64_t low = unsigned_bits(is_little ? bytes.first(8) : bytes.subspan(8), order);
  const std::uint64_t high = unsigned_bits(is_little ? bytes.subspan(8) : bytes.first(8), order);
  const bool is_negative = leaf.form == Leaf::Form::Signed && std::bit_cast<std::int64_t>(high) < 0;
  if (leaf.form == Leaf::Form::Unsigned && high == 0) return {leaf.name, low};
  const auto number = std::bit_cast<std::int64_t>(low);
  if (leaf.form == Leaf::Form::Signed && high == (number < 0 ? ~std::uint64_t{0} : 0))
    return {leaf.name, number};
  __extension__ using Wide = unsigned __int128;
  const Wide value = (Wide{high} << 64) | low;
  text = is_negative ? fmt::format("-{}", Wide{0} - value) : fmt::format("{}", value);
  return {leaf.name, text};
}

std::uint64_t field_bits(const PlannedLeaf& leaf, std::span<const std::byte> bytes, std::endian order) {
  const std::uint64_t all = unsigned_bits(bytes, order);
  if (leaf.bit_size == 0) return all;
  const std::uint64_t above = 8 * bytes.size() - leaf.bit_offset - leaf.bit_size;
  return all >> (order == std::endian::little ? leaf.bit_offset : above);
}

}  // namespace

Argument argument_of(const PlannedLeaf& leaf, std::span<const std::byte> bytes, std::endian order,
                     const Names& names, std::string& text) {
  if (leaf.form == Leaf::Form::Float && bytes.size() >= LongDouble::kBytes) {
    const LongDouble number(bytes, order);
    if (number.is_double()) return {leaf.name, number.value()};
    return {leaf.name, text = number.text()};
  }
  switch (leaf.form) {
    case Leaf::Form::Complex:
      return {leaf.name, text = complex_text(bytes, order)};
    case Leaf::Form::Utf16:
      return {leaf.name, text = wide_string<char16_t>(bytes, order)};
    case Leaf::Form::Utf32:
      return {leaf.name, text = wide_string<char32_t>(bytes, order)};
    case Leaf::Form::Signed:
    case Leaf::Form::Unsigned:
      if (leaf.bit_size == 0 && leaf.size == 16) return wide_number(leaf, bytes, order, text);
      break;
    default:
      break;
  }
  return argument_of(leaf, field_bits(leaf, bytes, order), names, text);
}

Argument argument_of(const PlannedLeaf& leaf, std::uint64_t value, const Names& names, std::string& flags) {
  const std::uint64_t bits = leaf.bit_size != 0 ? leaf.bit_size : 8 * leaf.size;
  const bool is_signed = leaf.form == Leaf::Form::Signed || leaf.form == Leaf::Form::Enum;
  if (bits > 0 && bits < 64) {
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    value &= sign | (sign - 1);
    if (is_signed) value = (value ^ sign) - sign;
  }
  switch (leaf.form) {
    case Leaf::Form::Enum: {
      const auto number = std::bit_cast<std::int64_t>(value);
      // Of an unsigned one, too, whose top bit is set.
      const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
      for (const auto& [enumerator, name] : leaf.enumerators)
        if ((std::bit_cast<std::uint64_t>(enumerator) & mask) == (value & mask)) return {leaf.name, name};
      flags = flags_text(leaf, std::bit_cast<std::int64_t>(value & mask), names);
      return flags.empty() ? Argument(leaf.name, number) : Argument(leaf.name, flags);
    }
    case Leaf::Form::Pointer:
      return {leaf.name, convert::Pointer{value}};
    case Leaf::Form::Unsigned:
      return {leaf.name, value};
    default:
      return {leaf.name, std::bit_cast<std::int64_t>(value)};
  }
}

namespace {

// Bytes that are no characters by their number, as GDB spells them, and with it the backslash: "caf\\351". Of
// more than it prints, the first.
std::string escaped(std::string_view bytes) {
  constexpr std::size_t kPrinted = 200;
  if (bytes.size() > kPrinted) return escaped(bytes.substr(0, kPrinted)) + "...";
  constexpr unsigned char kFirstPrintable = 0x20, kDelete = 0x7f;
  constexpr std::size_t kLongestCharacter = 4;
  std::string text;
  while (!bytes.empty()) {
    std::size_t size = 1;
    while (size < kLongestCharacter && !fxt::is_valid_utf8(bytes.substr(0, size))) ++size;
    const auto c = static_cast<unsigned char>(bytes.front());
    if (!fxt::is_valid_utf8(bytes.substr(0, size))) size = 1;
    if (c == '\\')
      text += "\\\\";
    else if (c < kFirstPrintable || c == kDelete || !fxt::is_valid_utf8(bytes.substr(0, size)))
      text += fmt::format("\\{:03o}", c);
    else
      text += bytes.substr(0, size);
    bytes.remove_prefix(std::min(size, bytes.size()));
  }
  return text;
}

}  // namespace

std::string string_text(std::span<const std::byte> bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view text = all.substr(0, all.find('\0'));
  const std::size_t last = all.find_last_not_of('\0');
  if (text.empty() && last != std::string_view::npos) return escaped(all.substr(0, last + 1));
  return fxt::is_valid_utf8(text) ? std::string(text) : escaped(text);
}

std::string spelled_text(std::span<const std::byte> bytes, std::uint64_t size) {
  std::string text = spelled_bytes(bytes, kSpelledBytes);
  if (size > kSpelledBytes) text += fmt::format(" ({} bytes)", size);
  return text;
}

std::string register_text(const Register& reg, std::span<const std::byte> bytes, std::endian order) {
  if (reading_of(reg) != Reading::Flags) return wide_text(bytes, order);
  const std::uint64_t bits = unsigned_bits(bytes, order);
  return fmt::format("{:#x} {}", bits, flags_text(reg, bits));
}

std::string flags_text(const Register& reg, std::uint64_t value) {
  std::string text = "[ ";
  for (const FlagField& field : reg.flags) {
    const unsigned width = field.end - field.start + 1;
    const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const std::uint64_t part = (value >> field.start) & mask;
    if (width > 1)
      text += fmt::format("{}={} ", field.name, part);
    else if (part != 0)
      text += field.name + ' ';
  }
  return text + ']';
}

}  // namespace convert::tfile
