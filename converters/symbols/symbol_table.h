// The symbols of one image (a program, a library or the kernel), by address; and the lines of text that list
// them: .sym files of uftrace, /proc/kallsyms, System.map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/names/names.h"

namespace convert {

// Addresses count from the image's first mapping; those of the kernel are absolute.
struct Symbol {
  std::uint64_t start;
  std::uint64_t end;      // the first address after it
  std::string_view name;  // as in the ELF file, mangled; of a table's symbols: kept by it
  char type;              // as nm prints it, and 'P' for an entry of the procedure linkage table

  bool is_plt() const { return type == 'P'; }
  bool is_function() const;
  bool is_variable() const;
};

// "<address> [<size>] <type> <name>", in hexadecimal. Without a size, `end` is the end of the address space.
// In kallsyms the name of the kernel module follows, after a tab; it is left out. Nothing for other lines.
std::optional<Symbol> parse_symbol_line(std::string_view line);

// A table can be large (a libc has thousands of symbols, a browser a million): it keeps the names side by
// side. Hence it can't be copied or moved.
class SymbolTable {
 public:
  // The lines of a .sym file or of kallsyms. Ignores comments, and symbols that are neither function nor
  // variable.
  explicit SymbolTable(std::string_view text);
  // Symbols in any order; their names are copied.
  explicit SymbolTable(std::vector<Symbol> symbols);
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  // The function that holds the address; null if none does. Where functions overlap, the one that begins
  // last; where they begin together, the one that is listed first.
  const Symbol* find_function(std::uint64_t address) const {
    return find(&Symbol::is_function, enclosing_functions_, address);
  }
  const Symbol* find_variable(std::uint64_t address) const {
    return find(&Symbol::is_variable, enclosing_variables_, address);
  }

  // Two steps that fetch what a search for the address reads: where many are searched, each step is taken for
  // all of them before the next.
  void fetch_count(std::uint64_t address) const;
  void fetch_symbols(std::uint64_t address) const;

  // Functions and variables, by start.
  const std::vector<Symbol>& symbols() const { return symbols_; }
  // Numbers of the lines that were not understood, from 1.
  const std::vector<std::uint64_t>& damaged_lines() const { return damaged_lines_; }

 private:
  using Kind = bool (Symbol::*)() const;
  // From `start` to the next segment's start, an address that is not in the symbol that begins last can only
  // be in `symbol`.
  struct Segment {
    std::uint64_t start;
    std::uint32_t symbol;
  };
  static constexpr std::size_t kMaxSymbols = std::numeric_limits<std::uint32_t>::max();

  void read_lines(std::string_view text);
  void put_in_order();
  void sort_by_start();
  void close_open_ends();
  void count_starts();
  std::vector<Segment> enclosing(Kind is_wanted) const;
  const Symbol* find(Kind is_wanted, const std::vector<Segment>& enclosing, std::uint64_t address) const;
  std::size_t part_of(std::uint64_t address) const;
  std::size_t last_until(std::uint64_t address) const;

  TextPool names_;
  std::vector<Symbol> symbols_;
  // How many begin before each 2^shift-th address from the first start on, so that few have to be compared.
  std::vector<std::uint32_t> starts_before_;
  unsigned shift_ = 0;
  // Of symbols around others, or that begin together: few.
  std::vector<Segment> enclosing_functions_;
  std::vector<Segment> enclosing_variables_;
  std::vector<std::uint64_t> damaged_lines_;
};

}  // namespace convert
