#include "converters/tfile/actions/frame_expression.h"

#include "converters/tfile/actions/bytecode.h"

namespace convert::tfile {
namespace {

bool is_constant(const Instruction& instruction) {
  return instruction.opcode >= Opcode::Const8 && instruction.opcode <= Opcode::Const64;
}

// An operand of 1, 2, 4 or 8 bytes behind its opcode, as a signed number.
std::int64_t extended(const Instruction& constant) {
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
    constants.added.push_back(is_extended ? extended(constant) : static_cast<std::int64_t>(constant.operand));
  }
  return constants;
}

}  // namespace convert::tfile
