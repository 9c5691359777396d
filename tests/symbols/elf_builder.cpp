#include "tests/symbols/elf_builder.h"

#include <cstddef>
#include <utility>

#include "tests/number_bytes.h"

namespace convert {

std::string ElfBuilder::number(std::uint64_t value, unsigned size) const {
  const std::string word = number_bytes(value, order_);
  return order_ == std::endian::big ? word.substr(sizeof value - size) : word.substr(0, size);
}

std::uint32_t ElfBuilder::add(Section section) {
  sections_.push_back(std::move(section));
  return static_cast<std::uint32_t>(sections_.size());
}

ElfBuilder& ElfBuilder::load(std::uint64_t address, std::uint64_t file_size) {
  loads_.push_back({address, file_size});
  return *this;
}

std::uint32_t ElfBuilder::add_symbols(std::string_view name, std::uint32_t type,
                                      const std::vector<Symbol>& symbols) {
  std::string strings(1, '\0');
  std::string table(is_64_ ? 24 : 16, '\0');
  for (const Symbol& symbol : symbols) {
    const auto info = static_cast<unsigned char>(symbol.binding << 4 | symbol.type);
    const std::string rest = number(info, 1) + number(0, 1) + number(symbol.section, 2);
    table += number(strings.size(), 4);
    table += is_64_ ? rest + number(symbol.value, 8) + number(symbol.size, 8)
                    : number(symbol.value, 4) + number(symbol.size, 4) + rest;
    strings += symbol.name + '\0';
  }
  const std::uint32_t link =
      add({.name = std::string(name) + ".strings", .type = SHT_STRTAB, .data = strings});
  return add({.name = std::string(name),
              .type = type,
              .data = table,
              .link = link,
              .entry_size = is_64_ ? 24U : 16U});
}

void ElfBuilder::add_relocations(std::string_view name, std::uint32_t symbols,
                                 const std::vector<Relocation>& relocations) {
  std::string table;
  for (const auto& [slot, symbol, type] : relocations)
    table += is_64_ ? number(slot, 8) + number(std::uint64_t{symbol} << 32 | type, 8) + number(0, 8)
                    : number(slot, 4) + number(symbol << 8 | type, 4);
  add({.name = std::string(name),
       .type = is_64_ ? std::uint32_t{SHT_RELA} : std::uint32_t{SHT_REL},
       .data = table,
       .link = symbols,
       .entry_size = is_64_ ? 24U : 8U});
}

void ElfBuilder::add_build_id(std::string_view bytes) {
  std::string padded(bytes);
  padded.resize((padded.size() + 3) / 4 * 4);
  add({.name = ".note.gnu.build-id",
       .type = SHT_NOTE,
       .data = number(4, 4) + number(bytes.size(), 4) + number(3, 4) + std::string("GNU\0", 4) + padded});
}

std::string ElfBuilder::bytes(std::uint16_t type) const {
  const std::size_t header_size = is_64_ ? 64 : 52;
  const std::size_t load_size = is_64_ ? 56 : 32;
  std::string loads;
  for (const Load& load : loads_) {
    const std::string sizes =
        word(load.address) + word(load.address) + word(load.file_size) + word(load.file_size);
    loads += number(PT_LOAD, 4);
    loads += is_64_ ? number(5, 4) + word(0) + sizes + word(0x1000)
                    : word(0) + sizes + number(5, 4) + word(0x1000);
  }
  std::vector<Section> all{{.name = "", .type = SHT_NULL}};
  all.insert(all.end(), sections_.begin(), sections_.end());
  all.push_back({.name = ".shstrtab", .type = SHT_STRTAB});
  std::string names;
  for (const Section& section : all) names += section.name + '\0';
  all.back().data = names;

  const std::size_t data_begin = header_size + loads.size();
  std::string data, headers;
  std::size_t name_at = 0;
  for (const Section& section : all) {
    data.resize((data.size() + data_begin + 7) / 8 * 8 - data_begin);
    headers += number(name_at, 4) + number(section.type, 4) + word(section.flags) + word(section.address) +
               word(data_begin + data.size()) + word(section.data.size()) + number(section.link, 4) +
               number(0, 4) + word(section.type == SHT_NOTE ? 4 : 1) + word(section.entry_size);
    data += section.data;
    name_at += section.name.size() + 1;
  }
  data.resize((data.size() + data_begin + 7) / 8 * 8 - data_begin);
  const std::string ident = std::string(
                                "\x7f"
                                "ELF") +
                            (is_64_ ? '\2' : '\1') + (order_ == std::endian::little ? '\1' : '\2') + '\1' +
                            std::string(9, '\0');
  return ident + number(type, 2) + number(machine_, 2) + number(1, 4) + word(0) +
         word(loads_.empty() ? 0 : header_size) + word(data_begin + data.size()) + number(0, 4) +
         number(header_size, 2) + number(load_size, 2) + number(loads_.size(), 2) +
         number(is_64_ ? 64 : 40, 2) + number(all.size(), 2) + number(all.size() - 1, 2) + loads + data +
         headers;
}

}  // namespace convert
