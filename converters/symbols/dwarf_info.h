// What functions take and return, the types of variables, and source lines, from the DWARF of a program or
// library. The file may hold anything: the work is bounded, no other file is opened, and what is not sure is
// left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "converters/symbols/elf_image.h"

namespace convert {

// How a value of one word at most is to be read.
struct ScalarType {
  enum class Kind : std::uint8_t { Signed, Unsigned, Float } kind;
  std::size_t size;           // in bytes
  bool is_pointer = false;    // also a reference
  bool is_character = false;  // the type `char`; not `signed char` and `unsigned char`, which are numbers
  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};

struct Parameter {
  std::string name;                // empty without a name
  std::optional<ScalarType> type;  // nothing if it is not sure
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// What a function takes, in the order in which the machine passes it: integers, pointers, booleans and enums
// in one row, floating-point numbers in the other. A row ends where it is not sure any more which comes next.
struct FunctionType {
  std::vector<Parameter> integers, floats;
  std::size_t integer_registers = 0;      // further integers lie on the stack
  std::optional<ScalarType> result = {};  // empty if it returns no value, or one that is no scalar
  friend bool operator==(const FunctionType&, const FunctionType&) = default;
};

struct SourceLine {
  std::string file;  // as the compiler was given it, if that can be told
  int line;
};

class DwarfInfo {
 public:
  // Borrows `dwarf`, the image that has the DWARF. Addresses count from `base`.
  DwarfInfo(const ElfImage& dwarf, std::uint64_t base);

  // False if the image has no DWARF that can be read.
  bool has_any() const { return dwarf_ != nullptr; }
  // Why it has none.
  std::string problem() const {
    return problem_.empty() ? "has no debug information that can be read" : problem_;
  }
  // Of the function that begins there.
  FunctionType function_at(std::uint64_t offset);
  // The type of the variable there; empty if there is no variable, or if it is no scalar.
  std::optional<ScalarType> variable_at(std::uint64_t offset);
  // Of the instruction there.
  std::optional<SourceLine> line_at(std::uint64_t offset);

 private:
  struct Unit {
    std::uint64_t begin;  // address of its code, or of a part of it
    Dwarf_Off offset;
  };

  template <typename Use>
  void for_each_unit(Use use);
  void read_units();
  void read_functions(const Unit& unit);
  void read_variables(Dwarf_Die unit);
  template <typename Use>
  void for_each_entry(Dwarf_Die parent, std::span<const int> scopes, Use use, std::size_t depth = 0);
  FunctionType type_of_function(Dwarf_Die function, std::uint64_t address);
  bool has_work() { return work_ != 0 && --work_ != 0; }

  std::unique_ptr<Dwarf, decltype(&dwarf_end)> dwarf_;
  std::string problem_;
  std::uint64_t base_;
  int machine_;
  std::size_t work_;                                        // that may still be done
  std::vector<Unit> units_;                                 // by begin
  std::unordered_set<Dwarf_Off> read_;                      // units whose functions are in functions_
  std::unordered_map<std::uint64_t, Dwarf_Off> functions_;  // by address
  std::unordered_set<std::uint64_t> ambiguous_;             // addresses of several functions that differ
  std::unordered_map<std::uint64_t, Dwarf_Off> variables_;  // by address, of all units
  bool has_variables_ = false;                              // they were read
};

}  // namespace convert
