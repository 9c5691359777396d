// Where variables are that take no memory, as DWARF describes them.
#pragma once

#include <elfutils/libdw.h>
#include <optional>
#include <span>
#include <vector>

#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

// Where the pieces of a variable lie whose location these operations describe. One that lies in memory, which
// only an expression of its own would record, counts as nowhere.
std::vector<RegisterVariable::Piece> pieces_of(std::span<const Dwarf_Op> operations, unsigned elf_machine);

// Where a variable is that takes no memory at `pc`, or that is nowhere; name and type are left to the caller.
// Nothing for others.
std::optional<RegisterVariable> storage_of(Dwarf_Die* variable, Dwarf_Addr pc, unsigned elf_machine);

}  // namespace convert::tfile
