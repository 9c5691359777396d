#include "converters/tfile/program/die_scopes.h"

#include <algorithm>
#include <dwarf.h>
#include <fmt/format.h>
#include <functional>

#include "converters/tfile/program/die.h"

namespace convert::tfile {

void DieScopes::read(Dwarf_Die parent, std::size_t parent_scope, const void* end, Unit& unit,
                     std::size_t depth) {
  if (depth == kMaxDieDepth) return;
  Dwarf_Die last{};  // read when the next child is known, because `last` ends where the next child starts
  for (const Dwarf_Die& child : children_of(parent)) {
    if (last.addr != nullptr) read_one(last, parent_scope, child.addr, unit, depth);
    last = child;
  }
  if (last.addr != nullptr) read_one(last, parent_scope, end, unit, depth);
}

void DieScopes::read_one(Dwarf_Die die, std::size_t parent_scope, const void* end, Unit& unit,
                         std::size_t depth) {
  if (dwarf_haschildren(&die) <= 0) return;
  const int tag = dwarf_tag(&die);
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
      unit.push_back({.die = die, .end = end, .parent = parent_scope});
      if (tag != DW_TAG_union_type) read(die, unit.size() - 1, end, unit, depth + 1);
      break;
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
    case DW_TAG_entry_point:
      read(die, parent_scope, end, unit, depth + 1);
      break;
    default:
      break;
  }
}

const DieScopes::Unit& DieScopes::unit_of(Dwarf_Die die) {
  const auto [found, is_new] = units_.try_emplace(die.cu);
  Dwarf_Die top;
  if (is_new && dwarf_diecu(&die, &top, nullptr, nullptr) != nullptr)
    read(top, kNone, nullptr, found->second);
  return found->second;
}

std::vector<Dwarf_Die> DieScopes::around(Dwarf_Die die) {
  const Unit& unit = unit_of(die);
  std::vector<Dwarf_Die> scopes;
  const auto next = std::ranges::lower_bound(
      unit, die.addr, std::less<>(), [](const Scope& scope) -> const void* { return scope.die.addr; });
  if (next == unit.begin()) return scopes;
  for (auto i = static_cast<std::size_t>(next - unit.begin()) - 1; i != kNone; i = unit[i].parent) {
    Dwarf_Die scope = unit[i].die;
    if (unit[i].end != nullptr && !std::less<>()(die.addr, unit[i].end)) continue;
    if (dwarf_tag(&scope) == DW_TAG_union_type) return {};
    scopes.push_back(scope);
  }
  return scopes;
}

std::string_view DieScopes::name_of(Dwarf_Die die) {
  const std::string_view name = die_name(die);
  return takes_text(name.size()) ? name : std::string_view();
}

bool DieScopes::takes_text(std::size_t bytes) {
  constexpr std::size_t kShort = 64;
  return bytes <= kShort || long_names_.take(bytes);
}

std::string DieScopes::prefix(Dwarf_Die die, std::string_view separator) {
  if (is_c(die)) return {};  // C has no scopes
  if (separator.empty()) separator = language_of(die) == DW_LANG_D ? "." : "::";
  std::string names;
  for (Dwarf_Die& scope : around(die)) {
    if (dwarf_tag(&scope) == DW_TAG_subprogram) continue;
    const std::string_view outer = name_of(scope);
    // GDB also leaves out the class of a lambda expression, and other classes without a name.
    if (outer.empty() && dwarf_tag(&scope) != DW_TAG_namespace) continue;
    names = fmt::format("{}{}{}", outer.empty() ? kAnonymousNamespace : outer, separator, names);
  }
  return names;
}

}  // namespace convert::tfile
