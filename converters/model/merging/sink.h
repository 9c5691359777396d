// The receiver of the merged stream. An output format that needs more than the records of FXT implements this
// interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/limits.h"
#include "converters/model/merging/source.h"
#include "fxt/support/short_calls.h"

namespace convert {

// The facts about a thread that are known before its events are read.
struct LaneInfo {
  ProcessId process;
  ThreadId thread;
  std::string process_name;
  std::string thread_name;
  // A greater weight means that more events are expected. For uftrace, it is the size of the thread's file.
  // For GDB, it is the number of frames. A sink may refer to the threads with the greatest weights in fewer
  // words.
  std::uint64_t weight = 0;
  std::uint64_t first_call_ns = kForever;  // start of the program's first call; kForever if unknown
};

// While an event is processed, the event that comes this number of places later is prefetched. Otherwise, the
// merge would wait for each event, because another core has written it.
inline constexpr std::size_t kPrefetchedEvents = 8;

// Consecutive events of one lane, without an event of another lane in between.
struct MergedRun {
  std::span<const PendingEvent> events;
  std::uint32_t lane;
};

// The range that a viewer shows first: from the first start to the last end of the program's calls. If no
// such calls are known, it is the range of all marks, with a margin.
struct FirstView {
  TimeSpan span;
  bool has_calls;
};

// The facts that are known after the last event. Times include the offsets of inputs.
struct TimelineTotals {
  std::optional<std::uint64_t> first_ns = {};  // time of the first event; nothing without events
  std::uint64_t last_ns = 0;                   // the latest time of all lanes; 0 without events
  std::optional<FirstView> first_view = {};    // nothing if there are neither calls nor marks
  std::vector<TooDeepCount> too_deep = {};     // by lane
  std::uint64_t cut_arguments = 0;             // sum of all lanes
  std::uint64_t skipped_calls = 0;             // sum of all lanes
  fxt::MissingCalls left_out = {};             // short calls, sum of all lanes
  std::uint64_t outside_ns = 0;                // total time of the short calls that are in no shown call
};

// The interface of a sink. The SinkLimits are not part of it, because lanes need them before the sink exists.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // Called once with all lanes, before the first event.
  virtual void add_lanes(std::span<const LaneInfo> lanes) = 0;
  // Receives the next events in merged order. No event is Open. Events are valid until the call returns.
  virtual void write(std::span<const MergedRun> runs) = 0;
  // Called once after the last event. `totals` has no first view if inputs were not read to their ends.
  virtual void finish([[maybe_unused]] const TimelineTotals& totals) {}
  virtual std::uint64_t events_written() const = 0;

  // ---- The events that the sink still needs, which may change with each write() ----

  // Complete calls that end before this time are not needed.
  virtual std::uint64_t needed_from_ns() const { return 0; }
  // Calls that begin after this time are not needed.
  virtual std::uint64_t needed_until_ns() const { return kForever; }
  virtual bool has_enough() const { return false; }

  // The number of words with which each record refers to the thread of a lane. Called after add_lanes().
  virtual std::size_t thread_words([[maybe_unused]] std::size_t lane) const { return 0; }
};

// A sink that passes events on to another sink. Functions that a subclass does not override are forwarded.
class SinkStage : public EventSink {
 public:
  explicit SinkStage(EventSink& next) : next_(next) {}

  void add_lanes(std::span<const LaneInfo> lanes) override { next_.add_lanes(lanes); }
  void write(std::span<const MergedRun> runs) override { next_.write(runs); }
  void finish(const TimelineTotals& totals) override { next_.finish(totals); }
  std::uint64_t events_written() const override { return next_.events_written(); }
  std::uint64_t needed_from_ns() const override { return next_.needed_from_ns(); }
  std::uint64_t needed_until_ns() const override { return next_.needed_until_ns(); }
  bool has_enough() const override { return next_.has_enough(); }
  std::size_t thread_words(std::size_t lane) const override { return next_.thread_words(lane); }

 private:
  EventSink& next_;
};

}  // namespace convert
