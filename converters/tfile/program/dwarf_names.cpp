#include "converters/tfile/program/dwarf_names.h"

#include <algorithm>
#include <array>
#include <dwarf.h>
#include <elf.h>
#include <fmt/format.h>

#include "converters/model/names/full_name.h"
#include "converters/tfile/program/visible_variables.h"

namespace convert::tfile {
namespace {

// Where the function was declared: in its class or namespace.
Dwarf_Die declaration_of(Dwarf_Die die) {
  for (int steps = 0; steps < 8; ++steps) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    const bool has_more = dwarf_attr(&die, DW_AT_abstract_origin, &attribute) != nullptr ||
                          dwarf_attr(&die, DW_AT_specification, &attribute) != nullptr;
    if (!has_more || dwarf_formref_die(&attribute, &next) == nullptr) break;
    die = next;
  }
  return die;
}

}  // namespace

std::string demangled(std::string_view symbol, Demangle mode) {
  const bool is_mangled = symbol.starts_with("_Z") || symbol.starts_with("_R");
  if (mode == Demangle::No || !is_mangled) return std::string(symbol);
  return full_name(symbol, mode == Demangle::Full ? Parameters::Shown : Parameters::Hidden)
      .value_or(std::string(symbol));
}

std::string qualified_name(Dwarf_Die* function, Demangle mode) {
  Dwarf_Attribute attribute;
  if (const char* const linkage =
          dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute)))
    return demangled(linkage, mode);
  const char* const plain = dwarf_diename(function);
  if (plain == nullptr) return {};
  return scope_prefix(declaration_of(*function)) + plain;
}

std::string scope_prefix(Dwarf_Die die) {
  std::string prefix;
  const Scopes scopes = Scopes::around(&die);
  for (Dwarf_Die& scope : scopes.all().subspan(std::min<std::size_t>(1, scopes.all().size()))) {
    switch (dwarf_tag(&scope)) {
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type: {
        const char* const outer = dwarf_diename(&scope);
        prefix = fmt::format("{}::{}", outer != nullptr ? outer : "(anonymous namespace)", prefix);
        break;
      }
      default:
        break;
    }
  }
  return prefix;
}

std::optional<FramePlace> frame_place_of(Dwarf_Die* variable, Dwarf_Addr pc) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1) != 1) return std::nullopt;
  const bool is_indirect = count == 2 && operations[1].atom == DW_OP_deref;
  if (count == 0 || operations->atom != DW_OP_fbreg || (count > 1 && !is_indirect)) return std::nullopt;
  return FramePlace{static_cast<std::int64_t>(operations->number), is_indirect};
}

namespace {

// DWARF counts registers in an order of its own. Empty for those that hold no variables.
std::string register_name(std::uint64_t number, unsigned elf_machine) {
  static constexpr std::array<std::string_view, 8> kAmd64{"rax", "rdx", "rcx", "rbx",
                                                          "rsi", "rdi", "rbp", "rsp"};
  static constexpr std::array<std::string_view, 8> kI386{"eax", "ecx", "edx", "ebx",
                                                         "esp", "ebp", "esi", "edi"};
  const auto numbered = [&](std::string_view letters, std::uint64_t from) {
    return fmt::format("{}{}", letters, number - from);
  };
  switch (elf_machine) {
    case EM_X86_64:
      if (number < kAmd64.size()) return std::string(kAmd64[number]);
      if (number < 16) return numbered("r", 0);
      return number >= 17 && number <= 32 ? numbered("xmm", 17) : std::string();
    case EM_386:
      if (number < kI386.size()) return std::string(kI386[number]);
      return number >= 21 && number <= 28 ? numbered("xmm", 21) : std::string();
    case EM_AARCH64:
      if (number <= 30) return numbered("x", 0);
      if (number == 31) return "sp";
      return number >= 64 && number <= 95 ? numbered("v", 64) : std::string();
    case EM_ARM:
    case EM_PPC:
    case EM_PPC64:
    case EM_S390:
      return number < (elf_machine == EM_PPC || elf_machine == EM_PPC64 ? 32u : 13u) ? numbered("r", 0)
                                                                                     : std::string();
    default:
      return {};
  }
}

// Where a value is that takes no memory and is whole: in a register, or computed from one or none. Nothing
// for others.
std::optional<RegisterVariable::Piece> whole_place_of(std::span<const Dwarf_Op> operations,
                                                      unsigned elf_machine) {
  using Place = RegisterVariable::Place;
  RegisterVariable::Piece found;
  if (operations.empty()) return found;
  const Dwarf_Op& first = operations.front();
  const bool is_value = operations.size() == 2 && operations[1].atom == DW_OP_stack_value;
  std::uint64_t number = 0;
  if (operations.size() == 1 && first.atom >= DW_OP_reg0 && first.atom <= DW_OP_reg31) {
    found.place = Place::Register;
    number = first.atom - DW_OP_reg0;
  } else if (operations.size() == 1 && first.atom == DW_OP_regx) {
    found.place = Place::Register;
    number = first.number;
  } else if (is_value && first.atom >= DW_OP_breg0 && first.atom <= DW_OP_breg31) {
    found.place = Place::Sum;
    number = first.atom - DW_OP_breg0;
    found.number = static_cast<std::int64_t>(first.number);
  } else if (is_value && first.atom >= DW_OP_lit0 && first.atom <= DW_OP_lit31) {
    found.place = Place::Constant;
    found.number = first.atom - DW_OP_lit0;
    return found;
  } else if (is_value && first.atom >= DW_OP_const1u && first.atom <= DW_OP_consts) {
    found.place = Place::Constant;
    found.number = static_cast<std::int64_t>(first.number);
    return found;
  } else {
    return std::nullopt;
  }
  found.register_name = register_name(number, elf_machine);
  return found.register_name.empty() ? std::nullopt : std::optional(found);
}

// What a caller had, or what a pointer would point to, is not in the frame.
bool is_out_of_reach(const Dwarf_Op& operation) {
  return operation.atom == DW_OP_entry_value || operation.atom == DW_OP_GNU_entry_value ||
         operation.atom == DW_OP_implicit_pointer || operation.atom == DW_OP_GNU_implicit_pointer ||
         operation.atom == DW_OP_GNU_parameter_ref;
}

}  // namespace

std::vector<RegisterVariable::Piece> pieces_of(std::span<const Dwarf_Op> operations, unsigned elf_machine) {
  std::vector<RegisterVariable::Piece> pieces;
  while (!operations.empty()) {
    const auto end = std::ranges::find(operations, DW_OP_piece, &Dwarf_Op::atom);
    if (end == operations.end()) break;
    const auto size = static_cast<std::size_t>(end - operations.begin());
    pieces.push_back(whole_place_of(operations.first(size), elf_machine).value_or(RegisterVariable::Piece{}));
    pieces.back().size = end->number;
    operations = operations.subspan(size + 1);
  }
  return pieces;
}

std::optional<RegisterVariable> register_place_of(Dwarf_Die* variable, Dwarf_Addr pc, unsigned elf_machine) {
  using Place = RegisterVariable::Place;
  RegisterVariable found;
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute) != nullptr) {
    Dwarf_Sword value = 0;
    if (dwarf_formsdata(&attribute, &value) != 0) return std::nullopt;
    found.place = Place::Constant;
    found.number = value;
    return found;
  }
  if (is_declaration(variable)) return std::nullopt;
  Dwarf_Op* first_operation = nullptr;
  std::size_t count = 0;
  const bool has_location = dwarf_attr_integrate(variable, DW_AT_location, &attribute) != nullptr;
  if (has_location && dwarf_getlocation_addr(&attribute, pc, &first_operation, &count, 1) < 0)
    return std::nullopt;
  const std::span<const Dwarf_Op> operations(first_operation, count);
  if (operations.empty() || is_out_of_reach(operations.front())) {
    found.place = Place::Nowhere;
    return found;
  }
  if (operations.back().atom == DW_OP_piece) {
    found.place = Place::Pieces;
    found.pieces = pieces_of(operations, elf_machine);
    return found;
  }
  auto whole = whole_place_of(operations, elf_machine);
  if (!whole) return std::nullopt;
  found.place = whole->place;
  found.register_name = std::move(whole->register_name);
  found.number = whole->number;
  return found;
}

}  // namespace convert::tfile
