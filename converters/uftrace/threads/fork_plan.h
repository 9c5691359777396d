// Which thread forked or created which, where the arrow between them starts, and what calls a forked child
// inherits.
#pragma once

#include <cstdint>
#include <vector>

#include "converters/model/timeline.h"
#include "converters/uftrace/filters/filter_table.h"
#include "converters/uftrace/perf/perf_scan.h"
#include "converters/uftrace/symbols/symbolizer.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

// The children of one process, in the order of their pids, get its forking calls in their order: each child
// the earliest free call that began before the child ran. (The time of a FORK line is when the child ran; its
// parent may be in a later fork by then.) Perf data name the thread that forked and the exact time: there,
// the forking call is the one that this thread had open. Perf data also know children without a FORK line,
// which posix_spawn, system and popen make: these run another program before they write a record. The threads
// of a process get its calls of pthread_create in the same way.
//
// Completes the plans of forked threads and of those that forked them, and which program a child runs.
// `plans` by tid; a fork whose parent or child is not among them is left alone. The timeline gives the arrows
// their ids, and knows at which depth calls stop being visible. Throws InputError if a record file can't be
// read.
void plan_forks(ThreadPlans& plans, Sessions& sessions, const PerfThreads& perf, Symbolizer& symbolizer,
                Timeline& timeline);

// Where not all calls are shown, a child that begins in no shown call gets no arrow: removes such arrows from
// the plans of both threads. Throws InputError if a record file can't be read.
void drop_hidden_arrows(ThreadPlans& plans, FilterTable& table, Symbolizer& symbolizer);

}  // namespace convert::uftrace
