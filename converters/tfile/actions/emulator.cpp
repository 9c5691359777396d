#include "converters/tfile/actions/emulator.h"

#include <array>
#include <utility>

#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

// GDB's expressions have at most a few hundred instructions and no loops.
constexpr std::size_t kMaxSteps = 4096;
constexpr std::size_t kStackSize = 100;  // as in gdbserver

using Word = std::optional<std::uint64_t>;

class Emulator {
 public:
  Emulator(std::span<const std::byte> code, EmulatorTarget& target) : code_(code), target_(target) {}

  RunResult run() {
    std::size_t steps = 0;
    for (; steps < kMaxSteps; ++steps) {
      const auto instruction = instruction_at(code_, at_);
      if (!instruction) break;
      if (instruction->opcode == Opcode::End) return {Outcome::Finished, result(), steps};
      at_ += instruction->size;
      if (const auto outcome = step(*instruction); outcome != Outcome::Finished)
        return {outcome, std::nullopt, steps};
      is_after_pop_ = instruction->opcode == Opcode::Pop;
    }
    return {Outcome::Stopped, std::nullopt, steps};
  }

 private:
  // Runs one instruction. Returns Finished if the run continues.
  Outcome step(const Instruction& instruction) {
    const std::uint64_t operand = instruction.operand;
    switch (instruction.opcode) {
      case Opcode::Const8:
      case Opcode::Const16:
      case Opcode::Const32:
      case Opcode::Const64:
        return push(operand);
      case Opcode::Reg:
        return push(target_.read_register(operand));
      case Opcode::GetVariable:
        return push(target_.read_variable(operand));
      case Opcode::SetVariable:
      case Opcode::TraceVariable:
      case Opcode::Float:
        return Outcome::Finished;
      case Opcode::Ref8:
        return reference(1);
      case Opcode::Ref16:
        return reference(2);
      case Opcode::Ref32:
        return reference(4);
      case Opcode::Ref64:
        return reference(8);
      case Opcode::Dup:
        return size_ == 0 ? Outcome::Stopped : push(stack_[size_ - 1]);
      case Opcode::Pick:
        return operand >= size_ ? Outcome::Stopped : push(stack_[size_ - 1 - operand]);
      case Opcode::Pop: {
        if (size_ == 0) return Outcome::Stopped;
        popped_ = stack_[--size_];
        return Outcome::Finished;
      }
      case Opcode::Swap:
        return rotate(2);
      case Opcode::Rot:
        return rotate(3);
      case Opcode::LogNot:
      case Opcode::BitNot:
      case Opcode::Ext:
      case Opcode::ZeroExt:
        return unary(instruction.opcode, operand);
      case Opcode::Goto:
        at_ = operand;
        return Outcome::Finished;
      case Opcode::IfGoto:
        return jump_if(operand);
      case Opcode::TraceQuick:
      case Opcode::Trace16:
        if (size_ == 0) return Outcome::Stopped;
        return record(stack_[size_ - 1], operand, false);
      case Opcode::Trace:
      case Opcode::TraceString: {
        if (size_ < 2) return Outcome::Stopped;
        size_ -= 2;
        return record(stack_[size_], stack_[size_ + 1], instruction.opcode == Opcode::TraceString);
      }
      default:
        return binary_step(instruction.opcode);
    }
  }

  Outcome binary_step(Opcode opcode) {
    if (!is_binary(opcode) || size_ < 2) return Outcome::Stopped;
    const Word b = stack_[--size_];
    Word& a = stack_[size_ - 1];
    if (!a || !b) {
      a.reset();
      return Outcome::Finished;
    }
    a = calculated(opcode, *a, *b);
    return a ? Outcome::Finished : Outcome::Stopped;
  }

  static bool is_binary(Opcode opcode) {
    return (opcode >= Opcode::Add && opcode <= Opcode::RshUnsigned) ||
           (opcode >= Opcode::BitAnd && opcode <= Opcode::BitXor) ||
           (opcode >= Opcode::Equal && opcode <= Opcode::LessUnsigned);
  }

  Outcome unary(Opcode opcode, std::uint64_t bits) {
    if (size_ == 0) return Outcome::Stopped;
    Word& top = stack_[size_ - 1];
    if (!top) return Outcome::Finished;
    switch (opcode) {
      case Opcode::LogNot:
        top = *top == 0 ? 1 : 0;
        break;
      case Opcode::BitNot:
        top = ~*top;
        break;
      case Opcode::Ext:
        top = extended(*top, bits, true);
        break;
      default:
        if (bits < 64) top = *top & ((std::uint64_t{1} << bits) - 1);
    }
    return Outcome::Finished;
  }

  Outcome reference(std::size_t size) {
    if (size_ == 0) return Outcome::Stopped;
    Word& top = stack_[size_ - 1];
    if (top) top = target_.read_memory(*top, size);
    return Outcome::Finished;
  }

  Outcome jump_if(std::uint64_t target) {
    if (size_ == 0) return Outcome::Stopped;
    const Word condition = stack_[--size_];
    if (!condition) return Outcome::Unknown;
    if (*condition != 0) at_ = target;
    return Outcome::Finished;
  }

  // Moves the top of the stack below the `count` - 1 words under it.
  Outcome rotate(std::size_t count) {
    if (size_ < count) return Outcome::Stopped;
    for (std::size_t i = 1; i < count; ++i) std::swap(stack_[size_ - i], stack_[size_ - i - 1]);
    return Outcome::Finished;
  }

  Outcome record(Word address, Word length, bool is_string) {
    const auto next = instruction_at(code_, at_);
    const bool is_operand = next && is_reference(next->opcode);
    const bool continues = target_.record(
        {.address = address, .length = length, .is_string = is_string, .is_operand = is_operand});
    return continues ? Outcome::Finished : Outcome::Stopped;
  }

  Outcome push(Word word) {
    if (size_ == kStackSize) return Outcome::Stopped;
    stack_[size_++] = word;
    return Outcome::Finished;
  }

  Word result() const { return size_ > 0 && !is_after_pop_ ? stack_[size_ - 1] : popped_; }

  std::span<const std::byte> code_;
  EmulatorTarget& target_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::array<Word, kStackSize> stack_;
  Word popped_;
  bool is_after_pop_ = false;
};

}  // namespace

RunResult run(std::span<const std::byte> code, EmulatorTarget& target) {
  return Emulator(code, target).run();
}

}  // namespace convert::tfile
