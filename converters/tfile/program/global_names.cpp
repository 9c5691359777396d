#include "converters/tfile/program/global_names.h"

#include <algorithm>
#include <dwarf.h>
#include <iterator>

#include "converters/tfile/program/die.h"

namespace convert::tfile {
namespace {

bool has_external(Dwarf_Die* die) { return dwarf_hasattr_integrate(die, DW_AT_external) != 0; }

}  // namespace

GlobalNames::GlobalNames(std::span<const Dwarf_Die> units) {
  for (const Dwarf_Die& unit : units) read(unit, "", 0);
  declared_.clear();
}

void GlobalNames::add_variable(Dwarf_Die variable, const std::string& name) {
  if (is_declaration(variable) && !attribute_of(variable, DW_AT_const_value)) return;
  // An external variable hides static ones of other files.
  const auto [found, is_new] = variables_.try_emplace(name, variable);
  if (!is_new && !has_external(&found->second) && has_external(&variable)) found->second = variable;
}

void GlobalNames::read(Dwarf_Die parent, const std::string& prefix, std::size_t depth) {
  constexpr std::size_t kMaxDepth = 16;
  if (depth == kMaxDepth) return;
  for (Dwarf_Die& child : children_of(parent)) {
    const int tag = dwarf_tag(&child);
    const char* const own = dwarf_diename(&child);
    std::string name = own != nullptr ? prefix + without_blanks(own) : std::string();
    if (const auto declaration = referred_die(child, DW_AT_specification))
      if (const auto found = declared_.find(declaration->addr); found != declared_.end())
        name = found->second;
    switch (tag) {
      case DW_TAG_variable:
      case DW_TAG_member:
        if (own == nullptr) break;
        if (is_declaration(child)) declared_.emplace(child.addr, name);
        if (tag == DW_TAG_variable || is_declaration(child)) add_variable(child, name);
        break;
      case DW_TAG_subprogram:
        if (own == nullptr) break;
        if (is_declaration(child)) declared_.emplace(child.addr, name);
        if (has_attribute(child, DW_AT_low_pc)) functions_.try_emplace(name, child);
        break;
      case DW_TAG_enumerator:
        if (own != nullptr) enumerators_.try_emplace(name, child);
        break;
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
      case DW_TAG_enumeration_type:
      case DW_TAG_typedef:
      case DW_TAG_base_type: {
        if (own != nullptr && !has_attribute(child, DW_AT_declaration)) types_.try_emplace(name, child);
        const bool is_scoped = tag != DW_TAG_enumeration_type || has_attribute(child, DW_AT_enum_class);
        if (own != nullptr || tag == DW_TAG_enumeration_type)
          read(child, is_scoped && own != nullptr ? name + "::" : prefix, depth + 1);
        break;
      }
      case DW_TAG_namespace:
      case DW_TAG_module:
        read(child, own != nullptr ? name + "::" : prefix, depth + 1);
        break;
      default:
        break;
    }
  }
}

Dwarf_Die* GlobalNames::find(Descriptions& all, std::string_view name, bool may_be_inside) {
  const std::string wanted = without_blanks(std::string(name));
  if (const auto found = all.find(wanted); found != all.end())
    return found->second.addr != nullptr ? &found->second : nullptr;
  if (!may_be_inside) return nullptr;
  const std::string end = "::" + wanted;
  const auto is_inside = [&](const auto& entry) {
    return entry.first.ends_with(end) && entry.second.addr != nullptr;
  };
  const auto first = std::find_if(all.begin(), all.end(), is_inside);
  const bool is_only =
      first != all.end() && std::find_if(std::next(first), all.end(), is_inside) == all.end();
  const Dwarf_Die found = is_only ? first->second : Dwarf_Die{};
  // Whatever was looked for once is found at once, or known not to be there.
  Dwarf_Die& known = all.emplace(wanted, found).first->second;
  return is_only ? &known : nullptr;
}

}  // namespace convert::tfile
