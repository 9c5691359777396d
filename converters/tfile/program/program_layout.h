// The layout of an ELF file in memory: its machine, its segments, and the sections of data that the program
// can't change. Addresses are those of the file, before a load bias is added.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <gelf.h>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

class ProgramLayout {
 public:
  // Returns false if it is not an ELF file. The handle must stay open.
  bool read(Elf* elf);

  const GElf_Ehdr& header() const { return header_; }
  MachineHint machine() const;  // with GDB's names
  bool is_position_independent() const { return header_.e_type == ET_DYN; }
  bool is_library() const { return is_position_independent() && !has_interpreter_; }
  // contains() is true between the first and the last segment, is_code() in an executable segment.
  bool contains(std::uint64_t address) const { return all_.contains(address); }
  std::pair<std::uint64_t, std::uint64_t> extent() const { return {all_.begin, all_.end}; }
  bool is_code(std::uint64_t address) const {
    return std::ranges::any_of(code_, [&](const Segment& segment) { return segment.contains(address); });
  }
  // The bytes from an address to the end of its section of constants, or of code. Empty if no section has it.
  std::span<const std::byte> constant_bytes(std::uint64_t address) const {
    return bytes_in(constants_, address);
  }
  std::span<const std::byte> code_bytes(std::uint64_t address) const {
    return bytes_in(code_sections_, address);
  }

 private:
  struct Segment {
    std::uint64_t begin, end;
    bool contains(std::uint64_t address) const { return begin <= address && address < end; }
  };

  using Sections = std::vector<std::pair<std::uint64_t, Elf_Scn*>>;  // sections by start address
  static std::span<const std::byte> bytes_in(const Sections& sections, std::uint64_t address);

  GElf_Ehdr header_{};
  bool has_interpreter_ = false;
  Segment all_{~std::uint64_t{0}, 0};
  std::vector<Segment> code_;
  Sections constants_, code_sections_;
};

inline bool ProgramLayout::read(Elf* elf) {
  if (gelf_getehdr(elf, &header_) == nullptr) return false;
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return true;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) continue;
    has_interpreter_ |= segment.p_type == PT_INTERP;
    if (segment.p_type != PT_LOAD) continue;
    all_ = {std::min(all_.begin, segment.p_vaddr), std::max(all_.end, segment.p_vaddr + segment.p_memsz)};
    if ((segment.p_flags & PF_X) != 0) code_.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz});
  }
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr sized;
    if (gelf_getshdr(section, &sized) == nullptr || sized.sh_type == SHT_NOBITS ||
        (sized.sh_flags & (SHF_ALLOC | SHF_WRITE)) != SHF_ALLOC)
      continue;
    Sections& sections = (sized.sh_flags & SHF_EXECINSTR) != 0 ? code_sections_ : constants_;
    sections.emplace_back(sized.sh_addr, section);
  }
  return true;
}

inline MachineHint ProgramLayout::machine() const {
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

inline std::span<const std::byte> ProgramLayout::bytes_in(const Sections& sections, std::uint64_t address) {
  for (const auto& [begin, section] : sections) {
    const Elf_Data* const data = elf_rawdata(section, nullptr);
    if (data != nullptr && data->d_buf != nullptr && address >= begin && address - begin < data->d_size)
      return std::span(static_cast<const std::byte*>(data->d_buf), data->d_size).subspan(address - begin);
  }
  return {};
}

}  // namespace convert::tfile
