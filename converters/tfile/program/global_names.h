// The global variables and types of all units of a program, by their full names.
#pragma once

#include <cstddef>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <string>
#include <unordered_map>

namespace convert::tfile {

class GlobalNames {
 public:
  // Reads all units. Borrows the module.
  explicit GlobalNames(Dwfl_Module* module);

  // By full name; or by a name inside of a namespace or class, if it is unique. Null if there is none. Valid
  // as long as this object.
  Dwarf_Die* variable(const std::string& name) { return find(variables_, name); }
  Dwarf_Die* type(const std::string& name) { return find(types_, name); }

 private:
  using Descriptions = std::unordered_map<std::string, Dwarf_Die>;

  void read(Dwarf_Die* parent, const std::string& prefix, std::size_t depth);
  static Dwarf_Die* find(Descriptions& all, const std::string& name);

  Descriptions variables_, types_;
};

}  // namespace convert::tfile
