#include "converters/tfile/events/values.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/tfile/description/hex.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

template <typename Narrow>
Value narrow(std::uint64_t number) {
  return static_cast<std::int32_t>(std::bit_cast<Narrow>(static_cast<std::make_unsigned_t<Narrow>>(number)));
}

Value signed_value(std::uint64_t number, std::size_t size) {
  switch (size) {
    case 1:
      return narrow<std::int8_t>(number);
    case 2:
      return narrow<std::int16_t>(number);
    case 4:
      return narrow<std::int32_t>(number);
    default:
      return std::bit_cast<std::int64_t>(number);
  }
}

Value number_value(std::uint64_t number, std::size_t size, ValueType type) {
  if (type == ValueType::Pointer) return Pointer{number};
  if (type == ValueType::Float && size == 4)
    return double{std::bit_cast<float>(static_cast<std::uint32_t>(number))};
  if (type == ValueType::Float && size == 8) return std::bit_cast<double>(number);
  // A byte is a character, a flag or a small number: rarely a negative one.
  const bool is_unsigned = type == ValueType::Unsigned || (type == ValueType::Unknown && size == 1);
  if (is_unsigned && size <= 4) return static_cast<std::uint32_t>(number);
  if (is_unsigned) return number;
  return signed_value(number, size);
}

std::string wide_number(std::span<const std::byte> bytes, std::endian order) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  text.reserve(2 + bytes.size() * 2);
  const auto add = [&](std::byte byte) {
    text += kDigits[std::to_integer<unsigned>(byte) / 16];
    text += kDigits[std::to_integer<unsigned>(byte) % 16];
  };
  if (order == std::endian::big)
    std::for_each(bytes.begin(), bytes.end(), add);
  else
    std::for_each(bytes.rbegin(), bytes.rend(), add);
  return text;
}

}  // namespace

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

Value register_value(const Register& reg, std::span<const std::byte> bytes, std::endian order) {
  if (bytes.size() > 8 || reg.kind == RegisterKind::Bytes) return wide_number(bytes, order);
  const std::uint64_t number = unsigned_bits(bytes, order);
  switch (reg.kind) {
    case RegisterKind::Pointer:
      return Pointer{number};
    case RegisterKind::Flags:
      return fmt::format("{:#x} {}", number, flags_text(reg, number));
    case RegisterKind::Float:
      return bytes.size() == 4 ? double{std::bit_cast<float>(static_cast<std::uint32_t>(number))}
                               : std::bit_cast<double>(number);
    case RegisterKind::Unsigned:
      if (bytes.size() <= 4) return static_cast<std::uint32_t>(number);
      return number;
    default:
      return signed_value(number, bytes.size());
  }
}

Value memory_value(std::span<const std::byte> bytes, std::uint64_t size, std::endian order, ValueType type) {
  const bool is_number = bytes.size() == size && (size == 1 || size == 2 || size == 4 || size == 8);
  if (is_number) return number_value(unsigned_bits(bytes, order), bytes.size(), type);
  std::string text = spelled_bytes(bytes, kSpelledBytes);
  if (size > kSpelledBytes) text += fmt::format(" ({} bytes)", size);
  return text;
}

Value string_value(std::span<const std::byte> bytes) {
  const auto end = std::ranges::find(bytes, std::byte{0});
  return std::string(reinterpret_cast<const char*>(bytes.data()),
                     static_cast<std::size_t>(end - bytes.begin()));
}

}  // namespace convert::tfile
