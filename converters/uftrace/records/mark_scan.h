// How marks that others made lie in the calls of a thread: found in one walk over its records before they are
// converted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converters/model/merging/thread_match.h"
#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/records/thread_facts.h"

namespace convert::uftrace {

// Of each window; they come by their first time. The walk ends at the last of them. `payloads` may be null;
// `inherited` is what the thread started with. Throws InputError if the file can't be read.
std::vector<MarkPosition> scan_marks(const std::string& path, const ThreadFacts& facts, const Task& task,
                                     Symbolizer& symbolizer, PayloadDecoder* payloads,
                                     std::vector<std::uint64_t> inherited,
                                     std::span<const MarkWindow> windows);

}  // namespace convert::uftrace
