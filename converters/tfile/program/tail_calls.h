// Functions that ended with a jump to another function (a tail call) have no frame on the stack. GDB's `bt`
// shows such a function if all possible paths of calls lead through it. To find these paths, this class
// searches the calls that DWARF lists for each function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "converters/tfile/program/symbols.h"
#include "fxt/hash.h"

namespace convert::tfile {

class TailCalls {
 public:
  explicit TailCalls(const ProgramSymbols& symbols) : symbols_(symbols) {}

  // The jumps on the path that starts at the call before `return_address` and leads to the function at the
  // address `callee`. The latest jump comes first. Each jump is given by an address inside of the jump
  // instruction. If several paths are possible, returns only the jumps with which all paths begin, and those
  // with which all paths end. The result is valid until the next call of this function.
  const std::vector<std::uint64_t>& between(std::uint64_t return_address, std::uint64_t callee);

 private:
  struct Call {
    std::uint64_t return_address;
    std::optional<std::uint64_t> target;  // the start of the called function; nothing if it is unknown
  };
  struct Function {
    std::vector<Call> all, jumps;
  };
  struct Search;

  // The calls of the function that begins at the address. Null if no function begins there.
  const Function* function_from(std::uint64_t start);
  std::optional<std::uint64_t> start_of_function_at(std::uint64_t address) const;
  void add_calls(DebugInfo& info, Dwarf_Die parent, Function& function, std::size_t depth) const;
  std::optional<std::uint64_t> target_of(DebugInfo& info, Dwarf_Die call) const;
  std::vector<std::uint64_t> search(std::uint64_t return_address, std::uint64_t callee);

  const ProgramSymbols& symbols_;
  fxt::SeededMap<std::uint64_t, Function> functions_;  // by start
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint64_t>> known_;
};

}  // namespace convert::tfile
