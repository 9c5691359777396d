// What the perf files of a recording hold, for `--inspect`.
#pragma once

#include <bit>
#include <vector>

#include "converters/model/outline.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// A list, by cpu. What is wrong with the files is not noted: scan_perf() does that.
Outline outline_of_perf(const std::vector<CpuFile>& files, std::endian order);

}  // namespace convert::uftrace
