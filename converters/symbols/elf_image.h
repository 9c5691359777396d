// The parts of an ELF file that contain its symbols, read with libelf. The file may be damaged or malicious:
// headers that would make libelf allocate too much memory are rejected. Sections are read on demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <gelf.h>
#include <libelf.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/reading/input_file.h"
#include "fxt/support/budget.h"

namespace convert {

struct ElfSection {
  std::size_t index;
  std::uint32_t type;  // SHT_…
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t entry_size = 0;
  std::size_t link = 0;  // index of a related section; for a symbol table, the section with its names
  std::string_view name = {};
};

class ElfImage {
 public:
  enum class Accepts : std::uint8_t { Programs, AnyType };
  // The file must outlive the image. Throws InputError if the file is not an ELF file. With
  // Accepts::Programs, it must be a program or a library.
  explicit ElfImage(const InputFile& file, Accepts accepts = Accepts::Programs);
  ~ElfImage();
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;

  Elf* handle() const { return elf_; }  // for libdw
  int machine() const { return machine_; }
  const std::string& build_id() const { return build_id_; }  // in hexadecimal; empty without a build-id
  // The start of the first mapping, and the size of all mappings, in whole pages.
  std::uint64_t base() const { return base_; }
  std::uint64_t mapped_size() const { return end_ - base_; }

  const std::vector<ElfSection>& sections() const { return sections_; }
  // The reason why libdw must not read the file; empty if libdw may read it. libdw allocates any size that a
  // compressed section claims. It needs 70 bytes for each byte of a line table. It also reads texts beyond
  // the end of their section. To check the texts, this function decompresses their sections.
  std::string unsafe_for_libdw() const;
  // A budget for the names of the image's symbols, because many symbols may have the same long name.
  fxt::Budget name_budget() const;
  // The first section of this type or name; null if the file has none.
  const ElfSection* find(std::uint32_t type) const;
  const ElfSection* find(std::string_view name) const;
  // The contents, in the byte order of this machine. Null if there are none, or if they are too large.
  Elf_Data* data(const ElfSection& section) const;
  std::string_view bytes(const ElfSection& section) const;
  std::string_view strings_of(const ElfSection& table) const;

  // Name and checksum of the file that has the stripped parts of this file.
  struct DebugLink {
    std::string name;
    std::uint32_t crc;
  };
  std::optional<DebugLink> debug_link() const;

 private:
  void read_header();
  void read_segments();
  void read_sections();
  void read_build_id();
  std::vector<std::byte> packed_bytes(const GElf_Shdr& header, std::uint64_t limit) const;
  std::uint64_t old_compressed_size(const GElf_Shdr& header) const;
  std::string unpack_mini(const GElf_Shdr& header, fxt::Budget& unpacked) const;

  const InputFile& file_;
  Elf* elf_ = nullptr;
  int machine_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t end_ = 0;
  std::size_t names_section_ = 0;
  std::vector<ElfSection> sections_;
  std::string build_id_;
};

// The reason why libdw must not open a file; for example, opening a FIFO could hang. Empty if libdw may open
// the file, or if the file does not exist.
std::string unsafe_for_libdw(const std::filesystem::path& path);

}  // namespace convert
