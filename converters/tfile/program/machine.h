// What an ELF file says of the machine that it runs on.
#pragma once

#include <gelf.h>

#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

MachineHint hint_of(const GElf_Ehdr& header);

}  // namespace convert::tfile
