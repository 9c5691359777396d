// Global variables and types of a program by their full names, of all units.
#pragma once

#include <cstddef>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <string>
#include <unordered_map>

namespace convert::tfile {

class GlobalNames {
 public:
  // Reads the descriptions of all units, which belong to the module.
  explicit GlobalNames(Dwfl_Module* module);

  // Of this name; inside of a namespace, if only one has it. Null if there is none. Good as long as this.
  Dwarf_Die* variable(const std::string& name) { return find(variables_, name); }
  Dwarf_Die* type(const std::string& name) { return find(types_, name); }

 private:
  using Descriptions = std::unordered_map<std::string, Dwarf_Die>;

  void read(Dwarf_Die* parent, const std::string& prefix, std::size_t depth);
  static Dwarf_Die* find(Descriptions& all, const std::string& name);

  Descriptions variables_, types_;
};

}  // namespace convert::tfile
