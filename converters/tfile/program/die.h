// The entries of DWARF (DIEs): their attributes, their children and their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/symbols/demangle.h"

namespace convert::tfile {

class DieScopes;

std::vector<Dwarf_Die> children_of(Dwarf_Die parent);

bool has_attribute(Dwarf_Die die, unsigned attribute);  // of the DIE itself
std::optional<Dwarf_Attribute> own_attribute(Dwarf_Die die, unsigned attribute);
// The DIE's own attribute, or the attribute of the DIE that it completes.
std::optional<Dwarf_Attribute> attribute_of(Dwarf_Die die, unsigned attribute);
std::optional<std::uint64_t> unsigned_attribute(Dwarf_Die die, unsigned attribute);
// The DIE to which one of the DIE's own attributes refers.
std::optional<Dwarf_Die> referred_die(Dwarf_Die die, unsigned attribute);
// The number in an attribute. Forms of a fixed size are unsigned, although libdw may return them as signed.
std::optional<std::int64_t> constant_in(Dwarf_Attribute attribute);

// A limit, because damaged DWARF may nest deeper than any stack.
inline constexpr std::size_t kMaxDieDepth = 64;

std::string_view die_name(Dwarf_Die die);  // empty if it has none
inline constexpr std::string_view kAnonymousNamespace = "(anonymous namespace)";
// The declaration of a function, which is inside its class or namespace.
Dwarf_Die declaration_of(Dwarf_Die die);
// True if the variable is defined elsewhere.
bool is_declaration(Dwarf_Die variable);

// A function name in GDB's spelling: with template arguments, and with parameters only in full mode.
std::string demangled(std::string_view symbol, Demangle mode);
// Returns "run" for "run[abi:cxx11]", because users do not write the tags.
std::string without_abi_tags(std::string name);
// "ns::Class::name", in GDB's spelling: the demangled linkage name, or the function's name after the names of
// its scopes. Empty if the function has no name.
std::string qualified_name(DieScopes& scopes, Dwarf_Die function, Demangle mode);

// True if the block has no code. Then its declarations are visible around it.
bool is_block_without_code(Dwarf_Die die);
// True if the DIE is such a block, or a common block of Fortran.
bool is_open_block(Dwarf_Die die);

int language_of(Dwarf_Die die);  // DW_LANG_…; 0 if unknown
bool is_c(Dwarf_Die die);
bool is_ada(Dwarf_Die die);
bool is_fortran(Dwarf_Die die);

}  // namespace convert::tfile
