// Which registers a tracepoint's user asked for.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/description/tracepoint.h"

namespace convert::tfile {

// The registers that `$name` stands for (GDB's own names for parts and wholes of them, too); none if it is no
// register's name. `layout` may be null: then nothing is known but names that GDB gives on every machine.
std::vector<const Register*> registers_named(std::string_view name, const RegisterLayout* layout);
bool is_register_name(std::string_view name, const RegisterLayout* layout);

struct WantedRegisters {
  bool all = false;  // $regs
  std::vector<const Register*> named;
};

// Expressions need registers, too, so an action with a mask of some tells nothing. One of all general ones
// does: what is collected by default (`set default-collect`) is in no command. Files without commands
// (`has_commands`) do not tell what was asked for: then it is all.
WantedRegisters wanted_registers(std::span<const CollectItem> items,
                                 std::span<const TracepointAction> actions, bool has_commands,
                                 const RegisterLayout* layout);

}  // namespace convert::tfile
