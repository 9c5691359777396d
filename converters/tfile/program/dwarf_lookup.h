// What DWARF says of functions and variables, one description (DIE) at a time.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <elfutils/libdw.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/symbols/demangle.h"
#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

// A list of DIEs that libdw has allocated.
class Scopes {
 public:
  explicit Scopes(std::pair<int, Dwarf_Die*> scopes)
      : count_(scopes.first), first_(scopes.second, &std::free) {}
  static Scopes at(Dwarf_Die* unit, Dwarf_Addr pc) {
    Dwarf_Die* first = nullptr;
    const int count = dwarf_getscopes(unit, pc, &first);
    return Scopes({count, first});
  }
  static Scopes around(Dwarf_Die* die) {
    Dwarf_Die* first = nullptr;
    const int count = dwarf_getscopes_die(die, &first);
    return Scopes({count, first});
  }
  std::span<Dwarf_Die> all() const {
    return {first_.get(), count_ > 0 ? static_cast<std::size_t>(count_) : std::size_t{0}};
  }

 private:
  int count_;
  std::unique_ptr<Dwarf_Die, decltype(&std::free)> first_;
};

// A function as GDB names it: with template arguments, and with parameters only in full mode.
std::string demangled(std::string_view symbol, Demangle mode);

// "ns::Class::name", as GDB shows it: out of the linker's name, where types are spelled as in symbols, or
// else out of the names around it. Empty when the function has no name.
std::string qualified_name(Dwarf_Die* function, Demangle mode);

// "ns::Class::", of the namespaces and classes that a description stands in.
std::string scope_prefix(Dwarf_Die die);

// Where a variable lies that the frame base tells; nothing for others.
std::optional<FrameOffset> frame_offset_of(Dwarf_Die* variable, Dwarf_Addr pc);

// ---- Variables ----

enum class Visible : std::uint8_t {
  OfFunction,  // parameters and variables of the function, inlined or not
  Everywhere,  // and those of its unit
};

// Those with a name that are visible at `pc`, innermost first. Of a unit, those that belong to a class or a
// namespace come last: they have longer names, too.
std::vector<Dwarf_Die> visible_variables(Dwarf_Die* unit, Dwarf_Addr pc, Visible which);

// The variable of this name in a function or in a block of it.
std::optional<Dwarf_Die> variable_within(Dwarf_Die* function, std::string_view name);
// That of a unit: none of a namespace or class.
std::optional<Dwarf_Die> variable_of_unit(Dwarf_Die* unit, std::string_view name);

// The address of a variable that lies in one place for the whole run, as it is in the file; nothing for
// others.
std::optional<std::uint64_t> static_address_of(Dwarf_Die* variable, Dwarf_Addr pc);

// It lies elsewhere.
bool is_declaration(Dwarf_Die* variable);

}  // namespace convert::tfile
