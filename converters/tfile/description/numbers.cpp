#include "converters/tfile/description/numbers.h"

#include <algorithm>

namespace convert::tfile {

std::optional<std::vector<std::byte>> hex_bytes(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto byte = whole_number<std::uint8_t>(digits.substr(i, 2), 16);
    if (!byte) return std::nullopt;
    bytes.push_back(std::byte{*byte});
  }
  return bytes;
}

std::optional<std::string> hex_text(std::string_view digits) {
  const auto bytes = hex_bytes(digits);
  if (!bytes) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

void add_hex_byte(std::string& text, std::byte byte) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  text += kDigits[std::to_integer<unsigned>(byte) / 16];
  text += kDigits[std::to_integer<unsigned>(byte) % 16];
}

std::string spelled_bytes(std::span<const std::byte> bytes, std::size_t limit) {
  const std::span<const std::byte> shown = bytes.first(std::min(limit, bytes.size()));
  std::string text;
  text.reserve(shown.size() * 3 + 3);
  for (const std::byte byte : shown) {
    if (!text.empty()) text += ' ';
    add_hex_byte(text, byte);
  }
  if (shown.size() < bytes.size()) text += " \u2026";
  return text;
}

std::string_view next_field(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view field = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return field;
}

std::uint64_t float_bits(std::span<const std::byte> bytes, std::endian order) {
  const std::uint64_t bits = unsigned_bits(bytes, order);
  if (bytes.size() != sizeof(float)) return bits;
  return std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))});
}

}  // namespace convert::tfile
