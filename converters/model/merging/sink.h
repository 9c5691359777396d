// The receiver of the merged stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/pending_event.h"

namespace convert {

// What is known of a thread before its events.
struct LaneInfo {
  ProcessId process;
  ThreadId thread;
  std::string process_name;
  std::string thread_name;
  // The expected amount of events (bytes of the thread's file). A sink may have a shorter form for the
  // heaviest threads.
  std::uint64_t weight = 0;
  std::uint64_t first_call_ns = kForever;  // when the program's first call begins; kForever: not known
};

// Events are prefetched this far ahead, because another core filled them.
inline constexpr std::size_t kPrefetchedEvents = 8;

// Events of one lane that no event of another lane comes between.
struct MergedRun {
  std::span<const PendingEvent> events;
  std::uint32_t lane;  // its number
};

// The limits of a sink are known before it is created, as the lanes keep them: see SinkLimits.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // Called once with all lanes, before the first event.
  virtual void add_lanes(std::span<const LaneInfo> lanes) = 0;
  // Receives the next events in merged order; none is Open. They are valid until the call returns.
  virtual void write(std::span<const MergedRun> runs) = 0;

  // ---- What the sink still needs; may change with every write() ----

  // Complete calls that end before this time can be skipped.
  virtual std::uint64_t needed_from_ns() const { return 0; }
  // True if no more events are needed.
  virtual bool has_enough() const { return false; }
};

}  // namespace convert
