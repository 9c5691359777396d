// The source files of line tables. libdw reads all rows of a table before it returns the files, so a search
// for the rows of one file would read the tables of all units.
#pragma once

#include <bit>
#include <cstddef>
#include <elfutils/libdw.h>
#include <span>
#include <string_view>

namespace convert::tfile {

class LineFiles {
 public:
  // `dwarf` may be null, and must outlive this object.
  explicit LineFiles(Dwarf* dwarf);

  // True if the unit's line table may have rows of a source file with this name, which has no folders. Also
  // true if the table's header is not understood.
  bool may_have(Dwarf_Die unit, std::string_view file_name) const;

 private:
  std::endian order_ = std::endian::little;
  std::span<const std::byte> tables_, line_texts_, texts_;  // sections; empty: none
};

}  // namespace convert::tfile
