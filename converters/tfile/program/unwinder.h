// Finds the callers of a frame's code in the recorded stack, like GDB's `bt`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "converters/tfile/frames/frame_memory.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/program/value.h"

namespace convert::tfile {

struct Caller {
  std::uint64_t address;   // inside the call instruction
  bool is_signal = false;  // true if the code belongs to the system, and called a signal handler
};

class Unwinder {
 public:
  Unwinder(const ProgramSymbols& symbols, FrameMemory& frame) : symbols_(symbols), frame_(frame) {}

  // `pc` is the code address of the frame that is in the FrameMemory.
  void start(std::uint64_t pc);
  // The first next() after start() returns the caller of `pc`. Each further next() returns the caller of the
  // code that the previous next() returned. Inlined calls are not returned. Returns nothing if
  // the code has no caller, or if the caller is unknown.
  std::optional<Caller> next();
  // The frame address (CFA) of the latest caller. Before the first next(), it is the frame address of the
  // frame's own function. All code that is inlined into a function has the function's frame address.
  std::optional<std::uint64_t> frame_address() const;
  std::optional<std::uint64_t> called_frame_address() const { return registers_.cfa; }
  // The reason why the caller is unknown, such as "the stack at 0x7ffd10 was not recorded". Empty if the code
  // has no caller.
  const std::string& problem() const { return problem_; }

 private:
  std::nullopt_t stop(std::string problem);
  const CallFrame* call_frame() const;  // the rules for the code at pc_; null if unknown

  const ProgramSymbols& symbols_;
  FrameMemory& frame_;
  std::uint64_t pc_ = 0;
  CallRegisters registers_;
  std::string problem_;
};

}  // namespace convert::tfile
