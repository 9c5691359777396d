// What a viewer needs besides the events: which part of the trace it shows first, in which order, and what
// the trace is of. It is written as Perfetto's packets.
#pragma once

#include <span>

#include "converters/model/merging/sink.h"
#include "converters/model/trace_info.h"
#include "fxt/perfetto.h"

namespace convert {

// All that is known before the first event.
fxt::PerfettoPackets hints_of(std::span<const LaneInfo> lanes, const TraceInfo& info);

}  // namespace convert
