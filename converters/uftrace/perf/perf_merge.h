// All perf-cpu<N>.dat of a recording as one stream: by time, then by cpu.
#pragma once

#include "converters/uftrace/perf/perf_cursor.h"
#include "converters/uftrace/recording/cpu_merge.h"

namespace convert::uftrace {

using PerfMerge = CpuMerge<PerfCursor>;

}  // namespace convert::uftrace
