// The arrows of forks where not all calls are shown: there is none to a child that begins in no call that is
// shown.
#pragma once

#include "converters/uftrace/filters/filter_table.h"
#include "converters/uftrace/records/thread_plan.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// Takes them out of both sides' plans. Throws InputError if a record file can't be read.
void leave_out_arrows(ThreadPlans& plans, FilterTable& table, Symbolizer& symbolizer);

}  // namespace convert::uftrace
