// The machine of an ELF file, in GDB's words.
#pragma once

#include <gelf.h>

#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

MachineHint hint_of(const GElf_Ehdr& header);

}  // namespace convert::tfile
