#include "converters/tfile/program/type_table.h"

#include <algorithm>
#include <dwarf.h>
#include <string>
#include <string_view>
#include <vector>

#include "converters/tfile/program/dwarf_lookup.h"

namespace convert::tfile {
namespace {

std::optional<std::uint64_t> number(Dwarf_Die* die, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(die, attribute_name, &attribute) == nullptr ||
      dwarf_formudata(&attribute, &value) != 0)
    return std::nullopt;
  return value;
}

bool is_reference(int tag) { return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type; }

// The offset of a member in its structure; nothing when it is known only at run time.
std::optional<std::uint64_t> offset_of(Dwarf_Die* member) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == nullptr) return 0;
  Dwarf_Word value = 0;
  if (dwarf_formudata(&attribute, &value) == 0) return value;
  // DWARF 2 adds the offset to the address of the structure.
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1 ||
      operations->atom != DW_OP_plus_uconst)
    return std::nullopt;
  return operations->number;
}

// The bit offset of a member in its structure.
std::optional<std::uint64_t> bit_offset_of(Dwarf_Die* member, std::uint64_t bit_size, std::uint64_t type_size,
                                           bool is_big_endian) {
  if (const auto bits = number(member, DW_AT_data_bit_offset)) return bits;
  const auto bytes = offset_of(member);
  if (!bytes) return std::nullopt;
  // DWARF 2 counts a bit-field from the most significant bit of its storage on.
  const auto from_top = number(member, DW_AT_bit_offset);
  if (bit_size == 0 || !from_top) return *bytes * 8;
  const std::uint64_t storage = number(member, DW_AT_byte_size).value_or(type_size) * 8;
  if (*from_top + bit_size > storage) return std::nullopt;
  return *bytes * 8 + (is_big_endian ? *from_top : storage - *from_top - bit_size);
}

// The enumerators of an `enum class` are qualified by its name, too.
std::string enumerator_prefix(Dwarf_Die enumeration) {
  std::string prefix = scope_prefix(enumeration);
  const char* const name = dwarf_diename(&enumeration);
  if (name != nullptr && dwarf_hasattr(&enumeration, DW_AT_enum_class) != 0)
    prefix += std::string(name) + "::";
  return prefix;
}

bool is_wide_character(std::string_view name) {
  return name == "wchar_t" || name == "char16_t" || name == "char32_t";
}

// Whether arrays of the type are text: characters of one byte, or wide ones of C++.
bool is_character(Dwarf_Die* base_type, const Type& type) {
  if (type.kind != Type::Kind::Signed && type.kind != Type::Kind::Unsigned) return false;
  const char* const name = dwarf_diename(base_type);
  const bool is_wide = name != nullptr && is_wide_character(name);
  return type.size == 1 || (is_wide && (type.size == 2 || type.size == 4));
}

// The number of elements of a dimension; 0 when it is known only at run time.
std::uint64_t count_of(Dwarf_Die* subrange) {
  if (const auto count = number(subrange, DW_AT_count)) return *count;
  const auto upper = number(subrange, DW_AT_upper_bound);
  if (!upper || *upper >= ~std::uint64_t{0} >> 8) return 0;  // some compilers write -1
  return *upper + 1 - number(subrange, DW_AT_lower_bound).value_or(0);
}

bool is_big_endian(Dwarf_Die* die) {
  return elf_getident(dwarf_getelf(dwarf_cu_getdwarf(die->cu)), nullptr)[EI_DATA] == ELFDATA2MSB;
}

}  // namespace

const Type* TypeTable::of(Dwarf_Die* described) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(described, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr)
    return nullptr;
  return read(&type);
}

const Type* TypeTable::read(Dwarf_Die* type) {
  Dwarf_Die peeled;
  if (dwarf_peel_type(type, &peeled) != 0) return nullptr;
  if (const Type* const character = read_wide_character(*type)) return character;
  if (const auto found = by_die_.find(peeled.addr); found != by_die_.end()) return found->second;
  // A type may refer to itself, so it is registered before it is read.
  Type& added = types_.emplace_back();
  by_die_.emplace(peeled.addr, &added);
  fill(added, &peeled);
  return &added;
}

// In C wide characters are typedefs of integers. Null for all other types.
const Type* TypeTable::read_wide_character(Dwarf_Die die) {
  while (true) {
    const int tag = dwarf_tag(&die);
    const char* const name = dwarf_diename(&die);
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    const bool leads_on = tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type;
    if (!leads_on || dwarf_attr(&die, DW_AT_type, &attribute) == nullptr ||
        dwarf_formref_die(&attribute, &next) == nullptr)
      return nullptr;
    if (tag == DW_TAG_typedef && name != nullptr && is_wide_character(name)) break;
    die = next;
  }
  if (const auto found = by_die_.find(die.addr); found != by_die_.end()) return found->second;
  Dwarf_Die integer;
  if (dwarf_peel_type(&die, &integer) != 0 || dwarf_tag(&integer) != DW_TAG_base_type) return nullptr;
  Type& added = types_.emplace_back();
  by_die_.emplace(die.addr, &added);
  fill(added, &integer);
  added.is_character = added.size == 2 || added.size == 4;
  return &added;
}

void TypeTable::fill(Type& type, Dwarf_Die* die) {
  type.size = number(die, DW_AT_byte_size).value_or(0);
  const int tag = dwarf_tag(die);
  switch (tag) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      type.kind = is_reference(tag) ? Type::Kind::Reference : Type::Kind::Pointer;
      type.target = of(die);
      if (type.size == 0) {
        Dwarf_Die unit;
        std::uint8_t address_size = 8;
        dwarf_diecu(die, &unit, &address_size, nullptr);
        type.size = address_size;
      }
      break;
    case DW_TAG_ptr_to_member_type:
      type.kind = Type::Kind::Signed;
      if (type.size == 0) type.size = 8;
      break;
    case DW_TAG_enumeration_type: {
      type.kind = Type::Kind::Enum;
      Dwarf_Die child;
      if (dwarf_child(die, &child) != 0) break;
      const std::string prefix = enumerator_prefix(*die);
      do {
        Dwarf_Attribute attribute;
        Dwarf_Sword value = 0;
        const char* const name = dwarf_diename(&child);
        if (dwarf_tag(&child) == DW_TAG_enumerator && name != nullptr &&
            dwarf_attr(&child, DW_AT_const_value, &attribute) != nullptr &&
            dwarf_formsdata(&attribute, &value) == 0)
          type.enumerators.emplace_back(value, prefix + name);
      } while (dwarf_siblingof(&child, &child) == 0);
      break;
    }
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      type.kind = Type::Kind::Struct;
      fill_members(type, die);
      break;
    case DW_TAG_array_type:
      fill_array(type, die);
      break;
    case DW_TAG_base_type:
      switch (number(die, DW_AT_encoding).value_or(0)) {
        case DW_ATE_float:
          type.kind = Type::Kind::Float;
          break;
        case DW_ATE_complex_float:
          type.kind = Type::Kind::Complex;
          break;
        case DW_ATE_signed_char:
        case DW_ATE_signed:
          type.kind = Type::Kind::Signed;
          break;
        case DW_ATE_unsigned_char:
        case DW_ATE_unsigned:
        case DW_ATE_UTF:
          type.kind = Type::Kind::Unsigned;
          break;
        case DW_ATE_boolean:
          type.kind = Type::Kind::Bool;
          break;
        default:
          break;
      }
      type.is_character = is_character(die, type);
      break;
    default:
      break;
  }
}

void TypeTable::fill_members(Type& type, Dwarf_Die* die) {
  Dwarf_Die child;
  if (dwarf_child(die, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    // Static members are not part of the structure.
    if (dwarf_hasattr(&child, DW_AT_external) != 0 || dwarf_hasattr(&child, DW_AT_declaration) != 0) continue;
    Type::Member member{.type = of(&child)};
    member.bit_size = number(&child, DW_AT_bit_size).value_or(0);
    const auto offset = bit_offset_of(&child, member.bit_size, member.type != nullptr ? member.type->size : 0,
                                      is_big_endian(die));
    if (!offset && tag == DW_TAG_inheritance && member.type != nullptr)
      type.virtual_bases.push_back(member.type);
    if (!offset || member.type == nullptr) continue;
    member.bit_offset = *offset;
    if (const char* const name = dwarf_diename(&child); name != nullptr && tag == DW_TAG_member)
      member.name = name;
    type.members.push_back(std::move(member));
  } while (dwarf_siblingof(&child, &child) == 0);
}

// An array has one subrange per dimension, the outermost first.
void TypeTable::fill_array(Type& type, Dwarf_Die* die) {
  type.kind = Type::Kind::Array;
  const Type* element = of(die);
  std::vector<std::uint64_t> counts;
  Dwarf_Die child;
  if (dwarf_child(die, &child) == 0) {
    do {
      if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
      counts.push_back(count_of(&child));
    } while (dwarf_siblingof(&child, &child) == 0);
  }
  if (element == nullptr || counts.empty()) return;
  for (std::size_t i = counts.size(); i-- > 1;)
    element = add({.kind = Type::Kind::Array,
                   .size = counts[i] * element->size,
                   .target = element,
                   .count = counts[i]});
  type.target = element;
  type.count = counts.front();
  type.size = type.count * element->size;
}

const Type* TypeTable::basic(std::string_view words, std::size_t pointer_size) {
  bool is_unsigned = false, is_signed = false, is_known = false;
  std::size_t longs = 0, size = 0;
  bool is_float = false;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (word.empty() || word == "const" || word == "volatile") continue;
    is_known = true;
    if (word == "unsigned")
      is_unsigned = true;
    else if (word == "signed")
      is_signed = true;
    else if (word == "long")
      ++longs;
    else if (word == "char")
      size = 1;
    else if (word == "short")
      size = 2;
    else if (word == "int")
      size = size == 0 ? 4 : size;
    else if (word == "float" || word == "double") {
      is_float = true;
      size = word == "float" ? 4 : 8;
    } else
      return nullptr;
  }
  if (!is_known || (is_float && longs > 0)) return nullptr;
  if (!is_float && longs > 0) size = longs > 1 ? 8 : pointer_size;
  if (size == 0) size = 4;
  const bool is_plain_char = size == 1 && !is_signed && !is_unsigned;
  return add({.kind = is_float      ? Type::Kind::Float
                      : is_unsigned ? Type::Kind::Unsigned
                                    : Type::Kind::Signed,
              .size = size,
              .is_character = is_plain_char || size == 1});
}

}  // namespace convert::tfile
