// A file `<module>.dbg`: source lines, argument specs and enum definitions of one module (fact sheet 7).
//
//   E: enum color {RED,GREEN=5}
//   F: <offset> <name>     opens a function; then, of it: L: <line> <file>, A: <items>, R: <items>
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/uftrace/arguments/enums.h"

namespace convert::uftrace {

// Empty what the file does not say.
struct DebugInfo {
  std::string_view name = {};       // mangled
  std::string_view line = {};       // "11 /src/args.c"
  std::string_view arguments = {};  // "@arg1,arg2/s"
  std::string_view results = {};    // "@retval"
};

// Large (every function with known source lines), so it keeps the text and finds the lines of a function when
// they are asked for. Stays where it was made; read-only then.
class DebugFile {
 public:
  // Damaged lines are noted and passed.
  DebugFile(std::string text, std::string_view path, Notes& notes);
  DebugFile(const DebugFile&) = delete;
  DebugFile& operator=(const DebugFile&) = delete;

  // Of the function whose symbol starts at that offset; of several, the first in the file that has a name
  // like `name`, or else the first. Borrowed.
  DebugInfo find(std::uint64_t offset, std::string_view name) const;
  const EnumTypes& enums() const { return enums_; }
  std::size_t functions() const { return functions_.size(); }

 private:
  struct Function {
    std::uint64_t offset;
    std::uint64_t text;  // where its `F:` line stands
  };
  DebugInfo read(const Function& function) const;

  std::string text_;
  std::vector<Function> functions_;  // by offset, then as in the file
  EnumTypes enums_;
};

// "/src/args.c:11" of "11 /src/args.c"; empty if it is none.
std::string location_of(std::string_view line);

}  // namespace convert::uftrace
