// Reads the types of a program from its DWARF.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <dwarf.h>
#include <elf.h>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/program/debug_info.h"
#include "converters/tfile/program/type_table.h"

namespace convert::tfile {
namespace {

using TypeKind = Type::Kind;

constexpr std::uint64_t kMaxVirtualFunctions = 65536;
constexpr std::size_t kMaxBases = 16;
constexpr std::size_t kMaxDimensions = 64;
// Limits for the enumerators of a type, and for the characters in the names of its flags. One byte of a frame
// may set all flags, and would then be shown with all of these characters. Values without an enumerator are
// shown as numbers.
constexpr std::size_t kMaxEnumerators = 4096, kMaxFlagNames = 8192;

// Returns the operation of a location that has only one operation, such as "plus_uconst 8".
std::optional<Dwarf_Op> only_operation(std::optional<Dwarf_Attribute> attribute) {
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (!attribute || dwarf_getlocation(&*attribute, &operations, &count) != 0 || count != 1)
    return std::nullopt;
  return *operations;
}

// The offset of a member in its structure. Nothing if it is known only at run time.
std::optional<std::uint64_t> offset_of(Dwarf_Die member) {
  auto attribute = own_attribute(member, DW_AT_data_member_location);
  if (!attribute) return 0;
  Dwarf_Word value = 0;
  if (dwarf_formudata(&*attribute, &value) == 0) return value;
  // In DWARF 2, the offset is the operand of an operation, which adds it to the address of the structure.
  const auto operation = only_operation(attribute);
  return operation && operation->atom == DW_OP_plus_uconst ? std::optional(operation->number) : std::nullopt;
}

bool is_big_endian(Dwarf_Die die) {
  return elf_getident(dwarf_getelf(dwarf_cu_getdwarf(die.cu)), nullptr)[EI_DATA] == ELFDATA2MSB;
}

std::optional<std::uint64_t> bit_offset_of(Dwarf_Die member, std::uint64_t bit_size,
                                           std::uint64_t type_size) {
  if (const auto bits = unsigned_attribute(member, DW_AT_data_bit_offset)) return bits;
  const auto bytes = offset_of(member);
  if (!bytes) return std::nullopt;
  // In DWARF 2, the position of a bit-field is counted from the most significant bit of its storage.
  const auto from_top = unsigned_attribute(member, DW_AT_bit_offset);
  if (bit_size == 0 || !from_top) return *bytes * 8;
  const std::uint64_t storage = unsigned_attribute(member, DW_AT_byte_size).value_or(type_size) * 8;
  if (*from_top + bit_size > storage) return std::nullopt;
  return *bytes * 8 + (is_big_endian(member) ? *from_top : storage - *from_top - bit_size);
}

// The number of enumerators with values from `first` to `last`. Nothing if the subrange does not belong to an
// enumeration.
std::optional<std::uint64_t> enumerators_between(Dwarf_Die subrange, std::int64_t first, std::int64_t last) {
  const auto type = referred_die(subrange, DW_AT_type);
  if (!type || kind_of(*type) != kTagged) return std::nullopt;
  std::uint64_t count = 0;
  for (const Dwarf_Die& enumerator : children_of(*type)) {
    const auto attribute = own_attribute(enumerator, DW_AT_const_value);
    const auto value = attribute ? constant_in(*attribute) : std::nullopt;
    if (value && first <= *value && *value <= last) ++count;
  }
  return count;
}

// Returns a dimension of an array: its first index and its number of elements. If one of these numbers is
// known only at run time, the dimension has the number's DWARF attribute instead.
Type dimension_of(Dwarf_Die subrange) {
  Type array{.kind = TypeKind::Array};
  if (auto first = attribute_of(subrange, DW_AT_lower_bound)) {
    if (dwarf_formsdata(&*first, &array.first) != 0) array.first_attribute = first;
  } else if (dwarf_default_lower_bound(language_of(subrange), &array.first) != 0) {
    array.first = 0;
  }
  if (auto count = attribute_of(subrange, DW_AT_count)) {
    if (dwarf_formudata(&*count, &array.count) != 0) array.count_attribute = count;
  } else if (const auto last = attribute_of(subrange, DW_AT_upper_bound)) {
    const auto index = constant_in(*last);
    if (!index) array.last_attribute = last;
    // Some compilers write the last index -1 for an array without elements. It may be read as 0xffffffff.
    else if (*index >= array.first && *index < std::int64_t{0xffff'ffff})
      array.count = enumerators_between(subrange, array.first, *index)
                        .value_or(static_cast<std::uint64_t>(*index - array.first + 1));
  }
  array.stride_attribute = attribute_of(subrange, DW_AT_byte_stride);
  return array;
}

// The ranges of discriminants that choose the variant. Empty for a variant that has all other discriminants.
std::vector<std::pair<std::int64_t, std::int64_t>> discriminants_of(Dwarf_Die variant, bool is_signed) {
  if (auto only = own_attribute(variant, DW_AT_discr_value)) {
    Dwarf_Word value = 0;
    if (dwarf_formudata(&*only, &value) != 0) return {};
    return {{static_cast<std::int64_t>(value), static_cast<std::int64_t>(value)}};
  }
  Dwarf_Block block;
  auto list = own_attribute(variant, DW_AT_discr_list);
  if (!list || dwarf_formblock(&*list, &block) != 0) return {};
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (std::span<const unsigned char> bytes(block.data, block.length); !bytes.empty();) {
    const bool is_range = bytes.front() == DW_DSC_range;
    bytes = bytes.subspan(1);
    const std::int64_t first = consume_leb128(bytes, is_signed);
    ranges.emplace_back(first, is_range ? consume_leb128(bytes, is_signed) : first);
  }
  return ranges;
}

// True if the structure is a string of Rust, Go or D: a pointer to characters, and their number.
bool is_text_slice(Dwarf_Die structure, std::string_view name) {
  switch (language_of(structure)) {
    case DW_LANG_Rust:
      return name == "&str";
    case DW_LANG_Go:
      return name == "string";
    case DW_LANG_D:
      return name == "string" || name.ends_with("char)[]");
    default:
      return false;
  }
}

class TypeReader {
 public:
  TypeReader(DebugInfo& info, TypeTable& types, unsigned elf_machine)
      : info_(info), types_(types), elf_machine_(elf_machine) {}

  void read(Type& type, Dwarf_Die die) {
    type.size = unsigned_attribute(die, DW_AT_byte_size).value_or(0);
    if (const std::string_view name = info_.die_scopes().name_of(die); !name.empty())
      type.name = info_.die_scopes().prefix(declaration_of(die)).append(name);
    switch (const int tag = dwarf_tag(&die)) {
      case DW_TAG_pointer_type:
      case DW_TAG_reference_type:
      case DW_TAG_rvalue_reference_type:
        type.kind = tag == DW_TAG_pointer_type ? TypeKind::Pointer : TypeKind::Reference;
        type.is_implicit = is_ada(die);
        types_.read_target(type, die);
        if (type.size == 0) {
          Dwarf_Die unit;
          std::uint8_t address_size = 8;
          dwarf_diecu(&die, &unit, &address_size, nullptr);
          type.size = address_size;
        }
        break;
      case DW_TAG_ptr_to_member_type:
        read_pointer_to_member(type, die);
        break;
      case DW_TAG_subroutine_type:
      case DW_TAG_subprogram:
        type.kind = TypeKind::Function;
        break;
      case DW_TAG_unspecified_type:  // nullptr_t; GDB records 0 to 4 bytes of it
        type.kind = TypeKind::Pointer;
        break;
      case DW_TAG_enumeration_type:
        read_enumeration(type, die);
        break;
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
        read_structure(type, die);
        break;
      case DW_TAG_set_type:
        read_set(type, die);
        break;
      case DW_TAG_array_type:
        read_array(type, die);
        break;
      case DW_TAG_string_type: {  // texts of Fortran; the length may be known only at run time
        static const Type kCharacter{
            .kind = TypeKind::Unsigned, .size = 1, .name = "character", .is_character = true};
        type.kind = TypeKind::Array;
        type.target = &kCharacter;
        type.count = type.size;
        type.count_attribute = own_attribute(die, DW_AT_string_length);
        type.is_dynamic = type.count_attribute.has_value();
        break;
      }
      case DW_TAG_base_type:
        read_base_type(type, die);
        break;
      default:
        break;
    }
  }

 private:
  void read_base_type(Type& type, Dwarf_Die die) {
    const std::uint64_t encoding = unsigned_attribute(die, DW_AT_encoding).value_or(0);
    switch (encoding) {
      case DW_ATE_float:
      case DW_ATE_decimal_float:
        type.kind = TypeKind::Float;
        type.format = float_format_of(die, type.size);
        break;
      case DW_ATE_complex_float:
        type.kind = TypeKind::Complex;
        type.format = float_format_of(die, type.size / 2);
        type.is_fortran = is_fortran(die);
        break;
      case DW_ATE_signed_fixed:
      case DW_ATE_unsigned_fixed: {
        const bool is_binary = has_attribute(die, DW_AT_binary_scale);
        auto scale = own_attribute(die, is_binary ? DW_AT_binary_scale : DW_AT_decimal_scale);
        Dwarf_Sword exponent = 0;
        if (!scale || dwarf_formsdata(&*scale, &exponent) != 0) break;
        type.kind = TypeKind::Fixed;
        type.scale = std::pow(is_binary ? 2.0 : 10.0, static_cast<double>(exponent));
        type.is_signed = encoding == DW_ATE_signed_fixed;
        break;
      }
      case DW_ATE_signed_char:
      case DW_ATE_signed:
        type.kind = TypeKind::Signed;
        break;
      case DW_ATE_unsigned_char:
      case DW_ATE_unsigned:
      case DW_ATE_UTF:
        type.kind = TypeKind::Unsigned;
        break;
      case DW_ATE_boolean:
        type.kind = TypeKind::Bool;
        break;
      case DW_ATE_address:
        type.kind = TypeKind::Pointer;
        break;
      default:
        break;
    }
    const std::string_view name = die_name(die);
    const bool is_integer = type.kind == TypeKind::Signed || type.kind == TypeKind::Unsigned;
    // GCC gives char8_t the encoding of a number, so its name is compared. In Rust and Go, bytes that are
    // numbers never have the encoding of a character.
    const bool is_char_or_byte = type.size == 1 && (encoding == DW_ATE_signed_char ||
                                                    encoding == DW_ATE_unsigned_char || name == "char8_t");
    type.is_byte = is_char_or_byte && (name == "unsigned char" || name == "signed char");
    type.is_char = is_char_or_byte && !type.is_byte;
    const bool is_wide = is_wide_character(name) && (type.size == 2 || type.size == 4);
    type.is_character =
        type.is_char || (is_integer && (is_wide || (type.size == 1 && encoding == DW_ATE_UTF)));
  }

  FloatFormat float_format_of(Dwarf_Die die, std::uint64_t size) const {
    const std::string_view name = die_name(die);
    const bool is_x86 = elf_machine_ == EM_X86_64 || elf_machine_ == EM_386;
    const bool is_power = elf_machine_ == EM_PPC64 || elf_machine_ == EM_PPC;
    if (unsigned_attribute(die, DW_AT_encoding) == DW_ATE_decimal_float)
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

  void read_enumeration(Type& type, Dwarf_Die die) {
    type.kind = TypeKind::Enum;
    const Type* const underlying = types_.type_of(die);
    if (underlying != nullptr && type.size == 0) type.size = underlying->size;
    // The enumerators of an `enum class` are also qualified by the name of the enumeration.
    std::string prefix = info_.die_scopes().prefix(declaration_of(die));
    const std::string_view name = info_.die_scopes().name_of(die);
    if (!name.empty() && has_attribute(die, DW_AT_enum_class))
      prefix += fmt::format("{}{}", name, prefix.ends_with('.') ? "." : "::");
    bool has_negative = false;
    for (Dwarf_Die& child : info_.children_of(die)) {
      auto attribute = own_attribute(child, DW_AT_const_value);
      const std::string_view own = die_name(child);
      // Values in forms of 1, 2 and 4 bytes are read as unsigned. Their sign is extended below.
      Dwarf_Word value = 0;
      if (dwarf_tag(&child) != DW_TAG_enumerator || own.empty() || !attribute ||
          dwarf_formudata(&*attribute, &value) != 0)
        continue;
      has_negative |= static_cast<std::int64_t>(value) < 0;
      if (type.enumerators.size() < kMaxEnumerators &&
          info_.die_scopes().takes_text(prefix.size() + own.size()))
        type.enumerators.emplace_back(static_cast<std::int64_t>(value), std::string(prefix).append(own));
    }
    std::size_t flag_names = 0;
    for (const auto& [value, of_value] : type.enumerators)
      if (std::popcount(static_cast<std::uint64_t>(value)) == 1) flag_names += of_value.size();
    if (flag_names > kMaxFlagNames) type.enumerators.clear();
    // Before DWARF 3, an enumeration has no underlying type, so its sign is unknown. It is assumed to be
    // signed if an enumerator is negative.
    type.is_signed = underlying != nullptr ? underlying->kind == TypeKind::Signed : has_negative;
    for (auto& [value, of_value] : type.enumerators)
      value = static_cast<std::int64_t>(
          extended(static_cast<std::uint64_t>(value), 8 * type.size, type.is_signed));
  }

  // A set of Pascal has a bit for each enumerator of an enumeration. Sets of other types are shown as bytes.
  void read_set(Type& type, Dwarf_Die die) {
    const Type* const element = types_.type_of(die);
    if (element == nullptr || element->kind != TypeKind::Enum || type.size > sizeof(std::uint64_t)) return;
    type.kind = TypeKind::Enum;
    type.enumerators.emplace_back(0, "[]");
    for (const auto& [value, name] : element->enumerators)
      if (value >= 0 && std::cmp_less(value, 8 * type.size))
        type.enumerators.emplace_back(static_cast<std::int64_t>(std::uint64_t{1} << value), name);
  }

  // An array has one subrange per dimension, the outermost first. In Fortran, the innermost is first.
  void read_array(Type& type, Dwarf_Die die) {
    type.kind = TypeKind::Array;
    const Type* element = types_.type_of(die);
    std::vector<Type> dimensions;
    for (Dwarf_Die& child : info_.children_of(die))
      if (dwarf_tag(&child) == DW_TAG_subrange_type && dimensions.size() <= kMaxDimensions)
        dimensions.push_back(dimension_of(child));
    if (element == nullptr || dimensions.empty() || dimensions.size() > kMaxDimensions) return;
    if (const auto bits = unsigned_attribute(die, DW_AT_bit_stride); bits && *bits != 8 * element->size) {
      std::uint64_t all_bits = *bits;  // packed elements are shown as bytes
      for (const Type& dimension : dimensions) all_bits *= dimension.count;
      type = {.size = type.size != 0 ? type.size : (all_bits + 7) / 8};
      return;
    }
    if (has_attribute(die, DW_AT_GNU_vector) && element->is_character) {  // not text
      Type number = *element;
      number.is_character = number.is_char = false;
      element = types_.add(std::move(number));
    }
    if (unsigned_attribute(die, DW_AT_ordering) == DW_ORD_col_major || is_fortran(die))
      std::ranges::reverse(dimensions);
    for (std::size_t i = dimensions.size(); i-- > 0;) {
      Type& dimension = dimensions[i];
      dimension.is_fortran = is_fortran(die);
      dimension.target = element;
      dimension.size = dimension.count * element->size;
      dimension.is_dynamic = element->is_dynamic || dimension.has_open_indices();
      if (i > 0) element = types_.add(std::move(dimension));
    }
    type = std::move(dimensions.front());
    type.data_attribute = own_attribute(die, DW_AT_data_location);
    type.is_dynamic |= type.data_attribute.has_value();
  }

  void read_structure(Type& type, Dwarf_Die die) {
    type.kind = TypeKind::Struct;
    for (Dwarf_Die& child : info_.children_of(die)) {
      if (dwarf_tag(&child) == DW_TAG_variant_part) read_variants(type, child);
      auto member = read_member(child);
      if (!member) continue;
      type.is_dynamic |= member->location || member->type->is_dynamic;
      type.members.push_back(std::move(*member));
    }
    type.is_text = is_text_slice(die, type.name);
    // In Ada, a pointer to an array is a structure with two pointers: to the elements, and to the bounds.
    if (!is_ada(die) || type.members.size() != 2 || type.members[0].name != "P_ARRAY") return;
    const Type& pointer = *type.members[0].type;
    if (pointer.kind != TypeKind::Pointer || pointer.target == nullptr ||
        pointer.target->kind != TypeKind::Array)
      return;
    type.kind = TypeKind::Reference;
    type.is_implicit = true;
    type.target = pointer.target;
  }

  // Returns nothing for static members, which are not part of the structure.
  std::optional<Type::Member> read_member(Dwarf_Die die) {
    const int tag = dwarf_tag(&die);
    const bool is_member = (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
                           !has_attribute(die, DW_AT_external) && !has_attribute(die, DW_AT_declaration);
    Type::Member member{.type = is_member ? types_.type_of(die) : nullptr};
    if (member.type == nullptr) return std::nullopt;
    member.bit_size = unsigned_attribute(die, DW_AT_bit_size).value_or(0);
    if (const auto offset = bit_offset_of(die, member.bit_size, member.type->size)) {
      member.bit_offset = *offset;
    } else {
      member.location = own_attribute(die, DW_AT_data_member_location);
      if (!member.location) return std::nullopt;
    }
    if (tag == DW_TAG_member) member.name = info_.die_scopes().name_of(die);
    return member;
  }

  // Reads a variant part of a structure. In Ada, the discriminant is also a normal member of the structure.
  // In Rust, only the variant part has the discriminant, and each variant has a name.
  void read_variants(Type& type, Dwarf_Die part) {
    if (!type.variants.empty() || dwarf_haschildren(&part) <= 0) return;
    if (has_attribute(part, DW_AT_discr))
      if (const auto discriminant = info_.referred(part, DW_AT_discr))
        type.discriminant = read_member(*discriminant);
    const bool is_signed = type.discriminant && type.discriminant->type->kind == TypeKind::Signed;
    const bool has_names = language_of(part) == DW_LANG_Rust;
    for (Dwarf_Die& child : info_.children_of(part)) {
      if (dwarf_tag(&child) != DW_TAG_variant) continue;
      Type::Variant variant{.ranges = discriminants_of(child, is_signed)};
      for (const Dwarf_Die& inner : info_.children_of(child)) {
        auto member = read_member(inner);
        if (!member) continue;
        if (has_names && type.discriminant) {
          Type label{.kind = TypeKind::Label,
                     .size = type.discriminant->type->size,
                     .name = fmt::format("{}::{}", type.name, member->name)};
          variant.members.push_back(
              {.type = types_.add(std::move(label)), .bit_offset = type.discriminant->bit_offset});
        }
        if (has_names) member->name.clear();
        variant.members.push_back(std::move(*member));
      }
      type.variants.push_back(std::move(variant));
    }
    type.is_dynamic = true;
  }

  void read_pointer_to_member(Type& type, Dwarf_Die die) {
    const Type* const member = types_.type_of(die);
    const bool is_function = member != nullptr && member->kind == TypeKind::Function;
    type.kind = is_function ? TypeKind::FunctionMember : TypeKind::DataMember;
    if (type.size == 0) type.size = (is_function ? 2 : 1) * info_.address_bytes();
    // On these machines, pointers to virtual functions have another format.
    if (is_function && (elf_machine_ == EM_ARM || elf_machine_ == EM_AARCH64 || elf_machine_ == EM_MIPS))
      type.kind = TypeKind::Unknown;
    type.enumerators.emplace_back(is_function ? 0 : -1, "NULL");
    const auto containing = info_.referred(die, DW_AT_containing_type);
    if (!containing) return;
    // The possible values and their names become enumerators. The value for a data member is its offset. The
    // value for a virtual function is made from two numbers: its offset in the virtual table plus 1, and the
    // offset of its base class.
    visit_class(*containing, 0, [&](Dwarf_Die owner, Dwarf_Die child, std::int64_t offset) {
      const int tag = dwarf_tag(&child);
      if (!is_function) {
        const auto bytes = offset_of(child);
        const std::string_view outer = die_name(owner), name = die_name(child);
        const bool is_named = tag == DW_TAG_member && !outer.empty() && !name.empty();
        if (is_named && bytes && !has_attribute(child, DW_AT_external) &&
            info_.die_scopes().takes_text(outer.size() + name.size()))
          type.enumerators.emplace_back(
              offset + static_cast<std::int64_t>(*bytes),
              fmt::format("&{}{}::{}", info_.die_scopes().prefix(declaration_of(owner)), outer, name));
        return;
      }
      const auto location = only_operation(own_attribute(child, DW_AT_vtable_elem_location));
      if (tag != DW_TAG_subprogram || !location) return;
      const bool is_literal = location->atom >= DW_OP_lit0 && location->atom <= DW_OP_lit31;
      const std::uint64_t place = is_literal ? location->atom - DW_OP_lit0 : location->number;
      if (place < kMaxVirtualFunctions)
        type.enumerators.emplace_back(
            function_member_key(place * info_.address_bytes() + 1, offset),
            fmt::format("&virtual {}", qualified_name(info_.die_scopes(), child, Demangle::Full)));
    });
  }

  // Visits the children of a class, and then the children of its base classes.
  template <typename Visit>
  void visit_class(Dwarf_Die type, std::int64_t offset, const Visit& visit, std::size_t depth = 0) {
    if (depth == kMaxBases) return;
    for (const Dwarf_Die& child : info_.children_of(type)) visit(type, child, offset);
    for (Dwarf_Die& child : info_.children_of(type)) {
      if (dwarf_tag(&child) != DW_TAG_inheritance) continue;
      const auto at = offset_of(child);
      const auto base = info_.referred(child, DW_AT_type);
      if (at && base) visit_class(*base, offset + static_cast<std::int64_t>(*at), visit, depth + 1);
    }
  }

  DebugInfo& info_;
  TypeTable& types_;
  unsigned elf_machine_;
};

}  // namespace

void TypeTable::fill(Type& type, Dwarf_Die die) { TypeReader(info_, *this, elf_machine_).read(type, die); }

}  // namespace convert::tfile
