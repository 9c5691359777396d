// The types of a program. Each type in its DWARF is read once. Other types are made from these, such as
// pointers to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <elfutils/libdw.h>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converters/tfile/program/type.h"

namespace convert::tfile {

class DebugInfo;

class TypeTable {
 public:
  TypeTable(DebugInfo& info, unsigned elf_machine) : info_(info), elf_machine_(elf_machine) {}

  // The type of a variable, a parameter or a member; null for void.
  const Type* type_of(Dwarf_Die described);
  const Type* read(Dwarf_Die type);
  // Reads the type to which a pointer points, and sets `pointer.target`. `die` is the DIE of the pointer. If
  // too many nested types are being read, reads this type later.
  void read_target(Type& pointer, Dwarf_Die die);

  // Adds a type that DWARF does not describe, such as the type of "a@3", or of a cast.
  const Type* add(Type type) { return &types_.emplace_back(std::move(type)); }
  // The basic type of C with this name, such as "unsigned long". Null if C has no such type.
  const Type* basic(std::string_view words);
  const Type* pointer_to(const Type* target);
  const Type* array_of(const Type* element, std::uint64_t count, std::int64_t first = 0,
                       bool is_fortran = false);
  // Copies the structure. The copy has these members, and no variants. If there are too many copies, returns
  // the structure itself.
  const Type* with_members(const Type* structure, std::vector<Type::Member> members);

 private:
  const Type* read_nested(Dwarf_Die type);
  const Type* read_definition(Dwarf_Die declaration);
  void fill(Type& type, Dwarf_Die die);

  DebugInfo& info_;
  unsigned elf_machine_;
  std::deque<Type> types_;
  std::size_t nesting_ = 0;                              // number of types that are being read
  std::vector<std::pair<Type*, Dwarf_Die>> untargeted_;  // pointers whose targets are still to be read
  std::map<std::string, const Type*, std::less<>> basic_;
  std::map<const Type*, const Type*> pointers_;
  std::map<std::tuple<const Type*, std::uint64_t, std::int64_t, bool>, const Type*> arrays_;
  // A part of the key in `structures_`: the types and offsets of the members that with_members() has got.
  using Members = std::vector<std::pair<const Type*, std::uint64_t>>;
  std::map<std::pair<const Type*, Members>, const Type*> structures_;
  std::unordered_map<const void*, const Type*> by_die_;
};

}  // namespace convert::tfile
