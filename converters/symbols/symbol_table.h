// The symbols of one image (a program, a library or the kernel), by address. Also parses text files with
// symbols: .sym files of uftrace, /proc/kallsyms, System.map.
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

// Addresses count from the first mapping of the image. Addresses in the kernel are absolute.
struct Symbol {
  std::uint64_t start;
  std::uint64_t end;      // the first address after the symbol
  std::string_view name;  // mangled, as in the ELF file; a table owns the names of its symbols
  char type;              // as in nm, or 'P' for an entry of the procedure linkage table

  bool is_plt() const { return type == 'P'; }
  bool is_function() const;
  bool is_variable() const;
};

// Parses "<address> [<size>] <type> <name>", in hexadecimal. Without a size, `end` is the end of the address
// space. In kallsyms, a tab and the name of a kernel module may follow, which are ignored. Returns nothing
// for other lines.
std::optional<Symbol> parse_symbol_line(std::string_view line);

// A table can be large: a libc has thousands of symbols, a browser a million. Therefore it stores all names
// in one buffer, and can't be copied or moved.
class SymbolTable {
 public:
  // Reads the lines of a .sym file or of kallsyms. Ignores comments, and symbols that are neither functions
  // nor variables.
  explicit SymbolTable(std::string_view text);
  // `symbols` may be in any order. Their names are copied.
  explicit SymbolTable(std::vector<Symbol> symbols);
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  // The function that contains the address; null if there is none. If functions overlap, returns the function
  // that begins last. If these begin together, returns the function that is listed first.
  const Symbol* find_function(std::uint64_t address) const {
    return find(&Symbol::is_function, enclosing_functions_, address);
  }
  const Symbol* find_variable(std::uint64_t address) const {
    return find(&Symbol::is_variable, enclosing_variables_, address);
  }

  // These two functions prefetch the data for looking up an address. To look up many addresses, call
  // fetch_count() for all of them, then fetch_symbols() for all of them, and then the lookup.
  void fetch_count(std::uint64_t address) const;
  void fetch_symbols(std::uint64_t address) const;

  // Functions and variables, sorted by start.
  const std::vector<Symbol>& symbols() const { return symbols_; }
  // Numbers of the lines that could not be parsed, from 1.
  const std::vector<std::uint64_t>& damaged_lines() const { return damaged_lines_; }

 private:
  using Kind = bool (Symbol::*)() const;
  // A segment ends where the next one starts. To find the symbol at an address in a segment, first try the
  // last symbol that starts at or before the address, unless another symbol has the same start. If the last
  // symbol does not contain the address, only `symbol` can contain it.
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
  // The addresses from the first symbol on are divided into parts of 2^shift_ addresses. For each part, this
  // is the number of symbols that begin before the part. The last element is the number of all symbols. With
  // these numbers, a lookup compares only a few symbols.
  std::vector<std::uint32_t> starts_before_;
  unsigned shift_ = 0;
  // These segments refer only to symbols that enclose other symbols, or that begin together with others.
  std::vector<Segment> enclosing_functions_;
  std::vector<Segment> enclosing_variables_;
  std::vector<std::uint64_t> damaged_lines_;
};

}  // namespace convert
