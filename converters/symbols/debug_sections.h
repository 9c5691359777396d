// Additions to libdw and libelf: the bytes of sections, and limits for the memory that libdw needs.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <span>
#include <string>
#include <string_view>

namespace convert {

// The unpacked bytes of a section, for example "debug_loc". If `is_of_split` is true, the section of split
// DWARF is used, for example ".debug_loc.dwo". Empty if the file lacks the section.
std::span<const unsigned char> debug_section(Dwarf* dwarf, std::string_view name, bool is_of_split = false);

// libdw reads a table of abbreviations again for each unit, and keeps all copies, even if units share the
// table. Returns the problem if all copies together exceed a limit; otherwise an empty text. Must be called
// before libdw reads a unit. `stored_bytes` is the size of the file or of its DWARF.
std::string excess_of_abbreviations(Dwarf* dwarf, std::uint64_t stored_bytes, bool is_split = false);

// Releases the memory of those pages of the mapped file that were read. If a page is needed again, the system
// loads it again. Should be called after a search through the file. Must not be called for object files,
// because libelf changes them.
void release_pages(Elf* elf);

}  // namespace convert
