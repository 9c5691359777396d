// Recorded bytes as typed argument values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "converters/model/argument.h"
#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

using Value = std::variant<std::monostate, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, double,
                           std::string, Pointer, bool, NameId>;
struct NamedValue {
  NameId name;
  Value value;
};
inline Argument argument_of(const NamedValue& named) {
  return std::visit([&](const auto& value) { return Argument(named.name, value); }, named.value);
}

// Longer memory is spelled out up to here; a blob holds all of it.
inline constexpr std::size_t kSpelledBytes = 64;

// A register of a block: a number, a pointer, "0x246 [ PF ZF IF ]" for flags, "0x00ff…" for what is wider
// than 8 bytes (all digits, highest first).
Value register_value(const Register& reg, std::span<const std::byte> bytes, std::endian order);

// Collected memory: 2, 4 or 8 bytes are a signed integer, a single one an unsigned; others are spelled out:
// "01 02 03 … (100 bytes)". `size` is the whole size, of which `bytes` may be the beginning.
Value memory_value(std::span<const std::byte> bytes, std::uint64_t size, std::endian order,
                   ValueType type = ValueType::Unknown);

// Up to the first NUL.
Value string_value(std::span<const std::byte> bytes);

// "[ PF ZF IF ]", fields of several bits as "name=value".
std::string flags_text(const Register& reg, std::uint64_t value);

}  // namespace convert::tfile
