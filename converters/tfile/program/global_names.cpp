#include "converters/tfile/program/global_names.h"

#include <algorithm>
#include <array>
#include <dwarf.h>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "converters/tfile/program/die.h"
#include "converters/tfile/program/die_scopes.h"

namespace convert::tfile {
namespace {

bool has_external(Dwarf_Die die) { return dwarf_hasattr_integrate(&die, DW_AT_external) != 0; }

bool completes_declaration(Dwarf_Die die) {
  return has_attribute(die, DW_AT_specification) || has_attribute(die, DW_AT_abstract_origin);
}

bool has_place(Dwarf_Die die) {
  return has_attribute(die, DW_AT_location) || has_attribute(die, DW_AT_const_value);
}

// True if two units describe the same thing. Comparing the names of the source files would take too
// long.
bool is_same(Dwarf_Die a, Dwarf_Die b) {
  if (dwarf_tag(&a) != dwarf_tag(&b)) return false;
  if (kind_of(a) == kObject && dwarf_tag(&a) != DW_TAG_enumerator) return false;
  if (kind_of(a) == kFunction) return false;
  for (const unsigned attribute : {DW_AT_decl_line, DW_AT_byte_size, DW_AT_const_value})
    if (unsigned_attribute(a, attribute) != unsigned_attribute(b, attribute)) return false;
  return true;
}

bool is_before_from_end(std::string_view a, std::string_view b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

}  // namespace

NameKind kind_of(Dwarf_Die die) {
  switch (dwarf_tag(&die)) {
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
    case DW_TAG_constant:
    case DW_TAG_enumerator:
      return kObject;
    case DW_TAG_member:
      return is_declaration(die) ? kObject : kField;
    case DW_TAG_subprogram:
      return kFunction;
    case DW_TAG_typedef:
    case DW_TAG_base_type:
      return kTypedef;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
      return kTagged;
    case DW_TAG_namespace:
    case DW_TAG_module:
      return kNamespace;
    default:
      return kNothing;
  }
}

std::string without_blanks(std::string_view name) {
  std::string text(name);
  std::erase(text, ' ');
  return text;
}

std::string full_name(DieScopes& scopes, Dwarf_Die die) {
  return without_blanks(scopes.prefix(die, "::").append(scopes.name_of(die)));
}

std::string prefix_within(DieScopes& scopes, Dwarf_Die scope) {
  const std::string_view own = scopes.name_of(scope);
  return without_blanks(scopes.prefix(scope, "::").append(own.empty() ? kAnonymousNamespace : own)) + "::";
}

GlobalNames::GlobalNames(std::span<const Dwarf_Die> units, DieScopes& scopes) : scopes_(&scopes) {
  for (const Dwarf_Die& unit : units) read_children(unit, "", false, 0);
  while (!completions_.empty())
    for (const auto& [die, is_hidden, depth] : std::exchange(completions_, {}))
      read(die, "", completed_name(die), is_hidden, depth);
  declared_.clear();
}

// The declaration may come later, or be in another unit. With link-time optimization, all declarations are in
// other units.
std::string GlobalNames::completed_name(Dwarf_Die completion) const {
  const Dwarf_Die declaration = declaration_of(completion);
  const auto found = declared_.find(declaration.addr);
  return found != declared_.end() ? found->second : full_name(*scopes_, declaration);
}

void GlobalNames::add(const std::string& name, Entry entry) {
  const NameKind kind = kind_of(entry.die);
  Entries& all = kind == kTagged ? tagged_ : kind == kNamespace ? namespaces_ : objects_;
  const auto [found, is_new] = all.try_emplace(name, entry);
  if (is_new || kind == kNamespace) return;
  Entry& known = found->second;
  // With link-time optimization, some declarations look like definitions.
  const bool is_found = entry.is_external && !has_place(known.die) && has_place(entry.die);
  if (is_found || (!known.is_external && entry.is_external))
    known = entry;
  else if (!known.is_external && !is_same(known.die, entry.die))
    known.is_ambiguous = true;
}

void GlobalNames::read_children(Dwarf_Die parent, const std::string& prefix, bool is_hidden,
                                std::size_t depth) {
  constexpr std::size_t kMaxDepth = 16;
  if (depth == kMaxDepth) return;
  for (const Dwarf_Die& child : children_of(parent)) {
    const std::string_view own = scopes_->name_of(child);
    if (completes_declaration(child))
      completions_.push_back({child, is_hidden, depth});
    else
      read(child, prefix,
           own.empty() || !scopes_->takes_text(prefix.size()) ? std::string() : prefix + without_blanks(own),
           is_hidden, depth);
  }
}

// `name` is empty if the DIE has no name.
void GlobalNames::read(Dwarf_Die die, const std::string& prefix, const std::string& name, bool is_hidden,
                       std::size_t depth) {
  const NameKind kind = kind_of(die);
  if (kind == kNothing || kind == kField) return;
  const bool is_declared = is_declaration(die);
  const bool is_function_without_code = kind == kFunction && !has_attribute(die, DW_AT_low_pc);
  if ((is_declared || is_function_without_code) && !name.empty()) declared_.emplace(die.addr, name);
  if (is_declared && kind == kObject) variables_.emplace(name, die);
  const bool is_defined = is_declared ? kind == kObject && attribute_of(die, DW_AT_const_value).has_value()
                                      : !is_function_without_code;
  if (is_defined && !name.empty())
    add(name, {.die = die, .is_external = !is_hidden && (kind == kNamespace || has_external(die))});
  switch (kind) {
    case kTagged: {
      const bool is_enumeration = dwarf_tag(&die) == DW_TAG_enumeration_type;
      if (name.empty() && !is_enumeration) break;
      const bool is_scoped = !is_enumeration || (has_attribute(die, DW_AT_enum_class) && !name.empty());
      read_children(die, is_scoped ? name + "::" : prefix, is_hidden, depth + 1);
      break;
    }
    case kNamespace:
      read_children(die, name.empty() ? prefix + without_blanks(kAnonymousNamespace) + "::" : name + "::",
                    is_hidden || name.empty(), depth + 1);
      break;
    default:
      break;
  }
}

const GlobalNames::Entry* GlobalNames::find(const std::string& full_name, unsigned kinds) const {
  for (const Entries* const all : {&objects_, &tagged_, &namespaces_})
    if (const auto found = all->find(full_name); found != all->end())
      if ((kind_of(found->second.die) & kinds) != 0) return &found->second;
  return nullptr;
}

const Dwarf_Die* GlobalNames::find_declaration(const std::string& full_name) const {
  const auto found = variables_.find(full_name);
  return found != variables_.end() ? &found->second : nullptr;
}

const std::vector<const GlobalNames::Entries::value_type*>& GlobalNames::by_end() {
  if (by_end_.empty()) {
    for (const Entries* const all : {&objects_, &tagged_})
      for (const auto& entry : *all) by_end_.push_back(&entry);
    std::ranges::stable_sort(by_end_, is_before_from_end, &Entries::value_type::first);
  }
  return by_end_;
}

const GlobalNames::Entry* GlobalNames::find_inside(const std::string& name, unsigned kinds) {
  const auto [known, is_new] = inside_.try_emplace(fmt::format("{} {}", kinds, name));
  Entry& only = known->second;
  if (is_new) {
    const std::string end = "::" + name;
    std::size_t count = 0;
    const auto& all = by_end();
    for (auto next = std::ranges::lower_bound(all, end, is_before_from_end, &Entries::value_type::first);
         next != all.end() && (*next)->first.ends_with(end) && count < 2; ++next)
      if ((kind_of((*next)->second.die) & kinds) != 0 && ++count == 1) only = (*next)->second;
    if (count > 1) only = {};
  }
  return only.die.addr != nullptr ? &only : nullptr;
}

}  // namespace convert::tfile
