// Who receives the merged stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/pending_event.h"

namespace convert {

// What is known of a thread before its events: who it is and what it is called.
struct LaneInfo {
  ProcessId process;
  ThreadId thread;
  std::string process_name;
  std::string thread_name;
  std::uint64_t weight =
      0;  // expected amount of events (bytes of its file); heavy lanes get short references
};

// Events of one lane, given by its number, that nothing of another lane comes between.
struct MergedRun {
  std::span<const PendingEvent> events;
  std::uint32_t lane;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  // All lanes, before the first event.
  virtual void add_lanes(std::span<const LaneInfo> lanes) = 0;
  // The next events in the order of the merge; none is Open. They are gone when the call returns.
  virtual void write(std::span<const MergedRun> runs) = 0;

  // ---- What it still wants; may change with every write() ----

  // Complete calls that end before this time need not come.
  virtual std::uint64_t needed_from_ns() const { return 0; }
  // Nothing else needs to come.
  virtual bool has_enough() const { return false; }
};

}  // namespace convert
