// The symbols of an ELF file, as uftrace would have saved them in a .sym file.
#pragma once

#include "converters/uftrace/symbols/elf_image.h"
#include "converters/uftrace/symbols/symbol_file.h"

namespace convert::uftrace {

// True if it has all symbols, not only those for other libraries.
bool has_full_symbols(const ElfImage& image);

// `debug` is the file that holds what was stripped from `image`, or null. Null if there is no symbol.
std::unique_ptr<SymbolTable> read_elf_symbols(const ElfImage& image, const ElfImage* debug);

}  // namespace convert::uftrace
