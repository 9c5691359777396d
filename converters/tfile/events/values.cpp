#include "converters/tfile/events/values.h"

#include <algorithm>
#include <fmt/format.h>

#include <boost/locale/encoding_utf.hpp>

#include "converters/model/reading/long_double.h"
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

// "(A | C)", as GDB shows a set of flags. Empty unless each enumerator but 0 is a bit of its own.
std::string flags_text(const Leaf& leaf, std::int64_t value, const Names& names) {
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

// With as many digits as GDB shows.
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

// Up to the first character that is 0, without incomplete characters.
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

// A number of 16 bytes: as a number if 8 bytes hold it, else as text.
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
  const Wide value = (Wide{high} << 64) | low;
  text = is_negative ? fmt::format("-{}", Wide{0} - value) : fmt::format("{}", value);
  return {leaf.name, text};
}

std::uint64_t field_bits(const Leaf& leaf, std::span<const std::byte> bytes, std::endian order) {
  const std::uint64_t all = unsigned_bits(bytes, order);
  if (leaf.bit_size == 0) return all;
  const std::uint64_t above = 8 * bytes.size() - leaf.bit_offset - leaf.bit_size;
  return all >> (order == std::endian::little ? leaf.bit_offset : above);
}

// Spells bytes that are no characters by their octal number, as GDB does, and so escapes the backslash, too:
// "caf\\351". Longer text is cut where GDB cuts it.
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

ValueForm untyped_form(std::size_t recorded, std::uint64_t size) {
  const bool has_number_size = recorded == size && (size == 1 || size == 2 || size == 4 || size == 8);
  if (!has_number_size) return ValueForm::Bytes;
  // A byte is a character, a flag or a small number: rarely a negative one.
  return size == 1 ? ValueForm::Unsigned : ValueForm::Signed;
}

ArgumentType type_of(ValueForm number) {
  switch (number) {
    case ValueForm::Signed:
      return ArgumentType::Int64;
    case ValueForm::Pointer:
      return ArgumentType::Pointer;
    case ValueForm::Float:
      return ArgumentType::Double;
    default:
      return ArgumentType::Uint64;
  }
}

std::uint64_t bits_of(ValueForm number, std::span<const std::byte> bytes, std::endian order) {
  switch (number) {
    case ValueForm::Signed:
      return signed_bits(bytes, order);
    case ValueForm::Float:
      return float_bits(bytes, order);
    default:
      return unsigned_bits(bytes, order);
  }
}

Argument argument_of(const Leaf& leaf, std::span<const std::byte> bytes, std::endian order,
                     const Names& names, std::string& text) {
  if (leaf.form == ValueForm::Float && bytes.size() >= LongDouble::kBytes) {
    const LongDouble number(bytes, order);
    if (number.is_double()) return {leaf.name, number.value()};
    return {leaf.name, text = number.text()};
  }
  switch (leaf.form) {
    case ValueForm::Complex:
      return {leaf.name, text = complex_text(bytes, order)};
    case ValueForm::Utf16:
      return {leaf.name, text = wide_string<char16_t>(bytes, order)};
    case ValueForm::Utf32:
      return {leaf.name, text = wide_string<char32_t>(bytes, order)};
    case ValueForm::Signed:
    case ValueForm::Unsigned:
      if (leaf.bit_size == 0 && leaf.size == 16) return wide_number(leaf, bytes, order, text);
      break;
    default:
      break;
  }
  return argument_of(leaf, field_bits(leaf, bytes, order), names, text);
}

Argument argument_of(const Leaf& leaf, std::uint64_t value, const Names& names, std::string& text) {
  const std::uint64_t bits = leaf.bit_size != 0 ? leaf.bit_size : 8 * leaf.size;
  const bool is_signed = leaf.form == ValueForm::Signed || leaf.form == ValueForm::Enum;
  if (bits > 0 && bits < 64) {
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    value &= sign | (sign - 1);
    if (is_signed) value = (value ^ sign) - sign;
  }
  switch (leaf.form) {
    case ValueForm::Enum: {
      const auto number = std::bit_cast<std::int64_t>(value);
      // Compares the bits of the value: an unsigned enumerator may have its top bit set.
      const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
      for (const auto& [enumerator, name] : leaf.enumerators)
        if ((std::bit_cast<std::uint64_t>(enumerator) & mask) == (value & mask)) return {leaf.name, name};
      text = flags_text(leaf, std::bit_cast<std::int64_t>(value & mask), names);
      return text.empty() ? Argument(leaf.name, number) : Argument(leaf.name, text);
    }
    case ValueForm::Pointer:
      return {leaf.name, convert::Pointer{value}};
    case ValueForm::Unsigned:
      return {leaf.name, value};
    default:
      return {leaf.name, std::bit_cast<std::int64_t>(value)};
  }
}

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
  if (reg.form != ValueForm::Flags || reg.size > 8) return wide_text(bytes, order);
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
