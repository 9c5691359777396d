#include "converters/tfile/program/type_table.h"

#include <algorithm>
#include <array>
#include <dwarf.h>
#include <optional>

#include "converters/tfile/program/debug_info.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxStructures = 65536;
constexpr std::size_t kMaxTypes = 300'000;     // limit for memory: a type takes half a kilobyte
constexpr std::size_t kMaxQualifiers = 64;     // limit, because damaged DWARF may have endless chains
constexpr std::size_t kMaxTypeNesting = 1000;  // limit of nested types, for damaged DWARF
// Limits the recursion. In a large program, a chain of pointers may lead through so many types that the stack
// would overflow.
constexpr std::size_t kMaxPointerNesting = 100;

// True if a type with this tag is shown as the type to which it refers. Subranges occur in Ada.
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

}  // namespace

const Type* TypeTable::type_of(Dwarf_Die described) {
  const auto type = info_.referred(described, DW_AT_type);
  return type ? read(*type) : nullptr;
}

const Type* TypeTable::read(Dwarf_Die type) {
  if (nesting_ == kMaxTypeNesting) return nullptr;
  const bool is_outermost = nesting_++ == 0;
  const Type* const found = read_nested(type);
  while (is_outermost && !untargeted_.empty()) {
    const auto [pointer, die] = untargeted_.back();
    untargeted_.pop_back();
    pointer->target = type_of(die);
  }
  --nesting_;
  return found;
}

void TypeTable::read_target(Type& pointer, Dwarf_Die die) {
  if (nesting_ > kMaxPointerNesting)
    untargeted_.emplace_back(&pointer, die);
  else
    pointer.target = type_of(die);
}

const Type* TypeTable::read_nested(Dwarf_Die type) {
  std::optional<Dwarf_Die> wide;  // in C, wide characters are typedefs of integers
  for (std::size_t steps = 0; is_qualifier(dwarf_tag(&type)); ++steps) {
    if (!wide && dwarf_tag(&type) == DW_TAG_typedef && is_wide_character(die_name(type))) wide = type;
    const auto next = info_.referred(type, DW_AT_type);
    if (!next || steps == kMaxQualifiers) return nullptr;
    type = *next;
  }
  if (has_attribute(type, DW_AT_declaration) || has_attribute(type, DW_AT_signature))
    if (const Type* const defined = read_definition(type)) return defined;
  if (dwarf_tag(&type) != DW_TAG_base_type) wide.reset();
  const void* const key = wide ? wide->addr : type.addr;
  if (const auto found = by_die_.find(key); found != by_die_.end()) return found->second;
  if (types_.size() >= kMaxTypes) return nullptr;
  // A type may refer to itself. Therefore, it is registered before it is read.
  Type& added = types_.emplace_back();
  by_die_.emplace(key, &added);
  fill(added, type);
  if (wide) added.is_character = added.size == 2 || added.size == 4;
  return &added;
}

// Finds the definition of a type that is only declared here. The definition is in a type unit, or in another
// unit.
const Type* TypeTable::read_definition(Dwarf_Die declaration) {
  if (const auto defined = info_.referred(declaration, DW_AT_signature)) return read(*defined);
  if (die_name(declaration).empty()) return nullptr;
  const auto other = info_.globals().find(full_name(info_.die_scopes(), declaration), kTagged);
  return other && !other->is_ambiguous ? read(other->die) : nullptr;
}

const Type* TypeTable::pointer_to(const Type* target) {
  const Type*& found = pointers_[target];
  if (found == nullptr)
    found = add({.kind = Type::Kind::Pointer, .size = info_.address_bytes(), .target = target});
  return found;
}

const Type* TypeTable::array_of(const Type* element, std::uint64_t count, std::int64_t first,
                                bool is_fortran) {
  const Type*& found = arrays_[{element, count, first, is_fortran}];
  if (found == nullptr)
    found = add({.kind = Type::Kind::Array,
                 .size = count * element->size,
                 .is_fortran = is_fortran,
                 .target = element,
                 .first = first,
                 .count = count});
  return found;
}

const Type* TypeTable::with_members(const Type* structure, std::vector<Type::Member> members) {
  Members key;
  for (const Type::Member& member : members)
    key.emplace_back(member.type, member.location ? ~std::uint64_t{0} : member.bit_offset);
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
  constexpr std::array<std::string_view, 8> kWords{"unsigned", "signed", "char",  "short",
                                                   "int",      "long",   "float", "double"};
  std::vector<std::string_view> all;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (word.empty() || word == "const" || word == "volatile") continue;
    if (std::ranges::find(kWords, word) == kWords.end()) return nullptr;
    all.push_back(word);
  }
  const auto count = [&](std::string_view word) { return std::ranges::count(all, word); };
  const bool is_double = count("double") > 0, is_float = is_double || count("float") > 0;
  if (all.empty() || (is_float && count("long") > 0)) return nullptr;
  const std::size_t size = is_double || count("long") > 1 ? 8
                           : count("long") > 0            ? info_.address_bytes()
                           : count("char") > 0            ? 1
                           : count("short") > 0           ? 2
                                                          : 4;
  const bool is_char = size == 1 && count("unsigned") == 0 && count("signed") == 0;
  const FloatFormat format = is_double ? FloatFormat::Double : FloatFormat::Single;
  const Type* const added = add({.kind = is_float                ? Type::Kind::Float
                                         : count("unsigned") > 0 ? Type::Kind::Unsigned
                                                                 : Type::Kind::Signed,
                                 .size = size,
                                 .name = key,
                                 .format = is_float ? format : FloatFormat::Unknown,
                                 .is_character = is_char,
                                 .is_char = is_char,
                                 .is_byte = size == 1 && !is_char});
  return basic_.emplace(key, added).first->second;
}

}  // namespace convert::tfile
