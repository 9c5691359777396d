// What libtraceevent makes of the formats of a recording. The library does not survive every text, and a
// recording may hold any: so it runs in a process of its own, which may die.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "converters/uftrace/kernel/kernel_header.h"
#include "converters/uftrace/kernel/print_format.h"

namespace convert::uftrace {

using PrintedFields = std::map<std::string, PrintedField>;

// Of each format of the header; empty where the library can't tell, or has failed.
std::vector<PrintedFields> printed_fields(const KernelHeader& header);

}  // namespace convert::uftrace
