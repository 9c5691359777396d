// The layout of an ELF file in memory: its machine, its segments, and its read-only data. Addresses are those
// of the file, before a load bias is added.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gelf.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

class ProgramLayout {
 public:
  // Returns false if `elf` is not an ELF file. `elf` must stay open.
  bool read(Elf* elf);

  const GElf_Ehdr& header() const { return header_; }
  MachineHint machine() const;  // in GDB's spelling
  std::uint64_t address_bytes() const { return header_.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4; }
  bool is_position_independent() const { return header_.e_type == ET_DYN; }
  bool is_library() const { return is_position_independent() && !has_interpreter_; }
  // contains() is true from the start of the first segment to the end of the last one. is_code() is true only
  // in executable segments.
  bool contains(std::uint64_t address) const { return all_.contains(address); }
  std::pair<std::uint64_t, std::uint64_t> extent() const { return {all_.begin, all_.end}; }
  bool is_code(std::uint64_t address) const {
    return std::ranges::any_of(code_, [&](const Segment& segment) { return segment.contains(address); });
  }
  // The constant bytes from an address to the end of their section, or to the next pointer that the dynamic
  // linker sets. Empty if there is no constant at the address.
  std::span<const std::byte> constant_bytes(std::uint64_t address) const;
  // The bytes from an address to the end of its section of code. Empty if no section has the address.
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
  const std::vector<std::uint64_t>& linked_addresses() const;

  Elf* elf_ = nullptr;
  GElf_Ehdr header_{};
  bool has_interpreter_ = false;
  Segment all_{~std::uint64_t{0}, 0};
  std::vector<Segment> code_;
  Sections constants_, code_sections_;
  Sections linked_constants_;  // constants with pointers that the dynamic linker sets, such as virtual tables
  mutable std::optional<std::vector<std::uint64_t>>
      linked_addresses_;  // addresses of these pointers; read on first use
};

}  // namespace convert::tfile
