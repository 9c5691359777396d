// Where variables are stored that occupy no memory, by their DWARF locations.
#pragma once

#include <elfutils/libdw.h>
#include <optional>
#include <span>
#include <vector>

#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

// The pieces of a variable with this location. A piece in memory counts as nowhere, because only an
// expression of its own would record it.
std::vector<RegisterVariable::Piece> pieces_of(std::span<const Dwarf_Op> operations, unsigned elf_machine);

// The storage of a variable at `pc`, without its name and type. Nothing for variables in memory.
std::optional<RegisterVariable> storage_of(Dwarf_Die* variable, Dwarf_Addr pc, unsigned elf_machine);

}  // namespace convert::tfile
