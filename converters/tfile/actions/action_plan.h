// What the frames of a location are expected to hold, worked out once: which memory each action records and
// what it is called.
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

// What is shown of a value: its leaves, with their names, and how many more there are.
struct PlannedLeaf {
  NameId name;
  Leaf::Form form;
  std::uint64_t offset = 0, size = 0;          // bytes in the value
  std::uint64_t bit_offset = 0, bit_size = 0;  // of a bit-field
  std::vector<std::pair<std::int64_t, NameId>> enumerators = {};
};
struct ValueLayout {
  std::vector<PlannedLeaf> leaves;
  std::uint64_t more = 0;
  NameId more_name{};
  std::uint64_t size = 0;
  bool is_reference = false;  // what was recorded is only where the value lies
};

// A name for a part of what a memory action records.
struct PlannedPart {
  NameId name{};
  std::uint64_t offset = 0, size = 0;                   // bytes, in the action's range
  bool is_string = false;                               // collect/s, of nobody knows what
  std::shared_ptr<const ValueLayout> layout = nullptr;  // null: unknown
};

// An action that records memory.
struct PlannedAction {
  bool is_expression = false;
  std::int64_t base = -1;  // of a range: a register number or -1
  std::uint64_t offset = 0, length = 0;
  std::vector<PlannedPart> parts;   // of a range
  std::span<const std::byte> code;  // of an expression
  std::optional<NameId> name;       // of an expression's item, when it is known
  bool is_string = false;           // as PlannedPart's
  std::shared_ptr<const ValueLayout> layout = nullptr;
  bool is_value = false;  // the item records nothing but what it is computed from: its value is the result
};

// A variable that takes no memory.
struct PlannedRegister {
  NameId name{};
  std::shared_ptr<const ValueLayout> layout;  // known
  RegisterVariable::Place place{};
  const Register* reg = nullptr;  // of a Register
  Computation steps = {};
  struct Piece {
    RegisterVariable::Place place{};  // Nowhere, too, if a register is not known
    const Register* reg = nullptr;
    Computation steps = {};
    std::uint64_t size = 0;  // bytes
  };
  std::vector<Piece> pieces = {};
};

struct ActionPlan {
  std::vector<PlannedAction> actions;
  std::vector<PlannedRegister> registers;
  std::size_t optimized_out = 0;  // variables that were asked for and are nowhere
  WantedRegisters wanted;
  // The blocks of a complete frame where that is certain: 'R', 'M', 'V', 'S' in order.
  std::string shape;
  bool shape_is_certain = true;
};

struct LocationActions {
  ActionPlan hit, step;
};

// Borrows the location's bytecode. `symbols` and `layout` may be null.
LocationActions plan_location(const TracepointLocation& location, const Description& description,
                              const RegisterLayout* layout, const Symbols* symbols, Names& names);

}  // namespace convert::tfile
