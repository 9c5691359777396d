// Finds the sizes of location lists, to limit the work of libdw. For each address, libdw reads a list from
// its start, and keeps all operations that it has read.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

namespace convert::tfile {

struct LocationList {
  const void* first = nullptr;   // the first byte; null without a list
  std::uint64_t bytes = 0;       // of the whole list
  std::uint64_t operations = 0;  // how many of the list's bytes are operations
};

class LocationLists {
 public:
  // Returns the list to which an attribute refers. If the list is longer than `max_bytes`, counts only its
  // entries up to the first one that ends after `max_bytes`.
  LocationList find(Dwarf_Attribute& attribute, std::uint64_t max_bytes);

 private:
  using Bytes = std::span<const unsigned char>;

  // The sections with lists, by file. The `bool` is true for lists of DWARF 5 or later.
  std::map<std::pair<Dwarf*, bool>, Bytes> sections_;
  std::unordered_map<const void*, LocationList> known_;
};

}  // namespace convert::tfile
