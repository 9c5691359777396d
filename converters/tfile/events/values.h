// Converts recorded bytes to argument values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "converters/model/lanes/event.h"
#include "converters/model/names/names.h"
#include "converters/tfile/description/numbers.h"
#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/program/type.h"

namespace convert::tfile {

// A text spells at most this number of bytes of memory. Blobs have all bytes, unless options omit them.
inline constexpr std::size_t kSpelledBytes = 64;

// True if the leaf is a number in whole bytes. A reusable recipe can read such a number from
// each frame.
inline bool is_plain_number(const Leaf& leaf) {
  return leaf.bit_size == 0 && is_number(leaf.form, leaf.size) && leaf.enumerators.empty() &&
         leaf.format != FloatFormat::Decimal;
}
// The form of `size` bytes of memory with an unknown type. `recorded` of these bytes are in one block. If the
// block has all bytes, and their number is 1, 2, 4 or 8, they are a number: signed, except for a single byte.
ValueForm untyped_form(std::size_t recorded, std::uint64_t size);

ArgumentKind argument_kind(ValueForm number);
inline std::uint64_t bits_of(ValueForm number, std::span<const std::byte> bytes, std::endian order) {
  if (number == ValueForm::Signed) return signed_bits(bytes, order);
  return number == ValueForm::Float ? float_bits(bytes, order) : unsigned_bits(bytes, order);
}

// The value of a leaf that is not a plain number. `text` provides memory for values that are shown as text.
Argument argument_of(const Leaf& leaf, std::span<const std::byte> bytes, std::endian order,
                     const Names& names, std::string& text);
// The number that stands for a boolean or a character.
Argument number_of(const Leaf& leaf, std::span<const std::byte> bytes, std::endian order);
Argument argument_of(const Leaf& leaf, std::uint64_t value, const Names& names, std::string& text);

// An array of characters. If only NULs follow the first NUL, the text ends there. If other bytes follow, or
// if the characters are not valid UTF-8, the text is spelled and cut as in GDB: "caf\\351", "ABC\\000D".
std::string string_text(std::span<const std::byte> bytes);
// A string of C: the characters up to the first NUL.
std::string c_string_text(std::span<const std::byte> bytes);
// Like string_text(), for characters of 2 or 4 bytes. Ignores an incomplete character at the end.
std::string wide_text(std::size_t character_bytes, std::span<const std::byte> bytes, std::endian order);
// "01 02 03 … (100 bytes)": `size` is the full size. `bytes` may be only the beginning.
std::string spelled_text(std::span<const std::byte> bytes, std::uint64_t size);
// "0x00ff…": all hexadecimal digits of a register that is not a number.
std::string hex_text(std::span<const std::byte> bytes, std::endian order);
// Returns "[ PF ZF IF ]", for example. A field of several bits is "name=value".
std::string flags_text(const Register& reg, std::uint64_t value);

}  // namespace convert::tfile
