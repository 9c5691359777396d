// Shows the registers of a frame as arguments.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/events/emit_recipe.h"
#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

// Which registers of a frame become arguments. Auto: those that the tracepoint's actions name, and the
// general ones where the actions collect $regs.
enum class RegisterChoice : std::uint8_t { Auto, None, General, All };

class RegisterArguments {
 public:
  // Borrows the register layout.
  RegisterArguments(const TraceFile& trace, RegisterChoice choice, Names& names);

  // Adds the arguments of a frame with a register block. `expected` is null for frames of unknown
  // tracepoints. `is_fast`: the frame is that of a fast tracepoint.
  void add(EmitRecipe& recipe, const Block& registers, const ExpectedBlocks* expected, bool is_fast) const;

 private:
  struct ShownRegister {
    const Register* reg;
    NameId name;
    bool is_in_fast_frames;  // fast tracepoints record only these; the others are zero bytes there
    bool is_by_name_only;    // shown only where the tracepoint's actions name it
  };
  bool is_shown(const ShownRegister& shown, const ExpectedBlocks* expected) const;

  RegisterChoice choice_;
  std::endian order_;
  std::vector<ShownRegister> registers_;
};

}  // namespace convert::tfile
