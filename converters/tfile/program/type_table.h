// Reads types from DWARF, each once.
#pragma once

#include <deque>
#include <elfutils/libdw.h>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "converters/tfile/program/type.h"

namespace convert::tfile {

class TypeTable {
 public:
  // The type of a variable, a parameter or a member; null for void.
  const Type* of(Dwarf_Die* described);
  // The type that a DIE describes.
  const Type* read(Dwarf_Die* type);

  // Adds a type that DWARF does not describe: that of "a@3", or of a cast.
  const Type* add(Type type) { return &types_.emplace_back(std::move(type)); }
  // The basic type of C with this name, such as "unsigned long"; null when there is none.
  const Type* basic(std::string_view words, std::size_t pointer_size);

 private:
  const Type* read_wide_character(Dwarf_Die die);
  void fill(Type& type, Dwarf_Die* die);
  void fill_members(Type& type, Dwarf_Die* die);
  void fill_array(Type& type, Dwarf_Die* die);

  std::deque<Type> types_;
  std::unordered_map<const void*, const Type*> by_die_;
};

}  // namespace convert::tfile
