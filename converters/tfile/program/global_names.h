// The names that units declare outside of functions: variables, functions, types and enumerators, by their
// full names.
#pragma once

#include <cstddef>
#include <elfutils/libdw.h>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxt/hash.h"

namespace convert::tfile {

class DieScopes;

// The kinds of things that have names, as bits.
enum NameKind : unsigned {
  kNothing = 0,
  kObject = 1,     // variables, parameters and enumerators
  kFunction = 2,   // with code, or declared
  kField = 4,      // members that are not static
  kTypedef = 8,    // typedefs and base types
  kTagged = 16,    // types that C calls "struct name" and the like
  kNamespace = 32  // namespaces and modules
};
NameKind kind_of(Dwarf_Die die);

// Users write "Box<int,2>", but DWARF and demangled names have "Box<int, 2>".
std::string without_blanks(std::string_view name);
// "ns::Box<int,2>": the key of a DIE among all names.
std::string full_name(DieScopes& scopes, Dwarf_Die die);
// "ns::Box<int,2>::": the beginning of full names inside of a namespace or class.
std::string prefix_within(DieScopes& scopes, Dwarf_Die scope);

class GlobalNames {
 public:
  GlobalNames(std::span<const Dwarf_Die> units, DieScopes& scopes);

  struct Entry {
    Dwarf_Die die{};
    bool is_external = false;   // other units mean the same DIE with this name
    bool is_ambiguous = false;  // units have different DIEs, none of them external
  };
  // Finds a DIE of one of these kinds. A tagged type is found only if nothing else has the name. Returns null
  // if no DIE has it. Valid as long as this object.
  const Entry* find(const std::string& full_name, unsigned kinds) const;
  // Finds a variable that is only declared. Returns null if none has the name.
  const Dwarf_Die* find_declaration(const std::string& full_name) const;
  // The only DIE whose name ends with `name`, after the name of a namespace or class.
  const Entry* find_inside(const std::string& name, unsigned kinds);

 private:
  using Entries = fxt::SeededMap<std::string, Entry>;

  // A DIE that completes a declaration, and is named by that declaration.
  struct Completion {
    Dwarf_Die die;
    bool is_hidden;
    std::size_t depth;
  };

  void read_children(Dwarf_Die parent, const std::string& prefix, bool is_hidden, std::size_t depth);
  void read(Dwarf_Die die, const std::string& prefix, const std::string& name, bool is_hidden,
            std::size_t depth);
  std::string completed_name(Dwarf_Die completion) const;
  void add(const std::string& name, Entry entry);

  DieScopes* scopes_;
  Entries objects_, tagged_, namespaces_;  // names without blanks
  // The entries by their names from the last character to the first.
  const std::vector<const Entries::value_type*>& by_end();
  std::vector<const Entries::value_type*> by_end_;  // empty until it is needed
  Entries inside_;                                  // by kinds and name: the results of earlier searches
  std::unordered_map<const void*, std::string> declared_;  // names of declarations
  fxt::SeededMap<std::string, Dwarf_Die> variables_;       // declared variables, by name
  std::vector<Completion> completions_;
};

}  // namespace convert::tfile
