// The receiver of the merged stream. A second output format needs a class of this kind, and nothing else of
// the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/limits.h"
#include "converters/model/lanes/pending_event.h"
#include "converters/model/merging/source.h"

namespace convert {

// The facts about a thread that are known before its events.
struct LaneInfo {
  ProcessId process;
  ThreadId thread;
  std::string process_name;
  std::string thread_name;
  // The expected amount of events (bytes of the thread's file). A sink may have a shorter form for the
  // threads with the most events.
  std::uint64_t weight = 0;
  std::uint64_t first_call_ns = kForever;  // when the program's first call begins; kForever: not known
};

// Events are prefetched this far ahead, because another core filled them.
inline constexpr std::size_t kPrefetchedEvents = 8;

// Events of one lane without an event of another lane between them.
struct MergedRun {
  std::span<const PendingEvent> events;
  std::uint32_t lane;  // its number
};

// The range that a viewer shows first: the program's calls, from the first begin to the last end. If no input
// records calls, the range of the marks that replace them, with a margin.
struct FirstView {
  TimeSpan span;
  bool has_calls;
};

// The facts that are known after the last event, in the shown times.
struct TimelineTotals {
  std::optional<std::uint64_t> first_ns = {};  // of the first event; empty if there is none
  std::uint64_t last_ns = 0;                   // the latest time of all lanes; 0 without events
  std::optional<FirstView> first_view = {};    // nothing if there are neither calls nor marks
  std::vector<TooDeepCount> too_deep = {};     // by lane
  std::uint64_t cut_arguments = 0;             // of all lanes
  std::uint64_t skipped_calls = 0;             // of all lanes
};

// The limits of a sink are known before it is created, because the lanes keep them. See SinkLimits.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // Called once with all lanes, before the first event.
  virtual void add_lanes(std::span<const LaneInfo> lanes) = 0;
  // Receives the next events in merged order. None is Open. They are valid until the call returns.
  virtual void write(std::span<const MergedRun> runs) = 0;
  // Called once after the last event. `totals` has no first view if the events after it are not read.
  virtual void finish([[maybe_unused]] const TimelineTotals& totals) {}
  // The number of received events, without those that were dropped.
  virtual std::uint64_t events_written() const = 0;

  // ---- What the sink still needs; may change with every write() ----

  // Complete calls that end before this time can be skipped.
  virtual std::uint64_t needed_from_ns() const { return 0; }
  // True if no more events are needed.
  virtual bool has_enough() const { return false; }
};

// A sink before another one. It passes on all calls that it does not override.
class SinkStage : public EventSink {
 public:
  explicit SinkStage(EventSink& next) : next_(next) {}

  void add_lanes(std::span<const LaneInfo> lanes) override { next_.add_lanes(lanes); }
  void write(std::span<const MergedRun> runs) override { next_.write(runs); }
  void finish(const TimelineTotals& totals) override { next_.finish(totals); }
  std::uint64_t events_written() const override { return next_.events_written(); }
  std::uint64_t needed_from_ns() const override { return next_.needed_from_ns(); }
  bool has_enough() const override { return next_.has_enough(); }

 private:
  EventSink& next_;
};

}  // namespace convert
