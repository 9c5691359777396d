// Types and names of parameters, return values and variables, and source lines, from the DWARF of a program
// or library. The file may be damaged or malicious: the work is limited, no other file is opened, and
// uncertain results are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "converters/symbols/elf_image.h"
#include "fxt/hash.h"

namespace convert {

// The way to read a value of at most one word.
struct ScalarType {
  enum class Kind : std::uint8_t { Signed, Unsigned, Float } kind;
  std::size_t size;           // in bytes
  bool is_pointer = false;    // also true for a reference
  bool is_character = false;  // the type `char`; `signed char` and `unsigned char` are numbers
  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};

struct Parameter {
  std::string name;                // empty if it has no name
  std::optional<ScalarType> type;  // nothing if the type is uncertain
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// The parameters of a function, in the order in which the machine passes them. One list has integers,
// pointers, booleans and enums, and the other has floats. Both lists end before the first uncertain
// parameter.
struct FunctionType {
  std::vector<Parameter> integers, floats;
  std::size_t integer_registers = 0;  // number of integers in registers; further integers are on the stack
  std::optional<ScalarType> result = {};  // empty without a return value, or if it is not scalar
  friend bool operator==(const FunctionType&, const FunctionType&) = default;
};

struct SourceLine {
  std::string file;  // path as it was passed to the compiler, if this is known
  int line;
};

class DwarfInfo {
 public:
  // `dwarf` is the image with the DWARF, and must outlive this object. Offsets count from `base`.
  DwarfInfo(const ElfImage& dwarf, std::uint64_t base);

  bool has_any() const { return dwarf_ != nullptr; }
  std::string problem() const {
    return problem_.empty() ? "has no debug information that can be read" : problem_;
  }
  FunctionType function_at(std::uint64_t offset);
  // The type of the variable at the offset. Nothing if there is no variable, or if it is not scalar.
  std::optional<ScalarType> variable_at(std::uint64_t offset);
  std::optional<SourceLine> line_at(std::uint64_t offset);

 private:
  struct Unit {
    std::uint64_t begin;  // start of one range of the compilation unit's code
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
  std::size_t work_;
  std::vector<Unit> units_;                             // sorted by begin
  std::unordered_set<Dwarf_Off> read_;                  // units whose functions are in functions_
  fxt::SeededMap<std::uint64_t, Dwarf_Off> functions_;  // by address
  fxt::SeededSet<std::uint64_t> ambiguous_;             // addresses with several different functions
  fxt::SeededMap<std::uint64_t, Dwarf_Off> variables_;  // by address, from all units
  bool has_variables_ = false;                          // the variables were read
};

}  // namespace convert
