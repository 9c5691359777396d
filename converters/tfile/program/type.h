// Types of the traced program's values, with typedefs and qualifiers looked through, and their leaves: the
// numbers and texts that a value of a type consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace convert::tfile {

struct Type {
  enum class Kind : std::uint8_t {
    Unknown,
    Signed,
    Unsigned,
    Bool,
    Float,
    Complex,  // two floats
    Pointer,
    Reference,
    Enum,
    Struct,  // or class, or union
    Array,
  };
  struct Member {
    std::string name = {};  // empty: of a base class, or anonymous; its members are like own ones
    const Type* type = nullptr;
    std::uint64_t bit_offset = 0;
    std::uint64_t bit_size = 0;  // of a bit-field; 0: all of the type
  };

  Kind kind = Kind::Unknown;
  std::uint64_t size = 0;            // bytes
  bool is_character = false;         // arrays of it are texts
  const Type* target = nullptr;      // of a Pointer (null: void), Reference, or the elements of an Array
  std::uint64_t count = 0;           // elements
  std::vector<Member> members = {};  // of a Struct
  std::vector<const Type*> virtual_bases = {};  // where they lie, only the object's own table tells
  std::vector<std::pair<std::int64_t, std::string>> enumerators = {};
};

struct Leaf {
  enum class Form : std::uint8_t {
    Signed,
    Unsigned,
    Float,
    Complex,
    Pointer,
    Enum,
    Text,
    Utf16,
    Utf32,
    Bytes
  };
  std::string name;  // the C expression
  Form form = Form::Bytes;
  std::uint64_t offset = 0, size = 0;          // bytes in the value
  std::uint64_t bit_offset = 0, bit_size = 0;  // of a bit-field: from the first of those bytes on
  const Type* type = nullptr;
};

// All leaves are too many for great arrays: the first ones, and how many more there are, those of virtual
// bases among them.
struct Leaves {
  static constexpr std::size_t kMost = 32;
  std::vector<Leaf> first;
  std::uint64_t more = 0;
};
// Of a value of this type that is called `expression`, "a[2]@3" among them.
Leaves leaves_of(const Type& type, const std::string& expression);

}  // namespace convert::tfile
