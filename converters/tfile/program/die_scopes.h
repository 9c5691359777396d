// The namespaces, classes and functions around DIEs. For each such question, libdw would read a unit from its
// beginning. This class reads each unit once.
#pragma once

#include <cstddef>
#include <elfutils/libdw.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace convert::tfile {

class DieScopes {
 public:
  // The namespaces, modules, classes and functions around a DIE, innermost first. Empty inside unions.
  std::vector<Dwarf_Die> around(Dwarf_Die die);
  // "ns::Class::": the names of all scopes except functions, with the language's separator or with the given
  // one.
  std::string prefix(Dwarf_Die die, std::string_view separator = {});

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  // A file has DIEs in the order of the tree. Therefore, a scope contains all DIEs up to its end.
  struct Scope {
    Dwarf_Die die;
    const void* end;     // the next DIE after the scope; null at the end of the unit
    std::size_t parent;  // kNone without a parent
  };
  using Unit = std::vector<Scope>;  // by address

  static void read(Dwarf_Die parent, std::size_t parent_scope, const void* end, Unit& unit,
                   std::size_t depth = 0);
  const Unit& unit_of(Dwarf_Die die);

  std::unordered_map<const Dwarf_CU*, Unit> units_;
};

}  // namespace convert::tfile
