// The registers of a target: their names, their meaning, and their offsets in an R block.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/tfile/description/numbers.h"

namespace convert::tfile {

// A named bit or bit range of a flags register.
struct FlagField {
  std::string name;
  unsigned start = 0, end = 0;  // bits, both inclusive
};

struct Register {
  std::string name;
  unsigned number = 0;     // in masks and bytecode
  std::size_t offset = 0;  // in the R block
  std::size_t size = 0;    // bytes
  ValueForm form = ValueForm::Signed;
  bool is_general = false;  // GDB's `info registers` lists it
  // The fields of a register of form Flags. All registers of one type share them. May be null.
  std::shared_ptr<const std::vector<FlagField>> flags = {};
};

// The register whose value identifies the thread. On s390x it is a pair of registers.
struct ThreadPointer {
  std::string name;               // the shown name: "fs", "tpidr"
  std::size_t high = 0, low = 0;  // indexes of the registers; equal if there is only one
};

class RegisterLayout {
 public:
  // `registers` are sorted by number. Their offsets are computed here. If a number is missing, the block has
  // no gap for it.
  RegisterLayout(std::string architecture, std::vector<Register> registers);

  const std::string& architecture() const { return architecture_; }  // GDB's name: "i386:x86-64"
  const std::vector<Register>& registers() const { return registers_; }
  std::size_t size() const { return size_; }  // bytes of a complete block

  const Register* find(std::string_view name) const;  // the first of that name
  std::span<const std::uint32_t> general() const { return general_; }
  const Register* by_number(std::uint64_t number) const;

  const Register* pc() const { return register_at(pc_); }
  const Register* sp() const { return register_at(sp_); }
  std::size_t address_bytes() const { return pc() != nullptr && pc()->size == 4 ? 4 : 8; }
  const std::optional<ThreadPointer>& thread_pointer() const { return thread_pointer_; }

  // The byte order, which is known only for architectures that have just one.
  std::optional<std::endian> byte_order() const;

 private:
  const Register* register_at(std::optional<std::size_t> i) const { return i ? &registers_[*i] : nullptr; }
  std::optional<std::size_t> index_of(std::string_view name) const;
  void find_roles();

  std::string architecture_;
  std::vector<Register> registers_;
  std::vector<std::uint32_t> by_name_, general_;  // indexes into registers_
  std::size_t size_ = 0;
  std::optional<std::size_t> pc_, sp_;
  std::optional<ThreadPointer> thread_pointer_;
};

// The significant bits of an address. 64-bit targets sign-extend the addresses of 32-bit programs:
// 0xffffffffffffd780 means 0xffffd780. `layout` may be null.
inline std::uint64_t address_mask(const RegisterLayout* layout) {
  return layout != nullptr && layout->address_bytes() == 4 ? 0xffff'ffff : ~std::uint64_t{0};
}

// The bytes of a register in a block; empty when the block is too short.
inline std::span<const std::byte> bytes_of(const Register& reg, std::span<const std::byte> block) {
  return reg.offset + reg.size <= block.size() ? block.subspan(reg.offset, reg.size)
                                               : std::span<const std::byte>{};
}

// The pc of a block. The top bit of a 31-bit s390 address is cleared. Nothing if the block is too short.
std::optional<std::uint64_t> pc_of(const RegisterLayout& layout, std::span<const std::byte> block,
                                   std::endian order);

// ---- Sources of layouts ----

// The target's description of itself, which is the XML text of the `tdesc` lines.
struct TargetDescription {
  std::string architecture;  // empty: unknown
  std::string os_abi;
  // The registers of all features; nothing if the description has no registers.
  std::optional<RegisterLayout> layout;
  std::vector<std::string> problems;  // problems with types that can't be used
};

// Reads the XML of GDB's remote protocol. If the text is unusable, throws std::runtime_error, which describes
// the problem.
TargetDescription read_target_description(std::string_view xml);

// GDB's layouts for recordings without a target description, common machines first. They are built on first
// use.
std::span<const RegisterLayout> default_layouts();

// The layout for GDB's name of an architecture; null if it is not known. A more specific name
// ("mips:isa64r2") gives the nearest known layout.
const RegisterLayout* default_layout(std::string_view architecture);

// True if register blocks of the architecture often have this size. The size may be smaller than that of the
// layout, because some recordings have fewer registers (KGTP, amd64 without AVX, …).
bool is_typical_size(const RegisterLayout& layout, std::size_t block_size);

}  // namespace convert::tfile
