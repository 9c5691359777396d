// Plans the threads of a recording before their records are read.
#pragma once

#include <cstdint>
#include <optional>

#include "converters/model/importer.h"
#include "converters/uftrace/recording_import.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

// For all threads that get a lane; some have no record file.
ThreadPlans plans_of(RecordingImport& recording, ImportContext& context);

// Events outside of calls, and switches before a process's first call, are not shown. Needs all plans, with
// what they inherit.
void skip_outside_calls(ThreadPlans& plans);

// When the recording's first record, switch or kernel event is; of those `kernel_ns` is the first.
std::optional<std::uint64_t> begin_of(const ThreadPlans& plans, const RecordingImport& recording,
                                      std::uint64_t kernel_ns);

// Plans the side streams of the thread, which has its lane.
void plan_streams(ThreadPlan& plan, RecordingImport& recording, Timeline& timeline);

}  // namespace convert::uftrace
