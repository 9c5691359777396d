// The types of the traced program, without typedefs and qualifiers, and the leaves of their values: the
// numbers and texts that a value consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {

// The format of a floating-point number. Its size does not tell: sixteen bytes have three formats.
enum class FloatFormat : std::uint8_t {
  Unknown,
  Half,          // IEEE, 2 bytes
  BFloat,        // the upper half of a Single
  Single,        // IEEE, 4 bytes
  Double,        // IEEE, 8 bytes
  X87,           // 10 bytes, in 12 or 16
  Quad,          // IEEE, 16 bytes
  DoubleDouble,  // two doubles whose sum it is
  Decimal,       // IEEE, binary integer significand; 4 or 8 bytes
};

struct Type {
  enum class Kind : std::uint8_t {
    Unknown,
    Signed,
    Unsigned,
    Bool,
    Float,
    Complex,  // two floats
    Fixed,    // an integer times `scale`
    Pointer,
    Reference,
    DataMember,      // pointer to a data member: its offset, or -1
    FunctionMember,  // pointer to a member function: its address, and what is added to `this`
    Enum,
    Struct,  // or class, or union
    Array,
    Function,
  };
  struct Member {
    std::string name =
        {};  // empty: a base class or an anonymous struct, whose members belong to this type, too
    const Type* type = nullptr;
    std::uint64_t bit_offset = 0;
    std::uint64_t bit_size = 0;  // of a bit-field; 0: no bit-field
  };

  Kind kind = Kind::Unknown;
  std::uint64_t size = 0;        // bytes
  std::string name = {};         // of a Struct
  FloatFormat format = {};       // of a Float, or of the halves of a Complex
  double scale = 1;              // of a Fixed
  bool is_fortran = false;       // of a Complex
  bool is_character = false;     // arrays of it are text
  bool is_char = false;          // C's char, signed or not: one of it is text, too
  bool is_signed = false;        // of an Enum or Fixed
  bool is_text = false;          // of a Struct: a pointer to characters, and their number
  const Type* target = nullptr;  // of a Pointer (null: void), Reference, or the elements of an Array
  std::int64_t first = 0;        // the index of an Array's first element
  std::uint64_t count = 0;       // elements
  // Of an Array whose count is known at run time only: its count, or the index of its last element.
  std::optional<Dwarf_Attribute> count_attribute = {}, last_attribute = {};
  std::vector<Member> members = {};             // of a Struct
  std::vector<const Type*> virtual_bases = {};  // their offsets are known only at run time
  // Of an Enum; or of a DataMember or FunctionMember: the members.
  std::vector<std::pair<std::int64_t, std::string>> enumerators = {};
};

// What stands for a virtual function among the enumerators of a FunctionMember: its place in the table, and
// 1; above it what is added to `this`.
constexpr std::int64_t function_member_key(std::uint64_t place, std::int64_t added) {
  return static_cast<std::int64_t>(place + (static_cast<std::uint64_t>(added) << 32));
}

// One number or text of a value.
struct Leaf {
  NameId name{};  // the C expression
  ValueForm form = ValueForm::Bytes;
  FloatFormat format = {};                      // of a Float or Complex
  double scale = 1;                             // of a Fixed
  bool is_signed = false;                       // of an Enum, Character or Fixed
  std::uint64_t offset = 0, size = 0;           // bytes in the value
  std::uint64_t bit_offset = 0, bit_size = 0;   // of a bit-field, in those bytes
  std::uint64_t pointer_at = 0, length_at = 0;  // of a TextSlice, in those bytes
  std::vector<std::pair<std::int64_t, NameId>> enumerators = {};
};

// What is shown of a value: its first leaves, and how many more it has. Members of virtual bases are counted
// only, as their offsets are unknown.
struct ValueLayout {
  static constexpr std::size_t kMaxLeaves = 32;
  std::vector<Leaf> leaves;
  std::uint64_t more = 0;
  NameId more_name{};
  std::uint64_t size = 0;     // bytes
  bool is_reference = false;  // the recorded bytes are the address of the value
};
// The layout of a value of this type, named by a C expression such as "a[2]@3".
ValueLayout value_layout(const Type& type, const std::string& expression, Names& names);

}  // namespace convert::tfile
