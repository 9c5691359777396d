// Finds names in the order that expression.h describes.
#include <algorithm>
#include <cstddef>
#include <dwarf.h>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/tfile/program/debug_info.h"
#include "converters/tfile/program/die.h"
#include "converters/tfile/program/expression.h"

namespace convert::tfile {
namespace {

// Limits, because damaged DWARF may have endless bases, imports and qualifiers.
constexpr std::size_t kMaxVisited = 256, kMaxNameQualifiers = 16;

using Found = std::optional<FoundName>;

// True if names that are declared inside the DIE are also visible around it.
bool is_transparent(Dwarf_Die die) {
  return is_open_block(die) ||
         (dwarf_tag(&die) == DW_TAG_enumeration_type && !has_attribute(die, DW_AT_enum_class));
}

// The offset of the last "::" outside of brackets, as in "app::Box<a::b>::all"; npos without one.
std::size_t end_of_qualifier(std::string_view name) {
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 1;) {
    if (name[at] == '>') ++depth;
    if (name[at] == '<') --depth;
    if (depth == 0 && name[at] == ':' && name[at - 1] == ':') return at - 1;
  }
  return std::string_view::npos;
}

bool contains(std::span<const FoundName> all, Dwarf_Die die) {
  return std::ranges::find(all, die.addr, [](const FoundName& name) { return name.die.addr; }) != all.end();
}

class NameLookup {
 public:
  explicit NameLookup(const CodeScope& scope) : scope_(scope), info_(*scope.info), modules_{scope.info} {
    modules_.insert(modules_.end(), info_.others().begin(), info_.others().end());
  }

  Found find(std::string_view name, unsigned kinds, std::size_t qualifiers = 0) {
    if (qualifiers == kMaxNameQualifiers) return {};
    if (const std::size_t colons = end_of_qualifier(name); colons != std::string_view::npos && colons > 0) {
      constexpr unsigned kQualifiers = kFunction | kTypedef | kTagged | kNamespace;
      const std::string own = without_blanks(name.substr(colons + 2));
      if (const Found around = find(name.substr(0, colons), kQualifiers, qualifiers + 1))
        if (const Found found = inside(*around, own, kinds)) return found;
      name.remove_prefix(name.starts_with("::") ? 2 : 0);
      return elsewhere(without_blanks(name), kinds, {});
    }
    if (name.starts_with("::")) {
      const std::string global = without_blanks(name.substr(2));
      const Found found = exported(global, kinds);
      return found ? found : elsewhere(global, kinds, {});
    }
    return plain(without_blanks(name), kinds);
  }

 private:
  // ---- From inner scopes to outer ones ----

  Found plain(const std::string& name, unsigned kinds) {
    std::span<const CodeScope::Enclosing> enclosing(scope_.enclosing);
    for (const Dwarf_Die& block : scope_.blocks) {
      const auto local = declared_in(block, name, kinds);
      if (!local) continue;
      // "extern int count;" in a block means the variable `count` of the enclosing namespace.
      if (is_declaration(*local) && has_attribute(*local, DW_AT_external)) {
        while (kind_of(enclosing.front().die) == kTagged) enclosing = enclosing.subspan(1);
        return around(name, kinds, enclosing, {});
      }
      return defined({&info_, *local});
    }
    if (const CodeScope::Variable* const self = scope_.find("this"))
      if (const unsigned of_objects = kinds & (kObject | kField); of_objects != 0)
        if (const Found found = member_of({&info_, self->die}, name, of_objects)) return found;
    return around(name, kinds, enclosing, scope_.blocks);
  }

  Found around(const std::string& name, unsigned kinds, std::span<const CodeScope::Enclosing> enclosing,
               std::vector<Dwarf_Die> importing) {
    for (const auto& [die, prefix] : enclosing) {
      if (kind_of(die) == kFunction)
        if (const Found found = within_function({&info_, die}, name, kinds & ~kField)) return found;
      const Found found = kind_of(die) == kTagged ? member_of({&info_, die}, name, kinds & ~kField)
                                                  : visible(prefix + name, kinds);
      if (found) return found;
      importing.push_back(die);
    }
    if (const Found found = imported(std::move(importing), name, kinds)) return found;
    return elsewhere(name, kinds, enclosing);
  }

  // Searches in this order: definitions in this file, external definitions in other files, declarations in
  // this file.
  Found visible(const std::string& full_name, unsigned kinds) {
    GlobalNames* const of_file = scope_.file != nullptr ? &scope_.file->names(info_.die_scopes()) : nullptr;
    if (const auto own = of_file != nullptr ? of_file->find(full_name, kinds) : std::nullopt)
      return FoundName{&info_, own->die};
    if (const Found found = exported(full_name, kinds)) return found;
    const auto declared =
        of_file != nullptr && (kinds & kObject) != 0 ? of_file->find_declaration(full_name) : std::nullopt;
    return declared && info_.address_by_symbol(declared->die) ? FoundName{&info_, declared->die} : Found{};
  }

  Found exported(const std::string& full_name, unsigned kinds) {
    for (DebugInfo* const module : modules_)
      if (const auto entry = module->globals().find(full_name, kinds); entry && entry->is_external)
        return FoundName{module, entry->die};
    return {};
  }

  // Finds names that are local to other files. Users may omit the namespaces of such names.
  Found elsewhere(const std::string& name, unsigned kinds, std::span<const CodeScope::Enclosing> enclosing) {
    std::vector<std::string> prefixes;
    for (const auto& [die, prefix] : enclosing)
      if (kind_of(die) != kFunction) prefixes.push_back(prefix);
    if (prefixes.empty()) prefixes.emplace_back();
    for (DebugInfo* const module : modules_)
      for (const std::string& prefix : prefixes)
        if (const auto entry = module->globals().find(prefix + name, kinds))
          return entry->is_ambiguous ? Found{} : FoundName{module, entry->die};
    for (DebugInfo* const module : modules_)
      if (const auto entry = module->globals().find_inside(name, kinds))
        return entry->is_ambiguous ? Found{} : FoundName{module, entry->die};
    return {};
  }

  // ---- Within one scope ----

  // True if `own` without its blanks is `name`.
  bool is_called(std::string_view own, const std::string& name) {
    return own.size() >= name.size() && info_.takes_search(own.size()) && without_blanks(own) == name;
  }

  // Finds a name that a block or class itself declares.
  std::optional<Dwarf_Die> declared_in(Dwarf_Die parent, const std::string& name, unsigned kinds,
                                       std::size_t depth = 0) {
    if (depth == kMaxDieDepth) return std::nullopt;
    std::optional<Dwarf_Die> hidden;
    for (const Dwarf_Die& child : info_.children_of(parent)) {
      Dwarf_Die meant = child;
      const bool is_import = dwarf_tag(&meant) == DW_TAG_imported_declaration;
      if (is_import) meant = info_.referred(child, DW_AT_import).value_or(child);
      const std::string_view own = die_name(has_attribute(child, DW_AT_name) ? child : meant);
      if (const NameKind kind = kind_of(meant); (kind & kinds) != 0 && is_called(own, name)) {
        if (kind == kFunction && own == die_name(parent))
          continue;  // the name means the class, and not the constructor
        // In C++, a variable or function hides a class with the same name, so the class is returned only if
        // nothing hides it. The definition of a static member hides nothing.
        if (!is_import && kind != kTagged && !has_attribute(child, DW_AT_specification)) return child;
        if (!hidden) hidden = meant;
      }
      std::optional<Dwarf_Die> within;
      if (is_transparent(child) &&
          !std::ranges::binary_search(scope_.instantiated, child.addr, std::less<>()))
        within = declared_in(child, name, kinds, depth + 1);
      else if (kind_of(child) == kField && own.empty())
        if (const auto anonymous = info_.referred(child, DW_AT_type))
          within = declared_in(*anonymous, name, kinds, depth + 1);
      if (within) return within;
    }
    return hidden;
  }

  // Finds a member of a class or enumeration, or of a base class. `of` may be an object or a pointer to an
  // object.
  Found member_of(const FoundName& of, const std::string& name, unsigned kinds) {
    std::vector<FoundName> classes{of};
    for (std::size_t i = 0; i < classes.size() && i < kMaxVisited; ++i) {
      const Found type = definition_of_type(classes[i]);
      if (!type) continue;
      if (const auto member = declared_in(type->die, name, kinds)) return defined({type->info, *member});
      auto next = classes.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      for (Dwarf_Die& child : info_.children_of(type->die))
        if (dwarf_tag(&child) == DW_TAG_inheritance && !contains(classes, child))
          next = std::next(classes.insert(next, {type->info, child}));
    }
    return {};
  }

  // Finds a name in `around`: a class, a namespace, an enumeration or a function.
  Found inside(const FoundName& around, const std::string& name, unsigned kinds) {
    switch (kind_of(around.die)) {
      case kNamespace: {
        const std::string key = prefix_within(around.info->die_scopes(), around.die) + name;
        if (const Found found = visible(key, kinds)) return found;
        if (const Found found = imported({around.die}, name, kinds)) return found;
        const auto entry = around.info->globals().find(key, kinds);
        return entry && !entry->is_ambiguous ? FoundName{around.info, entry->die} : Found{};
      }
      case kFunction:
        return within_function(around, name, kinds & ~kField);
      default:
        return member_of(around, name, scope_.find("this") != nullptr ? kinds : kinds & ~kField);
    }
  }

  // Finds a name that is declared in a function. Sets `is_of_other_call` if the function has no code at the
  // scope's address.
  Found within_function(const FoundName& function, const std::string& name, unsigned kinds) {
    const auto here = std::ranges::find_if(scope_.functions, [&](const Dwarf_Die& instance) {
      const auto origin = referred_die(instance, DW_AT_abstract_origin);
      return instance.addr == function.die.addr || (origin && origin->addr == function.die.addr);
    });
    const bool is_here = here != scope_.functions.end();
    auto local = is_here ? within_blocks(*here, name, kinds) : std::nullopt;
    if (!local) local = within_blocks(function.die, name, kinds);
    if (!local) return {};
    return defined({.info = function.info, .die = *local, .is_of_other_call = !is_here});
  }

  std::optional<Dwarf_Die> within_blocks(Dwarf_Die block, const std::string& name, unsigned kinds,
                                         std::size_t depth = 0) {
    if (depth == kMaxDieDepth) return std::nullopt;
    if (const auto found = declared_in(block, name, kinds)) return found;
    for (Dwarf_Die& child : info_.children_of(block))
      if (dwarf_tag(&child) == DW_TAG_lexical_block)
        if (const auto found = within_blocks(child, name, kinds, depth + 1)) return found;
    return std::nullopt;
  }

  // Finds a name that is imported into the blocks, namespaces or files `into`: by a using-declaration, or as
  // part of an imported namespace.
  Found imported(std::vector<Dwarf_Die> into, const std::string& name, unsigned kinds) {
    std::vector<const void*> seen;
    for (std::size_t i = 0; i < into.size() && i < kMaxVisited; ++i)
      for (Dwarf_Die& child : info_.children_of(into[i])) {
        const int tag = dwarf_tag(&child);
        const bool is_directive = tag == DW_TAG_imported_module;
        if (!is_directive && tag != DW_TAG_imported_declaration && tag != DW_TAG_namespace) continue;
        const auto meant = tag == DW_TAG_namespace ? child : info_.referred(child, DW_AT_import);
        if (!meant) continue;
        if (tag == DW_TAG_imported_declaration) {
          const std::string_view own = die_name(has_attribute(child, DW_AT_name) ? child : *meant);
          if ((kind_of(*meant) & kinds) != 0 && is_called(own, name)) return defined({&info_, *meant});
          continue;
        }
        const bool is_open =
            is_directive || die_name(child).empty() || has_attribute(child, DW_AT_export_symbols);
        if (!is_open || std::ranges::find(seen, meant->addr) != seen.end()) continue;
        seen.push_back(meant->addr);
        if (const Found found = visible(prefix_within(info_.die_scopes(), *meant) + name, kinds))
          return found;
        into.push_back(*meant);
      }
    return {};
  }

  // ---- Declarations ----

  // If a DIE is only a declaration, finds its definition. If there is no definition, returns a declaration
  // that has a constant value, or whose address is in a symbol table.
  Found defined(const FoundName& name) {
    if (!is_declaration(name.die)) return name;
    const std::string key = full_name(name.info->die_scopes(), name.die);
    if (const Found found = visible(key, kind_of(name.die))) return found;
    if (const auto entry = name.info->globals().find(key, kind_of(name.die)))
      return entry->is_ambiguous ? Found{} : FoundName{name.info, entry->die};
    return attribute_of(name.die, DW_AT_const_value) || name.info->address_by_symbol(name.die) ? name
                                                                                               : Found{};
  }

  // Finds the class or enumeration to which an object, a pointer, a typedef or a declaration leads.
  Found definition_of_type(FoundName of) {
    for (std::size_t steps = 0; steps < kMaxDieDepth; ++steps) {
      if (kind_of(of.die) == kTagged && !is_declaration(of.die)) return of;
      const bool is_class = kind_of(of.die) == kTagged;
      const auto next = of.info->referred(of.die, is_class ? DW_AT_signature : DW_AT_type);
      if (!next) return is_class ? defined(of) : Found{};
      of.die = *next;
    }
    return {};
  }

  const CodeScope& scope_;
  DebugInfo& info_;
  std::vector<DebugInfo*> modules_;  // the scope's own module first
};

// The kinds of names that an expression can mean.
unsigned kinds_of(const CodeScope& scope, Wanted wanted) {
  if (wanted == Wanted::Tagged) return kTagged;
  const unsigned names = kObject | kFunction | kField | kTypedef;
  return is_c(scope.unit) ? names : names | kTagged;
}

const FoundName* as_pointer(const Found& found) { return found ? &*found : nullptr; }

}  // namespace

const FoundName* look_up(const CodeScope& scope, const std::string& name, Wanted wanted) {
  const auto [known, is_new] =
      scope.known_names.try_emplace(wanted == Wanted::Tagged ? "struct " + name : name);
  if (is_new) known->second = NameLookup(scope).find(name, kinds_of(scope, wanted));
  return as_pointer(known->second);
}

const FoundName* look_up_in_file(const CodeScope& scope, const std::string& file, const std::string& name) {
  const auto [known, is_new] = scope.known_names.try_emplace("'" + file + "'::" + name);
  Found& found = known->second;
  if (!is_new) return as_pointer(found);
  const auto wanted_file = std::filesystem::path(file).filename();
  std::size_t count = 0;
  for (DebugUnits::Unit& unit : scope.info->units().all()) {
    if (std::filesystem::path(die_name(unit.die)).filename() != wanted_file) continue;
    CodeScope of_file;
    of_file.info = scope.info;
    of_file.unit = unit.die;
    of_file.functions = scope.functions;
    of_file.file = &unit;
    of_file.enclosing.push_back({unit.die, ""});
    Found own = NameLookup(of_file).find(name, kinds_of(of_file, Wanted::Any));
    Dwarf_Die around;
    if (!own || dwarf_diecu(&own->die, &around, nullptr, nullptr) == nullptr || around.addr != unit.die.addr)
      continue;
    if (++count == 1) found = own;
  }
  if (count > 1) found.reset();
  return as_pointer(found);
}

}  // namespace convert::tfile
