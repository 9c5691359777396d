#include "converters/tfile/events/values.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/tfile/description/hex.h"
#include "converters/tfile/description/numbers.h"

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

Reading reading_of(std::size_t here, std::uint64_t size, ValueType type) {
  const bool is_number = here == size && (size == 1 || size == 2 || size == 4 || size == 8);
  if (!is_number) return Reading::Spelled;
  switch (type) {
    case ValueType::Pointer:
      return Reading::Pointer;
    case ValueType::Float:
      return size >= sizeof(float) ? Reading::Float : Reading::Signed;
    case ValueType::Unsigned:
      return Reading::Unsigned;
    case ValueType::Signed:
      return Reading::Signed;
    default:  // a byte is a character, a flag or a small number: rarely a negative one
      return size == 1 ? Reading::Unsigned : Reading::Signed;
  }
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

std::string string_text(std::span<const std::byte> bytes) {
  const auto end = std::ranges::find(bytes, std::byte{0});
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(end - bytes.begin())};
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
