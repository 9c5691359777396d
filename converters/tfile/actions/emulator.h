// Runs agent bytecode again on what a frame recorded, to learn which memory blocks belong to which
// expression. Values that the frame does not hold are unknown, and so is everything computed from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace convert::tfile {

// What the bytecode can see and do. Unknown values are nullopt.
class EmulatorTarget {
 public:
  virtual ~EmulatorTarget() = default;
  virtual std::optional<std::uint64_t> read_register(std::uint64_t number) = 0;
  virtual std::optional<std::uint64_t> read_memory(std::uint64_t address, std::size_t size) = 0;
  virtual std::optional<std::uint64_t> read_variable(std::uint64_t number) = 0;

  struct MemoryRecord {
    std::optional<std::uint64_t> address;
    std::optional<std::uint64_t> length;  // for strings the limit, 0 = none
    bool is_string = false;
    // A word that the expression goes on to use (a pointer on the way), not what was asked for.
    bool is_operand = false;
  };
  // A block of memory was recorded here. False stops the run.
  virtual bool record(const MemoryRecord& recording) = 0;
};

enum class Outcome : std::uint8_t {
  Finished,
  Stopped,  // by record(), by damaged code, by an error the target would have had too
  Unknown,  // a jump depended on an unknown value
};

struct Run {
  Outcome outcome;
  // What was on top of the stack when the expression ended or threw it away at its end: its value, when it
  // recorded nothing of its own.
  std::optional<std::uint64_t> result;
};

// Never takes more than a fixed number of steps.
Run run(std::span<const std::byte> code, EmulatorTarget& target);

}  // namespace convert::tfile
