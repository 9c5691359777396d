// Names for addresses, from wherever they can be had: the traced program, a kernel's symbol list, or nowhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converters/tfile/program/type.h"

namespace convert::tfile {

// What is known of a code address.
struct CodeInfo {
  std::string function;              // the innermost, inlined or not, demangled; empty: unknown
  std::string source;                // "file:line"; empty: unknown
  std::vector<std::string> inlined;  // when functions are inlined there: all, innermost first; else empty
};

// A static object in the program, at its address in the recording.
struct DataObject {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // 0: unknown
};

struct StaticLocal {
  std::string name;
  const Type* type = nullptr;
  DataObject object;
};

// Where a variable lies, as an expression finds it.
struct FrameOffset {
  std::int64_t offset = 0;   // from the frame base
  bool is_indirect = false;  // only its address lies there: an object that is passed by value
  bool operator==(const FrameOffset&) const = default;
};

struct LocalVariable {
  std::string name;
  const Type* type = nullptr;
};

// One step of how a value is computed that lies nowhere itself: on a stack of numbers as large as addresses.
struct ComputationStep {
  enum class What : std::uint8_t {
    Constant,     // pushes `number`
    Register,     // pushes the register plus `number`
    Load,         // what lies at the address on top, `number` bytes (0: as an address has)
    AddConstant,  // `number` to the top
    Duplicate,
    Negate,
    Invert,
    // Of the two on top:
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
  };
  What what = What::Constant;
  std::int64_t number = 0;
  std::string register_name = {};  // as target descriptions call it
};

// A parameter or local variable that takes no memory at a code address.
struct RegisterVariable {
  enum class Storage : std::uint8_t {
    Register,  // its bytes are the register's
    Computed,  // its value is what `steps` leave
    Pieces,    // its bytes lie in several places
    Nowhere,   // optimized out
  };
  struct Piece {
    Storage storage = Storage::Nowhere;  // no Pieces; of a Register the lowest bytes
    std::string register_name = {};
    std::vector<ComputationStep> steps = {};
    std::uint64_t size = 0;  // bytes
  };
  std::string name;
  const Type* type = nullptr;
  bool is_parameter = false;
  Storage storage = Storage::Register;
  std::string register_name;  // as target descriptions call it
  std::vector<ComputationStep> steps = {};
  std::vector<Piece> pieces = {};  // from its first byte on
};

class ProgramSymbols {
 public:
  virtual ~ProgramSymbols() = default;
  virtual CodeInfo code_at(std::uint64_t address) const = 0;
  // The static object that a name means at a code address; nothing if it means something else there.
  virtual std::optional<DataObject> object(std::uint64_t address, const std::string& name) const = 0;
  // True when object() knows all static objects of the program: a name it lacks is no static object.
  virtual bool knows_objects() const = 0;
  // The static variables of the function at a code address, innermost first.
  virtual std::vector<StaticLocal> static_locals(std::uint64_t) const { return {}; }
  // The parameter or variable that lies at this place in the frame of a code address.
  virtual std::optional<LocalVariable> local(std::uint64_t address, FrameOffset offset) const = 0;
  // Those of the function at a code address, inlined or not, innermost first.
  virtual std::vector<RegisterVariable> register_variables(std::uint64_t) const { return {}; }
  // True when the frame base of the function at a code address is a register plus a number other than 0, and
  // not the register itself.
  virtual bool frame_base_adds(std::uint64_t address) const = 0;
  // The type of a C expression at a code address, as long as this object; null where nobody knows.
  virtual const Type* type_of(std::uint64_t address, const std::string& expression) const = 0;
};

}  // namespace convert::tfile
