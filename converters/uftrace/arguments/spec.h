// The grammar of argument specs in info and .dbg files:
//
//   list := entry { ';' entry }         entry := name-pattern [ '@' item { ',' item } ]
//   item := argN[/fmt][%loc] | fpargN[/bits][%loc] | retval[/fmt] | module-name | any other trigger word
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convert::uftrace {

enum class Format : std::uint8_t {
  Auto,  // `d`, or no format: the type in the program; if unknown, a number whose sign is guessed
  Signed,
  Unsigned,
  Hex,
  Octal,
  Char,
  Float,
  String,
  StdString,
  Pointer,
  Enum,
  Struct,
};

// The location of a value. Two items with the same location are the same value. A return value has the
// location Index 0 or Float 0.
struct SpecLocation {
  enum class Kind : std::uint8_t { Index, Float, Register, Stack } kind = Kind::Index;
  std::int64_t number = 0;     // number of the argument, or index of a stack slot
  std::string registers = {};  // "rdi", in lower case
  friend bool operator==(const SpecLocation&, const SpecLocation&) = default;
};

struct SpecItem {
  bool is_float = false;  // written as fpargN
  unsigned number = 0;    // N of argN and fpargN; 0 for the return value
  Format format = Format::Auto;
  std::size_t size = 8;  // recorded bytes; 0 for strings
  SpecLocation location = {};
  std::string type_name = {};  // name of the enum or struct
  friend bool operator==(const SpecItem&, const SpecItem&) = default;

  bool is_return() const { return number == 0; }
};

struct SpecEntry {
  std::string pattern;  // a pattern for function names
  std::string module;   // the only module whose functions match; empty: all modules
  bool is_auto = true;  // true if the entry lists no values, so DWARF or the automatic lists do
  std::vector<SpecItem> items;
  friend bool operator==(const SpecEntry&, const SpecEntry&) = default;
};

// The properties of the recorded machine that determine the sizes of values.
struct Machine {
  std::size_t word_size = 8;     // size of a pointer in the recorded program
  bool has_long_doubles = true;  // false for 32-bit ARM, which stores 8 bytes for f80
};

// `list` may contain any bytes. Items for values that can't be parsed are added to `problems`.
using SpecProblems = std::vector<std::string>;
std::vector<SpecEntry> parse_specs(std::string_view list, const Machine& machine, SpecProblems& problems);

// Parses the items in one line of a .dbg file, such as "@arg1/s%rdi,arg2".
std::vector<SpecItem> parse_spec_items(std::string_view items, const Machine& machine,
                                       SpecProblems& problems);

}  // namespace convert::uftrace
