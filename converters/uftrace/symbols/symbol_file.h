// The symbols of one module, and the text files that they come from: `<module>.sym`, and /proc/kallsyms saved
// as `kallsyms`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"

namespace convert::uftrace {

// Offsets count from the module's first mapping.
struct Symbol {
  std::uint64_t start;
  std::uint64_t end;      // first offset behind it; the last of a table without sizes reaches to the very end
  std::string_view name;  // as in the ELF file, mangled; borrowed from the table
  char type;              // 'T', 't', 'w', 'P', … (fact sheet 5)

  bool is_plt() const { return type == 'P'; }
};

// Large (a libc has thousands of symbols, a browser a million), so it keeps the file's text and borrows the
// names from it. Stays where it was made.
class SymbolTable {
 public:
  // Damaged lines are noted and passed.
  SymbolTable(std::string text, std::string_view path, Notes& notes);
  // Symbols from elsewhere, in any order; their names are borrowed from the texts.
  SymbolTable(std::vector<std::string> texts, std::vector<Symbol> symbols);
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  // The function that holds the offset, null if none does. Where functions overlap, the one that begins last;
  // where they begin together, the one that stands first in the file.
  const Symbol* find_function(std::uint64_t offset) const { return find(functions_, offset); }
  // The same for variables.
  const Symbol* find_variable(std::uint64_t offset) const { return find(variables_, offset); }

  // By start; functions and variables.
  const std::vector<Symbol>& symbols() const { return symbols_; }

 private:
  // From `start` to the next one's start, `symbol` is the answer (kNone: there is none).
  struct Segment {
    std::uint64_t start;
    std::uint32_t symbol;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void read_lines(std::string_view path, Notes& notes);
  void put_in_order();
  void sort_by_start();
  void close_open_ends();
  std::vector<Segment> segments_of(bool (*wanted)(char type)) const;
  const Symbol* find(const std::vector<Segment>& segments, std::uint64_t offset) const;

  std::vector<std::string> texts_;
  std::vector<Symbol> symbols_;
  std::vector<Segment> functions_;
  std::vector<Segment> variables_;
};

}  // namespace convert::uftrace
