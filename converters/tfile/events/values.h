// How recorded bytes become argument values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "converters/model/lanes/argument.h"
#include "converters/model/names/names.h"
#include "converters/tfile/actions/action_plan.h"
#include "converters/tfile/description/register_layout.h"

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

enum class Reading : std::uint8_t {
  // Numbers of up to 8 bytes:
  Signed,
  Unsigned,
  Pointer,
  Float,
  // Texts, different ones for different bytes:
  String,   // up to the first NUL, see string_text()
  Spelled,  // "01 02 03 … (100 bytes)"
  Wide,     // "0x00ff…": all digits, highest first
  Flags,    // "0x246 [ PF ZF IF ]"
};
constexpr bool is_number(Reading reading) { return reading <= Reading::Float; }

Reading reading_of(const Register& reg);
// Of memory of `size` bytes of which nobody knows the type, the first `here` at hand: 1, 2, 4 or 8 bytes are
// a number, signed but for a single one.
Reading reading_of(std::size_t here, std::uint64_t size);
// Of a leaf of a value. Bit-fields, enumerators and long doubles are numbers that a Reading can't tell.
std::optional<Reading> reading_of(const PlannedLeaf& leaf);

// The argument of a number, and its bits; see ArgumentHeader.
ArgumentType type_of(Reading number);
std::uint64_t bits_of(Reading number, std::span<const std::byte> bytes, std::endian order);

// The value of a leaf that has no Reading. `text` holds that of several enumerators, of complex numbers and
// of those that no integer or double has room for.
Argument argument_of(const PlannedLeaf& leaf, std::span<const std::byte> bytes, std::endian order,
                     const Names& names, std::string& text);
// Of a leaf whose value was computed.
Argument argument_of(const PlannedLeaf& leaf, std::uint64_t value, const Names& names, std::string& flags);

// Up to the first NUL; but all of what only begins with one. What is no UTF-8 is spelled out: "caf\\351".
std::string string_text(std::span<const std::byte> bytes);
// `size`: of all of it, of which `bytes` may be the beginning.
std::string spelled_text(std::span<const std::byte> bytes, std::uint64_t size);
// Of a register that is no number.
std::string register_text(const Register& reg, std::span<const std::byte> bytes, std::endian order);
// "[ PF ZF IF ]", fields of several bits as "name=value".
std::string flags_text(const Register& reg, std::uint64_t value);

}  // namespace convert::tfile
