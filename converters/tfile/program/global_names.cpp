#include "converters/tfile/program/global_names.h"

#include <algorithm>
#include <dwarf.h>
#include <iterator>

namespace convert::tfile {

GlobalNames::GlobalNames(Dwfl_Module* module) {
  Dwarf_Addr ignored = 0;
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &ignored)) != nullptr;)
    read(unit, "", 0);
}

void GlobalNames::read(Dwarf_Die* parent, const std::string& prefix, std::size_t depth) {
  constexpr std::size_t kMaxDepth = 16;
  Dwarf_Die child;
  if (depth == kMaxDepth || dwarf_child(parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    const char* const own = dwarf_diename(&child);
    const std::string name = own != nullptr ? prefix + own : std::string();
    switch (tag) {
      case DW_TAG_variable:
        if (own != nullptr) variables_.try_emplace(name, child);
        break;
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
      case DW_TAG_enumeration_type:
      case DW_TAG_typedef:
      case DW_TAG_base_type:
        if (own != nullptr && dwarf_hasattr(&child, DW_AT_declaration) == 0) types_.try_emplace(name, child);
        if (own != nullptr) read(&child, name + "::", depth + 1);
        break;
      case DW_TAG_namespace:
        read(&child, own != nullptr ? name + "::" : prefix, depth + 1);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

Dwarf_Die* GlobalNames::find(Descriptions& all, const std::string& name) {
  auto found = all.find(name);
  if (found == all.end()) {
    const auto is_inside = [&](const auto& entry) { return entry.first.ends_with("::" + name); };
    found = std::find_if(all.begin(), all.end(), is_inside);
    if (found == all.end() || std::find_if(std::next(found), all.end(), is_inside) != all.end())
      return nullptr;
  }
  return &found->second;
}

}  // namespace convert::tfile
