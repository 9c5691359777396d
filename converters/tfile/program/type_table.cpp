#include "converters/tfile/program/type_table.h"

#include <algorithm>
#include <cmath>
#include <dwarf.h>
#include <elf.h>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/tfile/program/debug_info.h"

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

constexpr std::uint64_t kMaxVirtualFunctions = 65536;
constexpr std::size_t kMaxBases = 16;
constexpr std::size_t kMaxStructures = 65536;
constexpr std::size_t kMaxQualifiers = 64;  // damaged DWARF may describe endless ones

// Whether a type is shown as the type that it refers to. Subranges are types of Ada.
bool is_qualifier(int tag) {
  switch (tag) {
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
    case DW_TAG_immutable_type:
    case DW_TAG_packed_type:
    case DW_TAG_shared_type:
    case DW_TAG_subrange_type:
      return true;
    default:
      return false;
  }
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
    prefix += std::string(name) + (prefix.ends_with('.') ? "." : "::");
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
  // Bytes that are numbers in Rust and Go have another encoding.
  const auto encoding = number(base_type, DW_AT_encoding);
  const bool is_char =
      encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF;
  return (type.size == 1 && is_char) || (is_wide && (type.size == 2 || type.size == 4));
}

// Reads a dimension: the first index, and the number of elements if it is the same in all frames.
void read_dimension(Dwarf_Die* subrange, Type& array) {
  Dwarf_Sword first = 0;
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(subrange, DW_AT_lower_bound, &attribute) == nullptr) {
    Dwarf_Die unit;
    if (dwarf_diecu(subrange, &unit, nullptr, nullptr) == nullptr ||
        dwarf_default_lower_bound(dwarf_srclang(&unit), &first) != 0)
      first = 0;
  } else if (dwarf_formsdata(&attribute, &first) != 0) {
    array.first_attribute = attribute;
  }
  array.first = first;
  if (dwarf_attr_integrate(subrange, DW_AT_count, &attribute) != nullptr) {
    Dwarf_Word count = 0;
    if (dwarf_formudata(&attribute, &count) == 0)
      array.count = count;
    else
      array.count_attribute = attribute;
  } else if (dwarf_attr_integrate(subrange, DW_AT_upper_bound, &attribute) != nullptr) {
    Dwarf_Sword last = 0;
    const bool is_signed = attribute.form == DW_FORM_sdata || attribute.form == DW_FORM_implicit_const;
    auto* const bits = reinterpret_cast<Dwarf_Word*>(&last);
    if ((is_signed ? dwarf_formsdata(&attribute, &last) : dwarf_formudata(&attribute, bits)) != 0)
      array.last_attribute = attribute;
    else if (last >= first && last < std::int64_t{0xffff'ffff})  // some compilers write -1 for no elements
      array.count = static_cast<std::uint64_t>(last - first + 1);
  }
}

// A number of the block of DW_AT_discr_list, in the form that has 7 bits a byte.
std::int64_t consume_leb128(std::span<const unsigned char>& bytes, bool is_signed) {
  std::uint64_t number = 0;
  unsigned bits = 0;
  bool has_more = true;
  for (; has_more && !bytes.empty() && bits < 64; bits += 7, bytes = bytes.subspan(1)) {
    number |= std::uint64_t{bytes.front() & 0x7fU} << bits;
    has_more = (bytes.front() & 0x80U) != 0;
  }
  return static_cast<std::int64_t>(extended(number, std::min(bits, 64U), is_signed));
}

// The discriminants of a variant; none if it is that of all others.
std::vector<std::pair<std::int64_t, std::int64_t>> discriminants_of(Dwarf_Die* variant, bool is_signed) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(variant, DW_AT_discr_value, &attribute) != nullptr) {
    Dwarf_Word value = 0;
    if (dwarf_formudata(&attribute, &value) != 0) return {};
    return {{static_cast<std::int64_t>(value), static_cast<std::int64_t>(value)}};
  }
  Dwarf_Block block;
  if (dwarf_formblock(dwarf_attr(variant, DW_AT_discr_list, &attribute), &block) != 0) return {};
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (std::span<const unsigned char> bytes(block.data, block.length); !bytes.empty();) {
    const bool is_range = bytes.front() == DW_DSC_range;
    bytes = bytes.subspan(1);
    const std::int64_t first = consume_leb128(bytes, is_signed);
    ranges.emplace_back(first, is_range ? consume_leb128(bytes, is_signed) : first);
  }
  return ranges;
}

bool is_big_endian(Dwarf_Die* die) {
  return elf_getident(dwarf_getelf(dwarf_cu_getdwarf(die->cu)), nullptr)[EI_DATA] == ELFDATA2MSB;
}

}  // namespace

// The type that a DIE refers to.
std::optional<Dwarf_Die> TypeTable::referred_type(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, DW_AT_type, &attribute) == nullptr) return std::nullopt;
  return info_.referred(&attribute);
}

const Type* TypeTable::of(Dwarf_Die* described) {
  auto type = referred_type(described);
  return type ? read(&*type) : nullptr;
}

const Type* TypeTable::read(Dwarf_Die* type) {
  Dwarf_Die peeled = *type;
  for (std::size_t steps = 0; is_qualifier(dwarf_tag(&peeled)); ++steps) {
    const auto next = referred_type(&peeled);
    if (!next || steps == kMaxQualifiers) return nullptr;
    peeled = *next;
  }
  if (dwarf_hasattr(&peeled, DW_AT_declaration) != 0 || dwarf_hasattr(&peeled, DW_AT_signature) != 0)
    if (const Type* const defined = read_definition(&peeled)) return defined;
  if (const Type* const character = read_wide_character(*type)) return character;
  if (const auto found = by_die_.find(peeled.addr); found != by_die_.end()) return found->second;
  // A type may refer to itself, so it is registered before it is read.
  Type& added = types_.emplace_back();
  by_die_.emplace(peeled.addr, &added);
  fill(added, &peeled);
  return &added;
}

// A type that is defined in a type unit, or in another unit.
const Type* TypeTable::read_definition(Dwarf_Die* declaration) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(declaration, DW_AT_signature, &attribute) != nullptr)
    if (auto defined = info_.referred(&attribute)) return read(&*defined);
  const char* const name = dwarf_diename(declaration);
  Dwarf_Die* const other =
      name != nullptr ? info_.globals().type(scope_prefix(*declaration) + name) : nullptr;
  return other != nullptr && dwarf_hasattr(other, DW_AT_declaration) == 0 ? read(other) : nullptr;
}

// In C wide characters are typedefs of integers. Null for all other types.
const Type* TypeTable::read_wide_character(Dwarf_Die die) {
  std::size_t steps = 0;
  while (true) {
    const int tag = dwarf_tag(&die);
    const char* const name = dwarf_diename(&die);
    if (!is_qualifier(tag)) return nullptr;
    if (tag == DW_TAG_typedef && name != nullptr && is_wide_character(name)) break;
    const auto next = referred_type(&die);
    if (!next || ++steps == kMaxQualifiers) return nullptr;
    die = *next;
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
  if (const char* const name = dwarf_diename(die)) type.name = scope_prefix(*die) + name;
  switch (tag) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      type.kind = is_reference(tag) ? Type::Kind::Reference : Type::Kind::Pointer;
      type.is_implicit = is_ada(language_of(*die));
      type.target = of(die);
      if (type.size == 0) {
        Dwarf_Die unit;
        std::uint8_t address_size = 8;
        dwarf_diecu(die, &unit, &address_size, nullptr);
        type.size = address_size;
      }
      break;
    case DW_TAG_ptr_to_member_type: {
      const Type* const member = of(die);
      const bool is_function = member != nullptr && member->kind == Type::Kind::Function;
      type.kind = is_function ? Type::Kind::FunctionMember : Type::Kind::DataMember;
      if (type.size == 0) type.size = (is_function ? 2 : 1) * info_.address_bytes();
      // These mark virtual functions elsewhere.
      if (is_function && (elf_machine_ == EM_ARM || elf_machine_ == EM_AARCH64 || elf_machine_ == EM_MIPS))
        type.kind = Type::Kind::Unknown;
      type.enumerators.emplace_back(is_function ? 0 : -1, "NULL");
      Dwarf_Attribute attribute;
      if (dwarf_attr_integrate(die, DW_AT_containing_type, &attribute) != nullptr)
        if (const auto containing = info_.referred(&attribute)) {
          if (is_function)
            add_virtual_functions(type, *containing, 0, 0);
          else
            add_data_members(type, *containing, 0, 0);
        }
      break;
    }
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
      type.kind = Type::Kind::Function;
      break;
    case DW_TAG_unspecified_type:  // nullptr_t
      type.kind = Type::Kind::Pointer;
      if (type.size == 0) type.size = info_.address_bytes();
      break;
    case DW_TAG_enumeration_type: {
      type.kind = Type::Kind::Enum;
      const Type* const underlying = of(die);
      type.is_signed = underlying != nullptr && underlying->kind == Type::Kind::Signed;
      if (type.size == 0 && underlying != nullptr) type.size = underlying->size;
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
      // GDB takes the type as unsigned unless an enumerator is negative.
      if (!type.enumerators.empty())
        type.is_signed = std::ranges::any_of(type.enumerators, [](const auto& e) { return e.first < 0; });
      break;
    }
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      type.kind = Type::Kind::Struct;
      fill_members(type, die);
      // Ada's pointer to an array and to its bounds.
      if (is_ada(language_of(*die)) && type.members.size() == 2 && type.members[0].name == "P_ARRAY" &&
          type.members[0].type->kind == Type::Kind::Pointer && type.members[0].type->target != nullptr &&
          type.members[0].type->target->kind == Type::Kind::Array) {
        type.kind = Type::Kind::Reference;
        type.is_implicit = true;
        type.target = type.members[0].type->target;
      }
      break;
    case DW_TAG_array_type:
      fill_array(type, die);
      break;
    case DW_TAG_string_type:
      fill_string(type, die);
      break;
    case DW_TAG_base_type: {
      const std::uint64_t encoding = number(die, DW_AT_encoding).value_or(0);
      switch (encoding) {
        case DW_ATE_float:
        case DW_ATE_decimal_float:
          type.kind = Type::Kind::Float;
          type.format = float_format_of(die, type.size);
          break;
        case DW_ATE_complex_float:
          type.kind = Type::Kind::Complex;
          type.format = float_format_of(die, type.size / 2);
          type.is_fortran = info_.is_fortran(die);
          break;
        case DW_ATE_signed_fixed:
        case DW_ATE_unsigned_fixed: {
          Dwarf_Attribute attribute;
          Dwarf_Sword exponent = 0;
          const bool is_binary = dwarf_attr(die, DW_AT_binary_scale, &attribute) != nullptr;
          if (!is_binary && dwarf_attr(die, DW_AT_decimal_scale, &attribute) == nullptr) break;
          if (dwarf_formsdata(&attribute, &exponent) != 0) break;
          type.kind = Type::Kind::Fixed;
          type.scale = std::pow(is_binary ? 2.0 : 10.0, static_cast<double>(exponent));
          type.is_signed = encoding == DW_ATE_signed_fixed;
          break;
        }
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
      type.is_char = type.size == 1 && (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
      break;
    }
    default:
      break;
  }
}

// The members by their offsets, those of base classes, too.
void TypeTable::add_data_members(Type& pointer, Dwarf_Die containing, std::int64_t offset,
                                 std::size_t depth) {
  const char* const name = dwarf_diename(&containing);
  Dwarf_Die child;
  if (name == nullptr || depth == kMaxBases || dwarf_child(&containing, &child) != 0) return;
  const std::string prefix = fmt::format("&{}{}::", scope_prefix(containing), name);
  std::vector<std::pair<Dwarf_Die, std::int64_t>> bases;
  do {
    const int tag = dwarf_tag(&child);
    const char* const member = dwarf_diename(&child);
    const auto bytes = offset_of(&child);
    if (!bytes || dwarf_hasattr(&child, DW_AT_external) != 0) continue;
    const std::int64_t at = offset + static_cast<std::int64_t>(*bytes);
    if (tag == DW_TAG_member && member != nullptr) pointer.enumerators.emplace_back(at, prefix + member);
    if (tag != DW_TAG_inheritance) continue;
    if (const auto base = referred_type(&child)) bases.emplace_back(*base, at);
  } while (dwarf_siblingof(&child, &child) == 0);
  for (const auto& [base, at] : bases) add_data_members(pointer, base, at, depth + 1);
}

// The virtual functions as pointers have them: by the place in the table, and 1, and by the offset of the
// base class.
void TypeTable::add_virtual_functions(Type& pointer, Dwarf_Die containing, std::uint64_t offset,
                                      std::size_t depth) {
  Dwarf_Die child;
  if (depth == kMaxBases || dwarf_child(&containing, &child) != 0) return;
  std::vector<std::pair<Dwarf_Die, std::uint64_t>> bases;
  do {
    if (dwarf_tag(&child) == DW_TAG_inheritance) {
      const auto at = offset_of(&child);
      const auto base = referred_type(&child);
      if (at && base) bases.emplace_back(*base, offset + *at);
    }
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_tag(&child) != DW_TAG_subprogram ||
        dwarf_attr(&child, DW_AT_vtable_elem_location, &attribute) == nullptr ||
        dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1)
      continue;
    const bool is_literal = operations->atom >= DW_OP_lit0 && operations->atom <= DW_OP_lit31;
    const std::uint64_t place = is_literal ? operations->atom - DW_OP_lit0 : operations->number;
    if (place < kMaxVirtualFunctions)
      pointer.enumerators.emplace_back(
          function_member_key(place * info_.address_bytes() + 1, static_cast<std::int64_t>(offset)),
          fmt::format("&virtual {}", qualified_name(&child, Demangle::Full)));
  } while (dwarf_siblingof(&child, &child) == 0);
  for (const auto& [base, at] : bases) add_virtual_functions(pointer, base, at, depth + 1);
}

// Nothing for static members, which are not part of the structure.
std::optional<Type::Member> TypeTable::read_member(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  const bool is_member = (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
                         dwarf_hasattr(die, DW_AT_external) == 0 &&
                         dwarf_hasattr(die, DW_AT_declaration) == 0;
  Type::Member member{.type = is_member ? of(die) : nullptr};
  if (member.type == nullptr) return std::nullopt;
  member.bit_size = number(die, DW_AT_bit_size).value_or(0);
  Dwarf_Attribute attribute;
  if (const auto offset = bit_offset_of(die, member.bit_size, member.type->size, is_big_endian(die)))
    member.bit_offset = *offset;
  else if (dwarf_attr(die, DW_AT_data_member_location, &attribute) != nullptr)
    member.location = attribute;
  else
    return std::nullopt;
  if (const char* const name = dwarf_diename(die); name != nullptr && tag == DW_TAG_member)
    member.name = name;
  return member;
}

void TypeTable::fill_members(Type& type, Dwarf_Die* die) {
  Dwarf_Die child;
  if (dwarf_child(die, &child) != 0) return;
  do {
    if (dwarf_tag(&child) == DW_TAG_variant_part) fill_variants(type, &child);
    auto member = read_member(&child);
    if (!member) continue;
    type.is_dynamic |= member->location || member->type->is_dynamic;
    type.members.push_back(std::move(*member));
  } while (dwarf_siblingof(&child, &child) == 0);
  const int language = language_of(*die);
  type.is_text = (language == DW_LANG_Rust && type.name == "&str") ||
                 (language == DW_LANG_Go && type.name == "string") ||
                 (language == DW_LANG_D && (type.name == "string" || type.name.ends_with("char)[]")));
}

// The discriminant is a member like others in Ada. In Rust it is none, and variants have names.
void TypeTable::fill_variants(Type& type, Dwarf_Die* part) {
  Dwarf_Attribute attribute;
  Dwarf_Die child;
  if (!type.variants.empty() || dwarf_child(part, &child) != 0) return;
  if (dwarf_attr(part, DW_AT_discr, &attribute) != nullptr)
    if (auto discriminant = info_.referred(&attribute)) type.discriminant = read_member(&*discriminant);
  const bool is_signed = type.discriminant && type.discriminant->type->kind == Type::Kind::Signed;
  const bool has_names = language_of(*part) == DW_LANG_Rust;
  do {
    if (dwarf_tag(&child) != DW_TAG_variant) continue;
    Type::Variant variant{.ranges = discriminants_of(&child, is_signed)};
    Dwarf_Die inner;
    for (int more = dwarf_child(&child, &inner); more == 0; more = dwarf_siblingof(&inner, &inner)) {
      auto member = read_member(&inner);
      if (!member) continue;
      if (has_names && type.discriminant) {
        Type label{.kind = Type::Kind::Label,
                   .size = type.discriminant->type->size,
                   .name = fmt::format("{}::{}", type.name, member->name)};
        variant.members.push_back(
            {.type = add(std::move(label)), .bit_offset = type.discriminant->bit_offset});
      }
      if (has_names) member->name.clear();
      variant.members.push_back(std::move(*member));
    }
    type.variants.push_back(std::move(variant));
  } while (dwarf_siblingof(&child, &child) == 0);
  type.is_dynamic = true;
}

// Fortran's texts, which are as long as they were declared.
void TypeTable::fill_string(Type& type, Dwarf_Die* die) {
  static const Type kCharacter{
      .kind = Type::Kind::Unsigned, .size = 1, .name = "character", .is_character = true};
  type.kind = Type::Kind::Array;
  type.target = &kCharacter;
  type.count = type.size;
  Dwarf_Attribute attribute;
  if (dwarf_attr(die, DW_AT_string_length, &attribute) == nullptr) return;
  type.count_attribute = attribute;
  type.is_dynamic = true;
}

FloatFormat TypeTable::float_format_of(Dwarf_Die* die, std::uint64_t size) const {
  const char* const text = dwarf_diename(die);
  const std::string_view name = text != nullptr ? text : "";
  const bool is_x86 = elf_machine_ == EM_X86_64 || elf_machine_ == EM_386;
  const bool is_power = elf_machine_ == EM_PPC64 || elf_machine_ == EM_PPC;
  if (number(die, DW_AT_encoding) == DW_ATE_decimal_float)
    return is_x86 && size <= 8 ? FloatFormat::Decimal : FloatFormat::Unknown;
  switch (size) {
    case 2:
      return name.find("bf16") != std::string_view::npos ? FloatFormat::BFloat : FloatFormat::Half;
    case 4:
      return FloatFormat::Single;
    case 8:
      return FloatFormat::Double;
    case 10:
    case 12:
      return is_x86 ? FloatFormat::X87 : FloatFormat::Unknown;
    case 16: {
      const bool is_quad =
          name.find("128") != std::string_view::npos || name.find("kind=16") != std::string_view::npos;
      if (is_x86) return is_quad ? FloatFormat::Quad : FloatFormat::X87;
      if (is_power)
        return is_quad && !name.starts_with("__ibm") ? FloatFormat::Quad : FloatFormat::DoubleDouble;
      return FloatFormat::Quad;
    }
    default:
      return FloatFormat::Unknown;
  }
}

// An array has one subrange per dimension, the outermost first; in Fortran the innermost first.
void TypeTable::fill_array(Type& type, Dwarf_Die* die) {
  type.kind = Type::Kind::Array;
  const Type* element = of(die);
  std::vector<Type> dimensions;
  Dwarf_Die child;
  if (dwarf_child(die, &child) == 0) {
    do {
      if (dwarf_tag(&child) == DW_TAG_subrange_type) read_dimension(&child, dimensions.emplace_back());
    } while (dwarf_siblingof(&child, &child) == 0);
  }
  if (element == nullptr || dimensions.empty()) return;
  if (dwarf_hasattr(die, DW_AT_GNU_vector) != 0 && element->is_character) {  // numbers, and no text
    Type number = *element;
    number.is_character = number.is_char = false;
    element = add(std::move(number));
  }
  if (number(die, DW_AT_ordering) == DW_ORD_col_major || info_.is_fortran(die))
    std::ranges::reverse(dimensions);
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    Type& dimension = dimensions[i];
    dimension.kind = Type::Kind::Array;
    dimension.target = element;
    dimension.size = dimension.count * element->size;
    dimension.is_dynamic = element->is_dynamic || dimension.has_open_indices();
    if (i > 0) element = add(std::move(dimension));
  }
  Dwarf_Attribute attribute;
  if (dwarf_attr(die, DW_AT_data_location, &attribute) != nullptr)
    dimensions.front().data_attribute = attribute;
  dimensions.front().is_dynamic |= dimensions.front().data_attribute.has_value();
  type = std::move(dimensions.front());
}

const Type* TypeTable::pointer_to(const Type* target) {
  const Type*& found = pointers_[target];
  if (found == nullptr)
    found = add({.kind = Type::Kind::Pointer, .size = info_.address_bytes(), .target = target});
  return found;
}

const Type* TypeTable::array_of(const Type* element, std::uint64_t count, std::int64_t first) {
  const Type*& found = arrays_[{element, count, first}];
  if (found == nullptr)
    found = add({.kind = Type::Kind::Array,
                 .size = count * element->size,
                 .target = element,
                 .first = first,
                 .count = count});
  return found;
}

const Type* TypeTable::with_members(const Type* structure, std::vector<Type::Member> members) {
  Members key;
  for (const Type::Member& member : members) key.emplace_back(member.type, member.bit_offset);
  if (structures_.size() >= kMaxStructures) return structure;
  const Type*& found = structures_.try_emplace(std::pair(structure, std::move(key))).first->second;
  if (found == nullptr) {
    Type type = *structure;
    type.members = std::move(members);
    type.variants.clear();
    type.is_dynamic = false;
    found = add(std::move(type));
  }
  return found;
}

const Type* TypeTable::basic(std::string_view words) {
  const std::string key(words);
  if (const auto found = basic_.find(key); found != basic_.end()) return found->second;
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
  if (!is_float && longs > 0) size = longs > 1 ? 8 : info_.address_bytes();
  if (size == 0) size = 4;
  const bool is_plain_char = size == 1 && !is_signed && !is_unsigned;
  const Type* const added = add({.kind = is_float      ? Type::Kind::Float
                                         : is_unsigned ? Type::Kind::Unsigned
                                                       : Type::Kind::Signed,
                                 .size = size,
                                 .name = key,
                                 .format = !is_float   ? FloatFormat::Unknown
                                           : size == 4 ? FloatFormat::Single
                                                       : FloatFormat::Double,
                                 .is_character = is_plain_char || size == 1,
                                 .is_char = size == 1});
  return basic_.emplace(key, added).first->second;
}

}  // namespace convert::tfile
