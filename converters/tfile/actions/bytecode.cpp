#include "converters/tfile/actions/bytecode.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <limits>

#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

std::int64_t as_signed(std::uint64_t value) { return std::bit_cast<std::int64_t>(value); }
std::uint64_t as_unsigned(std::int64_t value) { return std::bit_cast<std::uint64_t>(value); }

struct OpcodeInfo {
  std::string_view name;  // GDB's name of the opcode; empty for an unknown opcode
  std::size_t operand_size = 0;
};

constexpr std::array<OpcodeInfo, 0x35> kOpcodes{{
    {""},
    {"float"},
    {"add"},
    {"sub"},
    {"mul"},
    {"div_signed"},
    {"div_unsigned"},
    {"rem_signed"},
    {"rem_unsigned"},
    {"lsh"},
    {"rsh_signed"},
    {"rsh_unsigned"},
    {"trace"},
    {"trace_quick", 1},
    {"log_not"},
    {"bit_and"},
    {"bit_or"},
    {"bit_xor"},
    {"bit_not"},
    {"equal"},
    {"less_signed"},
    {"less_unsigned"},
    {"ext", 1},
    {"ref8"},
    {"ref16"},
    {"ref32"},
    {"ref64"},
    {"ref_float"},
    {"ref_double"},
    {"ref_long_double"},
    {"l_to_d"},
    {"d_to_l"},
    {"if_goto", 2},
    {"goto", 2},
    {"const8", 1},
    {"const16", 2},
    {"const32", 4},
    {"const64", 8},
    {"reg", 2},
    {"end"},
    {"dup"},
    {"pop"},
    {"zero_ext", 1},
    {"swap"},
    {"getv", 2},
    {"setv", 2},
    {"tracev", 2},
    {"tracenz"},
    {"trace16", 2},
    {""},
    {"pick", 1},
    {"rot"},
    {"printf", 3},
}};

std::uint64_t big_endian(std::span<const std::byte> bytes) { return unsigned_bits(bytes, std::endian::big); }

}  // namespace

std::string_view name_of(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)].name; }

std::optional<Instruction> instruction_at(std::span<const std::byte> code, std::size_t at) {
  if (at >= code.size()) return std::nullopt;
  const auto number = std::to_integer<std::size_t>(code[at]);
  if (number >= kOpcodes.size() || kOpcodes[number].name.empty()) return std::nullopt;
  Instruction instruction{.opcode = static_cast<Opcode>(number)};
  instruction.size = 1 + kOpcodes[number].operand_size;
  if (instruction.size > code.size() - at) return std::nullopt;
  instruction.operand = big_endian(code.subspan(at + 1, instruction.size - 1));
  if (instruction.opcode == Opcode::Printf) {  // number of arguments, then length and text of the format
    instruction.size += big_endian(code.subspan(at + 2, 2));
    if (instruction.size > code.size() - at) return std::nullopt;
  }
  return instruction;
}

std::vector<Instruction> instructions_of(std::span<const std::byte> code) {
  std::vector<Instruction> instructions;
  std::size_t at = 0;
  while (const auto instruction = instruction_at(code, at)) {
    instructions.push_back(*instruction);
    at += instruction->size;
  }
  return instructions;
}

std::string disassemble(std::span<const std::byte> code) {
  std::string text;
  std::size_t at = 0;
  for (const auto& [opcode, operand, size] : instructions_of(code)) {
    if (at != 0) text += "; ";
    text += name_of(opcode);
    const std::size_t operand_size = kOpcodes[static_cast<std::size_t>(opcode)].operand_size;
    if (opcode == Opcode::Printf)
      text += fmt::format(" {} bytes", size - 4);
    else if (operand_size == 8 || operand_size == 4)
      text += fmt::format(" {:#x}", operand);
    else if (operand_size != 0)
      text += fmt::format(" {}", operand);
    at += size;
  }
  if (at < code.size())
    text += fmt::format("{}?? {}", at != 0 ? "; " : "", spelled_bytes(code.subspan(at), 16));
  return text;
}

bool is_well_formed(std::span<const std::byte> code) {
  std::uint64_t last_target = 0;
  std::size_t at = 0;
  for (const auto& [opcode, operand, size] : instructions_of(code)) {
    if (opcode == Opcode::Goto || opcode == Opcode::IfGoto) last_target = std::max(last_target, operand);
    at += size;
    // Code after an `end` instruction runs only if another instruction jumps there.
    if (opcode == Opcode::End && last_target < at) return true;
  }
  return at == code.size();
}

ExpressionShape shape_of(std::span<const std::byte> code) {
  ExpressionShape shape;
  bool has_others = false;  // instructions that do more than record variables
  const std::vector<Instruction> instructions = instructions_of(code);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto [opcode, operand, size] = instructions[i];
    const bool is_short = opcode == Opcode::Ext && operand < 32;
    shape.cuts_numbers |=
        opcode == Opcode::ZeroExt || (is_short && i > 0 && instructions[i - 1].opcode == Opcode::Reg);
    shape.reads |= opcode == Opcode::Reg || opcode == Opcode::GetVariable || is_reference(opcode);
    switch (opcode) {
      case Opcode::TraceVariable:
        shape.blocks += 'V';
        shape.only_variable = operand;
        break;
      case Opcode::TraceString:
        shape.records_string = true;
        [[fallthrough]];
      case Opcode::Trace:
      case Opcode::TraceQuick:
      case Opcode::Trace16:
        shape.blocks += 'M';
        shape.records_result |= i + 1 == instructions.size() || !is_reference(instructions[i + 1].opcode);
        break;
      case Opcode::GetVariable:
      case Opcode::Pop:
      case Opcode::End:
        break;
      default:
        has_others = true;
    }
  }
  if (has_others || shape.blocks != "V") shape.only_variable.reset();
  return shape;
}

std::optional<std::uint64_t> calculated(Opcode opcode, std::uint64_t a, std::uint64_t b) {
  const bool overflows = as_signed(a) == std::numeric_limits<std::int64_t>::min() && as_signed(b) == -1;
  switch (opcode) {
    case Opcode::Add:
      return a + b;
    case Opcode::Sub:
      return a - b;
    case Opcode::Mul:
      return a * b;
    case Opcode::DivSigned:
      if (b == 0) return std::nullopt;
      return overflows ? a : as_unsigned(as_signed(a) / as_signed(b));
    case Opcode::DivUnsigned:
      if (b == 0) return std::nullopt;
      return a / b;
    case Opcode::RemSigned:
      if (b == 0) return std::nullopt;
      return overflows ? 0 : as_unsigned(as_signed(a) % as_signed(b));
    case Opcode::RemUnsigned:
      if (b == 0) return std::nullopt;
      return a % b;
    case Opcode::Lsh:
      return b < 64 ? a << b : 0;
    case Opcode::RshSigned:
      return as_unsigned(as_signed(a) >> (b < 64 ? b : 63));
    case Opcode::RshUnsigned:
      return b < 64 ? a >> b : 0;
    case Opcode::BitAnd:
      return a & b;
    case Opcode::BitOr:
      return a | b;
    case Opcode::BitXor:
      return a ^ b;
    case Opcode::Equal:
      return a == b ? 1 : 0;
    case Opcode::LessSigned:
      return as_signed(a) < as_signed(b) ? 1 : 0;
    case Opcode::LessUnsigned:
      return a < b ? 1 : 0;
    default:
      return std::nullopt;
  }
}

}  // namespace convert::tfile
