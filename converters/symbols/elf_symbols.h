// The symbols of an ELF file, as uftrace saves them in a .sym file: functions, variables, and the entries of
// the procedure linkage table (PLT), through which the image calls functions of others.
#pragma once

#include <memory>

#include "converters/symbols/elf_image.h"
#include "converters/symbols/symbol_table.h"

namespace convert {

// True if it has all symbols, not only those for the dynamic linker.
bool has_full_symbols(const ElfImage& image);

// `debug` is the file that holds what was stripped from `image`, or null. Returns null if there is no symbol.
std::unique_ptr<SymbolTable> read_elf_symbols(const ElfImage& image, const ElfImage* debug);

}  // namespace convert
