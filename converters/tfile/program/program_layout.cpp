#include "converters/tfile/program/program_layout.h"

#include <array>
#include <bit>
#include <elf.h>
#include <iterator>
#include <string_view>

#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

std::span<const std::byte> bytes_of(Elf_Scn* section) {
  const Elf_Data* const data = elf_rawdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const std::byte*>(data->d_buf), data->d_size};
}

// Reads relocations of type SHT_RELR, and calls `add` with the address of each relocated word. An even entry
// is such an address. In an odd entry, each bit except the lowest stands for one word. These words follow the
// latest address, or the words of the previous odd entry. A word is relocated if its bit is set.
template <typename Add>
void add_packed(std::span<const std::byte> entries, std::uint64_t word, std::endian order, const Add& add) {
  const std::uint64_t bits = 8 * word;
  for (std::uint64_t next = 0; entries.size() >= word; entries = entries.subspan(word)) {
    const std::uint64_t entry = unsigned_bits(entries.first(word), order);
    if ((entry & 1) == 0) {
      add(entry);
      next = entry + word;
      continue;
    }
    for (std::uint64_t bit = 1; bit < bits; ++bit)
      if ((entry >> bit & 1) != 0) add(next + (bit - 1) * word);
    next += (bits - 1) * word;
  }
}

}  // namespace

bool ProgramLayout::read(Elf* elf) {
  if (gelf_getehdr(elf, &header_) == nullptr) return false;
  elf_ = elf;
  std::size_t count = 0, names = 0;
  if (elf_getphdrnum(elf, &count) != 0) return true;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) continue;
    has_interpreter_ |= segment.p_type == PT_INTERP;
    if (segment.p_type != PT_LOAD) continue;
    all_ = {std::min(all_.begin, segment.p_vaddr), std::max(all_.end, segment.p_vaddr + segment.p_memsz)};
    if ((segment.p_flags & PF_X) != 0) code_.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz});
  }
  const bool has_names = elf_getshdrstrndx(elf, &names) == 0;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr sized;
    if (gelf_getshdr(section, &sized) == nullptr || sized.sh_type == SHT_NOBITS ||
        (sized.sh_flags & SHF_ALLOC) == 0)
      continue;
    const char* const name = has_names ? elf_strptr(elf, names, sized.sh_name) : nullptr;
    if ((sized.sh_flags & SHF_WRITE) == 0)
      ((sized.sh_flags & SHF_EXECINSTR) != 0 ? code_sections_ : constants_)
          .emplace_back(sized.sh_addr, section);
    else if (name != nullptr && std::string_view(name).starts_with(".data.rel.ro"))
      linked_constants_.emplace_back(sized.sh_addr, section);
  }
  return true;
}

MachineHint ProgramLayout::machine() const {
  struct Machine {
    unsigned number;
    bool is_64_bit;
    std::string_view architecture;
  };
  static constexpr std::array kMachines{Machine{EM_X86_64, true, "i386:x86-64"},
                                        Machine{EM_X86_64, false, "i386:x64-32"},
                                        Machine{EM_386, false, "i386"},
                                        Machine{EM_AARCH64, true, "aarch64"},
                                        Machine{EM_ARM, false, "arm"},
                                        Machine{EM_MIPS, false, "mips"},
                                        Machine{EM_MIPS, true, "mips:isa64"},
                                        Machine{EM_PPC, false, "powerpc:common"},
                                        Machine{EM_PPC64, true, "powerpc:common64"},
                                        Machine{EM_S390, true, "s390:64-bit"},
                                        Machine{EM_S390, false, "s390:31-bit"},
                                        Machine{EM_RISCV, true, "riscv:rv64"},
                                        Machine{EM_RISCV, false, "riscv:rv32"},
                                        Machine{EM_SPARC, false, "sparc"},
                                        Machine{EM_SPARCV9, true, "sparc:v9"},
                                        Machine{EM_68K, false, "m68k"},
                                        Machine{EM_SH, false, "sh"},
                                        Machine{EM_ALPHA, true, "alpha"}};
  const auto& ident = header_.e_ident;
  MachineHint hint;
  if (ident[EI_DATA] == ELFDATA2LSB) hint.order = std::endian::little;
  if (ident[EI_DATA] == ELFDATA2MSB) hint.order = std::endian::big;
  const auto found = std::ranges::find_if(kMachines, [&](const Machine& machine) {
    return machine.number == header_.e_machine && machine.is_64_bit == (ident[EI_CLASS] == ELFCLASS64);
  });
  if (found != kMachines.end()) hint.architecture = found->architecture;
  return hint;
}

std::span<const std::byte> ProgramLayout::bytes_in(const Sections& sections, std::uint64_t address) {
  for (const auto& [begin, section] : sections)
    if (const auto bytes = bytes_of(section); address >= begin && address - begin < bytes.size())
      return bytes.subspan(address - begin);
  return {};
}

std::span<const std::byte> ProgramLayout::constant_bytes(std::uint64_t address) const {
  if (const auto bytes = bytes_in(constants_, address); !bytes.empty()) return bytes;
  const auto bytes = bytes_in(linked_constants_, address);
  if (bytes.empty()) return {};
  const auto& linked = linked_addresses();
  const auto next = std::ranges::upper_bound(linked, address);
  if (next != linked.begin() && address - *std::prev(next) < address_bytes()) return {};
  return next == linked.end() ? bytes : bytes.first(std::min<std::uint64_t>(bytes.size(), *next - address));
}

const std::vector<std::uint64_t>& ProgramLayout::linked_addresses() const {
  if (linked_addresses_) return *linked_addresses_;
  std::vector<std::uint64_t>& all = linked_addresses_.emplace();
  const auto put_in_order = [&all] {
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
  };
  // A damaged file may have very many relocations of the same pointer. Therefore, equal addresses are removed
  // each time the list has doubled.
  std::size_t most = std::size_t{1} << 16;
  const auto add = [&](std::uint64_t address) {
    if (bytes_in(linked_constants_, address).empty()) return;
    all.push_back(address);
    if (all.size() < most) return;
    put_in_order();
    most = 2 * std::max(most, all.size());
  };
  const std::endian order = machine().order.value_or(std::endian::little);
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
    GElf_Shdr sized;
    if (gelf_getshdr(section, &sized) == nullptr || (sized.sh_flags & SHF_ALLOC) == 0) continue;
    GElf_Rel plain;
    GElf_Rela with_addend;
    if (sized.sh_type == SHT_REL)
      for (int i = 0; gelf_getrel(elf_getdata(section, nullptr), i, &plain) != nullptr; ++i)
        add(plain.r_offset);
    else if (sized.sh_type == SHT_RELA)
      for (int i = 0; gelf_getrela(elf_getdata(section, nullptr), i, &with_addend) != nullptr; ++i)
        add(with_addend.r_offset);
    else if (sized.sh_type == SHT_RELR)
      add_packed(bytes_of(section), address_bytes(), order, add);
  }
  put_in_order();
  return all;
}

}  // namespace convert::tfile
