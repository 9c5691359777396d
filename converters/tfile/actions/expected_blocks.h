// What the frames of a tracepoint location are expected to hold: which memory each action records, and the
// names of what lies there. Worked out once per location, before frames are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/actions/computation.h"
#include "converters/tfile/actions/wanted_registers.h"
#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

// A named part of the memory range of an action.
struct RangePart {
  NameId name{};
  std::uint64_t offset = 0, size = 0;                   // bytes in the range
  bool is_string = false;                               // collected with collect/s; only of unknown types
  std::shared_ptr<const ValueLayout> layout = nullptr;  // null: unknown
};

// An action that records memory: a range, or an expression.
struct MemoryAction {
  bool is_expression = false;

  // Of a range:
  std::int64_t base = -1;  // a register number, or -1
  std::uint64_t offset = 0, length = 0;
  std::vector<RangePart> parts;

  // Of an expression:
  std::span<const std::byte> code;
  std::optional<NameId> name;  // of its collected item, if known
  bool is_string = false;      // see RangePart
  std::shared_ptr<const ValueLayout> layout = nullptr;
  bool is_value = false;  // only the operands are recorded; the value of the item is the expression's result
};

// A variable that occupies no memory at the location; see RegisterVariable.
struct ResolvedVariable {
  NameId name{};
  std::shared_ptr<const ValueLayout> layout;  // never null
  RegisterVariable::Storage storage{};
  const Register* reg = nullptr;  // if stored in a register
  Computation steps = {};         // if computed
  struct Piece {
    RegisterVariable::Storage storage{};  // Nowhere if the target lacks its register
    const Register* reg = nullptr;
    Computation steps = {};
    std::uint64_t size = 0;  // bytes
  };
  std::vector<Piece> pieces = {};
};

struct ExpectedBlocks {
  std::vector<MemoryAction> actions;
  std::vector<ResolvedVariable> variables;
  std::size_t optimized_out = 0;  // collected variables that exist nowhere at the location
  WantedRegisters wanted;
  // The kinds of a complete frame's blocks, in order: 'R', 'M', 'V', 'S'. Exact unless an expression jumps.
  std::string shape;
};

// What the hits and the while-stepping steps of one location hold.
struct ExpectedFrames {
  const TracepointLocation* location;
  ExpectedBlocks hit, step;
};

// The expected frames of all locations, by tracepoint.
class LocationTable {
 public:
  explicit LocationTable(std::vector<ExpectedFrames> locations = {});

  // The locations of one tracepoint; empty when it is unknown.
  std::span<const ExpectedFrames> of(std::int16_t tracepoint) const;
  const std::vector<ExpectedFrames>& all() const { return locations_; }  // by tracepoint

 private:
  std::vector<ExpectedFrames> locations_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  // by tracepoint: first location, count
};

ExpectedFrames expect_frames(const TracepointLocation& location, const Description& description,
                             const RegisterLayout* layout, const ProgramSymbols* symbols, Names& names);

// Works out all locations. Looks up every collected item in the program's DWARF, which takes most of the time
// before frames are read. Borrows the locations and the layout. `symbols` and `layout` may be null.
LocationTable expect_all_frames(const Description& description, const RegisterLayout* layout,
                                const ProgramSymbols* symbols, Names& names);

}  // namespace convert::tfile
