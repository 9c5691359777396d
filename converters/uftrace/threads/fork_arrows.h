// The arrows of forks where not all calls are shown: a child that begins in no shown call gets none.
#pragma once

#include "converters/uftrace/filters/filter_table.h"
#include "converters/uftrace/symbols/symbolizer.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

// Removes such arrows from the plans of both threads. Throws InputError if a record file can't be read.
void drop_hidden_arrows(ThreadPlans& plans, FilterTable& table, Symbolizer& symbolizer);

}  // namespace convert::uftrace
