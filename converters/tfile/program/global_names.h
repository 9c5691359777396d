// The names that units declare outside of functions: variables, functions, types and enumerators, by their
// full names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/hash.h"

namespace convert::tfile {

class DieScopes;

// The kinds of things that have names, as bits.
enum NameKind : unsigned {
  kNothing = 0,
  kObject = 1,    // variables, parameters and enumerators
  kFunction = 2,  // functions, with code or only declared
  kField = 4,     // members that are not static
  kTypedef = 8,   // typedefs and base types
  kTagged = 16,   // types that C calls "struct name" and the like
  kNamespace = 32
};
NameKind kind_of(Dwarf_Die die);

// Names are compared without blanks, because users write "Box<int,2>", but DWARF and demangled names have
// "Box<int, 2>".
std::string without_blanks(std::string_view name);
// "ns::Box<int,2>": the name under which GlobalNames finds the DIE.
std::string full_name(DieScopes& scopes, Dwarf_Die die);
// "ns::Box<int,2>::": the beginning of full names inside of a namespace or class.
std::string prefix_within(DieScopes& scopes, Dwarf_Die scope);

class GlobalNames {
 public:
  GlobalNames(std::span<const Dwarf_Die> units, DieScopes& scopes);

  struct Entry {
    Dwarf_Die die{};
    bool is_external = false;   // in other units, the name also means this DIE
    bool is_ambiguous = false;  // several units have different DIEs of this name, none of them external
  };
  using Found = std::optional<Entry>;
  // Finds a DIE of one of these kinds. A variable, function or typedef comes before a tagged type of the same
  // name.
  Found find(const std::string& full_name, unsigned kinds) const;
  Found find_declaration(const std::string& full_name) const;
  // Finds a DIE inside a namespace or class by the end of its full name: "::" and `name`. Finds nothing if
  // several DIEs have such names.
  Found find_inside(const std::string& name, unsigned kinds);

 private:
  // Things in different tables may have the same name.
  enum class Table : std::uint8_t { Objects, Tagged, Namespaces, Declarations };
  // A large program has millions of names. Therefore, hashes represent them.
  using Key = std::uint64_t;
  static Key key_of(std::string_view name, Table table);

  struct Named {
    Key key;
    const void* die;
    std::uint32_t unit;  // index
    Table table;
    bool is_external, is_ambiguous;
  };
  using Names = std::vector<Named>;

  // A DIE that completes a declaration, and has its name only from this declaration.
  struct Completion {
    Dwarf_Die die;
    bool is_hidden;
    std::size_t depth;
  };
  struct Declared {
    const void* die;
    std::size_t begin, size;  // place of the declaration's name in declared_text_
  };

  void read_all();
  void read_children(Dwarf_Die parent, const std::string& prefix, bool is_hidden, std::size_t depth);
  void read(Dwarf_Die die, const std::string& prefix, const std::string& name, bool is_hidden,
            std::size_t depth);
  std::string completed_name(Dwarf_Die completion) const;
  void add(const std::string& name, Table table, Dwarf_Die die, bool is_external);
  void add_endings(const std::string& name, Key key);

  Dwarf_Die die_of(const Named& named) const;
  void merge(Named& known, const Named& next) const;
  void put_in_order(Names& names) const;
  Found find(Key key) const;

  DieScopes* scopes_;
  std::vector<Dwarf_Die> units_;
  Names names_;            // in the order of keys
  Names completed_names_;  // names from completions; moved into `names_` after all units are read
  // For "a::b::c", the keys of its endings "b::c" and "c", each with the key of the whole name. Empty until
  // needed.
  using Ending = std::pair<Key, Key>;
  std::vector<Ending> endings_;
  fxt::SeededMap<std::string, Found> inside_;  // by kinds and name: the results of earlier searches

  // State of the unit that is being read:
  std::uint32_t unit_ = 0;
  bool reads_completions_ = false, reads_endings_ = false;
  std::vector<Completion> completions_;
  std::vector<Declared> declared_;
  std::string declared_text_;
};

}  // namespace convert::tfile
