#include "converters/tfile/program/type.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "converters/model/reading/text.h"
#include "converters/tfile/description/argument_name.h"
#include "converters/tfile/description/collect_items.h"

namespace convert::tfile {
namespace {

// Limits, because damaged DWARF may describe endless types.
constexpr std::size_t kMaxTypeDepth = 32;
constexpr std::size_t kMaxLeafSteps = 20'000;
constexpr std::size_t kMaxInherited = 256;

// True if postfix operators can follow: true for "p->x" and "f(y).a[2]", false for "*p" and "a + b".
bool is_postfix(std::string_view expression) {
  int depth = 0;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    const bool is_arrow = c == '-' && i + 1 < expression.size() && expression[i + 1] == '>';
    if (is_arrow) ++i;
    if (depth == 0 && !is_arrow && std::string_view("*&+-/%!~ @<>").find(c) != std::string_view::npos)
      return false;
  }
  // "(*p)" is completely in brackets, but "(int) x" is not.
  if (!expression.starts_with('(')) return true;
  std::size_t end = 0;
  do {
    if (expression[end] == '(') ++depth;
    if (expression[end] == ')') --depth;
  } while (++end < expression.size() && depth > 0);
  return end == expression.size() || std::string_view(".-[").find(expression[end]) != std::string_view::npos;
}

std::string with_member(const std::string& value, const std::string& member) {
  if (value.starts_with('*') && is_postfix(std::string_view(value).substr(1)))
    return fmt::format("{}->{}", std::string_view(value).substr(1), member);
  return is_postfix(value) ? fmt::format("{}.{}", value, member) : fmt::format("({}).{}", value, member);
}

// Names the elements of an array: "a[2]@3" has the elements a[2], a[3], a[4]. In Fortran, an element is
// called a(1,2), with the index of the innermost dimension first.
struct ElementNames {
  std::string array;
  std::int64_t first = 0;
  bool is_fortran = false;
  bool has_more_indices = false;  // the elements are arrays of further dimensions
  std::string outer = {};         // the indices of outer dimensions

  ElementNames(const std::string& value, const Type& type, std::string outer_indices)
      : array(value), first(type.first), is_fortran(type.is_fortran), outer(std::move(outer_indices)) {
    has_more_indices = is_fortran && type.target->kind == Type::Kind::Array && type.target->is_fortran &&
                       type.target->target != nullptr && !type.target->target->is_character;
    if (const std::size_t at = value.rfind('@'); at != std::string::npos) {
      array.resize(at);
      while (array.ends_with(' ')) array.pop_back();
      const std::size_t bracket = array.rfind('[');
      if (array.ends_with(']') && bracket != std::string::npos) {
        const auto index = whole_number<std::int64_t>(
            std::string_view(array).substr(bracket + 1, array.size() - bracket - 2));
        if (index) {
          first = *index;
          array.resize(bracket);
          return;
        }
      }
      if (array.starts_with('*') && is_postfix(std::string_view(array).substr(1)))
        array.erase(0, 1);
      else
        array = fmt::format("(&{})", array);
    }
    if (!is_postfix(array)) array = fmt::format("({})", array);
  }
  std::string element_of(std::uint64_t index) const {
    if (is_fortran) return fmt::format("{}({})", array, indices_of(index));
    return fmt::format("{}[{}]", array, first + static_cast<std::int64_t>(index));
  }
  std::string indices_of(std::uint64_t index) const {
    const std::int64_t own = first + static_cast<std::int64_t>(index);
    return outer.empty() ? fmt::format("{}", own) : fmt::format("{},{}", own, outer);
  }
};

bool has_format(FloatFormat format, std::uint64_t size) {
  switch (format) {
    case FloatFormat::Half:
    case FloatFormat::BFloat:
      return size == 2;
    case FloatFormat::Single:
      return size == 4;
    case FloatFormat::Double:
      return size == 8;
    case FloatFormat::Decimal:
      return size == 4 || size == 8;
    case FloatFormat::X87:
      return size >= 10 && size <= 16;
    case FloatFormat::Quad:
    case FloatFormat::DoubleDouble:
      return size == 16;
    default:
      return false;
  }
}

// The leaf of a structure that consists of a pointer to characters and their number. Nothing for other types.
std::optional<Leaf> text_slice(const Type& type) {
  if (!type.is_text || type.members.size() != 2) return std::nullopt;
  const bool is_pointer_first = type.members[0].type->kind == Type::Kind::Pointer;
  const Type::Member& pointer = type.members[is_pointer_first ? 0 : 1];
  const Type::Member& length = type.members[is_pointer_first ? 1 : 0];
  if (pointer.type->kind != Type::Kind::Pointer || length.type->size != pointer.type->size ||
      type.size != 2 * length.type->size || type.size > 16)
    return std::nullopt;
  // In damaged DWARF, members may be outside of their type.
  if (std::max(pointer.bit_offset, length.bit_offset) / 8 > type.size / 2) return std::nullopt;
  return Leaf{.form = ValueForm::TextSlice,
              .size = type.size,
              .pointer_at = pointer.bit_offset / 8,
              .length_at = length.bit_offset / 8};
}

bool is_array_of_bytes(const Type& type) {
  if (type.kind != Type::Kind::Array || type.target == nullptr) return false;
  const Type& element = *type.target;
  const bool is_number = element.kind == Type::Kind::Signed || element.kind == Type::Kind::Unsigned ||
                         (element.kind == Type::Kind::Enum && element.enumerators.empty());  // as std::byte
  return element.size == 1 && is_number && !element.is_character;
}

// Base classes by their types and offsets. Several base classes may share a virtual base class, which is one
// object.
using Bases = std::set<std::pair<const Type*, std::uint64_t>>;

class LeafWalk {
 public:
  // `size` is the size of the whole value. Byte arrays with more than `most_bytes` elements are one leaf.
  LeafWalk(Names& names, std::uint64_t size, std::uint64_t most_bytes)
      : names_(names), size_(size), most_bytes_(most_bytes) {}

  ValueLayout layout;
  std::uint64_t without_offset = 0;

  void add(const Type& type, const std::string& name, std::uint64_t offset, std::size_t depth) {
    if (++steps_ > kMaxLeafSteps || depth == kMaxTypeDepth) return;
    if (auto slice = text_slice(type)) {
      slice->offset = offset;
      add_leaf(name, type, std::move(*slice));
      return;
    }
    if (type.kind == Type::Kind::Struct) {
      const bool was_ambiguous =
          std::exchange(bases_are_ambiguous_, bases_are_ambiguous_ || has_ambiguous_members(type));
      for (const Type::Member& member : type.members)
        if (member.location)
          without_offset += count_of(*member.type, depth + 1);
        else
          add(member, name, offset, depth + 1);
      bases_are_ambiguous_ = was_ambiguous;
      if (!type.variants.empty()) ++without_offset;
      return;
    }
    if (type.has_open_indices()) {
      ++without_offset;
      return;
    }
    const bool is_text =
        type.kind == Type::Kind::Array && type.target != nullptr && type.target->is_character;
    if (type.kind != Type::Kind::Array || type.target == nullptr || is_text || is_bytes(type)) {
      add_leaf(name, type,
               {.form = is_text ? text_form_of(*type.target) : form_of(type),
                .offset = offset,
                .size = type.size});
      return;
    }
    const ElementNames names(name, type, std::exchange(fortran_indices_, {}));
    for (std::uint64_t i = 0; i < type.count && steps_ <= kMaxLeafSteps; ++i) {
      if (layout.more > 0) {  // no more leaves fit, so the leaves of the other elements are only counted
        layout.more += (type.count - i) * count_of(*type.target, depth + 1);
        return;
      }
      if (names.has_more_indices) fortran_indices_ = names.indices_of(i);
      add(*type.target, names.has_more_indices ? name : names.element_of(i), offset + i * type.target->size,
          depth + 1);
    }
    fortran_indices_.clear();
  }

  void add_bit_field(const Type::Member& member, const std::string& name, std::uint64_t offset) {
    const std::uint64_t first = member.bit_offset % 8, size = (first + member.bit_size + 7) / 8;
    const bool is_float = member.type->kind == Type::Kind::Float || member.type->kind == Type::Kind::Complex;
    if (size > 8 || is_float)  // too large for a number, or a float because of damaged DWARF
      add_leaf(name, *member.type, {.offset = offset, .size = size});
    else
      add_leaf(name, *member.type,
               {.form = form_of(*member.type),
                .offset = offset,
                .size = size,
                .bit_offset = first,
                .bit_size = member.bit_size});
  }

 private:
  bool is_bytes(const Type& type) const { return is_array_of_bytes(type) && type.count > most_bytes_; }

  void add(const Type::Member& member, const std::string& value, std::uint64_t offset, std::size_t depth) {
    if (member.type == nullptr) return;
    const std::uint64_t at = offset + member.bit_offset / 8;
    if (member.name.empty()) {
      if (!bases_.emplace(member.type, at).second) return;
      // If the value is only a part of a larger object, a virtual base class may be outside of the value.
      if (at > size_ || member.type->size > size_ - at) {
        without_offset += count_of(*member.type, depth);
        return;
      }
    }
    // If several members of an object have the same name, inherited members are shown with their base class:
    // "Base::x".
    std::string qualifier;
    if (member.name.empty())
      qualifier = bases_are_ambiguous_ && !member.type->name.empty() ? member.type->name + "::" : qualifier_;
    const std::string name = member.name.empty() ? value : with_member(value, qualifier_ + member.name);
    const bool was_ambiguous = bases_are_ambiguous_;
    if (!member.name.empty()) bases_are_ambiguous_ = false;
    std::swap(qualifier_, qualifier);
    if (member.is_bit_field())
      add_bit_field(member, name, at);
    else
      add(*member.type, name, at, depth);
    std::swap(qualifier_, qualifier);
    bases_are_ambiguous_ = was_ambiguous;
  }

  void add_leaf(const std::string& name, const Type& type, Leaf leaf) {
    if (layout.leaves.size() == ValueLayout::kMaxLeaves) {
      ++layout.more;
      return;
    }
    leaf.name = names_.intern(argument_name(name));
    leaf.format = type.format;
    leaf.scale = type.scale;
    leaf.is_signed = type.is_signed || type.kind == Type::Kind::DataMember || type.kind == Type::Kind::Signed;
    if (type.kind == Type::Kind::Label) leaf.label = names_.intern(type.name);
    if (leaf.form == ValueForm::Enum || leaf.form == ValueForm::FunctionMember)
      for (const auto& [value, enumerator] : type.enumerators)
        leaf.enumerators.emplace_back(value, names_.intern(enumerator));
    layout.leaves.push_back(std::move(leaf));
  }

  // True if several members, which may be inherited, have the same name.
  static bool has_ambiguous_members(const Type& type) {
    std::vector<std::string_view> names;
    Bases bases;
    std::size_t steps = 0;
    const auto collect = [&](auto& self, const Type& of, std::uint64_t offset, std::size_t depth) -> void {
      for (const Type::Member& member : of.members) {
        if (++steps > kMaxInherited || depth == kMaxTypeDepth) return;
        const std::uint64_t at = offset + member.bit_offset / 8;
        if (!member.name.empty())
          names.push_back(member.name);
        else if (member.type != nullptr && member.type->kind == Type::Kind::Struct &&
                 bases.emplace(member.type, at).second)
          self(self, *member.type, at, depth + 1);
      }
    };
    if (std::ranges::none_of(type.members, [](const Type::Member& member) { return member.name.empty(); }))
      return false;
    collect(collect, type, 0, 0);
    std::ranges::sort(names);
    return std::ranges::adjacent_find(names) != names.end();
  }

  static ValueForm text_form_of(const Type& character) {
    return character.size == 1 ? ValueForm::Text : character.size == 2 ? ValueForm::Utf16 : ValueForm::Utf32;
  }

  static ValueForm pointer_form(const Type& target) {
    if (!target.is_character) return ValueForm::ObjectPointer;
    return target.size == 1   ? ValueForm::TextPointer
           : target.size == 2 ? ValueForm::Utf16Pointer
                              : ValueForm::Utf32Pointer;
  }

  static ValueForm form_of(const Type& type) {
    const bool is_word = type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8;
    const bool is_integer = is_word || type.size == 16;
    switch (type.kind) {
      case Type::Kind::Float:
        return has_format(type.format, type.size) ? ValueForm::Float : ValueForm::Bytes;
      case Type::Kind::Complex:
        if (!has_format(type.format, type.size / 2)) return ValueForm::Bytes;
        return type.is_fortran ? ValueForm::FortranComplex : ValueForm::Complex;
      case Type::Kind::Fixed:
        return is_word ? ValueForm::Fixed : ValueForm::Bytes;
      case Type::Kind::DataMember:
        return is_word ? ValueForm::Enum : ValueForm::Bytes;
      case Type::Kind::FunctionMember:
        return type.size == 8 || type.size == 16 ? ValueForm::FunctionMember : ValueForm::Bytes;
      case Type::Kind::Signed:
      case Type::Kind::Unsigned:
        if (type.is_char) return ValueForm::Character;
        if (!is_integer) return ValueForm::Bytes;
        return type.kind == Type::Kind::Signed ? ValueForm::Signed : ValueForm::Unsigned;
      case Type::Kind::Bool:
        return is_word ? ValueForm::Bool : ValueForm::Bytes;
      case Type::Kind::Pointer:
        if (!is_word) return ValueForm::Bytes;
        return type.target != nullptr ? pointer_form(*type.target) : ValueForm::ObjectPointer;
      case Type::Kind::Reference:
        return is_word ? ValueForm::Pointer : ValueForm::Bytes;
      case Type::Kind::Enum:
        return is_word ? ValueForm::Enum : ValueForm::Bytes;
      case Type::Kind::Label:
        return ValueForm::Enum;
      default:
        return ValueForm::Bytes;
    }
  }

  std::uint64_t count_of(const Type& type, std::size_t depth) {
    if (++steps_ > kMaxLeafSteps || depth >= kMaxTypeDepth) return 0;
    if (text_slice(type)) return 1;
    if (type.kind == Type::Kind::Struct) {
      std::uint64_t count = 0;
      for (const Type::Member& member : type.members)
        if (member.type != nullptr) count += count_of(*member.type, depth + 1);
      return count;
    }
    const bool has_elements = type.kind == Type::Kind::Array && type.target != nullptr &&
                              !type.target->is_character && !is_bytes(type);
    return has_elements ? type.count * count_of(*type.target, depth + 1) : 1;
  }

  Names& names_;
  const std::uint64_t size_, most_bytes_;
  std::size_t steps_ = 0;
  bool bases_are_ambiguous_ = false;
  Bases bases_;
  std::string fortran_indices_;  // for an array of Fortran: indices of outer dimensions
  std::string qualifier_;        // for members of the current base class: "Base::", or empty
};

}  // namespace

std::string name_of(const Type* type, std::size_t depth) {
  if (type == nullptr) return "void";
  if (depth == kMaxTypeDepth) return "...";
  switch (type->kind) {
    case Type::Kind::Pointer:
    case Type::Kind::Reference: {
      const std::string target = name_of(type->target, depth + 1);
      return fmt::format("{}{}{}", target, target.ends_with('*') ? "" : " ",
                         type->kind == Type::Kind::Pointer ? '*' : '&');
    }
    case Type::Kind::Array: {
      std::string dimensions;
      for (; type != nullptr && type->kind == Type::Kind::Array && depth < kMaxTypeDepth; ++depth) {
        dimensions += type->count != 0 ? fmt::format("[{}]", type->count) : "[]";
        type = type->target;
      }
      return fmt::format("{} {}", name_of(type, depth), dimensions);
    }
    case Type::Kind::Function:
      return "function";
    case Type::Kind::DataMember:
      return "pointer to a data member";
    case Type::Kind::FunctionMember:
      return "pointer to a member function";
    default:
      return !type->name.empty() ? type->name : type->kind == Type::Kind::Struct ? "struct {...}" : "unknown";
  }
}

ValueLayout value_layout(const Type& type, const std::string& expression, Names& names,
                         std::uint64_t bit_offset, std::uint64_t bit_size) {
  const auto layout_with = [&](std::uint64_t most_bytes) {
    LeafWalk walk(names, type.size, most_bytes);
    if (bit_size != 0)
      walk.add_bit_field({.type = &type, .bit_offset = bit_offset, .bit_size = bit_size}, expression, 0);
    else
      walk.add(type, expression, 0, 0);
    walk.layout.more += walk.without_offset;
    return std::move(walk.layout);
  };
  ValueLayout layout = layout_with(ValueLayout::kMaxLeaves);
  // If there are too many leaves, each array of bytes becomes one leaf.
  if (layout.more > 0)
    if (ValueLayout shorter = layout_with(0); shorter.more < layout.more) layout = std::move(shorter);
  if (layout.more > 0) layout.more_name = names.intern(expression + ".more");
  return layout;
}

}  // namespace convert::tfile
