#include "converters/tfile/program/machine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace convert::tfile {

MachineHint hint_of(const GElf_Ehdr& header) {
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
  const auto& ident = header.e_ident;
  MachineHint hint;
  if (ident[EI_DATA] == ELFDATA2LSB) hint.order = std::endian::little;
  if (ident[EI_DATA] == ELFDATA2MSB) hint.order = std::endian::big;
  const auto found = std::ranges::find_if(kMachines, [&](const Machine& machine) {
    return machine.number == header.e_machine && machine.is_64_bit == (ident[EI_CLASS] == ELFCLASS64);
  });
  if (found != kMachines.end()) hint.architecture = found->architecture;
  return hint;
}

}  // namespace convert::tfile
