// The line tables of a program.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace convert::tfile {

struct LineRow {
  std::string_view path;  // of the source
  int line = 0;
  std::uint64_t address = 0;
  bool begins_statement = false;
  auto operator<=>(const LineRow&) const = default;
};

// The line table of one unit, read as in GDB. If several rows have the same address, GDB uses only some of
// them to set tracepoints, and to print the line of an address.
class LineTable {
 public:
  // `bias` is added to the table's addresses. Valid as long as the unit. A unit without a table has no rows.
  LineTable(Dwarf_Die unit, std::uint64_t bias);

  // Rows are ordered by address. Rows with the same address keep the compiler's order.
  std::size_t size() const { return size_; }
  // Returns nothing if the row has no line, or if it marks the end of a piece of code.
  std::optional<LineRow> row(std::size_t index) const;
  // The number of the first row at or after the address; size() if there is none.
  std::size_t first_from(std::uint64_t address) const;
  // Calls `see` for every row at which a statement begins. `is_kept` is true if GDB keeps the row. GDB drops
  // a row if a statement of another file begins at the same address later in the table.
  void for_each_statement(const std::function<void(const LineRow&, bool is_kept)>& see) const;
  std::optional<LineRow> row_of_code(std::uint64_t address) const;

 private:
  std::uint64_t address(std::size_t index) const;

  Dwarf_Lines* table_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t bias_;
};

// Finds out which line tables may have rows of a source file, from the headers of the tables. libdw would
// need all rows of the tables of all units for this.
class LineFiles {
 public:
  // `dwarf` may be null, and must outlive this object.
  explicit LineFiles(Dwarf* dwarf);

  // True if the line table of the unit may have rows of a source file with this name (without folders). Also
  // true if the header of the table is not understood.
  bool may_have(Dwarf_Die unit, std::string_view file_name) const;

 private:
  std::endian order_ = std::endian::little;
  std::span<const std::byte> tables_, line_texts_, texts_;  // sections; empty: none
};

}  // namespace convert::tfile
