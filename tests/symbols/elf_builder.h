// Builds ELF files with 32 or 64 bits, in both byte orders.
#pragma once

#include <bit>
#include <cstdint>
#include <elf.h>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

class ElfBuilder {
 public:
  explicit ElfBuilder(std::uint16_t machine = EM_X86_64, bool is_64 = true,
                      std::endian order = std::endian::little)
      : machine_(machine), is_64_(is_64), order_(order) {}

  struct Section {
    std::string name;
    std::uint32_t type = SHT_PROGBITS;
    std::uint64_t address = 0;
    std::string data = {};
    std::uint32_t link = 0;
    std::uint64_t entry_size = 0;
    std::uint64_t flags = 0;
  };
  // Adds the section, and returns its index. The first index is 1.
  std::uint32_t add(Section section);
  ElfBuilder& load(std::uint64_t address, std::uint64_t file_size);

  struct Symbol {
    std::string name;
    std::uint64_t value, size;
    unsigned char type = STT_FUNC, binding = STB_GLOBAL;
    std::uint16_t section = 1;  // any existing section
  };
  // Adds a symbol table and the section with its strings. As in all ELF files, the table starts with an empty
  // symbol.
  std::uint32_t add_symbols(std::string_view name, std::uint32_t type, const std::vector<Symbol>& symbols);
  // A relocation: the loader stores the address of the symbol with the index `symbol` in the slot at the
  // address `slot`. 64-bit files have the format RELA, and 32-bit files have the format REL.
  struct Relocation {
    std::uint64_t slot;
    std::uint32_t symbol, type;
  };
  void add_relocations(std::string_view name, std::uint32_t symbols,
                       const std::vector<Relocation>& relocations);
  void add_build_id(std::string_view bytes);

  std::string bytes(std::uint16_t type = ET_DYN) const;

  // A number of `size` bytes in the byte order of the file.
  std::string number(std::uint64_t value, unsigned size) const;
  std::string word(std::uint64_t value) const { return number(value, is_64_ ? 8 : 4); }

 private:
  std::uint16_t machine_;
  bool is_64_;
  std::endian order_;
  std::vector<Section> sections_;
  struct Load {
    std::uint64_t address, file_size;
  };
  std::vector<Load> loads_;
};

}  // namespace convert
