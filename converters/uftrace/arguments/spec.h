// The grammar of argument specs, as info and .dbg files hold them (fact sheet 2.4):
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
  Auto,  // d: a number, signed as far as one can tell
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

// What makes two items the same one (9.3). Return values are Index or Float number 0.
struct SpecLocation {
  enum class Kind : std::uint8_t { Index, Float, Register, Stack } kind = Kind::Index;
  std::int64_t number = 0;     // of the argument, or the offset on the stack
  std::string registers = {};  // "rdi", in lower case
  friend bool operator==(const SpecLocation&, const SpecLocation&) = default;
};

struct SpecItem {
  bool is_float = false;  // called fpargN
  unsigned number = 0;    // N of argN and fpargN; 0: the return value
  Format format = Format::Auto;
  std::size_t size = 8;  // bytes that are recorded; 0 of texts
  SpecLocation location = {};
  std::string type_name = {};  // of an enum or struct
  friend bool operator==(const SpecItem&, const SpecItem&) = default;

  bool is_return() const { return number == 0; }
};

struct SpecEntry {
  std::string pattern;  // of function names
  std::string module;   // the only one it is meant for; empty: all
  bool is_auto = true;  // says what to record by the name only
  std::vector<SpecItem> items;
  friend bool operator==(const SpecEntry&, const SpecEntry&) = default;
};

// What sizes depend on.
struct Machine {
  std::size_t word_size = 8;     // bytes of a pointer of the recorded program
  bool has_long_doubles = true;  // 32-bit ARM stores 8 bytes for f80
};

// Takes any bytes. Values that can't be understood are left out and put into `problems`.
using SpecProblems = std::vector<std::string>;
std::vector<SpecEntry> parse_specs(std::string_view list, const Machine& machine, SpecProblems& problems);

// The items of one line of a .dbg file: "@arg1/s%rdi,arg2".
std::vector<SpecItem> parse_spec_items(std::string_view items, const Machine& machine,
                                       SpecProblems& problems);

}  // namespace convert::uftrace
