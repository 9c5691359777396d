#include "converters/tfile/actions/bytecode.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

struct OpcodeInfo {
  std::string_view name;  // empty: no such opcode
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

bool is_constant(const Instruction& instruction) {
  return instruction.opcode >= Opcode::Const8 && instruction.opcode <= Opcode::Const64;
}

// The operand of a constant, sign-extended from its size: the instruction's size less the opcode.
std::int64_t sign_extended_operand(const Instruction& constant) {
  switch (constant.size) {
    case 2:
      return static_cast<std::int8_t>(constant.operand);
    case 3:
      return static_cast<std::int16_t>(constant.operand);
    case 5:
      return static_cast<std::int32_t>(constant.operand);
    default:
      return static_cast<std::int64_t>(constant.operand);
  }
}

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
  if (instruction.opcode == Opcode::Printf) {  // the argument count, then a format text with its length
    instruction.size += big_endian(code.subspan(at + 2, 2));
    if (instruction.size > code.size() - at) return std::nullopt;
  }
  return instruction;
}

std::string disassemble(std::span<const std::byte> code) {
  std::string text;
  for (std::size_t at = 0; at < code.size();) {
    if (!text.empty()) text += "; ";
    const auto instruction = instruction_at(code, at);
    if (!instruction) {
      text += "?? " + spelled_bytes(code.subspan(at), 16);
      break;
    }
    text += name_of(instruction->opcode);
    const std::size_t operand_size = kOpcodes[static_cast<std::size_t>(instruction->opcode)].operand_size;
    if (instruction->opcode == Opcode::Printf)
      text += fmt::format(" {} bytes", instruction->size - 4);
    else if (operand_size == 8 || operand_size == 4)
      text += fmt::format(" {:#x}", instruction->operand);
    else if (operand_size != 0)
      text += fmt::format(" {}", instruction->operand);
    at += instruction->size;
  }
  return text;
}

bool is_well_formed(std::span<const std::byte> code) {
  std::uint64_t last_target = 0;  // jump target
  for (std::size_t at = 0; at < code.size();) {
    const auto instruction = instruction_at(code, at);
    if (!instruction) return false;
    if (instruction->opcode == Opcode::Goto || instruction->opcode == Opcode::IfGoto)
      last_target = std::max(last_target, instruction->operand);
    at += instruction->size;
    // Code after the end runs only if something jumps there.
    if (instruction->opcode == Opcode::End && last_target < at) return true;
  }
  return true;
}

ExpressionShape shape_of(std::span<const std::byte> code) {
  ExpressionShape shape;
  bool only_variables = true;
  std::size_t variables = 0;
  std::uint64_t variable = 0;
  for (std::size_t at = 0; at < code.size();) {
    const auto instruction = instruction_at(code, at);
    if (!instruction) break;
    switch (instruction->opcode) {
      case Opcode::TraceVariable:
        shape.records = true;
        variable = instruction->operand;
        ++variables;
        break;
      case Opcode::TraceString:
        shape.records_string = true;
        [[fallthrough]];
      case Opcode::Trace:
      case Opcode::TraceQuick:
      case Opcode::Trace16:
        shape.records = true;
        only_variables = false;
        break;
      case Opcode::GetVariable:
      case Opcode::Pop:
      case Opcode::End:
        break;
      default:
        only_variables = false;
    }
    at += instruction->size;
  }
  if (only_variables && variables == 1) shape.only_variable = variable;
  return shape;
}

std::optional<FrameConstants> frame_constants_of(std::span<const std::byte> code) {
  constexpr std::size_t kMost = 16;
  std::vector<Instruction> instructions;
  for (std::size_t at = 0; at < code.size();) {
    const auto instruction = instruction_at(code, at);
    if (!instruction || instructions.size() == kMost) return std::nullopt;
    instructions.push_back(*instruction);
    at += instruction->size;
  }
  constexpr std::size_t kEnding = 3;  // const <size>; trace; end
  if (instructions.size() < 1 + kEnding || instructions.front().opcode != Opcode::Reg) return std::nullopt;
  std::size_t end = instructions.size() - kEnding;
  if (!is_constant(instructions[end]) || instructions[end + 1].opcode != Opcode::Trace) return std::nullopt;
  FrameConstants constants;
  const bool is_read = end > 1 && (instructions[end - 1].opcode == Opcode::Ref64 ||
                                   instructions[end - 1].opcode == Opcode::Ref32);
  if (is_read) {
    constants.is_indirect = true;
    --end;
    if (end > 1 && instructions[end - 1].opcode == Opcode::TraceQuick) --end;
  }
  for (std::size_t i = 1; i < end; ++i) {
    if (!is_constant(instructions[i])) return std::nullopt;
    const Instruction& constant = instructions[i];
    const bool is_extended = instructions[i + 1].opcode == Opcode::Ext;
    if (is_extended) ++i;
    if (instructions[++i].opcode != Opcode::Add) return std::nullopt;
    constants.added.push_back(is_extended ? sign_extended_operand(constant)
                                          : static_cast<std::int64_t>(constant.operand));
  }
  return constants;
}

}  // namespace convert::tfile
