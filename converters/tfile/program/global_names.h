// The global variables, functions, types and enumerators of all units of a program, by their full names.
#pragma once

#include <elfutils/libdw.h>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace convert::tfile {

// Users write "Box<int,2>::all", DWARF and demangled names have "Box<int, 2>::all".
inline std::string without_blanks(std::string name) {
  std::erase(name, ' ');
  return name;
}

class GlobalNames {
 public:
  explicit GlobalNames(std::span<const Dwarf_Die> units);

  // By full name; or, if it `may_be_inside` of a namespace or class, by the end of a name, if it is the only
  // one. Null if there is none. Valid as long as this object.
  Dwarf_Die* variable(std::string_view name, bool may_be_inside = true) {
    return find(variables_, name, may_be_inside);
  }
  Dwarf_Die* type(std::string_view name, bool may_be_inside = true) {
    return find(types_, name, may_be_inside);
  }
  Dwarf_Die* function(std::string_view name, bool may_be_inside = true) {
    return find(functions_, name, may_be_inside);
  }
  Dwarf_Die* enumerator(std::string_view name, bool may_be_inside = true) {
    return find(enumerators_, name, may_be_inside);
  }

 private:
  using Descriptions = std::unordered_map<std::string, Dwarf_Die>;

  void read(Dwarf_Die parent, const std::string& prefix, std::size_t depth);
  void add_variable(Dwarf_Die variable, const std::string& name);
  Dwarf_Die* find(Descriptions& all, std::string_view name, bool may_be_inside);

  Descriptions variables_, types_, functions_, enumerators_;  // names without blanks
  std::unordered_map<const void*, std::string> declared_;     // names of declarations
};

}  // namespace convert::tfile
