#include "converters/tfile/program/global_names.h"

#include <algorithm>
#include <dwarf.h>
#include <fmt/format.h>
#include <functional>
#include <iterator>

#include "converters/symbols/debug_sections.h"
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

// True if DIEs of two units probably describe the same thing. Comparing the names of the source files would
// take too long.
bool is_same(Dwarf_Die a, Dwarf_Die b) {
  if (dwarf_tag(&a) != dwarf_tag(&b)) return false;
  if (kind_of(a) == kObject && dwarf_tag(&a) != DW_TAG_enumerator) return false;
  if (kind_of(a) == kFunction) return false;
  for (const unsigned attribute : {DW_AT_decl_line, DW_AT_byte_size, DW_AT_const_value})
    if (unsigned_attribute(a, attribute) != unsigned_attribute(b, attribute)) return false;
  return true;
}

void append_without_blanks(std::string& text, std::string_view name) {
  std::ranges::copy_if(name, std::back_inserter(text), [](char c) { return c != ' '; });
}

// Makes room for one more element. `shrink` removes equal elements before the vector grows.
template <typename Element, typename Shrink>
void make_room(std::vector<Element>& all, Shrink shrink) {
  if (all.size() < all.capacity()) return;
  shrink(all);
  if (all.size() >= all.capacity() / 2) all.reserve(std::max<std::size_t>(16, 2 * all.capacity()));
}

template <typename Element>
void put_in_order_once(std::vector<Element>& all) {
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
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
  std::string text;
  append_without_blanks(text, name);
  return text;
}

std::string full_name(DieScopes& scopes, Dwarf_Die die) {
  return without_blanks(scopes.prefix(die, "::").append(scopes.name_of(die)));
}

std::string prefix_within(DieScopes& scopes, Dwarf_Die scope) {
  const std::string_view own = scopes.name_of(scope);
  return without_blanks(scopes.prefix(scope, "::").append(own.empty() ? kAnonymousNamespace : own)) + "::";
}

GlobalNames::GlobalNames(std::span<const Dwarf_Die> units, DieScopes& scopes)
    : scopes_(&scopes), units_(units.begin(), units.end()) {
  read_all();
  names_.insert(names_.end(), completed_names_.begin(), completed_names_.end());
  completed_names_ = {};
  put_in_order(names_);
}

void GlobalNames::read_all() {
  for (unit_ = 0; unit_ < units_.size(); ++unit_) {
    reads_completions_ = false;
    read_children(units_[unit_], "", false, 0);
    reads_completions_ = true;
    while (!completions_.empty()) {
      std::ranges::sort(declared_, std::less<>(), &Declared::die);
      for (const auto& [die, is_hidden, depth] : std::exchange(completions_, {}))
        read(die, "", completed_name(die), is_hidden, depth);
    }
    declared_.clear();
    declared_text_.clear();
    constexpr std::uint32_t kFew = 64;
    if (unit_ % kFew == kFew - 1) release_pages(dwarf_getelf(dwarf_cu_getdwarf(units_[unit_].cu)));
  }
}

// The name of the declaration that `completion` completes. After link-time optimization, the declaration is
// in another unit.
std::string GlobalNames::completed_name(Dwarf_Die completion) const {
  const Dwarf_Die declaration = declaration_of(completion);
  const auto found =
      std::ranges::lower_bound(declared_, declaration.addr, std::less<const void*>(), &Declared::die);
  if (found == declared_.end() || found->die != declaration.addr) return full_name(*scopes_, declaration);
  return scopes_->takes_text(found->size) ? declared_text_.substr(found->begin, found->size) : std::string();
}

GlobalNames::Key GlobalNames::key_of(std::string_view name, Table table) {
  return fxt::SeededHash()(name) ^ static_cast<Key>(table);
}

void GlobalNames::add(const std::string& name, Table table, Dwarf_Die die, bool is_external) {
  const Key key = key_of(name, table);
  if (reads_endings_) {
    if (table == Table::Objects || table == Table::Tagged) add_endings(name, key);
    return;
  }
  Names& names = reads_completions_ ? completed_names_ : names_;
  make_room(names, [this](Names& all) { put_in_order(all); });
  names.push_back({key, die.addr, unit_, table, is_external, false});
}

void GlobalNames::add_endings(const std::string& name, Key key) {
  constexpr std::string_view kColons = "::";
  for (std::size_t at = 0; (at = name.find(kColons, at)) != std::string::npos; ++at) {
    make_room(endings_, put_in_order_once<Ending>);
    endings_.emplace_back(key_of(std::string_view(name).substr(at + kColons.size()), Table::Objects), key);
  }
}

Dwarf_Die GlobalNames::die_of(const Named& named) const {
  Dwarf_Die die{};
  die.addr = const_cast<void*>(named.die);
  die.cu = units_[named.unit].cu;
  return die;
}

// Merges two DIEs of the same name. `known` was added first.
void GlobalNames::merge(Named& known, const Named& next) const {
  if (known.table == Table::Namespaces || known.table == Table::Declarations) return;
  const Dwarf_Die first = die_of(known), second = die_of(next);
  // After link-time optimization, some declarations look like definitions, but have no place.
  const bool is_found = next.is_external && !has_place(first) && has_place(second);
  if (is_found || (!known.is_external && next.is_external))
    known = next;
  else if (!known.is_external && (next.is_ambiguous || !is_same(first, second)))
    known.is_ambiguous = true;
}

void GlobalNames::put_in_order(Names& names) const {
  const auto added = std::ranges::is_sorted_until(names, {}, &Named::key);
  std::ranges::stable_sort(added, names.end(), {}, &Named::key);
  std::ranges::inplace_merge(names, added, {}, &Named::key);
  auto end = names.begin();
  for (const Named& next : names)
    if (end != names.begin() && std::prev(end)->key == next.key)
      merge(*std::prev(end), next);
    else
      *end++ = next;
  names.erase(end, names.end());
}

void GlobalNames::read_children(Dwarf_Die parent, const std::string& prefix, bool is_hidden,
                                std::size_t depth) {
  constexpr std::size_t kMaxDepth = 16;
  if (depth == kMaxDepth) return;
  std::string name;
  for (const Dwarf_Die& child : children_of(parent)) {
    const NameKind kind = kind_of(child);
    if (kind == kNothing || kind == kField) continue;
    if (completes_declaration(child)) {
      completions_.push_back({child, is_hidden, depth});
      continue;
    }
    const std::string_view own = scopes_->name_of(child);
    name.clear();
    if (!own.empty() && scopes_->takes_text(prefix.size())) append_without_blanks(name.append(prefix), own);
    read(child, prefix, name, is_hidden, depth);
  }
}

// `name` is empty if the DIE has no name.
void GlobalNames::read(Dwarf_Die die, const std::string& prefix, const std::string& name, bool is_hidden,
                       std::size_t depth) {
  const NameKind kind = kind_of(die);
  const bool is_declared = is_declaration(die);
  const bool is_function_without_code = kind == kFunction && !has_attribute(die, DW_AT_low_pc);
  if ((is_declared || is_function_without_code) && !name.empty()) {
    declared_.push_back({die.addr, declared_text_.size(), name.size()});
    declared_text_ += name;
  }
  if (is_declared && kind == kObject) add(name, Table::Declarations, die, false);
  const bool is_defined = is_declared ? kind == kObject && attribute_of(die, DW_AT_const_value).has_value()
                                      : !is_function_without_code;
  if (is_defined && !name.empty())
    add(name,
        kind == kTagged      ? Table::Tagged
        : kind == kNamespace ? Table::Namespaces
                             : Table::Objects,
        die, !is_hidden && (kind == kNamespace || has_external(die)));
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

GlobalNames::Found GlobalNames::find(Key key) const {
  const auto found = std::ranges::lower_bound(names_, key, {}, &Named::key);
  if (found == names_.end() || found->key != key) return std::nullopt;
  return Entry{die_of(*found), found->is_external, found->is_ambiguous};
}

GlobalNames::Found GlobalNames::find(const std::string& full_name, unsigned kinds) const {
  for (const Table table : {Table::Objects, Table::Tagged, Table::Namespaces})
    if (const Found found = find(key_of(full_name, table)); found && (kind_of(found->die) & kinds) != 0)
      return found;
  return std::nullopt;
}

GlobalNames::Found GlobalNames::find_declaration(const std::string& full_name) const {
  return find(key_of(full_name, Table::Declarations));
}

GlobalNames::Found GlobalNames::find_inside(const std::string& name, unsigned kinds) {
  if (!std::exchange(reads_endings_, true)) {
    read_all();
    put_in_order_once(endings_);
  }
  const auto [known, is_new] = inside_.try_emplace(fmt::format("{} {}", kinds, name));
  Found& only = known->second;
  if (!is_new) return only;
  const Key ending = key_of(name, Table::Objects);
  for (auto next = std::ranges::lower_bound(endings_, ending, {}, &Ending::first);
       next != endings_.end() && next->first == ending; ++next) {
    const Found found = find(next->second);
    if (!found || (kind_of(found->die) & kinds) == 0) continue;
    if (only) return only = std::nullopt;
    only = found;
  }
  return only;
}

}  // namespace convert::tfile
