// The agent bytecode of actions and conditions: decodes it, lists it, and recognizes common forms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convert::tfile {

// The opcodes of agent bytecode with their numbers: see "Agent Expressions" in GDB's manual.
enum class Opcode : std::uint8_t {
  Float = 0x01,
  Add = 0x02,
  Sub = 0x03,
  Mul = 0x04,
  DivSigned = 0x05,
  DivUnsigned = 0x06,
  RemSigned = 0x07,
  RemUnsigned = 0x08,
  Lsh = 0x09,
  RshSigned = 0x0a,
  RshUnsigned = 0x0b,
  Trace = 0x0c,
  TraceQuick = 0x0d,
  LogNot = 0x0e,
  BitAnd = 0x0f,
  BitOr = 0x10,
  BitXor = 0x11,
  BitNot = 0x12,
  Equal = 0x13,
  LessSigned = 0x14,
  LessUnsigned = 0x15,
  Ext = 0x16,
  Ref8 = 0x17,
  Ref16 = 0x18,
  Ref32 = 0x19,
  Ref64 = 0x1a,
  RefFloat = 0x1b,
  RefDouble = 0x1c,
  RefLongDouble = 0x1d,
  LongToDouble = 0x1e,
  DoubleToLong = 0x1f,
  IfGoto = 0x20,
  Goto = 0x21,
  Const8 = 0x22,
  Const16 = 0x23,
  Const32 = 0x24,
  Const64 = 0x25,
  Reg = 0x26,
  End = 0x27,
  Dup = 0x28,
  Pop = 0x29,
  ZeroExt = 0x2a,
  Swap = 0x2b,
  GetVariable = 0x2c,
  SetVariable = 0x2d,
  TraceVariable = 0x2e,
  TraceString = 0x2f,
  Trace16 = 0x30,
  Pick = 0x32,
  Rot = 0x33,
  Printf = 0x34,
};

// An instruction without an operand has the operand 0. In the bytecode, operands are big-endian.
struct Instruction {
  Opcode opcode;
  std::uint64_t operand = 0;
  std::size_t size = 1;  // bytes, including the opcode
};

std::string_view name_of(Opcode opcode);  // GDB's spelling: "const8", "trace_quick"
constexpr bool is_reference(Opcode opcode) {
  return opcode >= Opcode::Ref8 && opcode <= Opcode::RefLongDouble;
}

// Returns the instruction at offset `at`, or nothing if it is unknown or cut off.
std::optional<Instruction> instruction_at(std::span<const std::byte> code, std::size_t at);
// All instructions before the first one that is unknown or cut off.
std::vector<Instruction> instructions_of(std::span<const std::byte> code);

// Returns the instructions as text: "reg 6; const8 16; add; trace_quick 8; end". Damaged code becomes bytes:
// "?? 00 31".
std::string disassemble(std::span<const std::byte> code);

// True if all instructions up to the final `end` are known and complete.
bool is_well_formed(std::span<const std::byte> code);

struct ExpressionShape {
  std::string blocks = {};      // a letter for each recorded block: 'M' for memory, 'V' for a variable
  bool records_result = false;  // false if the expression records pointers and operands, but not its result
  // The number of the variable, if the expression only records a trace state variable.
  std::optional<std::uint64_t> only_variable;
  bool records_string = false;
  bool cuts_numbers = false;  // the expression cuts off upper bits of registers
  bool reads = false;         // reads registers, memory or variables, so its result is not constant
};
ExpressionShape shape_of(std::span<const std::byte> code);

// Returns the result of `a OP b`, an operation on two numbers. Returns nothing if the target would have
// stopped with an error.
std::optional<std::uint64_t> calculated(Opcode opcode, std::uint64_t a, std::uint64_t b);

}  // namespace convert::tfile
