#include "converters/uftrace/recorded_calls.h"

#include <algorithm>
#include <utility>

#include "converters/model/reading/input_error.h"
#include "converters/uftrace/records/mark_scan.h"

namespace convert::uftrace {

RecordedCalls::RecordedCalls(Symbolizer& symbolizer, PayloadLayouts& layouts, bool records_ends,
                             std::vector<RecordedThread> threads)
    : symbolizer_(symbolizer), layouts_(layouts), records_ends_(records_ends), threads_(std::move(threads)) {}

std::vector<const Lane*> RecordedCalls::lanes() const {
  std::vector<const Lane*> lanes;
  for (const RecordedThread& thread : threads_) lanes.push_back(thread.lane);
  return lanes;
}

// A file that can't be read is its source's to speak of.
std::vector<MarkPosition> RecordedCalls::positions(const Lane& lane, std::span<const MarkWindow> windows) {
  const auto thread = std::ranges::find(threads_, &lane, &RecordedThread::lane);
  try {
    PayloadDecoder payloads(layouts_, *thread->task);
    return scan_marks(thread->path, thread->facts, *thread->task, symbolizer_, &payloads, thread->inherited,
                      windows);
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace convert::uftrace
