#include "converters/tfile/program/dwarf_names.h"

#include <algorithm>
#include <dwarf.h>
#include <fmt/format.h>

#include "converters/model/names/full_name.h"

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
  std::string name = plain;
  Dwarf_Die declaration = declaration_of(*function);
  const Scopes scopes = Scopes::around(&declaration);
  for (Dwarf_Die& scope : scopes.all().subspan(std::min<std::size_t>(1, scopes.all().size()))) {
    switch (dwarf_tag(&scope)) {
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type: {
        const char* const outer = dwarf_diename(&scope);
        name = fmt::format("{}::{}", outer != nullptr ? outer : "(anonymous namespace)", name);
        break;
      }
      default:
        break;
    }
  }
  return name;
}

std::optional<std::int64_t> frame_offset_of(Dwarf_Die* variable, Dwarf_Addr pc) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1) != 1) return std::nullopt;
  if (count != 1 || operations->atom != DW_OP_fbreg) return std::nullopt;
  return static_cast<std::int64_t>(operations->number);
}

}  // namespace convert::tfile
