// Finds out which registers the actions of a tracepoint collect.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/description/tracepoint.h"

namespace convert::tfile {

// The registers that `$name` means; empty if none. GDB also has names for parts of registers ("al") and for
// combinations ("ymm3"). If `layout` is null, is_register_name() knows only a few names.
std::vector<const Register*> registers_named(std::string_view name, const RegisterLayout* layout);
bool is_register_name(std::string_view name, const RegisterLayout* layout);

// True if the actions ask for the register. GDB asks for each register that holds an item or that is used to
// compute an address.
bool is_in_mask(std::span<const TracepointAction> actions, const Register& reg);

struct WantedRegisters {
  bool all = false;                    // true for $regs
  std::vector<const Register*> named;  // the named registers, in the order of the layout
};

// Finds out which registers the user wants. If only some registers are recorded, this proves nothing, because
// expressions also need registers. If all general registers are recorded, the user wants $regs, even without
// a command for them: `set default-collect` may have collected them. If there are no commands at all, all
// registers are wanted.
WantedRegisters wanted_registers(std::span<const CollectItem> items,
                                 std::span<const TracepointAction> actions, bool has_commands,
                                 const RegisterLayout* layout);

}  // namespace convert::tfile
