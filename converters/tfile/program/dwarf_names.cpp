#include "converters/tfile/program/dwarf_names.h"

#include <algorithm>
#include <dwarf.h>
#include <elf.h>
#include <fmt/format.h>

#include "converters/symbols/demangle.h"
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

}  // namespace convert::tfile
