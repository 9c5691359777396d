// The namespaces, classes and functions around DIEs. To find them for one DIE, libdw would read the unit from
// its beginning. This class reads each unit only once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxt/support/budget.h"

namespace convert::tfile {

// Limits the memory for copies of long names. Even in a small file, very many DIEs can have long names,
// because these may be parts of the same text.
inline constexpr fxt::Limit kLongNames{"MiB of long names in debug information", 64 * fxt::kMiB,
                                       6 * fxt::kKiB};

class DieScopes {
 public:
  explicit DieScopes(std::uint64_t file_bytes = 0) : long_names_(kLongNames, file_bytes) {}

  // The name of a DIE, for callers that copy it. Empty if the DIE has no name, or if its name would exceed
  // kLongNames.
  std::string_view name_of(Dwarf_Die die);
  // Returns false if a text of this many bytes would exceed kLongNames. Short texts do not count.
  bool takes_text(std::size_t bytes);
  const fxt::Budget& long_names() const { return long_names_; }
  // The namespaces, modules, classes and functions around a DIE, innermost first. Empty inside unions.
  std::vector<Dwarf_Die> around(Dwarf_Die die);
  // "ns::Class::": the names of all scopes except functions. The default separator is that of the language.
  std::string prefix(Dwarf_Die die, std::string_view separator = {});

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  // In a unit, all DIEs inside a scope follow the scope's own DIE. Therefore, a scope contains all DIEs up to
  // its end.
  struct Scope {
    Dwarf_Die die;
    const void* end;     // the next DIE after the scope; null at the end of the unit
    std::size_t parent;  // kNone without a parent
  };
  using Unit = std::vector<Scope>;  // by address

  static void read(Dwarf_Die parent, std::size_t parent_scope, const void* end, Unit& unit,
                   std::size_t depth = 0);
  static void read_one(Dwarf_Die die, std::size_t parent_scope, const void* end, Unit& unit,
                       std::size_t depth);
  const Unit& unit_of(Dwarf_Die die);

  std::unordered_map<const Dwarf_CU*, Unit> units_;
  fxt::Budget long_names_;
};

}  // namespace convert::tfile
