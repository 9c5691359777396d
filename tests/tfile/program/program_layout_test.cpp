// Tests the headers of ELF files that are written by hand.
#include "converters/tfile/program/program_layout.h"

#include <bit>
#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace convert::tfile {
namespace {

class ProgramLayouts : public testing::Test {
 protected:
  ProgramLayouts() {
    elf_version(EV_CURRENT);
    std::memcpy(header_.e_ident, ELFMAG, SELFMAG);
    header_.e_ident[EI_CLASS] = ELFCLASS64;
    header_.e_ident[EI_DATA] = ELFDATA2LSB;
    header_.e_ident[EI_VERSION] = EV_CURRENT;
    header_.e_version = EV_CURRENT;
    header_.e_ehsize = sizeof(Elf64_Ehdr);
    header_.e_phentsize = sizeof(Elf64_Phdr);
    header_.e_shentsize = sizeof(Elf64_Shdr);
  }

  void add_segment(std::uint32_t type, std::uint32_t flags, std::uint64_t address, std::uint64_t size) {
    segments_.push_back({.p_type = type,
                         .p_flags = flags,
                         .p_offset = 0,
                         .p_vaddr = address,
                         .p_paddr = 0,
                         .p_filesz = 0,
                         .p_memsz = size,
                         .p_align = 1});
  }
  // Adds a section, with the bytes of the file's header as its content.
  void add_section(std::uint32_t type, std::uint64_t flags, std::uint64_t address, std::uint64_t size) {
    sections_.push_back({});
    sections_.back().sh_type = type;
    sections_.back().sh_flags = flags;
    sections_.back().sh_addr = address;
    sections_.back().sh_size = size;
    sections_.back().sh_addralign = 1;
  }

  const ProgramLayout& layout() {
    header_.e_phoff = sizeof header_;
    header_.e_phnum = static_cast<std::uint16_t>(segments_.size());
    header_.e_shoff = header_.e_phoff + segments_.size() * sizeof(Elf64_Phdr);
    header_.e_shnum = static_cast<std::uint16_t>(sections_.size());
    bytes_.assign(reinterpret_cast<const char*>(&header_), sizeof header_);
    bytes_.append(reinterpret_cast<const char*>(segments_.data()), segments_.size() * sizeof(Elf64_Phdr));
    bytes_.append(reinterpret_cast<const char*>(sections_.data()), sections_.size() * sizeof(Elf64_Shdr));
    elf_.reset(elf_memory(bytes_.data(), bytes_.size()));
    layout_ = {};
    EXPECT_TRUE(layout_.read(elf_.get()));
    return layout_;
  }

  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_{Elf64_Shdr{}};
  std::string bytes_;
  std::unique_ptr<Elf, decltype(&elf_end)> elf_{nullptr, &elf_end};
  ProgramLayout layout_;
};

TEST_F(ProgramLayouts, NeedAnElfFile) {
  char text[] = "#!/bin/sh\n";
  elf_.reset(elf_memory(text, sizeof text));
  EXPECT_FALSE(layout_.read(elf_.get()));
}

TEST_F(ProgramLayouts, HaveGdbsNameOfTheMachine) {
  header_.e_machine = EM_RISCV;
  EXPECT_EQ(layout().machine().architecture, "riscv:rv64");
  EXPECT_EQ(layout().machine().order, std::endian::little);
  header_.e_machine = EM_X86_64;
  EXPECT_EQ(layout().machine().architecture, "i386:x86-64");
  header_.e_machine = EM_386;
  EXPECT_EQ(layout().machine().architecture, "") << "there is none of 64 bits";
}

TEST_F(ProgramLayouts, FilesWithoutAnInterpreterAreLibraries) {
  header_.e_type = ET_EXEC;
  EXPECT_FALSE(layout().is_library());
  header_.e_type = ET_DYN;
  EXPECT_TRUE(layout().is_library());
  add_segment(PT_INTERP, PF_R, 0, 0);
  EXPECT_TRUE(layout().is_position_independent());
  EXPECT_FALSE(layout().is_library());
}

TEST_F(ProgramLayouts, ReachFromTheFirstSegmentToTheLast) {
  EXPECT_FALSE(layout().contains(0));
  add_segment(PT_LOAD, PF_R, 0x3000, 0x100);
  add_segment(PT_LOAD, PF_R | PF_X, 0x1000, 0x100);
  add_segment(PT_NOTE, PF_R | PF_X, 0x8000, 0x100);
  layout();
  for (const std::uint64_t inside : {0x1000u, 0x1100u, 0x2fffu, 0x30ffu})
    EXPECT_TRUE(layout_.contains(inside));
  for (const std::uint64_t outside : {0xfffu, 0x3100u, 0x8000u}) EXPECT_FALSE(layout_.contains(outside));
  for (const std::uint64_t code : {0x1000u, 0x10ffu}) EXPECT_TRUE(layout_.is_code(code));
  for (const std::uint64_t other : {0xfffu, 0x1100u, 0x3000u, 0x8000u}) EXPECT_FALSE(layout_.is_code(other));
}

TEST_F(ProgramLayouts, HaveTheReadOnlyBytes) {
  add_section(SHT_PROGBITS, SHF_ALLOC, 0x1000, 4);
  add_section(SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, 4);
  add_section(SHT_PROGBITS, 0, 0x3000, 4);
  add_section(SHT_NOBITS, SHF_ALLOC, 0x4000, 4);
  add_section(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x5000, 4);
  layout();
  const auto text_at = [&](std::uint64_t address) {
    const auto bytes = layout_.constant_bytes(address);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  EXPECT_EQ(text_at(0x1000),
            "\x7f"
            "ELF");
  EXPECT_EQ(text_at(0x1003), "F");
  for (const std::uint64_t other : {0xfffu, 0x1004u, 0x2000u, 0x3000u, 0x4000u, 0x5000u})
    EXPECT_EQ(text_at(other), "");
}

}  // namespace
}  // namespace convert::tfile
