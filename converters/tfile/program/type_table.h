// Types as DWARF describes them, each read once.
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
  // The type that the DIE of a variable, parameter or member refers to; null when it has none (void).
  const Type* of(Dwarf_Die* described);
  // The type that a DIE itself describes.
  const Type* read(Dwarf_Die* type);

  // Types that nobody describes: elements of "a@3", what casts name.
  const Type* add(Type type) { return &types_.emplace_back(std::move(type)); }
  // "unsigned long"; null when these words name no type of C.
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
