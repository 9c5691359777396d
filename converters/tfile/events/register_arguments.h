// Shows the registers of a frame as arguments.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/events/recipe_draft.h"
#include "converters/tfile/events/values.h"
#include "converters/tfile/frames/frame_memory.h"
#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

// The registers of a frame that become arguments. Auto stands for the registers that the tracepoint's actions
// name, and for the general registers if the actions collect $regs.
enum class RegisterChoice : std::uint8_t { Auto, None, General, All };

class RegisterArguments {
 public:
  RegisterArguments(const TraceFile& trace, RegisterChoice choice, Names& names);

  // Adds the arguments of a frame. `expected` is null for frames of unknown tracepoints.
  void add(RecipeDraft& draft, FrameMemory& memory, const ExpectedBlocks* expected) const;

 private:
  struct ShownRegister {
    const Register* reg;
    NameId name;
    bool is_by_name_only;  // shown only if the tracepoint's actions name the register
  };
  bool is_shown(const ShownRegister& shown, const ExpectedBlocks* expected) const;

  RegisterChoice choice_;
  std::vector<ShownRegister> registers_;
};

inline RegisterArguments::RegisterArguments(const TraceFile& trace, RegisterChoice choice, Names& names)
    : choice_(choice) {
  if (!trace.layout || choice == RegisterChoice::None) return;
  for (const Register& reg : trace.layout->registers()) {
    if (reg.name.empty() || (choice == RegisterChoice::General && !reg.is_general)) continue;
    registers_.push_back({.reg = &reg,
                          .name = names.intern("reg." + reg.name),
                          .is_by_name_only = choice == RegisterChoice::Auto && !reg.is_general});
  }
}

inline void RegisterArguments::add(RecipeDraft& draft, FrameMemory& memory,
                                   const ExpectedBlocks* expected) const {
  for (const ShownRegister& shown : registers_) {
    // Stops at the first register after the recorded bytes. The registers after it are also not recorded.
    if (shown.reg->offset >= memory.registers_size()) break;
    if (!is_shown(shown, expected)) continue;
    const FrameBytes bytes = memory.place_of(*shown.reg);
    if (bytes.empty()) continue;
    const ValueForm form = shown.reg->form;
    // Integers are shown in hexadecimal, as in debuggers. The form Pointer does this.
    if (is_number(form, shown.reg->size))
      draft.add_number(shown.name, form == ValueForm::Float ? form : ValueForm::Pointer, bytes);
    else if (form == ValueForm::Flags && shown.reg->size <= 8)
      draft.add_number(shown.name, form, bytes, shown.reg);
    else
      draft.add({shown.name, hex_text(memory.look_at(bytes), memory.order())});
  }
}

inline bool RegisterArguments::is_shown(const ShownRegister& shown, const ExpectedBlocks* expected) const {
  if (choice_ != RegisterChoice::Auto) return true;
  const bool collects_all = expected == nullptr || expected->wanted.all;
  if (collects_all && !shown.is_by_name_only) return true;
  return expected != nullptr && std::ranges::binary_search(expected->wanted.named, shown.reg, std::less<>());
}

}  // namespace convert::tfile
