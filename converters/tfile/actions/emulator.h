// Runs agent bytecode again on the contents of a frame, to find out which memory blocks belong to which
// expression. A value that the frame does not hold is unknown. A result that depends on an unknown value is
// also unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace convert::tfile {

// The traced machine as the bytecode sees it. An unknown value is nullopt.
class EmulatorTarget {
 public:
  virtual ~EmulatorTarget() = default;
  virtual std::optional<std::uint64_t> read_register(std::uint64_t number) = 0;
  virtual std::optional<std::uint64_t> read_memory(std::uint64_t address, std::size_t size) = 0;
  virtual std::optional<std::uint64_t> read_variable(std::uint64_t number) = 0;

  struct MemoryRecord {
    std::optional<std::uint64_t> address;
    std::optional<std::uint64_t> length;  // for a string: its maximum length; 0 if unlimited
    bool is_string = false;
    // True if the next instruction reads the recorded memory. Then this memory is an operand, not the result.
    bool is_operand = false;
  };
  // Called when the expression records memory. If it returns false, the run stops.
  virtual bool record(const MemoryRecord& recording) = 0;
};

enum class Outcome : std::uint8_t {
  Finished,
  // Stopped by record(), by damaged code, or by an error that also occurred when the frame was recorded, such
  // as a division by zero.
  Stopped,
  Unknown,  // a jump depended on an unknown value
};

struct RunResult {
  Outcome outcome;
  // If the last instruction was a pop, or if the stack is empty: the value that was popped last. Otherwise,
  // the top of the stack. If the expression records only operands, this result is the collected value.
  std::optional<std::uint64_t> result;
  std::size_t steps = 0;  // instructions that ran
};

// Runs the bytecode, but stops after a fixed number of instructions.
RunResult run(std::span<const std::byte> code, EmulatorTarget& target);

}  // namespace convert::tfile
