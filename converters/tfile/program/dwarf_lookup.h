// Names and storage of functions and variables, from their DWARF descriptions (DIEs).
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

// The DIEs around an address or a DIE, innermost first. Frees what libdw allocated.
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

// A function name as GDB shows it: with template arguments, and with parameters only in full mode.
std::string demangled(std::string_view symbol, Demangle mode);

// "ns::Class::name", as GDB shows it: the demangled linkage name, or the function's name after those of its
// scopes. Empty when the function has no name.
std::string qualified_name(Dwarf_Die* function, Demangle mode);

// "ns::Class::": the namespaces and classes around a DIE.
std::string scope_prefix(Dwarf_Die die);

// The offset of a variable that is addressed by the frame base; nothing for others.
std::optional<FrameOffset> frame_offset_of(Dwarf_Die* variable, Dwarf_Addr pc);

// ---- Variables ----

enum class Visible : std::uint8_t {
  OfFunction,  // parameters and variables of the function, which may be inlined
  Everywhere,  // also the variables of its unit
};

// The named variables that are visible at `pc`, innermost first. Within a scope, members of classes and
// namespaces come last, because they have longer names, too.
std::vector<Dwarf_Die> visible_variables(Dwarf_Die* unit, Dwarf_Addr pc, Visible which);

// The variable of this name in a function or in one of its blocks.
std::optional<Dwarf_Die> variable_within(Dwarf_Die* function, std::string_view name);
// The variable of this name in a unit; not in a namespace or a class.
std::optional<Dwarf_Die> variable_of_unit(Dwarf_Die* unit, std::string_view name);

// The address of a variable that has the same address during the whole run, before the load bias is added.
// Nothing for others.
std::optional<std::uint64_t> static_address_of(Dwarf_Die* variable, Dwarf_Addr pc);

// Whether the variable is defined in another unit.
bool is_declaration(Dwarf_Die* variable);

}  // namespace convert::tfile
