#include "converters/tfile/program/dwarf_lookup.h"

#include <algorithm>
#include <cstddef>
#include <dwarf.h>
#include <elf.h>
#include <fmt/format.h>
#include <iterator>

#include "converters/symbols/demangle.h"

namespace convert::tfile {
namespace {

// The declaration of a function, which is in its class or namespace.
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

void add_children(Dwarf_Die* scope, std::vector<Dwarf_Die>& variables) {
  Dwarf_Die child;
  for (int more = dwarf_child(scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    const int tag = dwarf_tag(&child);
    const bool has_name = dwarf_diename(&child) != nullptr;
    if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && has_name)
      variables.push_back(child);
    else if (tag == DW_TAG_namespace && !has_name)
      add_children(&child, variables);
  }
}

std::optional<Dwarf_Die> abstract_origin_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Die origin;
  if (dwarf_attr(die, DW_AT_abstract_origin, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &origin) == nullptr)
    return std::nullopt;
  return origin;
}

// An instance of a function has DIEs only for variables that differ from its abstract origin: adds the
// others.
void add_inherited(Dwarf_Die* instance, std::size_t first_own, std::vector<Dwarf_Die>& variables) {
  auto origin = abstract_origin_of(instance);
  if (!origin) return;
  std::vector<const void*> own;
  for (std::size_t i = first_own; i < variables.size(); ++i)
    if (const auto of_own = abstract_origin_of(&variables[i])) own.push_back(of_own->addr);
  const std::size_t inherited = variables.size();
  add_children(&*origin, variables);
  const auto is_own = [&](const Dwarf_Die& variable) { return std::ranges::count(own, variable.addr) != 0; };
  variables.erase(std::remove_if(std::next(variables.begin(), static_cast<std::ptrdiff_t>(inherited)),
                                 variables.end(), is_own),
                  variables.end());
}

bool has_longer_name(const Dwarf_Die& variable) {
  Dwarf_Die die = variable;
  return dwarf_hasattr(&die, DW_AT_specification) != 0;
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

std::optional<FrameOffset> frame_offset_of(Dwarf_Die* variable, Dwarf_Addr pc) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1) != 1) return std::nullopt;
  const bool is_indirect = count == 2 && operations[1].atom == DW_OP_deref;
  if (count == 0 || operations->atom != DW_OP_fbreg || (count > 1 && !is_indirect)) return std::nullopt;
  return FrameOffset{static_cast<std::int64_t>(operations->number), is_indirect};
}

std::vector<Dwarf_Die> visible_variables(Dwarf_Die* unit, Dwarf_Addr pc, Visible which) {
  std::vector<Dwarf_Die> variables;
  const Scopes scopes = Scopes::at(unit, pc);
  for (Dwarf_Die& scope : scopes.all()) {
    const std::size_t outer = variables.size();
    add_children(&scope, variables);
    add_inherited(&scope, outer, variables);
    std::stable_partition(std::next(variables.begin(), static_cast<std::ptrdiff_t>(outer)), variables.end(),
                          [](const Dwarf_Die& variable) { return !has_longer_name(variable); });
    const int tag = dwarf_tag(&scope);
    const bool is_function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
    if (is_function && which == Visible::OfFunction) break;
  }
  return variables;
}

std::optional<Dwarf_Die> variable_within(Dwarf_Die* function, std::string_view name) {
  if (auto found = variable_of_unit(function, name)) return found;
  Dwarf_Die child;
  for (int more = dwarf_child(function, &child); more == 0; more = dwarf_siblingof(&child, &child))
    if (dwarf_tag(&child) == DW_TAG_lexical_block)
      if (auto found = variable_within(&child, name)) return found;
  return std::nullopt;
}

std::optional<Dwarf_Die> variable_of_unit(Dwarf_Die* unit, std::string_view name) {
  Dwarf_Die child;
  for (int more = dwarf_child(unit, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) != DW_TAG_variable || has_longer_name(child)) continue;
    const char* const own = dwarf_diename(&child);
    if (own != nullptr && name == own) return child;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> static_address_of(Dwarf_Die* variable, Dwarf_Addr pc) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr_integrate(variable, DW_AT_location, &attribute) == nullptr ||
      dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1) != 1 || count != 1 ||
      operations->atom != DW_OP_addr)
    return std::nullopt;
  return operations->number;
}

bool is_declaration(Dwarf_Die* variable) {
  // A definition may refer to a declaration, so the attribute must be the variable's own.
  Dwarf_Attribute attribute;
  bool is_one = false;
  return dwarf_attr(variable, DW_AT_declaration, &attribute) != nullptr &&
         dwarf_formflag(&attribute, &is_one) == 0 && is_one;
}

}  // namespace convert::tfile
