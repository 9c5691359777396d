// What is known about the traced program by address: from the program itself, or from a kernel's symbol list.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converters/tfile/program/type.h"

namespace convert::tfile {

// What is known about a code address.
struct CodeInfo {
  std::string function;              // the innermost one, which may be inlined; demangled; empty: unknown
  std::string source;                // "file:line"; empty: unknown
  std::vector<std::string> inlined;  // if functions are inlined there: all functions, innermost first
};

// A static object of the program, at its address in the recording.
struct DataObject {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // 0: unknown
};

struct StaticLocal {
  std::string name;
  const Type* type = nullptr;
  DataObject object;
};

// The address of a variable, relative to its frame.
struct FrameOffset {
  std::int64_t offset = 0;   // from the frame base
  bool is_indirect = false;  // its address is stored there: an object that is passed by value
  bool operator==(const FrameOffset&) const = default;
};

struct LocalVariable {
  std::string name;
  const Type* type = nullptr;
};

// One step of the computation of a value that is stored nowhere, on a stack of address-sized numbers.
struct ComputationStep {
  enum class What : std::uint8_t {
    Constant,     // pushes `number`
    Register,     // pushes the register plus `number`
    Load,         // replaces the address on top by the `number` bytes there (0: the size of an address)
    AddConstant,  // adds `number` to the top
    Duplicate,
    Negate,
    Invert,
    // These replace the two topmost numbers:
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

// A parameter or local variable that occupies no memory at a code address.
struct RegisterVariable {
  enum class Storage : std::uint8_t {
    Register,  // in the lowest bytes of a register
    Computed,  // its value is the result of `steps`
    Pieces,    // its bytes are stored separately
    Nowhere,   // optimized out
  };
  struct Piece {
    Storage storage = Storage::Nowhere;  // never Pieces
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
  // The static object that a name refers to at a code address; nothing if it refers to something else.
  virtual std::optional<DataObject> object(std::uint64_t address, const std::string& name) const = 0;
  // True when object() knows all static objects of the program.
  virtual bool knows_objects() const = 0;
  // The static variables of the function at a code address, innermost first.
  virtual std::vector<StaticLocal> static_locals(std::uint64_t) const { return {}; }
  // The parameter or variable at this offset in the frame of a code address.
  virtual std::optional<LocalVariable> local(std::uint64_t address, FrameOffset offset) const = 0;
  // The variables without memory of the function at a code address, which may be inlined; innermost first.
  virtual std::vector<RegisterVariable> register_variables(std::uint64_t) const { return {}; }
  // Whether the frame base of the function at a code address is a register plus a number other than 0.
  virtual bool frame_base_adds(std::uint64_t address) const = 0;
  // The type of a C expression at a code address; null if unknown. Valid as long as this object.
  virtual const Type* type_of(std::uint64_t address, const std::string& expression) const = 0;
};

}  // namespace convert::tfile
