// Numbers and bytes in the notation of trace files: hexadecimal in the description, binary in the frames.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/endian/conversion.hpp>

#include "converters/model/reading/bits.h"
#include "converters/model/reading/text.h"

namespace convert::tfile {

// The form of a value. A value is a register, recorded memory, or a leaf of a typed value.
enum class ValueForm : std::uint8_t {
  // Numbers:
  Signed,
  Unsigned,
  Pointer,       // an address, or another number that is shown in hexadecimal
  TextPointer,   // a pointer to characters of one byte
  Utf16Pointer,  // a pointer to characters of 2 bytes
  Utf32Pointer,
  ObjectPointer,  // a pointer to anything else: data, a function, a table of functions
  Float,
  // Values that are shown as text:
  Flags,  // named bits of a register
  Enum,
  Bool,
  Character,       // of one byte
  FunctionMember,  // a pointer to a member function: its address, and the number that is added to `this`
  Complex,         // two floats
  FortranComplex,
  Fixed,  // an integer times a scale
  Text,   // characters of one byte
  Utf16,
  Utf32,
  TextSlice,  // a pointer to characters, and their number
  Bytes,      // anything else: vectors, unions, numbers of odd sizes
};
// True if an argument holds the value as a number. Numbers that are too large for this become texts.
constexpr bool is_number(ValueForm form, std::uint64_t size) {
  return form == ValueForm::Float ? size == 4 || size == 8 : form < ValueForm::Float && size <= 8;
}
// True for pointers that are shown with the text or the symbol at their target, if the program has one.
constexpr bool has_pointee(ValueForm form) { return form > ValueForm::Pointer && form < ValueForm::Float; }

// ---- Text ----

// The hexadecimal number in `digits`, without "0x". Nothing if `digits` is empty or has other characters, or
// if the number needs more than 64 bits.
inline std::optional<std::uint64_t> hex_number(std::string_view digits) { return whole_number(digits, 16); }

// The bytes in `digits`, two digits each. Nothing if the count is odd or a character is not a digit.
std::optional<std::vector<std::byte>> hex_bytes(std::string_view digits);
std::optional<std::string> hex_text(std::string_view digits);

void add_hex_byte(std::string& text, std::byte byte);
// Returns "0a ff", for example. After `limit` bytes, "…" follows.
std::string spelled_bytes(std::span<const std::byte> bytes, std::size_t limit);

// Removes and returns the text up to the next `separator`. If there is no separator, returns all of `rest`.
std::string_view next_field(std::string_view& rest, char separator);

// ---- Binary, in the target's byte order ----

// The inverse of load().
template <std::integral T>
void store(std::byte* bytes, T value, std::endian order) {
  using boost::endian::endian_store;
  auto* const to = reinterpret_cast<unsigned char*>(bytes);
  if (order == std::endian::little)
    endian_store<T, sizeof(T), boost::endian::order::little>(to, value);
  else
    endian_store<T, sizeof(T), boost::endian::order::big>(to, value);
}

// An IEEE single or double (4 or 8 bytes) as the bits of a double.
std::uint64_t float_bits(std::span<const std::byte> bytes, std::endian order);

}  // namespace convert::tfile
