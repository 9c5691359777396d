// The types of the traced program, without typedefs and qualifiers, and the leaves of values: the numbers and
// texts of which a value consists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {

// The format of a floating-point number. The size does not determine the format, because three formats have
// sixteen bytes.
enum class FloatFormat : std::uint8_t {
  Unknown,
  Half,          // IEEE, 2 bytes
  BFloat,        // the upper half of a Single
  Single,        // IEEE, 4 bytes
  Double,        // IEEE, 8 bytes
  X87,           // 10 bytes, stored in 12 or 16 bytes
  Quad,          // IEEE, 16 bytes
  DoubleDouble,  // two doubles; their sum is the number
  Decimal,       // IEEE, binary integer significand; 4 or 8 bytes
};

constexpr bool is_wide_character(std::string_view name) {
  return name == "wchar_t" || name == "char16_t" || name == "char32_t";
}

struct Type {
  enum class Kind : std::uint8_t {
    Unknown,
    Signed,
    Unsigned,
    Bool,
    Float,
    Complex,  // two floating-point numbers
    Fixed,    // an integer times `scale`
    Pointer,
    Reference,
    DataMember,      // pointer to a data member: the member's offset; -1 is the null pointer
    FunctionMember,  // pointer to a member function: its address, and the number that is added to `this`
    Enum,
    Label,   // the name of a variant; not a part of the value's bytes
    Struct,  // or class, or union
    Array,
    Function,
  };
  struct Member {
    std::string name =
        {};  // empty for a base class or an anonymous struct, whose members also belong to this type
    const Type* type = nullptr;
    std::uint64_t bit_offset = 0;
    std::uint64_t bit_size = 0;                    // size of a bit-field in bits; 0 for other members
    std::optional<Dwarf_Attribute> location = {};  // computes the member's address from that of the structure

    // Damaged DWARF also gives bit sizes to structs, or bit sizes that exceed the type.
    bool is_bit_field() const {
      return bit_size != 0 && bit_size <= 8 * type->size && type->kind != Kind::Struct &&
             type->kind != Kind::Array;
    }
  };
  // The members that a Struct has if its discriminant is in one of the ranges.
  struct Variant {
    // The first and the last value of each range. Without ranges: all values that no other variant has.
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges = {};
    std::vector<Member> members = {};
  };

  Kind kind = Kind::Unknown;
  std::uint64_t size = 0;        // bytes
  std::string name = {};         // name with its namespaces; empty without a name
  FloatFormat format = {};       // format of a Float, or of the halves of a Complex
  double scale = 1;              // for a Fixed
  bool is_fortran = false;       // for a Complex or an Array: the value is shown as in Fortran
  bool is_character = false;     // arrays of this type are text
  bool is_char = false;          // C's char and char8_t: a single character is also text
  bool is_byte = false;          // C's signed char and unsigned char: numbers, unless collect/s asks for text
  bool is_signed = false;        // for an Enum or Fixed
  bool is_implicit = false;      // for a Reference of Ada: if its target was not recorded, a note says so
  bool is_text = false;          // for a Struct: a text, as a pointer to characters and their number
  const Type* target = nullptr;  // for a Pointer (null: void), a Reference, or an Array (its elements)
  std::int64_t first = 0;        // for an Array: the index of its first element
  std::uint64_t count = 0;       // number of elements
  std::vector<Member> members = {};  // for a Struct
  // Properties that are known only at run time. For an Array: its indices, the place of its elements, and
  // their distance. For a Struct: its variants. `is_dynamic` is true if the type or an inner type has such
  // properties, or members with a location.
  std::optional<Dwarf_Attribute> first_attribute = {}, count_attribute = {}, last_attribute = {};
  std::optional<Dwarf_Attribute> data_attribute = {}, stride_attribute = {};
  std::optional<Member> discriminant = {};
  std::vector<Variant> variants = {};
  bool is_dynamic = false;

  bool has_open_indices() const {
    return first_attribute || count_attribute || last_attribute || stride_attribute;
  }
  // Values with names: the enumerators of an Enum, or the members to which a DataMember or FunctionMember can
  // point.
  std::vector<std::pair<std::int64_t, std::string>> enumerators = {};
};

// The type in GDB's spelling, without typedefs and qualifiers, such as "int", "char [8]", "item *" or
// "lib::Box<int> &". Null means void.
std::string name_of(const Type* type, std::size_t depth = 0);

// The value that stands for a virtual function in the `enumerators` of a FunctionMember. The lower 32 bits
// are `place`, the function's offset in the virtual table plus 1. The upper bits are `added`, the number that
// is added to `this`.
constexpr std::int64_t function_member_key(std::uint64_t place, std::int64_t added) {
  return static_cast<std::int64_t>(place + (static_cast<std::uint64_t>(added) << 32));
}

// One number or text of a value.
struct Leaf {
  NameId name{};  // the C expression
  ValueForm form = ValueForm::Bytes;
  FloatFormat format = {};
  double scale = 1;                             // for a Fixed
  bool is_signed = false;                       // only for an Enum, Character or Fixed
  std::uint64_t offset = 0, size = 0;           // bytes in the value
  std::uint64_t bit_offset = 0, bit_size = 0;   // for a bit-field: its place in these bytes, in bits
  std::uint64_t pointer_at = 0, length_at = 0;  // offsets of pointer and length in a TextSlice
  std::vector<std::pair<std::int64_t, NameId>> enumerators = {};
  std::optional<NameId> label = {};  // if set, the leaf always shows this text
};

// The parts of a value that are shown: its first leaves, and the number of all other leaves. Some parts are
// never shown, but count in this number: members with an unknown offset, unknown variants, and arrays with
// unknown indices. Each such array counts as one leaf. The unknown variants of a structure also count as one
// leaf.
struct ValueLayout {
  static constexpr std::size_t kMaxLeaves = 32;
  std::vector<Leaf> leaves;
  std::uint64_t more = 0;
  NameId more_name{};
};
// The layout of a value of this type. `expression` is the value's name, a C expression such as "a[2]@3". If
// `bit_size` is not 0, the value is a bit-field.
ValueLayout value_layout(const Type& type, const std::string& expression, Names& names,
                         std::uint64_t bit_offset = 0, std::uint64_t bit_size = 0);

}  // namespace convert::tfile
