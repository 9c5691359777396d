// Readers of inputs, which fill lanes block by block. Most files have their own source. If the events of a
// file belong to the lanes of several sources, a shared source reads the file, and delivers the events to
// these sources.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "converters/model/lanes/event.h"

namespace convert {

// A time range that includes both ends.
struct TimeSpan {
  std::uint64_t begin_ns = kForever, end_ns = 0;

  void join(const TimeSpan& other) {
    begin_ns = std::min(begin_ns, other.begin_ns);
    end_ns = std::max(end_ns, other.end_ns);
  }
};

// The limits of one pump().
struct PumpBudget {
  std::size_t bytes;  // the approximate size of the events and arguments to add to lanes
  // The shared sources have delivered all events before this time, but may not have delivered later events
  // yet. Therefore, a source must not emit events at or after this time.
  std::uint64_t delivered_until_ns = kForever;
  // The number of the thread that pumps, from 0 to TimelineOptions::jobs - 1. A source may use it as an index
  // for memory per thread.
  std::size_t worker = 0;
};

// Reads an input forward, and fills the lanes of this input. Several threads pump different sources at the
// same time. Therefore, data that sources share must be read-only or locked. Only one thread at a time pumps
// a source, but not always the same thread.
class Source {
 public:
  virtual ~Source() = default;
  // Reads on, and emits events until the budget is used. Returns false at the end of the input. Before it
  // returns false, it must end all open calls.
  virtual bool pump(const PumpBudget& budget) = 0;
  // A time before which no lane has an event, or 0 if it is unknown. May be called before the first pump().
  virtual std::uint64_t begin_ns() const { return 0; }
  // The end of the program's last call, known at the end of the input. kForever if it is unknown, and 0 if
  // the input records no calls.
  virtual std::uint64_t calls_end_ns() const { return kForever; }
  // If the input records no calls: the times of its first and last mark, known at the end of the input.
  // Otherwise nothing.
  virtual std::optional<TimeSpan> marks() const { return std::nullopt; }
  // A time before which no lane gets another event. When pump() has reached PumpBudget::delivered_until_ns,
  // the watermark is at least this time.
  virtual std::uint64_t watermark_ns() const = 0;
};

// Reads a file whose events belong to the lanes of several sources.
class SharedSource {
 public:
  virtual ~SharedSource() = default;
  // Reads one block into its own memory, while other threads pump sources. Returns false at the end.
  virtual bool pump(const PumpBudget& budget) = 0;
  // Gives the sources the data that pump() has read. No other thread runs meanwhile.
  virtual void deliver() = 0;
  // All events that are delivered from now on are at this time or later.
  virtual std::uint64_t watermark_ns() const = 0;
  // Bytes that were delivered but not consumed yet.
  virtual std::size_t waiting_bytes() const = 0;
};

}  // namespace convert
