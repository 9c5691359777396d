// What patterns of functions are held against: all the names of a function, and the module that it lies in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "converters/symbols/demangle.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// The names of all functions that begin where the symbol does, its own first.
std::vector<std::string> names_at(const SymbolTable& table, const Symbol& symbol, Demangle demangle);

// Whether `place`, which has a symbol, lies in the module that users and specs call so. uftrace takes the
// first module whose name begins like that, in the order of addresses; a library that was loaded later counts
// where no module does. `PLT` are the library functions that the program itself calls.
bool is_in_module(std::string_view wanted, const SymbolAt& place, const AddressSpace* space);

}  // namespace convert::uftrace
