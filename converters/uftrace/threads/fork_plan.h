// Which thread forked which, where the arrow between them starts, and what calls the child inherits.
#pragma once

#include <cstdint>
#include <vector>

#include "converters/model/timeline.h"
#include "converters/uftrace/perf/perf_scan.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

// Children of one process, in the order of their pids, take its calls that fork in their order: each the
// earliest that is not taken and began before the child ran. (The time of a FORK line is when the child ran,
// and its parent may be in a later fork by then.) Where perf data have the fork, they say which thread it was
// and when: that thread's open call is the one. So they tell of children without a FORK line, too, which
// posix_spawn, system and popen make: another program runs in them before a record is written.
//
// Completes the plans of forked threads and of those that forked them. `plans` by tid; a fork whose parent or
// child is not among them is left alone. The timeline gives the arrows their ids, and knows at which depth
// calls stop being visible. Throws InputError if a record file can't be read.
void plan_forks(ThreadPlans& plans, const Sessions& sessions, const PerfThreads& perf, Symbolizer& symbolizer,
                Timeline& timeline);

}  // namespace convert::uftrace
