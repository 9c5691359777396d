// What the files of cpus hold, for `--inspect`: the kernel's ring buffers and perf's.
#pragma once

#include <bit>
#include <vector>

#include "converters/model/notes.h"
#include "converters/model/outline_fwd.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// Pages, formats, and a list by cpu. Notes damage.
Outline outline_of_kernel(const Directory& directory, Notes& notes);

// A list by cpu. Does not note damage: scan_perf() does.
Outline outline_of_perf(const std::vector<CpuFile>& files, std::endian order);

}  // namespace convert::uftrace
