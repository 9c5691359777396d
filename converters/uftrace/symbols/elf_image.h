// The parts of an ELF file that its symbols come from, through libelf. The file may hold anything: what would
// make libelf read without bounds is refused beforehand, and no section is read that is not asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libelf.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/uftrace/symbols/regular_file.h"

namespace convert::uftrace {

struct ElfSection {
  std::size_t index;
  std::uint32_t type;  // SHT_…
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t entry_size = 0;
  std::size_t link = 0;  // index of another section, by type
  std::string_view name = {};
};

class ElfImage {
 public:
  // Borrows the file. Throws InputError if that is no ELF program or library.
  explicit ElfImage(const RegularFile& file);
  ~ElfImage();
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;

  int machine() const { return machine_; }  // EM_…
  bool is_little_endian() const { return is_little_endian_; }
  const std::string& build_id() const { return build_id_; }  // in hex; empty: it has none
  // Where its first mapping begins and how far the last one goes, in whole pages.
  std::uint64_t base() const { return base_; }
  std::uint64_t mapped_size() const { return end_ - base_; }

  const std::vector<ElfSection>& sections() const { return sections_; }
  // Null if there is none. Of several, the first.
  const ElfSection* find(std::uint32_t type) const;
  const ElfSection* find(std::string_view name) const;
  // The contents in the order of this machine's bytes; null if there are none, or too many.
  Elf_Data* data(const ElfSection& section) const;
  std::string_view bytes(const ElfSection& section) const;
  // The names that the symbols of a table point to.
  std::string_view strings_of(const ElfSection& table) const;

  // The name and checksum of the file that holds what was stripped from this one.
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

  const RegularFile& file_;
  Elf* elf_ = nullptr;
  int machine_ = 0;
  bool is_little_endian_ = true;
  std::uint64_t base_ = 0;
  std::uint64_t end_ = 0;
  std::vector<ElfSection> sections_;
  std::string build_id_;
};

}  // namespace convert::uftrace
