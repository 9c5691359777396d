// Which variables a name can mean at a code address, as DWARF describes them.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <optional>
#include <string_view>
#include <vector>

namespace convert::tfile {

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
