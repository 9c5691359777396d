// Where an ELF file's calls of other libraries' functions start: the entries of its procedure linkage table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "converters/uftrace/symbols/elf_image.h"

namespace convert::uftrace {

struct PltEntry {
  std::uint64_t address;
  std::uint64_t size;
  std::string_view name;  // of the function, borrowed from the image
};

std::vector<PltEntry> plt_entries(const ElfImage& image);
// The text that their names are part of.
std::string_view dynamic_strings(const ElfImage& image);

}  // namespace convert::uftrace
