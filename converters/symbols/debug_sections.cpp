#include "converters/symbols/debug_sections.h"

#include <algorithm>
#include <cstddef>
#include <dwarf.h>
#include <fstream>
#include <gelf.h>
#include <ios>
#include <sstream>
#include <sys/mman.h>
#include <unordered_map>

#include "fxt/support/budget.h"

namespace convert {
namespace {

// libdw needs about 80 bytes of memory for six bytes of an abbreviation.
constexpr fxt::Limit kAbbreviations{"MiB of abbreviations in debug information", 8 * fxt::kMiB,
                                    1 * fxt::kKiB};

class AbbreviationTable {
 public:
  explicit AbbreviationTable(std::span<const unsigned char> bytes) : rest_(bytes) {}

  std::size_t left() const { return rest_.size(); }
  // Skips an abbreviation. Returns false at the end of the table.
  bool next() {
    if (number() == 0) return false;  // the code
    number();                         // the tag
    skip();                           // whether it has children
    while (!rest_.empty()) {
      const std::uint64_t name = number(), form = number();
      if (name == 0 && form == 0) break;
      if (form == DW_FORM_implicit_const) number();
    }
    return !rest_.empty();
  }

 private:
  void skip() { rest_ = rest_.subspan(std::min<std::size_t>(1, rest_.size())); }
  // Reads a number with seven bits in each byte. Drops bits after the first 64.
  std::uint64_t number() {
    constexpr unsigned kMore = 0x80;
    std::uint64_t number = 0;
    for (unsigned bits = 0; !rest_.empty(); bits += 7) {
      const unsigned byte = rest_.front();
      skip();
      if (bits < 64) number |= std::uint64_t{byte & ~kMore} << bits;
      if ((byte & kMore) == 0) break;
    }
    return number;
  }

  std::span<const unsigned char> rest_;
};

}  // namespace

std::span<const unsigned char> debug_section(Dwarf* dwarf, std::string_view name, bool is_of_split) {
  Elf* const elf = dwarf_getelf(dwarf);
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return {};
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    const char* const text =
        gelf_getshdr(section, &header) != nullptr ? elf_strptr(elf, names, header.sh_name) : nullptr;
    std::string_view found = text != nullptr ? text : "";
    found.remove_prefix(found.starts_with(".z") ? 2 : found.starts_with(".") ? 1 : 0);
    const bool has_suffix = found.ends_with(".dwo");
    found.remove_suffix(has_suffix ? 4 : 0);
    if (found != name || has_suffix != is_of_split) continue;
    const Elf_Data* const data = elf_getdata(section, nullptr);  // libdw has unpacked it
    if (data == nullptr || data->d_buf == nullptr) return {};
    return {static_cast<const unsigned char*>(data->d_buf), data->d_size};
  }
  return {};
}

std::string excess_of_abbreviations(Dwarf* dwarf, std::uint64_t stored_bytes, bool is_split) {
  const std::span<const unsigned char> all = debug_section(dwarf, "debug_abbrev", is_split);
  fxt::Budget budget(kAbbreviations, stored_bytes);
  std::unordered_map<Dwarf_Off, std::uint64_t> sizes;  // sizes of tables, by offset
  const auto size_at = [&](Dwarf_Off offset) {
    const auto [known, is_new] = sizes.try_emplace(offset);
    if (is_new && offset < all.size()) {
      AbbreviationTable table(all.subspan(offset));
      while (table.next()) {
      }
      known->second = all.size() - offset - table.left();
    }
    return known->second;
  };
  for (const bool are_types : {false, true}) {
    std::size_t header_bytes = 0;
    Dwarf_Off next = 0, abbreviations = 0, type = 0;
    std::uint64_t signature = 0;
    for (Dwarf_Off unit = 0;
         dwarf_next_unit(dwarf, unit, &next, &header_bytes, nullptr, &abbreviations, nullptr, nullptr,
                         are_types ? &signature : nullptr, are_types ? &type : nullptr) == 0;
         unit = next)
      if (!budget.take(size_at(abbreviations))) return budget.exceeded();
  }
  return {};
}

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
