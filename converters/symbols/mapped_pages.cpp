#include "converters/symbols/mapped_pages.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <sstream>
#include <string>
#include <sys/mman.h>

namespace convert {

void release_pages(Elf* elf) {
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return;
  const Elf_Data* const data = elf_rawdata(elf_getscn(elf, names), nullptr);
  if (data == nullptr || data->d_buf == nullptr) return;
  // If the file could not be mapped, libelf has copied the section. Such a copy must not be released.
  const auto address = reinterpret_cast<std::uintptr_t>(data->d_buf);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string access, offset, device, inode;
    fields >> std::hex >> begin >> dash >> end >> access >> offset >> device >> inode;
    if (!fields || address < begin || address >= end) continue;
    if (inode != "0") ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    return;
  }
}

}  // namespace convert
