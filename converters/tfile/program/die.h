// The entries of DWARF (DIEs): their attributes, their children and their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "converters/symbols/demangle.h"
#include "fxt/support/budget.h"

namespace convert::tfile {

class DieScopes;

// The children of a DIE, which are read one after the other.
class Children {
 public:
  Children(Dwarf_Die parent, fxt::Budget* work);

  class Iterator {
   public:
    explicit Iterator(Children& children) : children_(&children) {}
    Dwarf_Die& operator*() const { return children_->child_; }
    void operator++() { children_->next(); }
    bool operator==(std::default_sentinel_t /*end*/) const { return children_->is_at_end_; }

   private:
    Children* children_;
  };
  Iterator begin() { return Iterator(*this); }
  static std::default_sentinel_t end() { return {}; }

 private:
  void next();
  void find_abbreviation();

  Dwarf_Die child_{};
  bool is_at_end_;
  fxt::Budget* work_;
};

// The children of a DIE. If a child has no DW_AT_sibling, libdw reads all DIEs inside the child to find the
// next one. The bytes of these DIEs are taken from `work`, unless it is null. When `work` is exceeded, the
// remaining children are left out.
inline Children children_of(Dwarf_Die parent, fxt::Budget* work = nullptr) { return {parent, work}; }

bool has_attribute(Dwarf_Die die, unsigned attribute);  // of the DIE itself
std::optional<Dwarf_Attribute> own_attribute(Dwarf_Die die, unsigned attribute);
// The DIE's own attribute, or else the attribute of the declaration or abstract origin to which the DIE
// refers.
std::optional<Dwarf_Attribute> attribute_of(Dwarf_Die die, unsigned attribute);
std::optional<std::uint64_t> unsigned_attribute(Dwarf_Die die, unsigned attribute);
std::optional<Dwarf_Die> referred_die(Dwarf_Die die, unsigned attribute);
// The number in an attribute. Forms of a fixed size are unsigned, although libdw may return them as signed.
std::optional<std::int64_t> constant_in(Dwarf_Attribute attribute);

// Removes a LEB128 number, which has 7 bits in each byte, from `bytes`, and returns the number.
std::int64_t consume_leb128(std::span<const unsigned char>& bytes, bool is_signed);

// Limits the recursion, because nested DIEs in damaged DWARF could overflow the stack.
inline constexpr std::size_t kMaxDieDepth = 64;

std::string_view die_name(Dwarf_Die die);  // empty if the DIE has no name; longer names are cut at 64 KiB
inline constexpr std::string_view kAnonymousNamespace = "(anonymous namespace)";
// The first declaration of a function or variable. This declaration is inside the class or namespace. Returns
// `die` if it does not refer to another DIE.
Dwarf_Die declaration_of(Dwarf_Die die);
// True if the variable is defined elsewhere.
bool is_declaration(Dwarf_Die variable);

// A function name in GDB's spelling: with template arguments, and with parameters only in full mode.
std::string demangled(std::string_view symbol, Demangle mode);
// Returns "run" for "run[abi:cxx11]", because users do not write the tags.
std::string without_abi_tags(std::string name);
// "ns::Class::name", in GDB's spelling: the demangled linkage name, or else the names of the scopes and the
// function. Empty if the function has no name.
std::string qualified_name(DieScopes& scopes, Dwarf_Die function, Demangle mode);

// True if the block has no code. Then its declarations are visible around the block.
bool is_block_without_code(Dwarf_Die die);
// True for a block without code, and for a common block of Fortran.
bool is_open_block(Dwarf_Die die);
// True for a part of a function that may have code: a block or an inlined call.
bool is_block_or_inlined(Dwarf_Die die);

int language_of(Dwarf_Die die);  // DW_LANG_…; 0 if unknown
bool is_c(Dwarf_Die die);
bool is_ada(Dwarf_Die die);
bool is_fortran(Dwarf_Die die);

}  // namespace convert::tfile
